//! Property test: random interleavings of members, people, time and faults. `World` checks each step.

use std::time::Duration;

use plexus_domain::{
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, LogEntry, Pattern, Proposal, Replica, Seat, Team, TeamActor, TeamError,
        TeamEvent, TeamLimits, TeamOutcome, Utterance,
        assignment::AssignmentOutcome,
        decision::{check, rule_based},
        utterance::PlanStep,
    },
};
use proptest::prelude::*;

use crate::fixtures::{World, assign, charter, discuss, report, speakers, text};

#[derive(Clone, Copy, Debug)]
enum Act {
    /// A member that is asked says what the rules choose.
    Speak(u16),
    /// A member speaks, whether asked or not.
    SpeakUp(u16, u16),
    /// A member that is asked assigns, calls a vote, plans, waits or concludes.
    Lead(u16, u8),
    Work(u16, u8),
    Invite(u16),
    Answer(u16, bool),
    Control(u8, u16),
    Leave(u16),
    Wait(u32),
    Deadline,
    Crash,
    /// The last proposal is delivered again (idempotency).
    Again,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => any::<u16>().prop_map(Act::Speak),
        2 => (any::<u16>(), any::<u16>()).prop_map(|(seat, next)| Act::SpeakUp(seat, next)),
        4 => (any::<u16>(), any::<u8>()).prop_map(|(seat, what)| Act::Lead(seat, what)),
        6 => (any::<u16>(), any::<u8>()).prop_map(|(work, end)| Act::Work(work, end)),
        1 => (1..4_u16).prop_map(Act::Invite),
        2 => (any::<u16>(), any::<bool>()).prop_map(|(seat, yes)| Act::Answer(seat, yes)),
        2 => (any::<u8>(), any::<u16>()).prop_map(|(what, seat)| Act::Control(what, seat)),
        1 => any::<u16>().prop_map(Act::Leave),
        2 => (0..90_000_u32).prop_map(Act::Wait),
        2 => Just(Act::Deadline),
        2 => Just(Act::Crash),
        2 => Just(Act::Again),
    ]
}

/// A running schedule: the hub, and the last proposal for redelivery.
struct Run {
    world: World,
    last: Option<(TeamActor, TeamEvent)>,
}

impl Run {
    fn propose(&mut self, by: TeamActor, event: TeamEvent) -> Result<(), TeamError> {
        self.world.propose(by, event.clone())?;
        self.last = Some((by, event));
        Ok(())
    }

    /// Performs an act. Errors are ignored: the test checks the invariants after each step.
    fn act(&mut self, act: Act) {
        let members = u16::try_from(self.world.team.members().len()).unwrap().max(1);
        let seat = |number: u16| Seat(number % members);
        let _ = match act {
            Act::Speak(number) => self.speak(number),
            Act::SpeakUp(number, next) => self.speak_up(seat(number), seat(next)),
            Act::Lead(number, what) => self.lead(seat(number), what),
            Act::Work(number, end) => self.work(number, end),
            Act::Invite(count) => self.invite(count),
            Act::Answer(number, true) => self.propose(TeamActor::Seat(seat(number)), TeamEvent::Accepted),
            Act::Answer(number, false) => {
                self.propose(TeamActor::Seat(seat(number)), TeamEvent::Declined { reason: text("No.") })
            }
            Act::Control(what, number) => self.propose(TeamActor::Owner, self.control(what, seat(number))),
            Act::Leave(number) => self.propose(
                TeamActor::Home,
                TeamEvent::Left { seat: seat(number), reason: text("Its hub is gone.") },
            ),
            Act::Wait(millis) => self.later(millis),
            Act::Deadline => self.deadline(),
            Act::Crash => {
                self.world.crash();
                Ok(())
            }
            Act::Again => self.again(),
        };
    }

