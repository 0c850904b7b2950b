//! Tests of turns, assignments, questions, votes and messages of a person.

use plexus_domain::{
    MessageId, Timestamp,
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, AssignmentSpec, AssignmentState, Pattern, Phase, Proposal,
        ProposalSignature, Seat, TeamActor, TeamError, TeamEvent, TeamOutcome, Utterance,
        assignment::AssignmentOutcome,
        member::{DepartureReason, MemberStatus},
        pattern::PlanAndDelegate,
        utterance::{AssignmentDraft, GroupQuestion},
    },
};

use crate::fixtures::{
    World, agent, assign, charter, conclude, discuss, person, report, speakers, spec, status, text, wait_for,
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
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
    world.say(A, discuss("Who can find the figures?", Some(1))).unwrap();
    world.say(B, discuss("I can.", None)).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A }, "the lead speaks again");
    world.say(A, assign(AssignmentMode::Now, &[1, 2])).unwrap();
    assert!(speakers(&world.team).is_empty(), "nobody speaks while the team waits");
    world.seat(B, TeamEvent::Started { assignment: AssignmentNo(0) }).unwrap();
    world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "2014: 5").unwrap();
    world.report(C, AssignmentNo(1), AssignmentOutcome::Failed, "The plotter is broken.").unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A }, "a failure ends a wait as well");
    world.say(A, conclude("5 in 2014.")).unwrap();
    assert_eq!(world.team.outcome(), Some(&TeamOutcome::Concluded { by: A, text: text("5 in 2014.") }));
    assert_eq!(world.say(A, conclude("Again.")), Err(TeamError::Closed));
    world.crash();
}

#[test]
fn nobody_speaks_out_of_turn_or_for_another() {
    let mut world = team(3);
    assert_eq!(world.say(B, discuss("Me first.", None)), Err(TeamError::NotYourTurn));
    assert_eq!(world.say(Seat(9), discuss("And me.", None)), Err(TeamError::NoSuchMember(Seat(9))));
    let said = |turn| TeamEvent::Said { turn, utterance: discuss("Hello.", None), usage: Usage::default() };
    assert_eq!(world.seat(A, said(7)), Err(TeamError::Stale { now: 1 }));
    assert_eq!(world.home(said(1)), Err(TeamError::NotYours));
    assert_eq!(world.owner(said(1)), Err(TeamError::NotYours));
    assert_eq!(world.seat(A, TeamEvent::Elapsed), Err(TeamError::NotYours));
    world.seat(A, said(1)).unwrap();
    assert_eq!(world.seat(A, said(1)), Err(TeamError::Stale { now: 2 }), "the same proposal once more");
    assert_eq!(world.say(B, discuss("To nobody.", Some(44))), Err(TeamError::NoSuchMember(Seat(44))));
    assert_eq!(world.say(B, assign(AssignmentMode::Now, &[44])), Err(TeamError::NoSuchMember(Seat(44))));
    assert_eq!(world.say(B, wait_for(&[3])), Err(TeamError::NotAllowed(wait_for(&[3]).kind())));
    assert_eq!(
        world.say(B, Utterance::Ballot { option: Some(0) }),
        Err(TeamError::NotAllowed(Utterance::Ballot { option: Some(0) }.kind()))
    );
}

#[test]
fn a_member_with_a_key_of_its_own_signs_what_it_says() {
    let mut world = World::found(charter());
    let member = plexus_domain::team::member::Invitee { key: Some(text("key-of-b")), ..agent("b") };
    world.home(TeamEvent::Invited { members: vec![member] }).unwrap();
    assert_eq!(world.seat(A, TeamEvent::Accepted), Err(TeamError::Unproved));
    let signed = |key: &str| {
        let proof = Some(ProposalSignature { key: text(key), signature: text("checked-outside") });
        Proposal { team: world.team.id(), by: TeamActor::Seat(A), event: TeamEvent::Accepted, proof }
    };
    assert_eq!(world.team.propose(&signed("another"), world.now), Err(TeamError::Unproved));
    let entries = world.team.propose(&signed("key-of-b"), world.now).unwrap();
    let (kept, sent) =
        (entries[0].proposal().signed_bytes().unwrap(), signed("key-of-b").signed_bytes().unwrap());
    assert_eq!(kept, sent, "the log keeps what was signed");
}

