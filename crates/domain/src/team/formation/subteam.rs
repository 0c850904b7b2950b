use super::{CAN, Candidate, CoverSearch, Skill, cover};
use crate::team::{MemberIdentity, member::Invitee};

/// Forms a subteam by rules: the member itself, then helpers for the skills it lacks. `None` without helpers.
pub fn form_subteam(
    search: CoverSearch<'_>,
    member: &MemberIdentity,
    candidates: &[Candidate],
) -> Option<Vec<Invitee>> {
    let key = member.key();
    let (own, others): (Vec<Candidate>, Vec<Candidate>) =
        candidates.iter().cloned().partition(|candidate| candidate.identity.key() == key);
    let can = |need: &Skill| own.iter().any(|own| own.fit(need) >= CAN);
    let (roles, lacks): (Vec<Skill>, Vec<Skill>) = search.needs.iter().cloned().partition(can);
    let places = search.places.saturating_sub(1);
    let helpers = cover(CoverSearch { needs: &lacks, places, last_round: false, ..search }, &others);
    let itself = Invitee { identity: member.clone(), roles, key: None };
    (!helpers.is_empty()).then(|| [vec![itself], helpers].concat())
}

/// Forms a subteam with chosen helpers. The member gets the remaining skills. `None` without helpers.
pub fn form_subteam_with(
    needs: &[Skill],
    member: &MemberIdentity,
    helpers: Vec<Invitee>,
) -> Option<Vec<Invitee>> {
    let is_left = |need: &&Skill| !helpers.iter().any(|helper| helper.roles.contains(need));
    let roles = needs.iter().filter(is_left).cloned().collect();
    let itself = Invitee { identity: member.clone(), roles, key: None };
    (!helpers.is_empty()).then(|| [vec![itself], helpers].concat())
}

/// Decides by rules whether a member works alone (`None`) or with a subteam.
///
/// It forms one only if, by the index, the member has some of the required skills but not all, and others
/// cover the rest. A member unknown to the index works alone: it may have any skill.
pub fn choose_execution(
    search: CoverSearch<'_>,
    member: &MemberIdentity,
    candidates: &[Candidate],
) -> Option<Vec<Invitee>> {
    let members = form_subteam(search, member, candidates)?;
    let knows_some = members.first().is_some_and(|itself| !itself.roles.is_empty());
    knows_some.then_some(members)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{super::TrackRecord, *};
    use crate::{ChatId, Timestamp};

    fn named(name: &str) -> MemberIdentity {
        MemberIdentity::Agent { address: format!("@ada/{name}").parse().unwrap() }
    }

    fn candidate(name: &str, needs: &[&str]) -> Candidate {
        let fits: BTreeMap<Skill, u16> = needs.iter().map(|need| (skill(need), 900)).collect();
        Candidate { identity: named(name), fits, track: TrackRecord::default(), key: None }
    }

    fn skill(text: &str) -> Skill {
        Skill::try_from(text.to_owned()).unwrap()
    }

    fn formed(member: &str, needs: &[&str], candidates: &[Candidate]) -> Option<Vec<(String, usize)>> {
        let needs: Vec<Skill> = needs.iter().map(|need| skill(need)).collect();
        let team = ChatId::new(Timestamp::from_millis(1), &[7; 10]);
        let search = CoverSearch { needs: &needs, places: 4, last_round: true, team };
        let members = choose_execution(search, &named(member), candidates)?;
        Some(members.iter().map(|invitee| (invitee.identity.to_string(), invitee.roles.len())).collect())
    }

    #[test]
    fn a_member_gathers_who_does_what_it_lacks() {
        let all = [candidate("tide", &["tides"]), candidate("feet", &["feet"]), candidate("both", &["x"])];
        let with_feet = vec![("@ada/tide".to_owned(), 1), ("@ada/feet".to_owned(), 1)];
        assert_eq!(formed("tide", &["tides", "feet"], &all), Some(with_feet));
        assert_eq!(formed("tide", &["tides"], &all), None, "it does all of it");
        assert_eq!(formed("tide", &["tides", "sing"], &all), None, "nobody does the rest");
        assert_eq!(formed("other", &["tides", "feet"], &all), None, "it may be able to do anything");
    }
}
