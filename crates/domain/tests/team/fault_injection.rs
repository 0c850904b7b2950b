//! Fault injection, one fault at a time: the team always ends in time and leaves no assignment open.
//!
//! The outcomes are compared with the table in `docs/teams.md`.

use std::{collections::BTreeMap, time::Duration};

use plexus_domain::{
    Timestamp,
    run::Usage,
    team::{
        AssignmentNo, Pattern, PendingAction, Seat, TeamEvent, TeamFailure, TeamLimits, TeamOutcome,
        TeamSpec, Utterance,
        assignment::AssignmentOutcome,
        decision::{DecisionAttempt, DecisionOutcome, check, evaluate, rule_based},
    },
};

use crate::{
    fixtures::{World, charter, report},
    random_schedules::assert_can_be_cancelled,
    subteam_trees::Tree,
};

const DOCS: &str = include_str!("../../../../docs/teams.md");
/// Time that a member takes for an assignment.
const WORK: Duration = Duration::from_secs(20);
/// Maximum time between a team's time limit and its end.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// The second member stops responding at this second.
    Offline(u64),
    /// The second member accepts assignments but never reports.
    NeverDone,
    /// The leader stops speaking at this second.
    Speechless(u64),
    /// All members stop responding at this second.
    AllOffline(u64),
    /// Decision makers return invalid utterances.
    Nonsense,
    /// The hub is down between these two seconds.
    HubDown(u64, u64),
}

/// Simulation of a hub and its members with one fault.
struct Play {
    world: World,
    fault: Fault,
    /// When each running assignment will be done.
    doing: BTreeMap<AssignmentNo, Timestamp>,
    began: Timestamp,
}

impl Play {
    fn new(fault: Fault, members: u16, limits: TeamLimits) -> Self {
        let limits = TeamLimits { max_members: members, quorum: 1, ..limits };
        let mut world = World::found(TeamSpec { limits, pattern: Pattern::ALL[0], ..charter() });
        let invitees = (0..members).map(|number| crate::fixtures::agent(&format!("agent{number}"))).collect();
        world.home(TeamEvent::Invited { members: invitees }).unwrap();
        Self { began: world.now, world, fault, doing: BTreeMap::new() }
    }

    fn seconds(&self) -> u64 {
        self.world.now.since(self.began).as_secs()
    }

    fn is_silent(&self, seat: Seat) -> bool {
        match self.fault {
            Fault::Offline(from) => seat == Seat(1) && self.seconds() >= from,
            Fault::AllOffline(from) => self.seconds() >= from,
            _ => false,
        }
    }

    fn is_speechless(&self, seat: Seat) -> bool {
        matches!(self.fault, Fault::Speechless(from) if seat == Seat(0) && self.seconds() >= from)
    }

    /// Performs a pending action. Returns false if nothing can be done but wait.
    fn meet(&mut self, want: &PendingAction) -> bool {
        match *want {
            PendingAction::Reply { seat } if !self.is_silent(seat) => {
                self.world.seat(seat, TeamEvent::Accepted).unwrap();
                true
            }
            PendingAction::Speech { seat, turn } if !self.is_silent(seat) && !self.is_speechless(seat) => {
                let utterance = self.decide(seat);
                let said = TeamEvent::Said { turn, utterance, usage: Usage::default() };
                self.world.seat(seat, said).unwrap();
                true
            }
            PendingAction::Work { work } => self.work_on(work),
            _ => false,
        }
    }

    fn decide(&self, seat: Seat) -> Utterance {
        let team = &self.world.team;
        if self.fault != Fault::Nonsense {
            return rule_based::decide(team, seat).unwrap();
        }
        let answers = ["{\"say\": \"shout\"}", "As a member I would rather not answer in JSON."];
        for (attempt, raw) in [DecisionAttempt::First, DecisionAttempt::Repaired].into_iter().zip(answers) {
            match evaluate(attempt, check(team, seat, raw), || rule_based::decide(team, seat).unwrap()) {
                DecisionOutcome::Take(_) => panic!("nonsense was taken"),
                DecisionOutcome::Repair(_) => {}
                DecisionOutcome::Default(utterance) => return utterance,
            }
        }
        panic!("no decision")
    }

