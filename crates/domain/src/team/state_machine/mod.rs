//! State machine of a team: proposals become log entries, entries change the state.
//!
//! [`Team::apply`] processes every entry. It checks the position in the log and the author, applies the event
//! (`apply_event`, with the parts `membership`, `assignments` and `utterances`), then the derived transitions (`consequences`).
//! `deadlines` computes deadlines and applies timeouts.

mod apply_event;
mod assignments;
mod consequences;
mod deadlines;
mod membership;
mod utterances;

use std::collections::{BTreeSet, VecDeque};

pub use deadlines::{CONCLUDING_GRACE, HOME_GRACE};

use crate::{
    ChatId, Digest, Timestamp,
    run::Usage,
    team::{LogEntry, Phase, Proposal, Seat, Team, TeamActor, TeamError, TeamEvent, TeamSpec},
};

impl Team {
    /// Creates a team and the first entry of its log.
    pub fn create(id: ChatId, charter: TeamSpec, now: Timestamp) -> Result<(Self, LogEntry), TeamError> {
        let proposal =
            Proposal { team: id, by: TeamActor::Home, event: TeamEvent::Founded { charter }, proof: None };
        let entry = LogEntry::write(&proposal, 0, Digest::of(b""), now)?;
        Ok((Self::from_first_entry(&entry)?, entry))
    }

    /// Replays a whole log.
    pub fn replay<'a>(log: impl IntoIterator<Item = &'a LogEntry>) -> Result<Self, TeamError> {
        let mut log = log.into_iter();
        let mut team = Self::from_first_entry(log.next().ok_or(TeamError::Gap { expected: 0 })?)?;
        log.try_for_each(|entry| team.apply(entry))?;
        Ok(team)
    }

    /// Creates the team from the first entry of its log.
    pub fn from_first_entry(entry: &LogEntry) -> Result<Self, TeamError> {
        let TeamEvent::Founded { charter } = entry.event() else {
            return Err(TeamError::Gap { expected: 0 });
        };
        if entry.seq() != 0 || entry.by() != TeamActor::Home || !entry.follows(Digest::of(b"")) {
            return Err(TeamError::Forked);
        }
        charter.check()?;
        Ok(Self {
            id: entry.team(),
            charter: charter.clone(),
            founded: entry.at(),
            seq: 0,
            head: entry.digest(),
            at: entry.at(),
            members: Vec::new(),
            assignments: Vec::new(),
            phase: Phase::Forming { round: 1 },
            since: entry.at(),
            extended_ms: 0,
            turn: 0,
            plan: Vec::new(),
            vote: None,
            recent: VecDeque::new(),
            repeats: 0,
            deciding: Usage::default(),
            messages: BTreeSet::new(),
        })
    }

    /// Applies the next entry. A rejected entry leaves the team unchanged.
    pub fn apply(&mut self, entry: &LogEntry) -> Result<(), TeamError> {
        self.check_place(entry)?;
        self.check_author(&entry.proposal())?;
        let ended = self.outcome().is_some();
        self.step(entry.by(), entry.event(), entry.at())?;
        self.restore_invariants(entry.at());
        if self.outcome().is_some() && !ended {
            self.since = entry.at();
        }
        self.seq = entry.seq();
        self.head = entry.digest();
        self.at = entry.at();
        Ok(())
    }

    /// Returns the entries that a proposal adds to the log. The
    /// team is unchanged: commit the entries, then apply them.
    ///
    /// If a deadline has passed, its entry comes first, so
    /// that no member speaks in a turn that has timed out.
    pub fn propose(&self, proposal: &Proposal, now: Timestamp) -> Result<Vec<LogEntry>, TeamError> {
        let mut team = self.clone();
        let mut entries: Vec<LogEntry> = team.write_elapsed(now)?.into_iter().collect();
        entries.push(team.write(proposal, now)?);
        Ok(entries)
    }

    /// Returns the entry of a passed deadline, or `None` before [`Team::due`].
    pub fn tick(&self, now: Timestamp) -> Result<Option<LogEntry>, TeamError> {
        self.clone().write_elapsed(now)
    }

    fn write_elapsed(&mut self, now: Timestamp) -> Result<Option<LogEntry>, TeamError> {
        if self.due().is_none_or(|due| now < due) {
            return Ok(None);
        }
        let proposal =
            Proposal { team: self.id, by: TeamActor::Home, event: TeamEvent::Elapsed, proof: None };
        self.write(&proposal, now).map(Some)
    }

    /// Creates the log entry of a proposal and applies it.
    pub(super) fn write(&mut self, proposal: &Proposal, now: Timestamp) -> Result<LogEntry, TeamError> {
        // Clock skew: a clock that was set back must not reorder the log.
        let entry = LogEntry::write(proposal, self.seq + 1, self.head, now.max(self.at))?;
        self.apply(&entry)?;
        Ok(entry)
    }

    fn check_place(&self, entry: &LogEntry) -> Result<(), TeamError> {
        let expected = self.seq + 1;
        match entry.seq() {
            _ if entry.team() != self.id => Err(TeamError::OtherTeam),
            seq if seq < expected => Err(TeamError::Known),
            seq if seq > expected => Err(TeamError::Gap { expected }),
            _ if !entry.follows(self.head) || entry.at() < self.at => Err(TeamError::Forked),
            _ => Ok(()),
        }
    }

    fn check_author(&self, proposal: &Proposal) -> Result<(), TeamError> {
        if !proposal.event.may_come_from(proposal.by) {
            return Err(TeamError::NotYours);
        }
        let TeamActor::Seat(seat) = proposal.by else { return Ok(()) };
        let key = &self.member(seat).ok_or(TeamError::NoSuchMember(seat))?.invitee.key;
        let proved = proposal.proof.as_ref().map(|proof| &proof.key);
        if key.is_some() && key.as_ref() != proved { Err(TeamError::Unproved) } else { Ok(()) }
    }
}

type Checked = Result<(), TeamError>;

const fn seat_of(by: TeamActor) -> Result<Seat, TeamError> {
    match by {
        TeamActor::Seat(seat) => Ok(seat),
        TeamActor::Home | TeamActor::Owner => Err(TeamError::NotYours),
    }
}
