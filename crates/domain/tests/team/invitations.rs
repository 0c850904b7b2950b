//! Tests of invitations: quorum, rounds and member limits.

use plexus_domain::team::{
    PendingAction, Phase, Seat, TeamError, TeamEvent, TeamFailure, TeamLimits, TeamOutcome, TeamSpec,
    member::{DepartureReason, MemberStatus},
};

use crate::fixtures::{World, agent, charter, status, text};

fn forming(limits: TeamLimits) -> World {
    World::found(TeamSpec { limits, ..charter() })
}

#[test]
fn a_team_begins_when_all_have_answered_and_a_quorum_came() {
    let mut world = forming(TeamLimits { quorum: 2, ..TeamLimits::default() });
    assert_eq!(world.team.pending_actions(), [PendingAction::Candidates { places: 4 }]);
    world.home(TeamEvent::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    assert_eq!(world.team.pending_actions(), [0, 1, 2].map(|seat| PendingAction::Reply { seat: Seat(seat) }));
    world.seat(Seat(1), TeamEvent::Accepted).unwrap();
    assert_eq!(world.seat(Seat(1), TeamEvent::Accepted), Err(TeamError::Already));
    world.seat(Seat(0), TeamEvent::Declined { reason: text("Busy.") }).unwrap();
    assert!(matches!(world.team.phase(), Phase::Forming { round: 1 }));
    world.seat(Seat(2), TeamEvent::Accepted).unwrap();
    assert_eq!(world.team.phase(), &Phase::Discussing { speaker: Seat(1) });
}

#[test]
fn the_last_round_begins_with_whoever_came() {
    let mut world = forming(TeamLimits { quorum: 3, rounds: 2, ..TeamLimits::default() });
    world.home(TeamEvent::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    world.seat(Seat(0), TeamEvent::Accepted).unwrap();
    world.seat(Seat(1), TeamEvent::Declined { reason: text("No.") }).unwrap();
    world.wait();
    assert_eq!(status(&world.team, 2), &MemberStatus::Gone(DepartureReason::Silent));
    assert!(matches!(world.team.phase(), Phase::Forming { round: 2 }));
    assert_eq!(world.team.pending_actions(), [PendingAction::Candidates { places: 3 }]);
    world.home(TeamEvent::Invited { members: vec![agent("d")] }).unwrap();
    world.wait();
    assert_eq!(world.team.phase(), &Phase::Discussing { speaker: Seat(0) });
}

#[test]
fn a_team_whose_only_member_is_paused_begins_with_it() {
    let mut world = forming(TeamLimits::default());
    world.home(TeamEvent::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    world.seat(Seat(0), TeamEvent::Accepted).unwrap();
    world.seat(Seat(1), TeamEvent::Accepted).unwrap();
    world.owner(TeamEvent::Paused { seat: Seat(0) }).unwrap();
    world.home(TeamEvent::Left { seat: Seat(1), reason: text("Offline.") }).unwrap();
    world.seat(Seat(2), TeamEvent::Declined { reason: text("No.") }).unwrap();
    assert_eq!(world.team.phase(), &Phase::Discussing { speaker: Seat(0) });
}

#[test]
fn a_team_to_which_nobody_comes_ends() {
    let mut world = forming(TeamLimits { rounds: 3, ..TeamLimits::default() });
    for _ in 0..3 {
        world.wait();
    }
    assert_eq!(world.team.outcome(), Some(&TeamOutcome::Failed(TeamFailure::NoMemberAccepted)));
}

#[test]
fn places_are_limited_and_nobody_sits_twice() {
    let mut world = forming(TeamLimits { max_members: 2, ..TeamLimits::default() });
    let invite =
        |names: &[&str]| TeamEvent::Invited { members: names.iter().map(|name| agent(name)).collect() };
    assert!(world.home(invite(&[])).is_err());
    assert!(world.home(invite(&["a", "A"])).is_err());
    assert_eq!(world.home(invite(&["a", "b", "c"])), Err(TeamError::Full("members")));
    world.home(invite(&["a"])).unwrap();
    assert_eq!(world.home(invite(&["A"])), Err(TeamError::Already));
    assert_eq!(world.home(invite(&["b", "c"])), Err(TeamError::Full("members")));
    world.seat(Seat(0), TeamEvent::Declined { reason: text("No.") }).unwrap();
    world.home(invite(&["a", "b"])).unwrap();
    world.owner(invite(&["c"])).unwrap();
    assert_eq!(world.home(invite(&["d"])), Err(TeamError::Full("members")), "the owner took in one more");
    let many: Vec<String> = (0..62).map(|number| format!("many{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(world.owner(invite(&many)), Err(TeamError::Full("members")), "there are 64 seats");
    assert_eq!(world.team.members().len(), 4, "who declined may be asked again and gets another seat");
}