#[test]
fn work_in_the_background_is_waited_for() {
    let mut world = team(3);
    world.say(A, assign(AssignmentMode::Background, &[1, 2])).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A }, "the team goes on");
    assert_eq!(world.say(A, assign(AssignmentMode::Background, &[1])), Err(TeamError::AlreadyAssigned(B)));
    world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "Done.").unwrap();
    assert_eq!(world.say(A, wait_for(&[7])), Err(TeamError::NoSuchWork(AssignmentNo(7))));
    assert!(world.say(A, wait_for(&[])).is_err());
    world.say(A, wait_for(&[0, 1])).unwrap();
    assert!(matches!(phase(&world), Phase::Waiting { .. }));
    world.report(C, AssignmentNo(1), AssignmentOutcome::Rejected, "Not my kind of work.").unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
    world.say(A, assign(AssignmentMode::Background, &[1])).unwrap();
    world.report(B, AssignmentNo(2), AssignmentOutcome::Completed, "Done again.").unwrap();
    world.crash();
}

#[test]
fn a_member_is_told_what_it_needs_and_not_the_conversation() {
    let mut world = team(2);
    world.say(A, discuss("Something between us.", Some(0))).unwrap();
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "2014: 5").unwrap();
    let spec = AssignmentSpec {
        criteria: Some(text("It has axes.")),
        inputs: vec![AssignmentNo(0)],
        ..spec("Plot them")
    };
    let assignments = vec![AssignmentDraft { to: B, spec }];
    world.say(A, Utterance::Assign { mode: AssignmentMode::Now, assignments }).unwrap();
    world.seat(B, TeamEvent::Asked { assignment: AssignmentNo(1), question: text("Colour?") }).unwrap();
    world.owner(TeamEvent::Answered { assignment: AssignmentNo(1), answer: text("Blue.") }).unwrap();
    let prompt = world.team.assignment_prompt(AssignmentNo(1)).unwrap();
    assert!(prompt.words.starts_with("Plot them"), "{}", prompt.words);
    let context = prompt.context.unwrap();
    for part in ["It has axes.", "Find the figures", "2014: 5", "Blue."] {
        assert!(context.contains(part), "{part}");
    }
    assert!(!context.contains("between us"));
    assert_eq!(world.team.assignment_prompt(AssignmentNo(2)), None);
}

#[test]
fn a_wait_for_what_has_ended_is_over_at_once() {
    let mut world = team(2);
    world.say(A, assign(AssignmentMode::Background, &[1, 0])).unwrap();
    world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "Done.").unwrap();
    world.say(A, wait_for(&[0])).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
}

#[test]
fn reports_count_once_and_late_ones_are_kept() {
    let mut world = team(2);
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    assert_eq!(
        world.report(A, AssignmentNo(0), AssignmentOutcome::Completed, "Mine."),
        Err(TeamError::NotYours)
    );
    world.owner(TeamEvent::AssignmentCancelled { assignment: AssignmentNo(0) }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
    world.say(A, conclude("Without it.")).unwrap();
    world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "After all.").unwrap();
    let work = &world.team.assignments()[0];
    assert!(
        matches!(&work.state, AssignmentState::Ended(ended) if ended.end == AssignmentOutcome::Cancelled)
    );
    assert_eq!(work.late, Some(report(AssignmentOutcome::Completed, "After all.")));
    assert_eq!(
        world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "After all."),
        Err(TeamError::Already)
    );
    assert_eq!(world.team.usage().tokens_in, 120, "late work is counted as well");
    world.crash();
}

#[test]
fn a_question_of_a_member_is_answered_by_the_giver_or_a_person() {
    let mut world = team(3);
    world.say(A, assign(AssignmentMode::Now, &[1, 2])).unwrap();
    let ask = |number| TeamEvent::Asked { assignment: AssignmentNo(number), question: text("Which year?") };
    let answer = |number| TeamEvent::Answered { assignment: AssignmentNo(number), answer: text("2014") };
    world.seat(B, ask(0)).unwrap();
    world.seat(C, ask(1)).unwrap();
    assert_eq!(world.seat(C, answer(0)), Err(TeamError::NotYours));
    world.seat(A, answer(0)).unwrap();
    world.owner(answer(1)).unwrap();
    assert_eq!(world.owner(answer(1)), Err(TeamError::WrongState(AssignmentNo(1))));
    world.seat(B, TeamEvent::Started { assignment: AssignmentNo(0) }).unwrap();
    world.seat(B, ask(0)).unwrap();
    world.wait();
    assert!(
        world.team.assignments().iter().all(|work| !work.is_open()),
        "a question nobody answers times out"
    );
}

