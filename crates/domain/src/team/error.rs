//! Errors of team proposals and entries.

use super::{AssignmentNo, Seat, UtteranceKind};
use crate::Error;

/// Why a proposal or log entry is rejected, worded for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    #[error("This team has ended.")]
    Closed,
    #[error("This is not yours to do.")]
    NotYours,
    #[error("The proposal is not signed with the member's key.")]
    Unproved,
    #[error("It is another member's turn.")]
    NotYourTurn,
    #[error("That was said too late: the team is at turn {now}.")]
    Stale { now: u32 },
    #[error("This cannot be said now ({0:?}).")]
    NotAllowed(UtteranceKind),
    #[error("There is no {0} who can do this.")]
    NoSuchMember(Seat),
    #[error("There is no {0}.")]
    NoSuchWork(AssignmentNo),
    #[error("The {0} is not at a point where this can happen.")]
    WrongState(AssignmentNo),
    #[error("{0} has the same work already.")]
    AlreadyAssigned(Seat),
    #[error("The team may have no more of this: {0}.")]
    Full(&'static str),
    #[error("This does not hold together: {0}.")]
    Malformed(&'static str),
    #[error("A team cannot be founded like this: {0}.")]
    BadCharter(&'static str),
    #[error("This has happened already.")]
    Already,
    #[error("No deadline has passed yet.")]
    NothingDue,
    #[error("A team below this one is not possible: {0}.")]
    NoTeamBelow(&'static str),
    #[error("The entry belongs to another team.")]
    OtherTeam,
    #[error("This entry is known.")]
    Known,
    #[error("Entry {expected} is missing before this one.")]
    Gap { expected: u64 },
    #[error("The entry does not follow from the one before.")]
    Forked,
    #[error("The entry cannot be read, or is too large.")]
    Unreadable,
}

impl From<TeamError> for Error {
    fn from(refusal: TeamError) -> Self {
        match refusal {
            TeamError::BadCharter(_) => Self::invalid("limits", refusal.to_string()),
            TeamError::Malformed(_) => Self::invalid("", refusal.to_string()),
            _ => Self::conflict(refusal.to_string()),
        }
    }
}
