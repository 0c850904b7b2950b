//! Fits counted together: the parts of one goal are about each other.

/// How much another part of a goal counts beside the one that is looked for: agents of one trade go together.
const CONTEXT_WEIGHT: f32 = 0.2;
/// A part that this share of all agents, and more than a few, fit nearly as well as the best does not say who is needed,
/// but for whom or about what all of it is. It counts wholly beside each other part.
const ONE_IN: usize = 64;
const A_FEW: usize = 8;
const NEARLY: f32 = 0.8;

/// How well each agent fits each part of a goal when the other parts are counted in. `parts` says how well each fits it
/// by itself; whoever does not fit a part at all is not helped by the others.
pub fn in_context(parts: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let weights: Vec<f32> =
        parts.iter().map(|fits| if tells_nobody_apart(fits) { 1.0 } else { CONTEXT_WEIGHT }).collect();
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

fn tells_nobody_apart(fits: &[f32]) -> bool {
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
        let [beside_work, in_trade] = in_context(&[trade.clone(), work.clone()]).try_into().unwrap();
        assert_eq!(in_trade[..6], [2.0, 1.0, 2.0, 1.0, 0.0, 0.0], "nobody for the trade alone");
        assert_eq!(beside_work[..5], [1.2, 0.0, 1.2, 0.0, 1.0]);
        let few = in_context(&[work, trade[..8].to_vec()]);
        assert!((few[0][0] - 1.2).abs() < 1e-6, "a few agents are no trade");
    }
}
