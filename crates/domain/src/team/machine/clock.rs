//! What time does. Every phase but the last has a moment by which something follows, whatever anybody does.

use std::time::Duration;

use super::Checked;
use crate::{
    Timestamp,
    team::{
        Failed, Limit, Outcome, Phase, Refusal, Seat, Team,
        member::{Absence, Presence},
        work::End,
    },
};

/// How long after the end of its time a team may still write its answer.
pub const CONCLUDING_GRACE: Duration = Duration::from_secs(30);
/// How long after a deadline other hubs wait for the home hub's word before they show the team as lost.
pub const HOME_GRACE: Duration = Duration::from_secs(15);
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
        self.founded + Duration::from_millis(self.limits().time_ms)
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
