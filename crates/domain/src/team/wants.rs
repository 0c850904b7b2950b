//! Pending actions of a team.
//!
//! The orchestrator reconciles them with the work it is running and starts what is missing. This is
//! level-triggered, so it recovers from crashes, lost notifications and downtime. A run or subteam whose
//! assignment is no longer open must be cancelled.

use super::{Phase, Seat, Team, Work, WorkNo, WorkState, member::Presence, work::Child};
use crate::ChatId;

/// Something that the team waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// Search for up to this many further members.
    Candidates { places: u16 },
    /// The member's reply to its invitation.
    Reply { seat: Seat },
    /// The member's utterance for this turn.
    Speech { seat: Seat, turn: u32 },
    /// Work on the assignment, or a report that it ended.
    Work { work: WorkNo },
    /// The answer to the question of an assignment, from the member who created it or from a person.
    Answer { work: WorkNo, from: Seat },
}

impl Team {
    /// Returns all pending actions; none if the team has ended.
    pub fn wants(&self) -> Vec<Want> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let replies = self.with_presence(&Presence::Invited).map(|seat| Want::Reply { seat });
        let speech = self
            .active()
            .filter(|&seat| self.is_asked(seat))
            .map(|seat| Want::Speech { seat, turn: self.turn });
        let work = self.open_work().map(|(no, work)| match work.state {
            WorkState::Asking(_) => Want::Answer { work: no, from: work.by },
            _ => Want::Work { work: no },
        });
        self.candidates().into_iter().chain(replies).chain(speech).chain(work).collect()
    }

    fn candidates(&self) -> Option<Want> {
        let forming = matches!(self.phase, Phase::Forming { .. });
        let waiting = self.with_presence(&Presence::Invited).next().is_some();
        let places =
            self.limits().members.saturating_sub(u16::try_from(self.active().count()).unwrap_or(u16::MAX));
        (forming && !waiting && places > 0).then_some(Want::Candidates { places })
    }

    fn with_presence<'a>(&'a self, presence: &'a Presence) -> impl Iterator<Item = Seat> + 'a {
        self.seats().filter(|&seat| self.member(seat).is_some_and(|member| member.presence == *presence))
    }

    /// Returns the subteams with the assignments they were formed for, open or ended.
    pub fn below(&self) -> impl Iterator<Item = (WorkNo, &Work, Child)> {
        (0..).map(WorkNo).zip(&self.work).filter_map(|(no, work)| Some((no, work, work.child?)))
    }

    /// Returns the subteams that have not reported yet.
    pub fn unheard(&self) -> impl Iterator<Item = (WorkNo, &Work, ChatId)> {
        let unheard = self.below().filter(|(.., child)| child.heard.is_none());
        unheard.map(|(no, work, child)| (no, work, child.team))
    }

    /// Returns unreported subteams whose assignment has ended. They must be cancelled if still running.
    pub fn orphans(&self) -> impl Iterator<Item = ChatId> {
        self.unheard().filter(|(_, work, _)| !work.is_open()).map(|(.., team)| team)
    }
}
