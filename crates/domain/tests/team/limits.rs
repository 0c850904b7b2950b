//! Tests of limits and of near-duplicate suppression.

use std::time::Duration;

use plexus_domain::{
    run::Usage,
    team::{
        Charter, Entry, Event, Failed, Limit, Limits, Mode, Outcome, Pattern, Phase, Refusal, Seat,
        Utterance, WorkNo, WorkState,
        pattern::PlanAndDelegate,
        work::{End, Report},
    },
};

use crate::world::{World, assign, charter, conclude, discuss, report};

const A: Seat = Seat(0);
const B: Seat = Seat(1);

fn team(limits: Limits) -> World {
    World::found(Charter { limits, ..charter() }).with_members(2)
}

fn concludes_for(world: &World) -> Option<Limit> {
    let Phase::Concluding { limit, .. } = world.team.phase() else { panic!("{:?}", world.team.phase()) };
    *limit
}

#[test]
fn what_deciding_took_counts_to_the_team() {
    let mut world = team(Limits { tokens: 200, ..Limits::default() });
    let usage = |tokens_in| Usage { tokens_in, tokens_out: 20, cost_micro: 3 };
    world.home(Event::Decided { usage: usage(50) }).unwrap();
    assert_eq!((world.team.usage(), world.team.left().tokens), (usage(50), 130));
    assert_eq!(world.team.members()[0].counts.usage, Usage::default(), "no member used it");
    assert_eq!(world.seat(A, Event::Decided { usage: usage(1) }), Err(Refusal::NotYours));
    world.home(Event::Decided { usage: usage(150) }).unwrap();
    assert_eq!(concludes_for(&world), Some(Limit::Tokens));
}

#[test]
fn turns_tokens_cost_and_time_each_make_the_team_conclude() {
    let small = Limits { turns: 2, tokens: 200, cost_micro: 50, ..Limits::default() };
    let mut world = team(small);
    world.say(A, discuss("One.", None)).unwrap();
    world.say(B, discuss("Two.", None)).unwrap();
    assert_eq!(concludes_for(&world), Some(Limit::Turns));
    assert!(world.say(A, discuss("Three.", None)).is_err());
    assert!(world.say(A, Utterance::Conclude { text: None }).is_err(), "now with words");
    world.say(A, conclude("That is all.")).unwrap();

    for (usage, limit) in [
        (Usage { tokens_in: 150, tokens_out: 100, cost_micro: 0 }, Limit::Tokens),
        (Usage { tokens_in: 0, tokens_out: 0, cost_micro: 51 }, Limit::Cost),
    ] {
        let mut world = team(small);
        world.say(A, assign(Mode::Now, &[0, 1])).unwrap();
        let report = Report { usage, ..report(End::Completed, "Dear.") };
        world.seat(B, Event::Reported { work: WorkNo(1), report }).unwrap();
        assert_eq!(concludes_for(&world), Some(limit));
        assert!(world.team.work().iter().all(|work| !work.is_open()), "nothing goes on using it");
    }

    let mut world = team(small);
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    world.now = world.team.end_of_time();
    world.wait();
    assert_eq!(concludes_for(&world), Some(Limit::Time));
    assert!(matches!(&world.team.work()[0].state, WorkState::Ended(ended) if ended.end == End::TimedOut));
    world.wait();
    assert_eq!(world.team.outcome(), Some(&Outcome::Failed(Failed::OutOfTime)));
    assert!(world.now.since(world.team.end_of_time()) <= Duration::from_secs(60));
}

#[test]
fn work_can_be_given_as_often_as_hops_are_left() {
    let mut world = team(Limits { hops: 3, ..Limits::default() });
    world.say(A, assign(Mode::Now, &[0, 1])).unwrap();
    world.report(A, WorkNo(0), End::Completed, "Done.").unwrap();
    world.report(B, WorkNo(1), End::Completed, "Done.").unwrap();
    assert_eq!(world.say(A, assign(Mode::Now, &[0, 1])), Err(Refusal::Full("pieces of work")));
    world.say(A, assign(Mode::Background, &[1])).unwrap();
    assert!(matches!(world.say(A, assign(Mode::Now, &[0])), Err(Refusal::NotAllowed(_))));
}

#[test]
fn a_wait_ends_when_the_work_runs_out_of_time() {
    let mut world = team(Limits::default());
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    world.wait();
    assert_eq!(world.team.phase(), &Phase::Discussing { floor: A });
    assert!(matches!(&world.team.work()[0].state, WorkState::Ended(ended) if ended.end == End::TimedOut));
}

#[test]
fn a_hub_that_was_away_for_long_ends_the_team_with_one_entry() {
    let mut world = team(Limits::default());
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    let lost_from = world.team.lost_from().unwrap();
    assert!(lost_from <= world.team.end_of_time() + Duration::from_secs(60));
    world.later(Duration::from_secs(24 * 60 * 60));
    world.crash();
    let entries = world.log.len();
    world.wait();
    assert_eq!(world.team.outcome(), Some(&Outcome::Failed(Failed::OutOfTime)));
    assert_eq!(world.log.len(), entries + 1);
}

