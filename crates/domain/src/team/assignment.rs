//! Assignments: units of work given to members. Each one ends, at the latest by its deadline.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{LongText, Seat, ShortText, spec::TeamBudget};
use crate::{ChatId, Text, Timestamp, run::Usage};

/// Separator in the title of an assignment that covers several parts of a goal.
pub(super) const BETWEEN_PARTS: &str = "; ";

/// Number of an assignment within its team, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AssignmentNo(pub u32);

impl fmt::Display for AssignmentNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assignment {}", self.0)
    }
}

/// Whether the team waits for an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssignmentMode {
    /// Foreground: the team waits for the result.
    Now,
    /// The team continues. A later `wait_for` can wait for the result.
    Background,
}

/// Content of an assignment. The member gets only this, not the whole conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentSpec {
    pub title: ShortText,
    pub description: Text<8_000>,
    /// Acceptance criteria.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<ShortText>,
    /// Earlier assignments whose results are included in the prompt.
    #[serde(default)]
    pub inputs: Vec<AssignmentNo>,
}

impl AssignmentSpec {
    pub const MAX_INPUTS: usize = 16;
}

/// An assignment with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub by: Seat,
    pub to: Seat,
    pub mode: AssignmentMode,
    pub spec: AssignmentSpec,
    pub state: AssignmentState,
    pub deadline: Timestamp,
    /// The subteam that the member formed for it.
    pub child: Option<SubteamRef>,
    /// Report received after the end. Stored without consequences for the assignment.
    pub late: Option<AssignmentReport>,
    /// Number of assignments created by its subteam.
    pub subteam_assignments: u32,
}

/// A subteam and the budget reserved for it while the assignment is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubteamRef {
    pub team: ChatId,
    pub budget: TeamBudget,
    /// Usage that it last reported, in time or late. `None` before its first report.
    pub heard: Option<TeamUsage>,
}

/// Resource usage of a team including its subteams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamUsage {
    pub usage: Usage,
    /// Number of assignments it created.
    pub assignments: u32,
}

impl TeamUsage {
    /// Returns the usage since `before` (saturating at zero).
    pub const fn beyond(self, before: Self) -> Self {
        Self {
            usage: self.usage.saturating_sub(before.usage),
            assignments: self.assignments.saturating_sub(before.assignments),
        }
    }
}

impl Assignment {
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, AssignmentState::Ended(_))
    }

    /// Returns the text of the result, if the assignment was completed.
    pub fn result(&self) -> Option<&LongText> {
        match &self.state {
            AssignmentState::Ended(AssignmentReport { end: AssignmentOutcome::Completed, text, .. }) => {
                text.as_ref()
            }
            _ => None,
        }
    }
}

/// State of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignmentState {
    /// Assigned, not started.
    Offered,
    Working,
    /// The member asked a question and waits for the answer.
    Asking(LongText),
    /// The question was answered. The member has not resumed work yet.
    Answered(LongText),
    Ended(AssignmentReport),
}

impl AssignmentState {
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

/// Final report of an assignment: outcome, text and usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentReport {
    pub end: AssignmentOutcome,
    /// The result, or the reason why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<LongText>,
    #[serde(default)]
    pub usage: Usage,
    /// Number of assignments created by a subteam for it. The alias is its name in logs stored before 0.1.
    #[serde(default, alias = "hops")]
    pub subteam_assignments: u32,
}

impl AssignmentReport {
    pub const fn used(&self) -> TeamUsage {
        TeamUsage { usage: self.usage, assignments: self.subteam_assignments }
    }

    /// Returns true if the assignment was completed with a result.
    pub(super) const fn is_a_result(&self) -> bool {
        matches!(self, Self { end: AssignmentOutcome::Completed, text: Some(_), .. })
    }

    pub(super) fn without_result(end: AssignmentOutcome, why: &str) -> Self {
        Self { end, text: LongText::truncate(why), usage: Usage::default(), subteam_assignments: 0 }
    }
}

/// Outcome of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssignmentOutcome {
    Completed,
    Failed,
    Cancelled,
    /// The member declined the assignment.
    Rejected,
    TimedOut,
}

impl AssignmentOutcome {
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
