//! What a team waits for, and from whom.
//!
//! The hub compares this with what it is doing and does what is missing: after a crash, after a lost wake-up or
//! when it comes back, the same question has the right answer. A run or a team below whose assignment is not
//! open any more is to be cancelled.

use super::{Phase, Seat, Team, Work, WorkNo, WorkState, member::Presence, work::Child};
use crate::ChatId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// More members: at most so many.
    Candidates { places: u16 },
    /// Whether the member accepts.
    Reply { seat: Seat },
    /// An utterance for this turn.
    Speech { seat: Seat, turn: u32 },
    /// Work on the assignment, or a report that it ended.
    Work { work: WorkNo },
    /// An answer to the question of an assignment, from whoever gave it or from a person.
    Answer { work: WorkNo, from: Seat },
}

impl Team {
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

    /// Teams below, and the assignments that they were formed for, open or not.
    pub fn below(&self) -> impl Iterator<Item = (WorkNo, &Work, Child)> {
        (0..).map(WorkNo).zip(&self.work).filter_map(|(no, work)| Some((no, work, work.child?)))
    }

    /// Those that have not reported yet.
    pub fn unheard(&self) -> impl Iterator<Item = (WorkNo, &Work, ChatId)> {
        let unheard = self.below().filter(|(.., child)| child.heard.is_none());
        unheard.map(|(no, work, child)| (no, work, child.team))
    }

    /// Those whose assignment has ended: they are to be cancelled, unless they have ended by themselves.
    pub fn orphans(&self) -> impl Iterator<Item = ChatId> {
        self.unheard().filter(|(_, work, _)| !work.is_open()).map(|(.., team)| team)
    }
}