    fn work_on(&mut self, no: AssignmentNo) -> bool {
        let to = self.world.team.assignment(no).unwrap().to;
        let never = self.fault == Fault::NeverDone && to == Seat(1);
        if never || self.is_silent(to) {
            return false;
        }
        let done = *self.doing.entry(no).or_insert(self.world.now + WORK);
        if self.world.now < done {
            return false;
        }
        self.world
            .seat(
                to,
                TeamEvent::Reported { assignment: no, report: report(AssignmentOutcome::Completed, "Done.") },
            )
            .unwrap();
        true
    }

    /// Advances the clock to the next moment at which something happens.
    fn wait(&mut self) {
        let open: Vec<AssignmentNo> = self.world.team.open_assignments().map(|(no, _)| no).collect();
        self.doing.retain(|no, _| open.contains(no));
        let due = self.world.team.due().unwrap();
        let silent = |no: &AssignmentNo| self.is_silent(self.world.team.assignment(*no).unwrap().to);
        let done = self.doing.iter().filter(|(no, _)| !silent(no)).map(|(_, at)| *at).min();
        let mut next = done.unwrap_or(due).min(due);
        if let Fault::HubDown(from, until) = self.fault {
            let at = |seconds| self.began + Duration::from_secs(seconds);
            if next >= at(from) && self.world.now < at(until) {
                // The crash lost all runs; only the log remains.
                next = at(until);
                self.doing.clear();
                self.world.crash();
            }
        }
        self.world.now = next;
        if next >= due {
            self.world.wait();
        }
    }

    /// Runs until the team has ended. Returns the outcome and the duration in seconds.
    fn end(mut self) -> (String, u64) {
        while self.world.team.outcome().is_none() {
            assert_can_be_cancelled(&self.world);
            let moved = self.world.team.pending_actions().iter().any(|want| self.meet(want));
            if !moved {
                self.wait();
            }
        }
        let team = &self.world.team;
        assert!(team.ended_at().unwrap() <= team.conclude_at() + GRACE, "it ends in time");
        assert_eq!(team.open_assignments().count(), 0, "no work is left open");
        let outcome = match team.outcome().unwrap() {
            TeamOutcome::Concluded { .. } => "an answer",
            TeamOutcome::Failed(TeamFailure::NoResult) => "word that there is no result",
            TeamOutcome::Failed(_) => "no answer",
            TeamOutcome::Cancelled { .. } => "cancelled",
        };
        (outcome.to_owned(), self.seconds())
    }
}

fn after(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[test]
fn whatever_goes_wrong_the_team_ends_in_time() {
    let plays = [
        ("nothing", Fault::None, 3),
        ("a member is offline from the beginning", Fault::Offline(0), 3),
        ("a member goes offline with its work half done", Fault::Offline(10), 3),
        ("the lead goes offline before it can conclude", Fault::Speechless(10), 3),
        ("everybody goes offline with their work half done", Fault::AllOffline(10), 3),
        ("a member never comes back with its work", Fault::NeverDone, 3),
        ("what a decider answers makes no sense", Fault::Nonsense, 3),
        ("the hub is killed and back after a minute", Fault::HubDown(10, 70), 3),
        ("the hub is killed and back after the time is over", Fault::HubDown(10, 1_820), 3),
        ("nothing, and there are 50 members", Fault::None, 50),
    ];
    let limits = TeamLimits { max_assignments: 200, ..TeamLimits::default() };
    let rows = plays.map(|(words, fault, members)| {
        let (outcome, seconds) = Play::new(fault, members, limits).end();
        format!("| {words} | {outcome} | {} |", after(seconds))
    });
    let missing: Vec<&String> = rows.iter().filter(|row| !DOCS.contains(*row)).collect();
    assert!(missing.is_empty(), "docs/teams.md lacks these rows: {missing:#?}");
}

/// No member responds on any level, and no reports are exchanged between the levels.
#[test]
fn eight_silent_levels_end_by_time_alone() {
    let mut tree = Tree::chain();
    let began = tree.nodes[0].world.team.founded();
    tree.drain(true);
    for node in &tree.nodes {
        let team = &node.world.team;
        assert!(team.ended_at().unwrap() <= team.conclude_at() + GRACE);
        assert_eq!(team.open_assignments().count(), 0);
    }
    let end = tree.nodes[0].world.team.ended_at().unwrap();
    let row = format!(
        "| nobody answers on any of eight levels | no answer | {} |",
        after(end.since(began).as_secs())
    );
    assert!(DOCS.contains(&row), "docs/teams.md does not have the row:\n{row}");
}
