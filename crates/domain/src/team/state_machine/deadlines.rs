//! Deadlines and timeouts. Every phase except the last has a deadline, independent of what members do.

use std::time::Duration;

use super::Checked;
use crate::{
    Timestamp,
    team::{
        ExhaustedLimit, LogEntry, Phase, Proposal, Seat, Team, TeamActor, TeamError, TeamEvent, TeamFailure,
        TeamOutcome,
        assignment::AssignmentOutcome,
        member::{DepartureReason, MemberStatus},
    },
};

/// Time after the team's time limit in which it may still write its answer.
pub const CONCLUDING_GRACE: Duration = Duration::from_secs(30);
/// Time after a deadline that remote hubs wait for the home hub before they show the team as lost.
pub const HOME_GRACE: Duration = Duration::from_secs(15);
/// Maximum extension, in milliseconds: thirty days.
const MAX_EXTENSION: u64 = 30 * 24 * 3_600_000;
/// Number of consecutive turns that an agent may miss before it counts as gone.
const MAX_SILENCES: u32 = 2;

impl Team {
    /// Returns when [`Team::tick`] must be called next, or `None` if the team has ended.
    pub fn due(&self) -> Option<Timestamp> {
        if self.outcome().is_some() {
            return None;
        }
        let end = match self.phase {
            Phase::Concluding { .. } => self.hard_deadline(),
            _ => self.conclude_at(),
        };
        let work = self.open_assignments().map(|(_, work)| work.deadline);
        work.chain(self.phase_deadline()).chain([end]).min()
    }

    /// Returns when a replica's hub should cancel its runs
    /// and show the team as lost, unless new entries arrive.
    pub fn presumed_lost_at(&self) -> Option<Timestamp> {
        self.due().map(|due| due + HOME_GRACE)
    }

    /// Returns the time from which on the team can only conclude.
    pub fn conclude_at(&self) -> Timestamp {
        self.founded + Duration::from_millis(self.limits().time_ms.saturating_add(self.extended_ms))
    }

    /// Returns the time by which the team is closed.
    pub fn hard_deadline(&self) -> Timestamp {
        self.conclude_at() + CONCLUDING_GRACE
    }

    /// Returns the deadline of an assignment created at `at`.
    pub(super) fn work_deadline(&self, at: Timestamp) -> Timestamp {
        (at + Duration::from_millis(self.limits().assignment_ms)).min(self.conclude_at())
    }

    /// Returns the deadline of the phase. A wait has none of its own: the assignments have deadlines.
    fn phase_deadline(&self) -> Option<Timestamp> {
        let limits = self.limits();
        let millis = match &self.phase {
            Phase::Forming { .. } => limits.invite_ms,
            Phase::Discussing { speaker: seat } | Phase::Concluding { by: seat, .. } => {
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
        if self.is_person(seat) { self.limits().assignment_ms } else { self.limits().turn_ms }
    }

    /// Returns the entry that extends a team by the time in which no instance served it, at most thirty days.
    ///
    /// Returns `None` if the team has ended or `unserved` is zero.
    pub fn extension(&self, unserved: Duration, now: Timestamp) -> Result<Option<LogEntry>, TeamError> {
        if self.outcome().is_some() || unserved.is_zero() {
            return Ok(None);
        }
        let by_ms = u64::try_from(unserved.as_millis()).unwrap_or(u64::MAX).min(MAX_EXTENSION);
        let event = TeamEvent::Extended { by_ms };
        let proposal = Proposal { team: self.id(), by: TeamActor::Home, event, proof: None };
        // Bypasses `propose`, because the deadlines that appear to have passed are the ones to be moved.
        self.clone().write(&proposal, now).map(Some)
    }

    /// Moves the deadlines of the phase, of open assignments and of the team.
    pub(super) fn extend(&mut self, by_ms: u64) -> Checked {
        if by_ms == 0 || by_ms > MAX_EXTENSION {
            return Err(TeamError::Malformed("an extension lasts up to thirty days"));
        }
        let by = Duration::from_millis(by_ms);
        self.extended_ms = self.extended_ms.saturating_add(by_ms);
        self.since = self.since + by;
        for work in self.assignments.iter_mut().filter(|work| work.is_open()) {
            work.deadline = work.deadline + by;
        }
        Ok(())
    }

    /// Applies all deadlines that have passed at `at`.
    pub(super) fn apply_timeout(&mut self, at: Timestamp) -> Checked {
        if self.due().is_none_or(|due| at < due) {
            return Err(TeamError::NothingDue);
        }
        let phase_is_over = self.phase_deadline().is_some_and(|deadline| deadline <= at);
        self.end_work(
            |work| work.deadline <= at,
            AssignmentOutcome::TimedOut,
            "The time for this assignment was over.",
        );
        if at >= self.hard_deadline() {
            self.close(TeamOutcome::Failed(TeamFailure::OutOfTime));
        } else if at >= self.conclude_at() && !matches!(self.phase, Phase::Concluding { .. }) {
            self.conclude_for_time(at);
        } else if phase_is_over {
            self.end_phase(at);
        }
        Ok(())
    }

    fn conclude_for_time(&mut self, at: Timestamp) {
        match self.speaker().or_else(|| self.leader()) {
            Some(by) => self.conclude(by, Some(ExhaustedLimit::Time), at),
            None => self.close(TeamOutcome::Failed(TeamFailure::OutOfTime)),
        }
    }

    fn end_phase(&mut self, at: Timestamp) {
        match self.phase.clone() {
            Phase::Forming { .. } => {
                self.forget_the_silent();
                self.end_round(at);
            }
            Phase::Discussing { speaker } => {
                self.missed_turn(speaker);
                self.advance_speaker(speaker, None, at);
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

    /// Marks members that did not reply to their invitation in time as gone.
    fn forget_the_silent(&mut self) {
        for member in &mut self.members {
            if member.status == MemberStatus::Invited {
                member.status = MemberStatus::Gone(DepartureReason::Silent);
            }
        }
    }

    fn missed_turn(&mut self, seat: Seat) {
        let Ok(member) = self.member_mut(seat) else { return };
        member.counts.turns += 1;
        member.counts.silences += 1;
        if member.counts.silences >= MAX_SILENCES
            && !member.is_person()
            && member.status == MemberStatus::Active
        {
            member.status = MemberStatus::Gone(DepartureReason::Silent);
            self.end_work(|work| work.to == seat, AssignmentOutcome::Failed, "The member left the team.");
        }
    }
}
