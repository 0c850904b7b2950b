use super::{CAN, COVERS, Candidate, Skill};
use crate::{ChatId, Digest, team::member::Invitee};

/// Weight of the fit relative to the track record: the record changes a gain by at most one ninth.
/// It decides between candidates of similar fit, but neither selects nor excludes one on its own.
const RECORD_WEIGHT: u64 = 4_000;

/// Parameters of the selection of members.
#[derive(Clone, Copy, Debug)]
pub struct CoverSearch<'a> {
    pub needs: &'a [Skill],
    pub places: u16,
    /// In the last round the best candidate is taken, however weak its fit.
    pub last_round: bool,
    /// Seed for ordering equal candidates, so that choosing a name gives no advantage.
    pub team: ChatId,
}

/// Selects a small team by greedy set cover of the required skills.
///
/// Repeatedly takes the candidate with the highest gain until no skill is missing. The gain is the sum of the
/// fits to the missing skills, weighted by the track record.
pub fn cover(search: CoverSearch<'_>, candidates: &[Candidate]) -> Vec<Invitee> {
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    ranked.sort_by_cached_key(|candidate| lot(search.team, candidate));
    ranked.dedup_by_key(|candidate| candidate.identity.key());
    // An agent that fits less well but answers is of more use than one that only failed lately.
    let (mut failing, mut healthy): (Vec<&Candidate>, Vec<&Candidate>) =
        ranked.into_iter().partition(|candidate| candidate.track.is_failing());
    let mut missing: Vec<&Skill> = search.needs.iter().collect();
    let mut chosen = Vec::new();
    for (is_healthy, min) in [(true, COVERS), (true, CAN), (false, COVERS)] {
        let ranked = if is_healthy { &mut healthy } else { &mut failing };
        while chosen.len() < usize::from(search.places) {
            let Some((index, _)) = best(ranked, &missing, min) else { break };
            let candidate = ranked.remove(index);
            let (roles, rest) = missing.into_iter().partition(|need| candidate.fit(need) >= min);
            missing = rest;
            chosen.push(candidate.invitee(roles.into_iter().cloned().collect()));
        }
    }
    let ranked = if healthy.is_empty() { failing } else { healthy };
    if chosen.is_empty() && search.last_round && search.places > 0 {
        chosen.extend(best(&ranked, &missing, 1).map(|(_, best)| best.invitee(search.needs.to_vec())));
    }
    chosen
}

fn best<'a>(ranked: &[&'a Candidate], missing: &[&Skill], min: u64) -> Option<(usize, &'a Candidate)> {
    let gain = |candidate: &Candidate| {
        let fits = missing.iter().map(|need| candidate.fit(need)).filter(|&fit| fit >= min).sum::<u64>();
        fits * (RECORD_WEIGHT + candidate.track.reliability())
    };
    // Ties go to the first candidate; `max_by_key` alone would return the last.
    let gains = ranked.iter().enumerate().rev().map(|(index, candidate)| (gain(candidate), index));
    let (most, index) = gains.max_by_key(|&(gain, _)| gain)?;
    (most > 0).then(|| (index, ranked[index]))
}

/// Returns the tie-break key of a candidate: pseudo-random per team, equal on all hubs.
fn lot(team: ChatId, candidate: &Candidate) -> (Digest, String) {
    let key = candidate.identity.key();
    (Digest::of(format!("{team}\n{key}")), key)
}

#[cfg(test)]
mod tests {
    use super::{super::TrackRecord, *};
    use crate::{
        Timestamp,
        team::{MemberIdentity, assignment::AssignmentOutcome},
    };

    fn skill(text: &str) -> Skill {
        Skill::try_from(text.to_owned()).unwrap()
    }

    fn candidate(name: &str, fits: &[(&str, u16)]) -> Candidate {
        Candidate {
            identity: MemberIdentity::Agent { address: format!("@ada/{name}@hub.example").parse().unwrap() },
            fits: fits.iter().map(|(need, fit)| (skill(need), *fit)).collect(),
            track: TrackRecord::default(),
            key: None,
        }
    }

    fn chosen(needs: &[&str], places: u16, last_round: bool, candidates: &[Candidate]) -> Vec<String> {
        let needs: Vec<Skill> = needs.iter().map(|need| skill(need)).collect();
        let team = ChatId::new(Timestamp::from_millis(1), &[7; 10]);
        let found = cover(CoverSearch { needs: &needs, places, last_round, team }, candidates);
        found.iter().map(|invitee| invitee.identity.key()).collect()
    }

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("@ada/{name}@hub.example")).collect()
    }

    #[test]
    fn each_member_adds_what_the_others_lack() {
        let all = [
            candidate("finder", &[("find", 1_000)]),
            candidate("finder2", &[("find", 980)]),
            candidate("plotter", &[("plot", 950)]),
            candidate("both", &[("find", 910), ("plot", 920)]),
            candidate("weak", &[("write", 200)]),
        ];
        assert_eq!(chosen(&["find", "plot"], 4, false, &all), keys(&["both"]), "one who does both is enough");
        assert_eq!(chosen(&["find", "plot"], 4, false, &all[..3]), keys(&["finder", "plotter"]));
        assert_eq!(chosen(&["find", "plot"], 1, false, &all[..3]), keys(&["finder"]));
        assert!(chosen(&["write"], 4, false, &all).is_empty());
        assert_eq!(chosen(&["write"], 4, true, &all), keys(&["weak"]), "the last round decides");
        assert!(chosen(&["sing"], 4, true, &all).is_empty());
    }

    #[test]
    fn a_record_of_failures_costs_the_place() {
        let mut failing = candidate("failing", &[("find", 1_000)]);
        failing.track = [AssignmentOutcome::Failed, AssignmentOutcome::TimedOut, AssignmentOutcome::Rejected]
            .into_iter()
            .fold(failing.track, TrackRecord::with);
        assert_eq!(failing.track.with(AssignmentOutcome::Cancelled), failing.track);
        let steady = candidate("steady", &[("find", 950)]);
        let mut perfect = candidate("perfect", &[("find", 890)]);
        perfect.track = TrackRecord { completed: u32::MAX, ended_otherwise: 0 };
        assert_eq!(chosen(&["find"], 4, false, &[failing, steady, perfect]), keys(&["steady"]));
    }

    #[test]
    fn the_order_in_which_candidates_come_changes_nothing() {
        let mut all: Vec<_> = (0..20).map(|n| candidate(&format!("a{n}"), &[("find", 950)])).collect();
        let first = chosen(&["find"], 4, false, &all);
        all.reverse();
        assert_eq!(chosen(&["find"], 4, false, &all), first);
        assert_ne!(first, keys(&["a0"]), "the first of the alphabet has no better lot");
    }
}
