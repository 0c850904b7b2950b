//! In-memory hub for team tests: stores the log, controls
//! the clock and checks the invariants after each step.

use std::{collections::BTreeSet, time::Duration};

use plexus_domain::{
    ChatId, Text, Timestamp,
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, AssignmentSpec, LogEntry, LongText, MemberIdentity, Pattern,
        PendingAction, Phase, Proposal, Seat, Team, TeamActor, TeamError, TeamEvent, TeamLimits, TeamSpec,
        Utterance,
        assignment::{AssignmentOutcome, AssignmentReport},
        member::{Invitee, MemberStatus},
        pattern::PlanAndDelegate,
        utterance::AssignmentDraft,
    },
};

pub struct World {
    pub team: Team,
    pub log: Vec<LogEntry>,
    pub now: Timestamp,
}

impl World {
    pub fn found(charter: TeamSpec) -> Self {
        Self::found_as(1, charter, Timestamp::from_millis(1_000_000))
    }

    pub fn found_as(number: u8, charter: TeamSpec, now: Timestamp) -> Self {
        let (team, entry) = Team::create(ChatId::new(now, &[number; 10]), charter, now).unwrap();
        Self { team, log: vec![entry], now }
    }

    /// Returns a team of `members` agents that have all accepted.
    pub fn of(members: u16, pattern: Pattern) -> Self {
        let limits = TeamLimits { max_members: members.max(1), ..TeamLimits::default() };
        Self::found(TeamSpec { pattern, limits, ..charter() }).with_members(members)
    }

    pub fn with_members(mut self, members: u16) -> Self {
        let invitees = (0..members).map(|number| agent(&format!("agent{number}"))).collect();
        self.home(TeamEvent::Invited { members: invitees }).unwrap();
        for seat in (0..members).map(Seat) {
            self.seat(seat, TeamEvent::Accepted).unwrap();
        }
        self
    }

    pub fn home(&mut self, event: TeamEvent) -> Result<(), TeamError> {
        self.propose(TeamActor::Home, event)
    }

    pub fn owner(&mut self, event: TeamEvent) -> Result<(), TeamError> {
        self.propose(TeamActor::Owner, event)
    }

    pub fn seat(&mut self, seat: Seat, event: TeamEvent) -> Result<(), TeamError> {
        self.propose(TeamActor::Seat(seat), event)
    }

    pub fn say(&mut self, seat: Seat, utterance: Utterance) -> Result<(), TeamError> {
        let usage = Usage { tokens_in: 10, tokens_out: 5, cost_micro: 1 };
        self.seat(seat, TeamEvent::Said { turn: self.team.turn(), utterance, usage })
    }

    pub fn report(
        &mut self,
        seat: Seat,
        assignment: AssignmentNo,
        end: AssignmentOutcome,
        text: &str,
    ) -> Result<(), TeamError> {
        self.seat(seat, TeamEvent::Reported { assignment, report: report(end, text) })
    }

    pub fn propose(&mut self, by: TeamActor, event: TeamEvent) -> Result<(), TeamError> {
        let proposal = Proposal { team: self.team.id(), by, event, proof: None };
        let before = self.team.clone();
        let entries = match self.team.propose(&proposal, self.now) {
            Ok(entries) => entries,
            Err(refusal) => {
                assert_eq!(self.team, before, "a refusal changes nothing");
                return Err(refusal);
            }
        };
        self.commit(entries);
        Ok(())
    }

    /// Advances the clock to the next deadline and applies the timeout.
    pub fn wait(&mut self) {
        let due = self.team.due().unwrap();
        self.now = self.now.max(due);
        let entry = self.team.tick(self.now).unwrap().unwrap();
        self.commit(vec![entry]);
    }

    pub fn later(&mut self, after: Duration) {
        self.now = self.now + after;
    }

    pub fn commit(&mut self, entries: Vec<LogEntry>) {
        for entry in entries {
            let entry = LogEntry::read(entry.text().to_owned()).unwrap();
            self.team.apply(&entry).unwrap();
            self.log.push(entry);
            self.check();
        }
    }

