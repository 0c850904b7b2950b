//! Joint fit: scores of agents for the parts of one goal, combined over the parts.

/// Weight of the other parts of a goal relative to the part itself. Agents of one field suit related parts.
const CONTEXT_WEIGHT: f32 = 0.2;
/// A part counts as context if more agents than `A_FEW` and than one in `ONE_IN` fit nearly as well as the
/// best. It names the subject or audience instead of a skill, so it gets full weight for each other part.
const ONE_IN: usize = 64;
const A_FEW: usize = 8;
const NEARLY: f32 = 0.8;

/// Returns the fit of each agent to each part of a goal, including the other parts.
///
/// `parts` holds the fits per part, with the agents in the
/// same order. An agent with fit 0 for a part stays at 0.
pub fn joint_fit(parts: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let weights: Vec<f32> =
        parts.iter().map(|fits| if is_uninformative(fits) { 1.0 } else { CONTEXT_WEIGHT }).collect();
    let mut all = parts.to_vec();
    for (at, fits) in all.iter_mut().enumerate() {
        for (other, weight) in
            parts.iter().zip(&weights).enumerate().filter(|(n, _)| *n != at).map(|(_, it)| it)
        {
            for (fit, besides) in fits.iter_mut().zip(other).filter(|(fit, _)| **fit > 0.0) {
                *fit += weight * besides;
            }
        }
    }
    all
}

fn is_uninformative(fits: &[f32]) -> bool {
    let best = fits.iter().copied().fold(0.0, f32::max);
    let alike = fits.iter().filter(|&&fit| fit > 0.0 && fit >= NEARLY * best).count();
    alike > A_FEW.max(fits.len() / ONE_IN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_many_alike_is_counted_to_each_part() {
        let trade: Vec<f32> = (0..64).map(|n| if n % 2 == 0 { 1.0 } else { 0.0 }).collect();
        let work: Vec<f32> = (0..64).map(|n| if n < 4 { 1.0 } else { 0.0 }).collect();
        let [beside_work, in_trade] = joint_fit(&[trade.clone(), work.clone()]).try_into().unwrap();
        assert_eq!(in_trade[..6], [2.0, 1.0, 2.0, 1.0, 0.0, 0.0], "nobody for the trade alone");
        assert_eq!(beside_work[..5], [1.2, 0.0, 1.2, 0.0, 1.0]);
        let few = joint_fit(&[work, trade[..8].to_vec()]);
        assert!((few[0][0] - 1.2).abs() < 1e-6, "a few agents are no trade");
    }
}
