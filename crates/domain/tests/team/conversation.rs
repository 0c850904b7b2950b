//! Tests of turns, assignments, questions, votes and remarks of a person.

use plexus_domain::{
    MessageId, Timestamp,
    run::Usage,
    team::{
        Author, Event, Mode, Outcome, Pattern, Phase, Proof, Proposal, Refusal, Seat, Spec, Utterance,
        WorkNo, WorkState,
        member::{Absence, Presence},
        pattern::PlanAndDelegate,
        utterance::{Poll, Task},
        work::End,
    },
};

use crate::world::{
    World, agent, assign, charter, conclude, discuss, pause_for, person, presence, report, speakers, spec,
    text,
};

const A: Seat = Seat(0);
const B: Seat = Seat(1);
const C: Seat = Seat(2);

fn team(members: u16) -> World {
    World::of(members, Pattern::PlanAndDelegate(PlanAndDelegate {}))
}

fn phase(world: &World) -> &Phase {
    world.team.phase()
}

#[test]
fn a_goal_goes_from_the_plan_to_the_conclusion() {
    let mut world = team(3);
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
    world.say(A, discuss("Who can find the figures?", Some(1))).unwrap();
    world.say(B, discuss("I can.", None)).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A }, "the floor returns to the lead");
    world.say(A, assign(Mode::Now, &[1, 2])).unwrap();
    assert!(speakers(&world.team).is_empty(), "nobody speaks while the team waits");
    world.seat(B, Event::Started { work: WorkNo(0) }).unwrap();
    world.report(B, WorkNo(0), End::Completed, "2014: 5").unwrap();
    world.report(C, WorkNo(1), End::Failed, "The plotter is broken.").unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A }, "a failure ends a wait as well");
    world.say(A, conclude("5 in 2014.")).unwrap();
    assert_eq!(world.team.outcome(), Some(&Outcome::Concluded { by: A, text: text("5 in 2014.") }));
    assert_eq!(world.say(A, conclude("Again.")), Err(Refusal::Closed));
    world.crash();
}

#[test]
fn nobody_speaks_out_of_turn_or_for_another() {
    let mut world = team(3);
    assert_eq!(world.say(B, discuss("Me first.", None)), Err(Refusal::NotYourTurn));
    assert_eq!(world.say(Seat(9), discuss("And me.", None)), Err(Refusal::NoSuchMember(Seat(9))));
    let said = |turn| Event::Said { turn, utterance: discuss("Hello.", None), usage: Usage::default() };
    assert_eq!(world.seat(A, said(7)), Err(Refusal::Stale { now: 1 }));
    assert_eq!(world.home(said(1)), Err(Refusal::NotYours));
    assert_eq!(world.owner(said(1)), Err(Refusal::NotYours));
    assert_eq!(world.seat(A, Event::Elapsed), Err(Refusal::NotYours));
    world.seat(A, said(1)).unwrap();
    assert_eq!(world.seat(A, said(1)), Err(Refusal::Stale { now: 2 }), "the same proposal once more");
    assert_eq!(world.say(B, discuss("To nobody.", Some(44))), Err(Refusal::NoSuchMember(Seat(44))));
    assert_eq!(world.say(B, assign(Mode::Now, &[44])), Err(Refusal::NoSuchMember(Seat(44))));
    assert_eq!(world.say(B, pause_for(&[3])), Err(Refusal::NotAllowed(pause_for(&[3]).kind())));
    assert_eq!(
        world.say(B, Utterance::Ballot { option: Some(0) }),
        Err(Refusal::NotAllowed(Utterance::Ballot { option: Some(0) }.kind()))
    );
}

#[test]
fn a_member_with_a_key_of_its_own_signs_what_it_says() {
    let mut world = World::found(charter());
    let member = plexus_domain::team::member::Invitee { key: Some(text("key-of-b")), ..agent("b") };
    world.home(Event::Invited { members: vec![member] }).unwrap();
    assert_eq!(world.seat(A, Event::Accepted), Err(Refusal::Unproved));
    let signed = |key: &str| {
        let proof = Some(Proof { key: text(key), signature: text("checked-outside") });
        Proposal { team: world.team.id(), by: Author::Seat(A), event: Event::Accepted, proof }
    };
    assert_eq!(world.team.propose(&signed("another"), world.now), Err(Refusal::Unproved));
    let entries = world.team.propose(&signed("key-of-b"), world.now).unwrap();
    let (kept, sent) =
        (entries[0].proposal().signed_bytes().unwrap(), signed("key-of-b").signed_bytes().unwrap());
    assert_eq!(kept, sent, "the log keeps what was signed");
}