    fn speak(&mut self, number: u16) -> Result<(), TeamError> {
        let asked = speakers(&self.world.team);
        let Some(seat) = asked.get(usize::from(number) % asked.len().max(1)).copied() else { return Ok(()) };
        let utterance = rule_based::decide(&self.world.team, seat).unwrap();
        let raw = serde_json::to_string(&utterance).unwrap();
        assert_eq!(
            check(&self.world.team, seat, &raw),
            Ok(utterance.clone()),
            "the rules say what is allowed"
        );
        let said = TeamEvent::Said {
            turn: self.world.team.turn(),
            utterance,
            usage: report(AssignmentOutcome::Completed, "").usage,
        };
        let overdue = self.world.team.due().is_some_and(|due| due <= self.world.now);
        let spoken = self.propose(TeamActor::Seat(seat), said);
        assert!(overdue || spoken.is_ok(), "{spoken:?}");
        spoken
    }

    fn speak_up(&mut self, seat: Seat, next: Seat) -> Result<(), TeamError> {
        let asked = self.world.team.is_asked(seat);
        let utterance = discuss("Let me say something about all of this.", Some(next.0));
        let turn = self.world.team.turn();
        let said =
            self.propose(TeamActor::Seat(seat), TeamEvent::Said { turn, utterance, usage: Usage::default() });
        assert!(asked || said.is_err(), "{seat} spoke out of turn");
        said
    }

    fn lead(&mut self, to: Seat, what: u8) -> Result<(), TeamError> {
        let Some(seat) = speakers(&self.world.team).first().copied() else { return Ok(()) };
        let utterance = match what % 12 {
            0..4 => assign(AssignmentMode::Now, &[to.0]),
            4..8 => assign(AssignmentMode::Background, &[to.0]),
            8 => Utterance::Vote { question: text("Which?"), options: vec![text("This"), text("That")] },
            9 => Utterance::Plan { steps: vec![PlanStep { title: text("First"), done: true }] },
            10 => Utterance::WaitFor {
                assignments: self.world.team.open_assignments().map(|(no, _)| no).collect(),
            },
            _ => Utterance::Conclude { text: None },
        };
        let turn = self.world.team.turn();
        self.propose(TeamActor::Seat(seat), TeamEvent::Said { turn, utterance, usage: Usage::default() })
    }

    fn work(&mut self, number: u16, end: u8) -> Result<(), TeamError> {
        let given = self.world.team.assignments().len();
        let index = usize::from(number) % given.max(1);
        let Some(to) = self.world.team.assignments().get(index).map(|work| work.to) else { return Ok(()) };
        let assignment = AssignmentNo(u32::try_from(index).unwrap());
        let event = match end % 8 {
            0 => TeamEvent::Started { assignment },
            1 => TeamEvent::Asked { assignment, question: text("Which?") },
            2 => TeamEvent::Answered { assignment, answer: text("That one.") },
            end => TeamEvent::Reported {
                assignment,
                report: report(AssignmentOutcome::ALL[usize::from(end) % 5], "Words."),
            },
        };
        let by =
            if matches!(event, TeamEvent::Answered { .. }) { TeamActor::Owner } else { TeamActor::Seat(to) };
        self.propose(by, event)
    }

    fn invite(&mut self, count: u16) -> Result<(), TeamError> {
        let first = self.world.team.members().len();
        let names =
            (first..).take(usize::from(count)).map(|number| crate::fixtures::agent(&format!("n{number}")));
        self.propose(TeamActor::Home, TeamEvent::Invited { members: names.collect() })
    }

    fn control(&self, what: u8, seat: Seat) -> TeamEvent {
        match what % 6 {
            0 => TeamEvent::Paused { seat },
            1 => TeamEvent::Resumed { seat },
            2 => TeamEvent::TurnSkipped { turn: self.world.team.turn() },
            3 => TeamEvent::SpeakerSet { seat },
            4 => TeamEvent::AssignmentCancelled { assignment: AssignmentNo(seat.0.into()) },
            _ => TeamEvent::Left { seat, reason: text("Removed.") },
        }
    }

    fn later(&mut self, millis: u32) -> Result<(), TeamError> {
        self.world.later(Duration::from_millis(millis.into()));
        self.last = None;
        Ok(())
    }

    fn deadline(&mut self) -> Result<(), TeamError> {
        self.last = None;
        if self.world.team.due().is_some() {
            self.world.wait();
        }
        Ok(())
    }