#[test]
fn time_that_no_process_served_is_given_back() {
    let mut world = team(Limits::default());
    world.say(A, assign(Mode::Now, &[1])).unwrap();
    let (end, due, work) =
        (world.team.end_of_time(), world.team.due().unwrap(), world.team.work()[0].deadline);
    let away = Duration::from_secs(24 * 60 * 60);
    world.later(away);
    let entry = world.team.extension(away, world.now).unwrap().expect("an open team");
    world.commit(vec![entry]);
    world.crash();
    assert!(world.team.tick(world.now).unwrap().is_none(), "nothing is due any more");
    let moved = (world.team.end_of_time(), world.team.due().unwrap(), world.team.work()[0].deadline);
    assert_eq!(moved, (end + away, due + away, work + away));
    assert_eq!(world.owner(Event::Extended { by_ms: 1 }), Err(Refusal::NotYours));
    for by_ms in [0, u64::MAX] {
        assert!(matches!(world.home(Event::Extended { by_ms }), Err(Refusal::Malformed(_))), "{by_ms}");
    }
    world.wait();
    assert!(world.team.extension(Duration::ZERO, world.now).unwrap().is_none());
}

#[test]
fn a_deadline_that_passed_comes_before_what_is_said_after_it() {
    let mut world = team(Limits::default());
    world.now = world.team.due().unwrap();
    let turn = world.team.turn();
    assert_eq!(world.say(A, discuss("Sorry, I am late.", None)), Err(Refusal::Stale { now: turn + 1 }));
    assert_eq!(world.home(Event::Elapsed), Err(Refusal::NothingDue), "the deadline is written once");
}

#[test]
fn a_clock_that_is_set_back_does_not_reorder_the_log() {
    let mut world = team(Limits::default());
    world.later(Duration::from_secs(5));
    world.say(A, discuss("After five seconds.", None)).unwrap();
    let at = world.now;
    world.now = at - Duration::from_secs(4);
    let mut before = world.team.clone();
    world.say(B, discuss("By another clock.", None)).unwrap();
    let entry = world.log.last().unwrap();
    assert_eq!(entry.at(), at);
    let earlier = entry.text().replace(&format!("\"at\":{}", at.millis()), "\"at\":1");
    let earlier = Entry::read(earlier).unwrap();
    assert_eq!(before.apply(&earlier), Err(Refusal::Forked));
}

#[test]
fn repeating_is_counted_kept_from_the_others_and_ends_the_talk() {
    let words = "I shall now go and look for the annual revenue figures of the company.";
    for (suppress_repeats, lines) in [(true, 1), (false, 4)] {
        let charter = Charter { suppress_repeats, ..charter() };
        let mut world = World::found(charter).with_members(2);
        for speaker in [A, B, A, B] {
            world.say(speaker, discuss(words, None)).unwrap();
        }
        assert_eq!(world.team.recent().count(), lines);
        let counts = world.team.member(B).unwrap().counts;
        assert_eq!((counts.messages, counts.suppressed), (2, if suppress_repeats { 2 } else { 0 }));
        if suppress_repeats {
            assert_eq!(concludes_for(&world), Some(Limit::Repeats));
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
    assert_eq!(world.team.outcome(), Some(&Outcome::Failed(Failed::NobodyConcluded)));
}

#[test]
fn a_team_is_not_founded_on_limits_out_of_bounds() {
    let bad = [
        Limits { members: 0, ..Limits::default() },
        Limits { members: 65, ..Limits::default() },
        Limits { quorum: 5, ..Limits::default() },
        Limits { rounds: 0, ..Limits::default() },
        Limits { turns: 0, ..Limits::default() },
        Limits { turn_ms: 0, ..Limits::default() },
        Limits { time_ms: u64::MAX, ..Limits::default() },
        Limits { depth: 9, ..Limits::default() },
    ];
    for limits in bad {
        let id = plexus_domain::ChatId::from_uuid(plexus_domain::HubRowId::SELF.uuid());
        let now = plexus_domain::Timestamp::from_millis(0);
        let founded = plexus_domain::Team::found(id, Charter { limits, ..charter() }, now);
        assert!(matches!(founded, Err(Refusal::BadCharter(_))), "{limits:?}");
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
        let mut world = team(Limits::default());
        world.say(A, assign(Mode::Background, &[1])).unwrap();
        repeat(&mut world, &[A, B, A, B]);
        assert!(matches!(world.team.phase(), Phase::Waiting { back: B, .. }), "{:?}", world.team.phase());
        assert_eq!(world.team.open_work().count(), 1);
        if reports {
            world.report(B, WorkNo(0), End::Completed, "Found.").unwrap();
        } else {
            world.wait();
        }
        assert_eq!(world.team.phase(), &Phase::Discussing { floor: B });
        world.crash();
        repeat(&mut world, &[B]);
        assert_eq!(concludes_for(&world), Some(Limit::Repeats));
    }
}
