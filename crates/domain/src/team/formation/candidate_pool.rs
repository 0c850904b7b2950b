use std::{cmp::Reverse, collections::BTreeMap};

use super::{Candidate, Skill, TrackRecord};
use crate::team::MemberIdentity;

/// Maximum number of agents considered per skill.
pub const LOOKED_AT: usize = 32;

/// Candidates collected from the searches for each skill.
#[derive(Clone, Debug, Default)]
pub struct CandidatePool(BTreeMap<String, Candidate>);

impl CandidatePool {
    /// Adds the search results for a skill. Scores have no unit;
    /// the best becomes 1,000 and the others are proportional.
    pub fn add(&mut self, need: &Skill, found: impl IntoIterator<Item = (MemberIdentity, f32)>) {
        let found: Vec<(MemberIdentity, f32)> = found.into_iter().filter(|(_, score)| *score > 0.0).collect();
        let best = found.iter().map(|(_, score)| *score).fold(0.0, f32::max);
        for (identity, score) in found {
            let candidate = self.0.entry(identity.key()).or_insert_with(|| Candidate::new(identity));
            candidate.fits.entry(need.clone()).or_insert(thousandths(score / best));
        }
    }

    /// Sets the track record of a candidate, if it is in the pool.
    pub fn set_track(&mut self, identity: &MemberIdentity, track: TrackRecord) {
        if let Some(candidate) = self.0.get_mut(&identity.key()) {
            candidate.track = track;
        }
    }

    /// Returns the candidates, highest total fit first.
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
            .map(|address| MemberIdentity::Agent { address: address.parse().unwrap() });
        let mut pool = CandidatePool::default();
        pool.add(&find, [(a.clone(), 8.0), (b.clone(), 2.0), (c.clone(), 0.0)]);
        pool.add(&plot, [(b.clone(), 0.5)]);
        let track = TrackRecord { completed: 1, ended_otherwise: 0 };
        pool.set_track(&a, track);
        pool.set_track(&c, track);
        let fits = |fits: &[(&Skill, u16)]| fits.iter().map(|(need, fit)| ((*need).clone(), *fit)).collect();
        let both = Candidate { fits: fits(&[(&find, 250), (&plot, 1_000)]), ..Candidate::new(b) };
        let one = Candidate { fits: fits(&[(&find, 1_000)]), track, ..Candidate::new(a) };
        assert_eq!(pool.into_candidates(), [both, one]);
    }
}