    fn again(&mut self) -> Result<(), TeamError> {
        let Some((by, event)) = self.last.clone() else { return Ok(()) };
        let repeated = self.world.propose(by, event.clone());
        assert!(repeated.is_err(), "{event:?} counted twice");
        repeated
    }
}

/// Asserts that cancelling works in any state and ends everything.
pub fn assert_can_be_cancelled(world: &World) {
    let proposal = Proposal {
        team: world.team.id(),
        by: TeamActor::Owner,
        event: TeamEvent::Cancelled { reason: text("Stop.") },
        proof: None,
    };
    let mut team = world.team.clone();
    if let Some(entry) = team.tick(world.now).unwrap() {
        team.apply(&entry).unwrap();
    }
    if team.outcome().is_some() {
        return;
    }
    let entries = team.propose(&proposal, world.now).unwrap();
    entries.iter().for_each(|entry| team.apply(entry).unwrap());
    assert!(matches!(team.outcome(), Some(TeamOutcome::Cancelled { .. })));
    assert_eq!(team.open_assignments().count(), 0);
}

/// Builds a replica: windows of the log arrive in reverse order, and every third entry twice.
fn copy(log: &[LogEntry], window: usize) -> Replica {
    let mut replica = Replica::default();
    for entries in log.chunks(window) {
        for (index, entry) in entries.iter().rev().enumerate() {
            for _ in 0..=usize::from(index % 3 == 0) {
                replica.receive(entry.clone()).unwrap();
            }
        }
    }
    replica
}

fn schedule() -> impl Strategy<Value = (Pattern, TeamLimits, u16, Vec<Act>, usize)> {
    let limits =
        (1..30_u32, 0..20_u32, 1..4_u16, 1..4_u8).prop_map(|(turns, max_assignments, quorum, rounds)| {
            TeamLimits { max_members: 50, turns, max_assignments, quorum, rounds, ..TeamLimits::default() }
        });
    let members = prop_oneof![0..6_u16, 45..51_u16];
    let pattern = (0..Pattern::ALL.len()).prop_map(|index| Pattern::ALL[index]);
    (pattern, limits, members, prop::collection::vec(act(), 0..80), 1..40_usize)
}

proptest! {
    #![proptest_config(plexus_testing::cases(128))]

    #[test]
    fn any_schedule_ends_in_time_and_reads_the_same_everywhere(
        (pattern, limits, members, acts, window) in schedule()
    ) {
        let mut world = World::found(plexus_domain::team::TeamSpec { pattern, limits, ..charter() });
        if members > 0 {
            world = world.with_members(members);
        }
        let mut run = Run { world, last: None };
        for act in acts {
            run.act(act);
            assert_can_be_cancelled(&run.world);
        }
        let mut world = run.world;
        let mut waits = 0;
        while world.team.outcome().is_none() {
            world.wait();
            waits += 1;
        }
        // Each wait uses up a turn, a round, an assignment or an attempt to conclude.
        prop_assert!(waits <= limits.turns + limits.max_assignments + 20, "{waits}");
        prop_assert!(world.now <= world.team.conclude_at() + Duration::from_secs(60) || waits <= 1);
        prop_assert_eq!(&Team::replay(&world.log).unwrap(), &world.team);
        let copy = copy(&world.log, window);
        prop_assert_eq!(copy.team().unwrap(), &world.team);
        prop_assert_eq!(&copy, &self::copy(&world.log, 1), "nothing is kept of what came early or twice");
    }

    #[test]
    fn a_log_that_was_tampered_with_is_refused(acts in prop::collection::vec(act(), 1..30), at in any::<u16>()) {
        let mut run = Run { world: World::of(3, Pattern::ALL[0]), last: None };
        acts.into_iter().for_each(|act| run.act(act));
        let log = run.world.log;
        let at = 1 + usize::from(at) % (log.len() - 1);
        let mut missing = log.clone();
        missing.remove(at);
        let gap = Err(TeamError::Gap { expected: log[at].seq() });
        prop_assert!(at + 1 == log.len() || Team::replay(&missing) == gap);
        let mut changed = log.clone();
        changed[at] = LogEntry::read(format!("{} ", log[at].text())).unwrap();
        prop_assert!(at + 1 == log.len() || Team::replay(&changed).is_err());
    }
}
