//! What time does. Every phase but the last has a moment by which something follows, whatever anybody does.

use std::time::Duration;

use super::Checked;
use crate::{
    Timestamp,
    team::{
        Author, Entry, Event, Failed, Limit, Outcome, Phase, Proposal, Refusal, Seat, Team,
        member::{Absence, Presence},
        work::End,
    },
};

/// How long after the end of its time a team may still write its answer.
pub const CONCLUDING_GRACE: Duration = Duration::from_secs(30);
/// How long after a deadline other hubs wait for the home hub's word before they show the team as lost.
pub const HOME_GRACE: Duration = Duration::from_secs(15);
/// The longest extension, in milliseconds: thirty days.
const LONGEST_EXTENSION: u64 = 30 * 24 * 3_600_000;
/// Turns in a row that an agent may miss before it counts as gone.
const MAX_SILENCES: u32 = 2;

impl Team {
    /// When [`Team::tick`] has something to say; none once the team has ended.
    pub fn due(&self) -> Option<Timestamp> {
        if self.outcome().is_some() {
            return None;
        }
        let end = match self.phase {
            Phase::Concluding { .. } => self.last_moment(),
            _ => self.end_of_time(),
        };
        let work = self.open_work().map(|(_, work)| work.deadline);
        work.chain(self.phase_deadline()).chain([end]).min()
    }

    /// When a hub that keeps a copy should cancel its own runs and show the team as lost, unless it hears more.
    pub fn lost_from(&self) -> Option<Timestamp> {
        self.due().map(|due| due + HOME_GRACE)
    }

    /// From here on the team only concludes.
    pub fn end_of_time(&self) -> Timestamp {
        self.founded + Duration::from_millis(self.limits().time_ms.saturating_add(self.extended_ms))
    }

    /// From here on the team has ended.
    pub fn last_moment(&self) -> Timestamp {
        self.end_of_time() + CONCLUDING_GRACE
    }

    /// A deadline for work that is given at `at`.
    pub(super) fn work_deadline(&self, at: Timestamp) -> Timestamp {
        (at + Duration::from_millis(self.limits().work_ms)).min(self.end_of_time())
    }

    /// When the phase ends by itself. A wait has no end of its own: what it waits for has.
    fn phase_deadline(&self) -> Option<Timestamp> {
        let limits = self.limits();
        let millis = match &self.phase {
            Phase::Forming { .. } => limits.invite_ms,
            Phase::Discussing { floor: seat } | Phase::Concluding { by: seat, .. } => {
                self.time_to_speak(*seat)
            }
            Phase::Polling { open, .. } => {
                open.iter().map(|seat| self.time_to_speak(*seat)).max().unwrap_or(limits.turn_ms)
            }
            Phase::Waiting { .. } | Phase::Closed(_) => return None,
        };
        Some(self.since + Duration::from_millis(millis))
    }

    fn time_to_speak(&self, seat: Seat) -> u64 {
        if self.is_person(seat) { self.limits().work_ms } else { self.limits().turn_ms }
    }

    /// The entry that gives a team back the time that no process served it; at most thirty days of it. None where the
    /// team has ended.
    pub fn extension(&self, unserved: Duration, now: Timestamp) -> Result<Option<Entry>, Refusal> {
        if self.outcome().is_some() || unserved.is_zero() {
            return Ok(None);
        }
        let by_ms = u64::try_from(unserved.as_millis()).unwrap_or(u64::MAX).min(LONGEST_EXTENSION);
        let event = Event::Extended { by_ms };
        let proposal = Proposal { team: self.id(), by: Author::Home, event, proof: None };
        // Written without a look at what is due: those are the deadlines that move.
        self.clone().write(&proposal, now).map(Some)
    }

    /// Moves the deadlines of the phase, of open assignments and of the team.
    pub(super) fn extend(&mut self, by_ms: u64) -> Checked {
        if by_ms == 0 || by_ms > LONGEST_EXTENSION {
            return Err(Refusal::Malformed("an extension lasts up to thirty days"));
        }
        let by = Duration::from_millis(by_ms);
        self.extended_ms = self.extended_ms.saturating_add(by_ms);
        self.since = self.since + by;
        for work in self.work.iter_mut().filter(|work| work.is_open()) {
            work.deadline = work.deadline + by;
        }
        Ok(())
    }

    pub(super) fn elapse(&mut self, at: Timestamp) -> Checked {
        if self.due().is_none_or(|due| at < due) {
            return Err(Refusal::NothingDue);
        }
        let phase_is_over = self.phase_deadline().is_some_and(|deadline| deadline <= at);
        self.end_work(|work| work.deadline <= at, End::TimedOut, "The time for this assignment was over.");
        if at >= self.last_moment() {
            self.close(Outcome::Failed(Failed::OutOfTime));
        } else if at >= self.end_of_time() && !matches!(self.phase, Phase::Concluding { .. }) {
            self.conclude_for_time(at);
        } else if phase_is_over {
            self.end_phase(at);
        }
        Ok(())
    }

    fn conclude_for_time(&mut self, at: Timestamp) {
        match self.speaker().or_else(|| self.lead()) {
            Some(by) => self.conclude(by, Some(Limit::Time), at),
            None => self.close(Outcome::Failed(Failed::OutOfTime)),
        }
    }

    fn end_phase(&mut self, at: Timestamp) {
        match self.phase.clone() {
            Phase::Forming { .. } => {
                self.forget_the_silent();
                self.end_round(at);
            }
            Phase::Discussing { floor } => {
                self.missed_turn(floor);
                self.pass_on(floor, None, at);
            }
            Phase::Polling { open, .. } => {
                open.into_iter().for_each(|seat| self.missed_turn(seat));
                self.end_poll(at);
            }
            Phase::Concluding { by, .. } => {
                self.missed_turn(by);
                self.ask_another_to_conclude(at);
            }
            Phase::Waiting { .. } | Phase::Closed(_) => {}
        }
    }

    /// Whoever did not answer an invitation in time has declined it.
    fn forget_the_silent(&mut self) {
        for member in &mut self.members {
            if member.presence == Presence::Invited {
                member.presence = Presence::Gone(Absence::Silent);
            }
        }
    }

    fn missed_turn(&mut self, seat: Seat) {
        let Ok(member) = self.member_mut(seat) else { return };
        member.counts.turns += 1;
        member.counts.silences += 1;
        if member.counts.silences >= MAX_SILENCES
            && !member.is_person()
            && member.presence == Presence::Active
        {
            member.presence = Presence::Gone(Absence::Silent);
            self.end_work(|work| work.to == seat, End::Failed, "The member left the team.");
        }
    }
}