#[test]
fn work_in_the_background_is_waited_for_by_a_pause() {
    let mut world = team(3);
    world.say(A, assign(Mode::Background, &[1, 2])).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A }, "the team goes on");
    assert_eq!(world.say(A, assign(Mode::Background, &[1])), Err(Refusal::AlreadyAssigned(B)));
    world.report(B, WorkNo(0), End::Completed, "Done.").unwrap();
    assert_eq!(world.say(A, pause_for(&[7])), Err(Refusal::NoSuchWork(WorkNo(7))));
    assert!(world.say(A, pause_for(&[])).is_err());
    world.say(A, pause_for(&[0, 1])).unwrap();
    assert!(matches!(phase(&world), Phase::Waiting { .. }));
    world.report(C, WorkNo(1), End::Rejected, "Not my kind of work.").unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
    world.say(A, assign(Mode::Background, &[1])).unwrap();
    world.report(B, WorkNo(2), End::Completed, "Done again.").unwrap();
    world.crash();
}

#[test]
fn a_member_is_told_what_it_needs_and_not_the_conversation() {
    let mut world = team(2);
    world.say(A, discuss("Something between us.", Some(0))).unwrap();
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    world.report(B, WorkNo(0), End::Completed, "2014: 5").unwrap();
    let spec = Spec { criteria: Some(text("It has axes.")), inputs: vec![WorkNo(0)], ..spec("Plot them") };
    let work = vec![Task { to: B, spec }];
    world.say(A, Utterance::Assign { mode: Mode::Now, work }).unwrap();
    world.seat(B, Event::Asked { work: WorkNo(1), question: text("Colour?") }).unwrap();
    world.owner(Event::Answered { work: WorkNo(1), answer: text("Blue.") }).unwrap();
    let brief = world.team.brief(WorkNo(1)).unwrap();
    for part in ["Plot them", "It has axes.", "Find the figures", "2014: 5", "Blue."] {
        assert!(brief.contains(part), "{part}");
    }
    assert!(!brief.contains("between us"));
    assert_eq!(world.team.brief(WorkNo(2)), None);
}

#[test]
fn a_pause_for_what_has_ended_is_over_at_once() {
    let mut world = team(2);
    world.say(A, assign(Mode::Background, &[1, 0])).unwrap();
    world.report(B, WorkNo(0), End::Completed, "Done.").unwrap();
    world.say(A, pause_for(&[0])).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
}

