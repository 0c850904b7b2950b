use std::{cmp::Reverse, collections::BTreeMap};

use super::{Candidate, Skill, Track};
use crate::team::Identity;

/// Agents looked at for each need.
pub const LOOKED_AT: usize = 32;

/// Candidates, as they are found for one need after the other.
#[derive(Clone, Debug, Default)]
pub struct Pool(BTreeMap<String, Candidate>);

impl Pool {
    /// Takes in who was found for a need and how well each fits, in no unit. The one that fits best fits wholly, and
    /// the others in proportion.
    pub fn add(&mut self, need: &Skill, found: impl IntoIterator<Item = (Identity, f32)>) {
        let found: Vec<(Identity, f32)> = found.into_iter().filter(|(_, score)| *score > 0.0).collect();
        let best = found.iter().map(|(_, score)| *score).fold(0.0, f32::max);
        for (identity, score) in found {
            let candidate = self.0.entry(identity.key()).or_insert_with(|| Candidate::new(identity));
            candidate.fits.entry(need.clone()).or_insert(thousandths(score / best));
        }
    }

    /// What became of earlier work of somebody who was found.
    pub fn set_track(&mut self, identity: &Identity, track: Track) {
        if let Some(candidate) = self.0.get_mut(&identity.key()) {
            candidate.track = track;
        }
    }

    /// Those who fit most needs best come first.
    pub fn into_candidates(self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self.0.into_values().collect();
        candidates
            .sort_by_key(|candidate| Reverse(candidate.fits.values().copied().map(u64::from).sum::<u64>()));
        candidates
    }
}

fn thousandths(share: f32) -> u16 {
    (share.clamp(0.0, 1.0) * 1_000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_fits_wholly_and_the_others_in_proportion() {
        let [find, plot] = ["find", "plot"].map(|need| Skill::try_from(need.to_owned()).unwrap());
        let [a, b, c] = ["@ada/a", "@ada/b", "@ada/c"]
            .map(|address| Identity::Agent { address: address.parse().unwrap() });
        let mut pool = Pool::default();
        pool.add(&find, [(a.clone(), 8.0), (b.clone(), 2.0), (c.clone(), 0.0)]);
        pool.add(&plot, [(b.clone(), 0.5)]);
        let track = Track { completed: 1, ended_otherwise: 0 };
        pool.set_track(&a, track);
        pool.set_track(&c, track);
        let fits = |fits: &[(&Skill, u16)]| fits.iter().map(|(need, fit)| ((*need).clone(), *fit)).collect();
        let both = Candidate { fits: fits(&[(&find, 250), (&plot, 1_000)]), ..Candidate::new(b) };
        let one = Candidate { fits: fits(&[(&find, 1_000)]), track, ..Candidate::new(a) };
        assert_eq!(pool.into_candidates(), [both, one]);
    }
}
