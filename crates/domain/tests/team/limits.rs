//! Tests of limits and of near-duplicate suppression.

use std::time::Duration;

use plexus_domain::{
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, AssignmentState, ExhaustedLimit, LogEntry, Pattern, Phase, Seat,
        TeamError, TeamEvent, TeamFailure, TeamLimits, TeamOutcome, TeamSpec, Utterance,
        assignment::{AssignmentOutcome, AssignmentReport},
        pattern::PlanAndDelegate,
    },
};

use crate::fixtures::{World, assign, charter, conclude, discuss, report};

const A: Seat = Seat(0);
const B: Seat = Seat(1);

fn team(limits: TeamLimits) -> World {
    World::found(TeamSpec { limits, ..charter() }).with_members(2)
}

fn concludes_for(world: &World) -> Option<ExhaustedLimit> {
    let Phase::Concluding { limit, .. } = world.team.phase() else { panic!("{:?}", world.team.phase()) };
    *limit
}

#[test]
fn what_deciding_took_counts_to_the_team() {
    let mut world = team(TeamLimits { tokens: 200, ..TeamLimits::default() });
    let usage = |tokens_in| Usage { tokens_in, tokens_out: 20, cost_micro: 3 };
    world.home(TeamEvent::Decided { usage: usage(50) }).unwrap();
    assert_eq!((world.team.usage(), world.team.remaining().tokens), (usage(50), 130));
    assert_eq!(world.team.members()[0].counts.usage, Usage::default(), "no member used it");
    assert_eq!(world.seat(A, TeamEvent::Decided { usage: usage(1) }), Err(TeamError::NotYours));
    world.home(TeamEvent::Decided { usage: usage(150) }).unwrap();
    assert_eq!(concludes_for(&world), Some(ExhaustedLimit::Tokens));
}

#[test]
fn turns_tokens_cost_and_time_each_make_the_team_conclude() {
    let small = TeamLimits { turns: 2, tokens: 200, cost_micro: 50, ..TeamLimits::default() };
    let mut world = team(small);
    world.say(A, discuss("One.", None)).unwrap();
    world.say(B, discuss("Two.", None)).unwrap();
    assert_eq!(concludes_for(&world), Some(ExhaustedLimit::Turns));
    assert!(world.say(A, discuss("Three.", None)).is_err());
    assert!(world.say(A, Utterance::Conclude { text: None }).is_err(), "now with words");
    world.say(A, conclude("That is all.")).unwrap();

    for (usage, limit) in [
        (Usage { tokens_in: 150, tokens_out: 100, cost_micro: 0 }, ExhaustedLimit::Tokens),
        (Usage { tokens_in: 0, tokens_out: 0, cost_micro: 51 }, ExhaustedLimit::Cost),
    ] {
        let mut world = team(small);
        world.say(A, assign(AssignmentMode::Now, &[0, 1])).unwrap();
        let report = AssignmentReport { usage, ..report(AssignmentOutcome::Completed, "Dear.") };
        world.seat(B, TeamEvent::Reported { assignment: AssignmentNo(1), report }).unwrap();
        assert_eq!(concludes_for(&world), Some(limit));
        assert!(world.team.assignments().iter().all(|work| !work.is_open()), "nothing goes on using it");
    }

    let mut world = team(small);
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    world.now = world.team.conclude_at();
    world.wait();
    assert_eq!(concludes_for(&world), Some(ExhaustedLimit::Time));
    assert!(
        matches!(&world.team.assignments()[0].state, AssignmentState::Ended(ended) if ended.end == AssignmentOutcome::TimedOut)
    );
    world.wait();
    assert_eq!(world.team.outcome(), Some(&TeamOutcome::Failed(TeamFailure::OutOfTime)));
    assert!(world.now.since(world.team.conclude_at()) <= Duration::from_secs(60));
}

