//! Pending actions of a team.
//!
//! The orchestrator reconciles them with the work it is running and starts what is missing. This is
//! level-triggered, so it recovers from crashes, lost notifications and downtime. A run or subteam whose
//! assignment is no longer open must be cancelled.

use super::{
    Assignment, AssignmentNo, AssignmentState, Phase, Seat, Team, assignment::SubteamRef,
    member::MemberStatus,
};
use crate::ChatId;

/// Something that the team waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingAction {
    /// Search for up to this many further members.
    Candidates { places: u16 },
    /// The member's reply to its invitation.
    Reply { seat: Seat },
    /// The member's utterance for this turn.
    Speech { seat: Seat, turn: u32 },
    /// Work on the assignment, or a report that it ended.
    Work { work: AssignmentNo },
    /// The answer to the question of an assignment, from the member who created it or from a person.
    Answer { work: AssignmentNo, from: Seat },
}

impl Team {
    /// Returns all pending actions; none if the team has ended.
    pub fn pending_actions(&self) -> Vec<PendingAction> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let replies = self.with_status(&MemberStatus::Invited).map(|seat| PendingAction::Reply { seat });
        let speech = self
            .active()
            .filter(|&seat| self.is_asked(seat))
            .map(|seat| PendingAction::Speech { seat, turn: self.turn });
        let work = self.open_assignments().map(|(no, work)| match work.state {
            AssignmentState::Asking(_) => PendingAction::Answer { work: no, from: work.by },
            _ => PendingAction::Work { work: no },
        });
        self.candidates().into_iter().chain(replies).chain(speech).chain(work).collect()
    }

    fn candidates(&self) -> Option<PendingAction> {
        let forming = matches!(self.phase, Phase::Forming { .. });
        let waiting = self.with_status(&MemberStatus::Invited).next().is_some();
        let places = self
            .limits()
            .max_members
            .saturating_sub(u16::try_from(self.active().count()).unwrap_or(u16::MAX));
        (forming && !waiting && places > 0).then_some(PendingAction::Candidates { places })
    }

    fn with_status<'a>(&'a self, status: &'a MemberStatus) -> impl Iterator<Item = Seat> + 'a {
        self.seats().filter(|&seat| self.member(seat).is_some_and(|member| member.status == *status))
    }

    /// Returns the subteams with the assignments they were formed for, open or ended.
    pub fn subteams(&self) -> impl Iterator<Item = (AssignmentNo, &Assignment, SubteamRef)> {
        (0..).map(AssignmentNo).zip(&self.assignments).filter_map(|(no, work)| Some((no, work, work.child?)))
    }

    /// Returns the subteams that have not reported yet.
    pub fn unreported_subteams(&self) -> impl Iterator<Item = (AssignmentNo, &Assignment, ChatId)> {
        let unheard = self.subteams().filter(|(.., child)| child.heard.is_none());
        unheard.map(|(no, work, child)| (no, work, child.team))
    }

    /// Returns unreported subteams whose assignment has ended. They must be cancelled if still running.
    pub fn orphaned_subteams(&self) -> impl Iterator<Item = ChatId> {
        self.unreported_subteams().filter(|(_, work, _)| !work.is_open()).map(|(.., team)| team)
    }
}
