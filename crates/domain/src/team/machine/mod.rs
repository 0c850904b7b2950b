//! State machine of a team: proposals become log entries, entries change the state.
//!
//! [`Team::apply`] processes every entry. It checks the position in the log and the author, applies the event
//! (`steps`, with the parts `seats`, `assignments` and `speech`), then the derived transitions (`flow`).
//! `clock` computes deadlines and applies timeouts.

mod assignments;
mod clock;
mod flow;
mod seats;
mod speech;
mod steps;

use std::collections::{BTreeSet, VecDeque};

pub use clock::{CONCLUDING_GRACE, HOME_GRACE};

use crate::{
    ChatId, Digest, Timestamp,
    run::Usage,
    team::{Author, Charter, Entry, Event, Phase, Proposal, Refusal, Seat, Team},
};

impl Team {
    /// Creates a team and the first entry of its log.
    pub fn found(id: ChatId, charter: Charter, now: Timestamp) -> Result<(Self, Entry), Refusal> {
        let proposal =
            Proposal { team: id, by: Author::Home, event: Event::Founded { charter }, proof: None };
        let entry = Entry::write(&proposal, 0, Digest::of(b""), now)?;
        Ok((Self::begin(&entry)?, entry))
    }

    /// Replays a whole log.
    pub fn replay<'a>(log: impl IntoIterator<Item = &'a Entry>) -> Result<Self, Refusal> {
        let mut log = log.into_iter();
        let mut team = Self::begin(log.next().ok_or(Refusal::Gap { expected: 0 })?)?;
        log.try_for_each(|entry| team.apply(entry))?;
        Ok(team)
    }

    /// Creates the team from the first entry of its log.
    pub fn begin(entry: &Entry) -> Result<Self, Refusal> {
        let Event::Founded { charter } = entry.event() else { return Err(Refusal::Gap { expected: 0 }) };
        if entry.seq() != 0 || entry.by() != Author::Home || !entry.follows(Digest::of(b"")) {
            return Err(Refusal::Forked);
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
            work: Vec::new(),
            phase: Phase::Forming { round: 1 },
            since: entry.at(),
            extended_ms: 0,
            turn: 0,
            plan: Vec::new(),
            vote: None,
            recent: VecDeque::new(),
            repeats: 0,
            deciding: Usage::default(),
            remarks: BTreeSet::new(),
        })
    }

    /// Applies the next entry. A rejected entry leaves the team unchanged.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Refusal> {
        self.check_place(entry)?;
        self.check_author(&entry.proposal())?;
        let ended = self.outcome().is_some();
        self.step(entry.by(), entry.event(), entry.at())?;
        self.settle(entry.at());
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
    pub fn propose(&self, proposal: &Proposal, now: Timestamp) -> Result<Vec<Entry>, Refusal> {
        let mut team = self.clone();
        let mut entries: Vec<Entry> = team.write_elapsed(now)?.into_iter().collect();
        entries.push(team.write(proposal, now)?);
        Ok(entries)
    }

    /// Returns the entry of a passed deadline, or `None` before [`Team::due`].
    pub fn tick(&self, now: Timestamp) -> Result<Option<Entry>, Refusal> {
        self.clone().write_elapsed(now)
    }

    fn write_elapsed(&mut self, now: Timestamp) -> Result<Option<Entry>, Refusal> {
        if self.due().is_none_or(|due| now < due) {
            return Ok(None);
        }
        let proposal = Proposal { team: self.id, by: Author::Home, event: Event::Elapsed, proof: None };
        self.write(&proposal, now).map(Some)
    }

    /// Creates the log entry of a proposal and applies it.
    pub(super) fn write(&mut self, proposal: &Proposal, now: Timestamp) -> Result<Entry, Refusal> {
        // Clock skew: a clock that was set back must not reorder the log.
        let entry = Entry::write(proposal, self.seq + 1, self.head, now.max(self.at))?;
        self.apply(&entry)?;
        Ok(entry)
    }

    fn check_place(&self, entry: &Entry) -> Result<(), Refusal> {
        let expected = self.seq + 1;
        match entry.seq() {
            _ if entry.team() != self.id => Err(Refusal::OtherTeam),
            seq if seq < expected => Err(Refusal::Known),
            seq if seq > expected => Err(Refusal::Gap { expected }),
            _ if !entry.follows(self.head) || entry.at() < self.at => Err(Refusal::Forked),
            _ => Ok(()),
        }
    }

    fn check_author(&self, proposal: &Proposal) -> Result<(), Refusal> {
        if !proposal.event.may_come_from(proposal.by) {
            return Err(Refusal::NotYours);
        }
        let Author::Seat(seat) = proposal.by else { return Ok(()) };
        let key = &self.member(seat).ok_or(Refusal::NoSuchMember(seat))?.invitee.key;
        let proved = proposal.proof.as_ref().map(|proof| &proof.key);
        if key.is_some() && key.as_ref() != proved { Err(Refusal::Unproved) } else { Ok(()) }
    }
}

type Checked = Result<(), Refusal>;

const fn seat_of(by: Author) -> Result<Seat, Refusal> {
    match by {
        Author::Seat(seat) => Ok(seat),
        Author::Home | Author::Owner => Err(Refusal::NotYours),
    }
}