#[test]
fn work_can_be_given_as_often_as_assignments_are_left() {
    let mut world = team(TeamLimits { max_assignments: 3, ..TeamLimits::default() });
    world.say(A, assign(AssignmentMode::Now, &[0, 1])).unwrap();
    world.report(A, AssignmentNo(0), AssignmentOutcome::Completed, "Done.").unwrap();
    world.report(B, AssignmentNo(1), AssignmentOutcome::Completed, "Done.").unwrap();
    assert_eq!(world.say(A, assign(AssignmentMode::Now, &[0, 1])), Err(TeamError::Full("assignments")));
    world.say(A, assign(AssignmentMode::Background, &[1])).unwrap();
    assert!(matches!(world.say(A, assign(AssignmentMode::Now, &[0])), Err(TeamError::NotAllowed(_))));
}

#[test]
fn a_wait_ends_when_the_work_runs_out_of_time() {
    let mut world = team(TeamLimits::default());
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    world.wait();
    assert_eq!(world.team.phase(), &Phase::Discussing { speaker: A });
    assert!(
        matches!(&world.team.assignments()[0].state, AssignmentState::Ended(ended) if ended.end == AssignmentOutcome::TimedOut)
    );
}

#[test]
fn a_hub_that_was_away_for_long_ends_the_team_with_one_entry() {
    let mut world = team(TeamLimits::default());
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    let lost_from = world.team.presumed_lost_at().unwrap();
    assert!(lost_from <= world.team.conclude_at() + Duration::from_secs(60));
    world.later(Duration::from_secs(24 * 60 * 60));
    world.crash();
    let entries = world.log.len();
    world.wait();
    assert_eq!(world.team.outcome(), Some(&TeamOutcome::Failed(TeamFailure::OutOfTime)));
    assert_eq!(world.log.len(), entries + 1);
}

#[test]
fn time_that_no_process_served_is_given_back() {
    let mut world = team(TeamLimits::default());
    world.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    let (end, due, work) =
        (world.team.conclude_at(), world.team.due().unwrap(), world.team.assignments()[0].deadline);
    let away = Duration::from_secs(24 * 60 * 60);
    world.later(away);
    let entry = world.team.extension(away, world.now).unwrap().expect("an open team");
    world.commit(vec![entry]);
    world.crash();
    assert!(world.team.tick(world.now).unwrap().is_none(), "nothing is due any more");
    let moved = (world.team.conclude_at(), world.team.due().unwrap(), world.team.assignments()[0].deadline);
    assert_eq!(moved, (end + away, due + away, work + away));
    assert_eq!(world.owner(TeamEvent::Extended { by_ms: 1 }), Err(TeamError::NotYours));
    for by_ms in [0, u64::MAX] {
        assert!(matches!(world.home(TeamEvent::Extended { by_ms }), Err(TeamError::Malformed(_))), "{by_ms}");
    }
    world.wait();
    assert!(world.team.extension(Duration::ZERO, world.now).unwrap().is_none());
}

#[test]
fn a_deadline_that_passed_comes_before_what_is_said_after_it() {
    let mut world = team(TeamLimits::default());
    world.now = world.team.due().unwrap();
    let turn = world.team.turn();
    assert_eq!(world.say(A, discuss("Sorry, I am late.", None)), Err(TeamError::Stale { now: turn + 1 }));
    assert_eq!(world.home(TeamEvent::Elapsed), Err(TeamError::NothingDue), "the deadline is written once");
}

#[test]
fn a_clock_that_is_set_back_does_not_reorder_the_log() {
    let mut world = team(TeamLimits::default());
    world.later(Duration::from_secs(5));
    world.say(A, discuss("After five seconds.", None)).unwrap();
    let at = world.now;
    world.now = at - Duration::from_secs(4);
    let mut before = world.team.clone();
    world.say(B, discuss("By another clock.", None)).unwrap();
    let entry = world.log.last().unwrap();
    assert_eq!(entry.at(), at);
    let earlier = entry.text().replace(&format!("\"at\":{}", at.millis()), "\"at\":1");
    let earlier = LogEntry::read(earlier).unwrap();
    assert_eq!(before.apply(&earlier), Err(TeamError::Forked));
}