    /// Checks the invariants that hold after every entry.
    fn check(&self) {
        let team = &self.team;
        let Some(due) = team.due() else {
            assert_eq!(team.open_assignments().count(), 0, "a team that has ended has no open work");
            return assert!(team.pending_actions().is_empty());
        };
        assert!(due > self.log.last().unwrap().at(), "a deadline lies ahead");
        assert!(due <= team.hard_deadline());
        assert!(!team.pending_actions().is_empty(), "something is waited for in {:?}", team.phase());
        match team.phase() {
            Phase::Forming { .. } | Phase::Closed(_) => {}
            Phase::Discussing { speaker: seat } | Phase::Concluding { by: seat, .. } => {
                assert!(team.is_active(*seat));
                assert_eq!(speakers(team), [*seat], "one speaks at a time");
            }
            Phase::Polling { .. } => assert!(!speakers(team).is_empty()),
            Phase::Waiting { on, .. } => {
                assert!(on.iter().any(|&no| team.assignment(no).unwrap().is_open()));
            }
        }
    }

    /// Simulates a crash: all state except the log is lost.
    pub fn crash(&mut self) {
        let kept = Team::replay(&self.log).unwrap();
        assert_eq!(kept, self.team);
        self.team = kept;
    }
}

/// Returns the members whose utterance the team waits for.
pub fn speakers(team: &Team) -> Vec<Seat> {
    let speech = |want| if let PendingAction::Speech { seat, .. } = want { Some(seat) } else { None };
    team.pending_actions().into_iter().filter_map(speech).collect()
}

pub fn charter() -> TeamSpec {
    TeamSpec {
        goal: text("Find the figures, plot them, write a report."),
        pattern: Pattern::PlanAndDelegate(PlanAndDelegate {}),
        limits: TeamLimits::default(),
        home: text("hub.example"),
        lineage: None,
        needs: Vec::new(),
        suppress_repeats: true,
    }
}

pub fn text<const MAX: usize>(raw: &str) -> Text<MAX> {
    Text::try_from(raw.to_owned()).unwrap()
}

pub fn agent(name: &str) -> Invitee {
    let address = format!("@ada/{name}@hub.example").parse().unwrap();
    Invitee { identity: MemberIdentity::Agent { address }, roles: Vec::new(), key: None }
}

pub fn person(name: &str) -> Invitee {
    let identity = MemberIdentity::Person { name: text(name), hub: text("hub.example") };
    Invitee { identity, roles: Vec::new(), key: None }
}

pub fn discuss(words: &str, next: Option<u16>) -> Utterance {
    Utterance::Discuss { text: text(words), next: next.map(Seat) }
}

pub fn conclude(words: &str) -> Utterance {
    Utterance::Conclude { text: Some(text(words)) }
}

pub fn assign(mode: AssignmentMode, to: &[u16]) -> Utterance {
    let task = |&seat| AssignmentDraft { to: Seat(seat), spec: spec(&format!("Part of {seat}")) };
    Utterance::Assign { mode, assignments: to.iter().map(task).collect() }
}

pub fn wait_for(numbers: &[u32]) -> Utterance {
    Utterance::WaitFor { assignments: numbers.iter().copied().map(AssignmentNo).collect::<BTreeSet<_>>() }
}

pub fn spec(title: &str) -> AssignmentSpec {
    AssignmentSpec {
        title: text(title),
        description: text("Do it well."),
        criteria: None,
        inputs: Vec::new(),
    }
}

pub fn report(end: AssignmentOutcome, words: &str) -> AssignmentReport {
    let usage = Usage { tokens_in: 100, tokens_out: 50, cost_micro: 10 };
    AssignmentReport { end, text: LongText::truncate(words), usage, subteam_assignments: 0 }
}

pub fn status(team: &Team, seat: u16) -> &MemberStatus {
    &team.member(Seat(seat)).unwrap().status
}
