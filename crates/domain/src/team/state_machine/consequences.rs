//! Derived transitions after an event: next speaker, waits and the end of the team.

use std::{collections::BTreeSet, mem};

use crate::{
    Timestamp,
    team::{
        Assignment, AssignmentNo, AssignmentState, ExhaustedLimit, Phase, Seat, Team, TeamFailure,
        TeamOutcome,
        assignment::{AssignmentOutcome, AssignmentReport},
        member::MemberStatus,
        pattern::NextTurn,
        utterance::GroupQuestion,
    },
};

/// Maximum number of members asked in turn for the final answer before the team fails.
const MAX_CONCLUDERS: u8 = 3;

impl Team {
    /// Re-establishes the invariants after each event.
    ///
    /// The speaker is active, no phase waits only for ended assignments or inactive members, and an exhausted
    /// limit forces the conclusion.
    pub(super) fn restore_invariants(&mut self, at: Timestamp) {
        self.resume_paused_members();
        match &self.phase {
            Phase::Closed(_) | Phase::Forming { .. } => {}
            _ if self.leader().is_none() => self.close(TeamOutcome::Failed(TeamFailure::NoMembersLeft)),
            Phase::Concluding { by, .. } => {
                if !self.is_active(*by) {
                    self.ask_another_to_conclude(at);
                }
            }
            Phase::Discussing { speaker } => {
                if !self.is_active(*speaker) {
                    self.advance_speaker(*speaker, None, at);
                }
            }
            Phase::Polling { open, .. } => {
                if !open.iter().any(|&seat| self.is_active(seat)) {
                    self.end_poll(at);
                }
            }
            Phase::Waiting { on, back } => {
                if !on.iter().any(|&no| self.is_open(no)) {
                    self.set_speaker(*back, at);
                }
            }
        }
        if let Some(limit) = self.exhausted_limit()
            && let Some(lead) = self.leader()
            && self.is_at_work()
        {
            self.conclude(self.speaker().unwrap_or(lead), Some(limit), at);
        }
    }

    /// Resumes all paused members if no active member is left.
    fn resume_paused_members(&mut self) {
        if self.leader().is_none() {
            for member in &mut self.members {
                if member.status == MemberStatus::Paused {
                    member.status = MemberStatus::Active;
                }
            }
        }
    }

    /// Ends the invitation round if no reply is pending.
    pub(super) fn end_round_if_answered(&mut self, at: Timestamp) {
        let waiting = self.members.iter().any(|member| member.status == MemberStatus::Invited);
        if matches!(self.phase, Phase::Forming { .. }) && !waiting {
            self.end_round(at);
        }
    }

    fn has_quorum(&self) -> bool {
        self.active().count() >= usize::from(self.limits().quorum)
    }

    /// Ends the invitation round. The team starts with a quorum
    /// or after the last round; else another round follows.
    pub(super) fn end_round(&mut self, at: Timestamp) {
        let Phase::Forming { round } = self.phase else { return };
        self.resume_paused_members();
        if !self.has_quorum() && round < self.limits().rounds {
            return self.enter_phase(Phase::Forming { round: round + 1 }, at);
        }
        let above = self.charter.lineage.as_ref();
        match self.charter.pattern.rules().first(self) {
            _ if above.is_some_and(|lineage| lineage.has_ancestor_with_members(&self.member_set())) => {
                self.close(TeamOutcome::Failed(TeamFailure::SameMembersAbove));
            }
            Some(_) if self.active().count() < usize::from(self.charter.pattern.min_members()) => {
                self.close(TeamOutcome::Failed(TeamFailure::TooFewMembers));
            }
            Some(first) => self.set_speaker(first, at),
            None => self.close(TeamOutcome::Failed(TeamFailure::NoMemberAccepted)),
        }
    }