#[test]
fn everybody_else_votes_once() {
    let mut world = team(4);
    let options = vec![text("Yes"), text("No")];
    world.say(A, Utterance::Vote { question: text("Go on?"), options }).unwrap();
    assert_eq!(speakers(&world.team), [B, C, Seat(3)]);
    assert!(world.say(A, Utterance::Ballot { option: Some(0) }).is_err());
    world.say(C, Utterance::Ballot { option: Some(1) }).unwrap();
    assert_eq!(world.say(C, Utterance::Ballot { option: Some(0) }), Err(TeamError::NotYourTurn));
    assert!(world.say(B, Utterance::Ballot { option: Some(2) }).is_err());
    world.say(B, Utterance::Ballot { option: Some(1) }).unwrap();
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A }, "who is silent does not hold up the vote");
    let Some(GroupQuestion::Vote { ballots, .. }) = world.team.last_vote() else {
        panic!("the vote is kept")
    };
    assert_eq!(ballots.iter().map(|(seat, option)| (seat.0, *option)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
}

#[test]
fn a_person_cancels_pauses_skips_and_chooses_the_speaker() {
    let mut world = World::found(charter());
    world.home(TeamEvent::Invited { members: vec![agent("a"), agent("b"), person("Ada")] }).unwrap();
    for seat in [A, B, C] {
        world.seat(seat, TeamEvent::Accepted).unwrap();
    }
    let message = MessageId::new(Timestamp::from_millis(1), &[1; 10]);
    let sent = TeamEvent::MessageSent { message, text: text("Mind the units.") };
    assert_eq!(world.seat(B, sent.clone()), Err(TeamError::NotYourTurn), "agents wait for their turn");
    world.seat(C, sent.clone()).unwrap();
    assert_eq!(world.seat(C, sent), Err(TeamError::Already));
    assert_eq!(world.seat(B, TeamEvent::Paused { seat: A }), Err(TeamError::NotYours));
    world.owner(TeamEvent::Paused { seat: A }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: B });
    assert_eq!(world.say(B, assign(AssignmentMode::Now, &[0])), Err(TeamError::NoSuchMember(A)));
    world.owner(TeamEvent::SpeakerSet { seat: C }).unwrap();
    world.say(C, assign(AssignmentMode::Background, &[1])).unwrap();
    world.owner(TeamEvent::Resumed { seat: A }).unwrap();
    world.owner(TeamEvent::TurnSkipped { turn: world.team.turn() }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
    world.owner(TeamEvent::Left { seat: B, reason: text("Too slow.") }).unwrap();
    assert!(!world.team.assignments()[0].is_open(), "the work of who leaves ends");
    world.owner(TeamEvent::Invited { members: vec![agent("b2")] }).unwrap();
    world.seat(Seat(3), TeamEvent::Accepted).unwrap();
    world.say(A, assign(AssignmentMode::Now, &[3])).unwrap();
    world.owner(TeamEvent::Cancelled { reason: text("Enough.") }).unwrap();
    assert!(matches!(world.team.outcome(), Some(TeamOutcome::Cancelled { .. })));
    world.crash();
}

#[test]
fn the_last_who_can_speak_cannot_be_paused_and_the_paused_return_when_they_are_needed() {
    let mut world = team(2);
    world.owner(TeamEvent::Paused { seat: A }).unwrap();
    assert!(world.owner(TeamEvent::Paused { seat: B }).is_err());
    world.seat(B, TeamEvent::Left { seat: B, reason: text("Bye.") }).unwrap();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A });
    assert_eq!(status(&world.team, 0), &MemberStatus::Active);
    assert_eq!(status(&world.team, 1), &MemberStatus::Gone(DepartureReason::Left(text("Bye."))));
}

#[test]
fn one_silent_member_holds_nobody_up() {
    let mut world = team(3);
    world.say(A, discuss("Your turn.", Some(1))).unwrap();
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: A }, "the lead speaks next");
    world.say(A, discuss("Once more, please.", Some(1))).unwrap();
    world.wait();
    assert_eq!(status(&world.team, 1), &MemberStatus::Gone(DepartureReason::Silent));
    world.wait();
    assert_eq!(phase(&world), &Phase::Discussing { speaker: C }, "a silent lead is passed over");
}
