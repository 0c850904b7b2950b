//! Assignments: work that a team gives a member, and that always ends.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Note, Seat, Words, charter::Budget};
use crate::{ChatId, Text, Timestamp, run::Usage};

/// An assignment's number in its team, in the order of giving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkNo(pub u32);

impl fmt::Display for WorkNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assignment {}", self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The team waits for it.
    Now,
    /// The team goes on; a pause waits for it later.
    Background,
}

/// What is to be done: all that the member is told, instead of the whole conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    pub title: Note,
    pub description: Text<8_000>,
    /// When it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Note>,
    /// Earlier assignments whose results go along.
    #[serde(default)]
    pub inputs: Vec<WorkNo>,
}

impl Spec {
    pub const MAX_INPUTS: usize = 16;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    pub by: Seat,
    pub to: Seat,
    pub mode: Mode,
    pub spec: Spec,
    pub state: WorkState,
    pub deadline: Timestamp,
    /// The team that the member formed for it.
    pub child: Option<Child>,
    /// What came after the end: kept, and nothing follows from it.
    pub late: Option<Report>,
    /// Pieces of work that the team below gave in turn.
    pub hops: u32,
}

/// A team below, and what is set aside for it while it is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    pub team: ChatId,
    pub budget: Budget,
    /// What it last said that it used, once it has reported, in time or late.
    pub heard: Option<Used>,
}

/// What a team used, those below it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub usage: Usage,
    /// Pieces of work that it gave.
    pub hops: u32,
}

impl Used {
    /// What is more than `before`.
    pub const fn beyond(self, before: Self) -> Self {
        Self { usage: self.usage.beyond(before.usage), hops: self.hops.saturating_sub(before.hops) }
    }
}

impl Work {
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, WorkState::Ended(_))
    }

    /// The words of its result, when it was completed.
    pub fn result(&self) -> Option<&Words> {
        match &self.state {
            WorkState::Ended(Report { end: End::Completed, text, .. }) => text.as_ref(),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// Given; the member has not begun.
    Offered,
    Working,
    /// The member asked something and waits for the answer.
    Asking(Words),
    /// The question was answered; the member has not gone on yet.
    Answered(Words),
    Ended(Report),
}

impl WorkState {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::Working => "working",
            Self::Asking(_) => "asking",
            Self::Answered(_) => "answered",
            Self::Ended(report) => report.end.as_str(),
        }
    }
}

/// How an assignment ended and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub end: End,
    /// The result, or why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Words>,
    #[serde(default)]
    pub usage: Usage,
    /// Pieces of work that a team below gave for it.
    #[serde(default)]
    pub hops: u32,
}

impl Report {
    pub const fn used(&self) -> Used {
        Used { usage: self.usage, hops: self.hops }
    }

    /// Whether it brings what the team wanted.
    pub(super) const fn is_a_result(&self) -> bool {
        matches!(self, Self { end: End::Completed, text: Some(_), .. })
    }

    pub(super) fn without_result(end: End, why: &str) -> Self {
        Self { end, text: Words::cut(why), usage: Usage::default(), hops: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    Completed,
    Failed,
    Cancelled,
    /// The member declined the work.
    Rejected,
    TimedOut,
}

impl End {
    pub const ALL: [Self; 5] =
        [Self::Completed, Self::Failed, Self::Cancelled, Self::Rejected, Self::TimedOut];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
            Self::TimedOut => "timed_out",
        }
    }
}
