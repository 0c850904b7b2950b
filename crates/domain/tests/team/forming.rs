//! Tests of invitations: quorum, rounds and member limits.

use plexus_domain::team::{
    Charter, Event, Failed, Limits, Outcome, Phase, Refusal, Seat, Want,
    member::{Absence, Presence},
};

use crate::world::{World, agent, charter, presence, text};

fn forming(limits: Limits) -> World {
    World::found(Charter { limits, ..charter() })
}

#[test]
fn a_team_begins_when_all_have_answered_and_a_quorum_came() {
    let mut world = forming(Limits { quorum: 2, ..Limits::default() });
    assert_eq!(world.team.wants(), [Want::Candidates { places: 4 }]);
    world.home(Event::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    assert_eq!(world.team.wants(), [0, 1, 2].map(|seat| Want::Reply { seat: Seat(seat) }));
    world.seat(Seat(1), Event::Accepted).unwrap();
    assert_eq!(world.seat(Seat(1), Event::Accepted), Err(Refusal::Already));
    world.seat(Seat(0), Event::Declined { reason: text("Busy.") }).unwrap();
    assert!(matches!(world.team.phase(), Phase::Forming { round: 1 }));
    world.seat(Seat(2), Event::Accepted).unwrap();
    assert_eq!(world.team.phase(), &Phase::Discussing { floor: Seat(1) });
}

#[test]
fn the_last_round_begins_with_whoever_came() {
    let mut world = forming(Limits { quorum: 3, rounds: 2, ..Limits::default() });
    world.home(Event::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    world.seat(Seat(0), Event::Accepted).unwrap();
    world.seat(Seat(1), Event::Declined { reason: text("No.") }).unwrap();
    world.wait();
    assert_eq!(presence(&world.team, 2), &Presence::Gone(Absence::Silent));
    assert!(matches!(world.team.phase(), Phase::Forming { round: 2 }));
    assert_eq!(world.team.wants(), [Want::Candidates { places: 3 }]);
    world.home(Event::Invited { members: vec![agent("d")] }).unwrap();
    world.wait();
    assert_eq!(world.team.phase(), &Phase::Discussing { floor: Seat(0) });
}

#[test]
fn a_team_whose_only_member_is_held_begins_with_it() {
    let mut world = forming(Limits::default());
    world.home(Event::Invited { members: vec![agent("a"), agent("b"), agent("c")] }).unwrap();
    world.seat(Seat(0), Event::Accepted).unwrap();
    world.seat(Seat(1), Event::Accepted).unwrap();
    world.owner(Event::Held { seat: Seat(0) }).unwrap();
    world.home(Event::Left { seat: Seat(1), reason: text("Offline.") }).unwrap();
    world.seat(Seat(2), Event::Declined { reason: text("No.") }).unwrap();
    assert_eq!(world.team.phase(), &Phase::Discussing { floor: Seat(0) });
}

#[test]
fn a_team_to_which_nobody_comes_ends() {
    let mut world = forming(Limits { rounds: 3, ..Limits::default() });
    for _ in 0..3 {
        world.wait();
    }
    assert_eq!(world.team.outcome(), Some(&Outcome::Failed(Failed::NobodyCame)));
}

#[test]
fn places_are_limited_and_nobody_sits_twice() {
    let mut world = forming(Limits { members: 2, ..Limits::default() });
    let invite = |names: &[&str]| Event::Invited { members: names.iter().map(|name| agent(name)).collect() };
    assert!(world.home(invite(&[])).is_err());
    assert!(world.home(invite(&["a", "A"])).is_err());
    assert_eq!(world.home(invite(&["a", "b", "c"])), Err(Refusal::Full("members")));
    world.home(invite(&["a"])).unwrap();
    assert_eq!(world.home(invite(&["A"])), Err(Refusal::Already));
    assert_eq!(world.home(invite(&["b", "c"])), Err(Refusal::Full("members")));
    world.seat(Seat(0), Event::Declined { reason: text("No.") }).unwrap();
    world.home(invite(&["a", "b"])).unwrap();
    world.owner(invite(&["c"])).unwrap();
    assert_eq!(world.home(invite(&["d"])), Err(Refusal::Full("members")), "the owner took in one more");
    let many: Vec<String> = (0..62).map(|number| format!("many{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(world.owner(invite(&many)), Err(Refusal::Full("members")), "there are 64 seats");
    assert_eq!(world.team.members().len(), 4, "who declined may be asked again and gets another seat");
}