#[test]
fn repeating_is_counted_kept_from_the_others_and_ends_the_talk() {
    let words = "I shall now go and look for the annual revenue figures of the company.";
    for (suppress_repeats, lines) in [(true, 1), (false, 4)] {
        let charter = TeamSpec { suppress_repeats, ..charter() };
        let mut world = World::found(charter).with_members(2);
        for speaker in [A, B, A, B] {
            world.say(speaker, discuss(words, None)).unwrap();
        }
        assert_eq!(world.team.recent().count(), lines);
        let counts = world.team.member(B).unwrap().counts;
        assert_eq!((counts.messages, counts.suppressed), (2, if suppress_repeats { 2 } else { 0 }));
        if suppress_repeats {
            assert_eq!(concludes_for(&world), Some(ExhaustedLimit::Repeats));
        }
    }
}

#[test]
fn a_team_that_nobody_concludes_ends_without_an_answer() {
    let mut world = World::of(3, Pattern::PlanAndDelegate(PlanAndDelegate {}));
    world.say(A, Utterance::Conclude { text: None }).unwrap();
    for _ in 0..3 {
        world.wait();
    }
    assert_eq!(world.team.outcome(), Some(&TeamOutcome::Failed(TeamFailure::NoConclusion)));
}

#[test]
fn a_team_is_not_founded_on_limits_out_of_bounds() {
    let week = 7 * 24 * 60 * 60;
    let bad = [
        (TeamLimits { max_members: 0, ..TeamLimits::default() }, "max_members", 1, 64),
        (TeamLimits { max_members: 65, ..TeamLimits::default() }, "max_members", 1, 64),
        (TeamLimits { quorum: 5, ..TeamLimits::default() }, "quorum", 1, 4),
        (TeamLimits { rounds: 0, ..TeamLimits::default() }, "rounds", 1, 10),
        (TeamLimits { turns: 0, ..TeamLimits::default() }, "turns", 1, 1_000),
        (TeamLimits { turn_ms: 0, ..TeamLimits::default() }, "turn_seconds", 1, week),
        (TeamLimits { time_ms: u64::MAX, ..TeamLimits::default() }, "seconds", 1, week),
        (TeamLimits { max_subteam_depth: 9, ..TeamLimits::default() }, "max_subteam_depth", 0, 8),
    ];
    for (limits, limit, min, max) in bad {
        let id = plexus_domain::ChatId::from_uuid(plexus_domain::HubRowId::SELF.uuid());
        let now = plexus_domain::Timestamp::from_millis(0);
        let founded = plexus_domain::Team::create(id, TeamSpec { limits, ..charter() }, now);
        assert_eq!(founded.unwrap_err(), TeamError::LimitOutOfBounds { limit, min, max });
    }
}

/// If members repeat themselves while assignments are open, the team waits: the results are new information.
#[test]
fn repeating_does_not_end_work_that_goes_on() {
    let words = "I shall now go and look for the annual revenue figures of the company.";
    let repeat = |world: &mut World, speakers: &[Seat]| {
        speakers.iter().for_each(|speaker| world.say(*speaker, discuss(words, None)).unwrap());
    };
    for reports in [true, false] {
        let mut world = team(TeamLimits::default());
        world.say(A, assign(AssignmentMode::Background, &[1])).unwrap();
        repeat(&mut world, &[A, B, A, B]);
        assert!(matches!(world.team.phase(), Phase::Waiting { back: B, .. }), "{:?}", world.team.phase());
        assert_eq!(world.team.open_assignments().count(), 1);
        if reports {
            world.report(B, AssignmentNo(0), AssignmentOutcome::Completed, "Found.").unwrap();
        } else {
            world.wait();
        }
        assert_eq!(world.team.phase(), &Phase::Discussing { speaker: B });
        world.crash();
        repeat(&mut world, &[B]);
        assert_eq!(concludes_for(&world), Some(ExhaustedLimit::Repeats));
    }
}
