//! Stream events (specification sections 4.2 and 3.2.3).

use serde::{Deserialize, Serialize};

use super::{Artifact, Message, Task, TaskState, TaskStatus};
use crate::wire::{Metadata, lenient};

/// One stream event: `{"task"}`, `{"message"}`, `{"statusUpdate"}` or `{"artifactUpdate"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StreamMembers", rename_all = "camelCase")]
pub enum StreamResponse {
    Task(Task),
    Message(Message),
    StatusUpdate(TaskStatusUpdateEvent),
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

impl StreamResponse {
    /// Returns the task state in the event. Messages and artifact updates have none.
    pub const fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::StatusUpdate(update) => Some(update.status.state),
            Self::Message(_) | Self::ArtifactUpdate(_) => None,
        }
    }

    /// Returns true if the stream ends with this event: a message without task, or a terminal state.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Message(_)) || self.state().is_some_and(TaskState::is_terminal)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    #[serde(alias = "task_id")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub task_id: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    #[serde(alias = "context_id")]
    pub context_id: String,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

/// A chunk of an artifact. With `append` its parts are appended, otherwise they replace the existing ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    #[serde(alias = "task_id")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub task_id: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    #[serde(alias = "context_id")]
    pub context_id: String,
    pub artifact: Artifact,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    pub append: bool,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    #[serde(alias = "last_chunk")]
    pub last_chunk: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamMembers {
    task: Option<Task>,
    message: Option<Message>,
    #[serde(alias = "status_update")]
    status_update: Option<TaskStatusUpdateEvent>,
    #[serde(alias = "artifact_update")]
    artifact_update: Option<TaskArtifactUpdateEvent>,
}

impl TryFrom<StreamMembers> for StreamResponse {
    type Error = &'static str;

    fn try_from(event: StreamMembers) -> Result<Self, Self::Error> {
        match (event.task, event.message, event.status_update, event.artifact_update) {
            (Some(task), None, None, None) => Ok(Self::Task(task)),
            (None, Some(message), None, None) => Ok(Self::Message(message)),
            (None, None, Some(update), None) => Ok(Self::StatusUpdate(update)),
            (None, None, None, Some(update)) => Ok(Self::ArtifactUpdate(update)),
            (None, None, None, None) => {
                Err("an event with none of task, message, statusUpdate and artifactUpdate")
            }
            _ => Err("an event with more than one of task, message, statusUpdate and artifactUpdate"),
        }
    }
}
