//! Errors of team proposals and entries.

use super::{AssignmentNo, Seat, UtteranceKind};
use crate::Error;

/// Why a proposal or log entry is rejected, worded for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    #[error("This team has ended.")]
    Closed,
    #[error("You are not allowed to do this.")]
    NotYours,
    #[error("The proposal is not signed by the member's key.")]
    Unproved,
    #[error("It is another member's turn.")]
    NotYourTurn,
    #[error("Outdated utterance: the team is at turn {now}.")]
    Stale { now: u32 },
    #[error("This utterance is not allowed now ({0:?}).")]
    NotAllowed(UtteranceKind),
    #[error("This team has no {0} that can do this.")]
    NoSuchMember(Seat),
    #[error("This team has no {0}.")]
    NoSuchWork(AssignmentNo),
    #[error("The state of {0} does not allow this.")]
    WrongState(AssignmentNo),
    #[error("{0} already has this assignment.")]
    AlreadyAssigned(Seat),
    #[error("Team limit reached: {0}.")]
    Full(&'static str),
    #[error("Inconsistent proposal: {0}.")]
    Malformed(&'static str),
    #[error("Invalid team limits: {0}.")]
    BadCharter(&'static str),
    #[error("{limit} must be between {min} and {max}.")]
    LimitOutOfBounds { limit: &'static str, min: u64, max: u64 },
    #[error("This has already happened.")]
    Already,
    #[error("No deadline has passed yet.")]
    NothingDue,
    #[error("A subteam is not possible: {0}.")]
    NoTeamBelow(&'static str),
    #[error("The entry belongs to another team.")]
    OtherTeam,
    #[error("This entry is already stored.")]
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
            TeamError::BadCharter(_) | TeamError::LimitOutOfBounds { .. } => {
                Self::invalid("limits", refusal.to_string())
            }
            TeamError::Malformed(_) => Self::invalid("", refusal.to_string()),
            _ => Self::conflict(refusal.to_string()),
        }
    }
}