#[test]
fn reports_count_once_and_late_ones_are_kept() {
    let mut world = team(2);
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    assert_eq!(world.report(A, WorkNo(0), End::Completed, "Mine."), Err(Refusal::NotYours));
    world.owner(Event::Stopped { work: WorkNo(0) }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
    world.say(A, conclude("Without it.")).unwrap();
    world.report(B, WorkNo(0), End::Completed, "After all.").unwrap();
    let work = &world.team.work()[0];
    assert!(matches!(&work.state, WorkState::Ended(ended) if ended.end == End::Cancelled));
    assert_eq!(work.late, Some(report(End::Completed, "After all.")));
    assert_eq!(world.report(B, WorkNo(0), End::Completed, "After all."), Err(Refusal::Already));
    assert_eq!(world.team.usage().tokens_in, 120, "late work is counted as well");
    world.crash();
}

#[test]
fn a_question_of_a_member_is_answered_by_the_giver_or_a_person() {
    let mut world = team(3);
    world.say(A, assign(Mode::Now, &[1, 2])).unwrap();
    let ask = |work| Event::Asked { work: WorkNo(work), question: text("Which year?") };
    let answer = |work| Event::Answered { work: WorkNo(work), answer: text("2014") };
    world.seat(B, ask(0)).unwrap();
    world.seat(C, ask(1)).unwrap();
    assert_eq!(world.seat(C, answer(0)), Err(Refusal::NotYours));
    world.seat(A, answer(0)).unwrap();
    world.owner(answer(1)).unwrap();
    assert_eq!(world.owner(answer(1)), Err(Refusal::WrongState(WorkNo(1))));
    world.seat(B, Event::Started { work: WorkNo(0) }).unwrap();
    world.seat(B, ask(0)).unwrap();
    world.wait();
    assert!(world.team.work().iter().all(|work| !work.is_open()), "a question nobody answers times out");
}

#[test]
fn everybody_else_votes_once() {
    let mut world = team(4);
    let options = vec![text("Yes"), text("No")];
    world.say(A, Utterance::Vote { question: text("Go on?"), options }).unwrap();
    assert_eq!(speakers(&world.team), [B, C, Seat(3)]);
    assert!(world.say(A, Utterance::Ballot { option: Some(0) }).is_err());
    world.say(C, Utterance::Ballot { option: Some(1) }).unwrap();
    assert_eq!(world.say(C, Utterance::Ballot { option: Some(0) }), Err(Refusal::NotYourTurn));
    assert!(world.say(B, Utterance::Ballot { option: Some(2) }).is_err());
    world.say(B, Utterance::Ballot { option: Some(1) }).unwrap();
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A }, "who is silent does not hold up the vote");
    let Some(Poll::Vote { ballots, .. }) = world.team.last_vote() else { panic!("the vote is kept") };
    assert_eq!(ballots.iter().map(|(seat, option)| (seat.0, *option)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
}

#[test]
fn a_person_stops_holds_skips_and_takes_over() {
    let mut world = World::found(charter());
    world.home(Event::Invited { members: vec![agent("a"), agent("b"), person("Ada")] }).unwrap();
    for seat in [A, B, C] {
        world.seat(seat, Event::Accepted).unwrap();
    }
    let message = MessageId::new(Timestamp::from_millis(1), &[1; 10]);
    let remark = Event::Remarked { message, text: text("Mind the units.") };
    assert_eq!(world.seat(B, remark.clone()), Err(Refusal::NotYourTurn), "agents wait for their turn");
    world.seat(C, remark.clone()).unwrap();
    assert_eq!(world.seat(C, remark), Err(Refusal::Already));
    assert_eq!(world.seat(B, Event::Held { seat: A }), Err(Refusal::NotYours));
    world.owner(Event::Held { seat: A }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: B });
    assert_eq!(world.say(B, assign(Mode::Now, &[0])), Err(Refusal::NoSuchMember(A)));
    world.owner(Event::FloorGiven { to: C }).unwrap();
    world.say(C, assign(Mode::Background, &[1])).unwrap();
    world.owner(Event::Resumed { seat: A }).unwrap();
    world.owner(Event::Skipped { turn: world.team.turn() }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
    world.owner(Event::Left { seat: B, reason: text("Too slow.") }).unwrap();
    assert!(!world.team.work()[0].is_open(), "the work of who leaves ends");
    world.owner(Event::Invited { members: vec![agent("b2")] }).unwrap();
    world.seat(Seat(3), Event::Accepted).unwrap();
    world.say(A, assign(Mode::Now, &[3])).unwrap();
    world.owner(Event::Cancelled { reason: text("Enough.") }).unwrap();
    assert!(matches!(world.team.outcome(), Some(Outcome::Cancelled { .. })));
    world.crash();
}

#[test]
fn the_last_who_can_speak_cannot_be_held_and_the_held_return_when_they_are_needed() {
    let mut world = team(2);
    world.owner(Event::Held { seat: A }).unwrap();
    assert!(world.owner(Event::Held { seat: B }).is_err());
    world.seat(B, Event::Left { seat: B, reason: text("Bye.") }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A });
    assert_eq!(presence(&world.team, 0), &Presence::Active);
    assert_eq!(presence(&world.team, 1), &Presence::Gone(Absence::Left(text("Bye."))));
}

#[test]
fn one_silent_member_holds_nobody_up() {
    let mut world = team(3);
    world.say(A, discuss("Your turn.", Some(1))).unwrap();
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { floor: A }, "the floor goes to the lead");
    world.say(A, discuss("Once more, please.", Some(1))).unwrap();
    world.wait();
    assert_eq!(presence(&world.team, 1), &Presence::Gone(Absence::Silent));
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { floor: C }, "a silent lead is passed over");
}
