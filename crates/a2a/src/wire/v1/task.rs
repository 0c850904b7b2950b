//! Tasks (specification sections 4.1.1 to 4.1.3 and 4.1.7).

use plexus_domain::RunState;
use serde::{Deserialize, Serialize};

use super::{Message, Part};
use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "context_id")]
    pub context_id: Option<String>,
    pub status: TaskStatus,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

impl Task {
    /// Truncates the history to the last `length` messages (specification section 3.2.4). `None` retains all.
    pub fn with_history(mut self, length: Option<usize>) -> Self {
        if let Some(length) = length {
            self.history.drain(..self.history.len().saturating_sub(length));
        }
        self
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskStatus {
    pub state: TaskState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// RFC 3339, UTC, with milliseconds.
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// Also any value added by a later version.
    #[default]
    Unspecified,
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

lenient::proto_enum! {
    TaskState {
        Unspecified = "TASK_STATE_UNSPECIFIED",
        Submitted = "TASK_STATE_SUBMITTED",
        Working = "TASK_STATE_WORKING",
        Completed = "TASK_STATE_COMPLETED",
        Failed = "TASK_STATE_FAILED",
        Canceled = "TASK_STATE_CANCELED",
        InputRequired = "TASK_STATE_INPUT_REQUIRED",
        Rejected = "TASK_STATE_REJECTED",
        AuthRequired = "TASK_STATE_AUTH_REQUIRED",
    }
}

impl TaskState {
    /// Returns the corresponding run state, or `None` if it is unspecified or unknown.
    pub const fn run_state(self) -> Option<RunState> {
        match self {
            Self::Submitted => Some(RunState::Queued),
            Self::Working => Some(RunState::Working),
            Self::Completed => Some(RunState::Completed),
            Self::Failed => Some(RunState::Failed),
            Self::Canceled => Some(RunState::Stopped),
            Self::InputRequired => Some(RunState::InputRequired),
            Self::Rejected => Some(RunState::Rejected),
            Self::AuthRequired => Some(RunState::AuthRequired),
            Self::Unspecified => None,
        }
    }

    /// Returns true if no other state can follow.
    pub fn is_terminal(self) -> bool {
        self.run_state().is_some_and(RunState::is_terminal)
    }

    /// Returns true if the task waits for its caller.
    pub fn is_interrupted(self) -> bool {
        self.run_state().is_some_and(RunState::is_waiting)
    }
}

impl From<RunState> for TaskState {
    fn from(state: RunState) -> Self {
        match state {
            RunState::Queued => Self::Submitted,
            RunState::Working => Self::Working,
            RunState::InputRequired => Self::InputRequired,
            RunState::AuthRequired => Self::AuthRequired,
            RunState::Completed => Self::Completed,
            RunState::Failed => Self::Failed,
            RunState::Stopped => Self::Canceled,
            RunState::Rejected => Self::Rejected,
        }
    }
}

/// An output of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    #[serde(alias = "artifact_id")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub artifact_id: String,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl Artifact {
    pub fn new(id: impl Into<String>, name: Option<String>, parts: Vec<Part>) -> Self {
        Self {
            artifact_id: id.into(),
            name,
            description: None,
            parts,
            metadata: None,
            extensions: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_run_has_its_name_on_the_wire() {
        for state in RunState::ALL {
            let wire = serde_json::to_string(&TaskState::from(state)).unwrap();
            let read: TaskState = serde_json::from_str(&wire).unwrap();
            assert_eq!(read.run_state(), Some(state));
            assert_eq!(
                (read.is_terminal(), read.is_interrupted()),
                (state.is_terminal(), state.is_waiting())
            );
        }
        let later: TaskState = serde_json::from_str("\"TASK_STATE_DREAMING\"").unwrap();
        assert_eq!(later, TaskState::Unspecified);
    }
}