    /// Starts the turn that follows after `seat` spoke, timed out or left. The pattern selects the next speaker.
    pub(super) fn advance_speaker(&mut self, seat: Seat, named: Option<Seat>, at: Timestamp) {
        match self.charter.pattern.rules().after(self, seat, named) {
            NextTurn::Speaker(next) => self.set_speaker(next, at),
            NextTurn::AllMembers(open) => self.open_poll(GroupQuestion::Views, open, seat, at),
            NextTurn::Conclude(by) => self.conclude(by, None, at),
        }
    }

    /// Starts a turn of `to`, or of the leader if `to` is not active.
    pub(super) fn set_speaker(&mut self, to: Seat, at: Timestamp) {
        let Some(speaker) = Some(to).filter(|&seat| self.is_active(seat)).or_else(|| self.leader()) else {
            return self.close(TeamOutcome::Failed(TeamFailure::NoMembersLeft));
        };
        self.turn += 1;
        self.enter_phase(Phase::Discussing { speaker }, at);
    }

    pub(super) fn open_poll(&mut self, poll: GroupQuestion, open: BTreeSet<Seat>, back: Seat, at: Timestamp) {
        self.turn += 1;
        self.enter_phase(Phase::Polling { poll, open, back }, at);
    }

    pub(super) fn end_poll(&mut self, at: Timestamp) {
        if let Phase::Polling { poll, back, .. } = &mut self.phase {
            let (poll, back) = (mem::replace(poll, GroupQuestion::Views), *back);
            if matches!(poll, GroupQuestion::Vote { .. }) {
                self.vote = Some(poll);
            }
            self.set_speaker(back, at);
        }
    }

    /// Cancels open assignments and asks `by` to write the final answer.
    pub(super) fn conclude(&mut self, by: Seat, limit: Option<ExhaustedLimit>, at: Timestamp) {
        self.end_work(|_| true, AssignmentOutcome::Cancelled, "The team concludes.");
        self.turn += 1;
        self.enter_phase(Phase::Concluding { by, limit, tries: 1 }, at);
        if !self.is_active(by) {
            self.ask_another_to_conclude(at);
        }
    }

    /// Asks the next member for the final answer; fails the team after [`MAX_CONCLUDERS`] members.
    pub(super) fn ask_another_to_conclude(&mut self, at: Timestamp) {
        let Phase::Concluding { by, limit, tries } = self.phase else { return };
        match self.next_after(by).filter(|_| tries < MAX_CONCLUDERS) {
            Some(next) => {
                self.turn += 1;
                self.enter_phase(Phase::Concluding { by: next, limit, tries: tries + 1 }, at);
            }
            None => self.close(TeamOutcome::Failed(TeamFailure::NoConclusion)),
        }
    }

    pub(super) fn close(&mut self, outcome: TeamOutcome) {
        self.end_work(|_| true, AssignmentOutcome::Cancelled, "The team ended.");
        self.phase = Phase::Closed(outcome);
    }

    /// Ends the open assignments selected by `which`, without result.
    pub(super) fn end_work(
        &mut self,
        which: impl Fn(&Assignment) -> bool,
        end: AssignmentOutcome,
        why: &str,
    ) {
        for work in self.assignments.iter_mut().filter(|work| work.is_open() && which(work)) {
            work.state = AssignmentState::Ended(AssignmentReport::without_result(end, why));
        }
    }

    pub(super) fn enter_phase(&mut self, phase: Phase, at: Timestamp) {
        self.phase = phase;
        self.since = at;
    }

    const fn is_at_work(&self) -> bool {
        matches!(self.phase, Phase::Discussing { .. } | Phase::Polling { .. } | Phase::Waiting { .. })
    }

    /// Returns the member who speaks now or next.
    pub const fn speaker(&self) -> Option<Seat> {
        match &self.phase {
            Phase::Discussing { speaker: seat }
            | Phase::Polling { back: seat, .. }
            | Phase::Waiting { back: seat, .. }
            | Phase::Concluding { by: seat, .. } => Some(*seat),
            Phase::Forming { .. } | Phase::Closed(_) => None,
        }
    }

    fn is_open(&self, no: AssignmentNo) -> bool {
        self.assignment(no).is_some_and(Assignment::is_open)
    }
}
