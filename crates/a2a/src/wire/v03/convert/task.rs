//! Conversion of tasks and events.

use super::all;
use crate::wire::{
    v1,
    v03::{self, kind},
};

impl From<v03::Task> for v1::Task {
    fn from(old: v03::Task) -> Self {
        Self {
            id: old.id,
            context_id: Some(old.context_id).filter(|id| !id.is_empty()),
            status: old.status.into(),
            artifacts: all(old.artifacts),
            history: all(old.history),
            metadata: old.metadata,
        }
    }
}

impl From<v1::Task> for v03::Task {
    fn from(new: v1::Task) -> Self {
        Self {
            kind: kind::Task::Is,
            id: new.id,
            context_id: new.context_id.unwrap_or_default(),
            status: new.status.into(),
            artifacts: all(new.artifacts),
            history: all(new.history),
            metadata: new.metadata,
        }
    }
}

impl From<v03::TaskStatus> for v1::TaskStatus {
    fn from(old: v03::TaskStatus) -> Self {
        Self { state: old.state.into(), message: old.message.map(Into::into), timestamp: old.timestamp }
    }
}

impl From<v1::TaskStatus> for v03::TaskStatus {
    fn from(new: v1::TaskStatus) -> Self {
        Self { state: new.state.into(), message: new.message.map(Into::into), timestamp: new.timestamp }
    }
}

impl From<v03::TaskState> for v1::TaskState {
    fn from(old: v03::TaskState) -> Self {
        match old {
            v03::TaskState::Submitted => Self::Submitted,
            v03::TaskState::Working => Self::Working,
            v03::TaskState::InputRequired => Self::InputRequired,
            v03::TaskState::Completed => Self::Completed,
            v03::TaskState::Canceled => Self::Canceled,
            v03::TaskState::Failed => Self::Failed,
            v03::TaskState::Rejected => Self::Rejected,
            v03::TaskState::AuthRequired => Self::AuthRequired,
            v03::TaskState::Unknown => Self::Unspecified,
        }
    }
}

impl From<v1::TaskState> for v03::TaskState {
    fn from(new: v1::TaskState) -> Self {
        match new {
            v1::TaskState::Submitted => Self::Submitted,
            v1::TaskState::Working => Self::Working,
            v1::TaskState::InputRequired => Self::InputRequired,
            v1::TaskState::Completed => Self::Completed,
            v1::TaskState::Canceled => Self::Canceled,
            v1::TaskState::Failed => Self::Failed,
            v1::TaskState::Rejected => Self::Rejected,
            v1::TaskState::AuthRequired => Self::AuthRequired,
            v1::TaskState::Unspecified => Self::Unknown,
        }
    }
}

impl From<v03::Artifact> for v1::Artifact {
    fn from(old: v03::Artifact) -> Self {
        Self {
            artifact_id: old.artifact_id,
            name: old.name,
            description: old.description,
            parts: all(old.parts),
            metadata: old.metadata,
            extensions: old.extensions,
        }
    }
}

impl From<v1::Artifact> for v03::Artifact {
    fn from(new: v1::Artifact) -> Self {
        Self {
            artifact_id: new.artifact_id,
            name: new.name,
            description: new.description,
            parts: all(new.parts),
            metadata: new.metadata,
            extensions: new.extensions,
        }
    }
}

impl From<v03::Event> for v1::StreamResponse {
    fn from(old: v03::Event) -> Self {
        match old {
            v03::Event::Task(task) => Self::Task(task.into()),
            v03::Event::Message(message) => Self::Message(message.into()),
            v03::Event::StatusUpdate(update) => Self::StatusUpdate(v1::TaskStatusUpdateEvent {
                task_id: update.task_id,
                context_id: update.context_id,
                status: update.status.into(),
                metadata: update.metadata,
            }),
            v03::Event::ArtifactUpdate(update) => Self::ArtifactUpdate(v1::TaskArtifactUpdateEvent {
                task_id: update.task_id,
                context_id: update.context_id,
                artifact: update.artifact.into(),
                append: update.append,
                last_chunk: update.last_chunk,
                metadata: update.metadata,
            }),
        }
    }
}

impl From<v1::StreamResponse> for v03::Event {
    fn from(new: v1::StreamResponse) -> Self {
        match new {
            v1::StreamResponse::Task(task) => Self::Task(task.into()),
            v1::StreamResponse::Message(message) => Self::Message(message.into()),
            v1::StreamResponse::StatusUpdate(update) => Self::StatusUpdate(v03::TaskStatusUpdateEvent {
                kind: kind::StatusUpdate::Is,
                task_id: update.task_id,
                context_id: update.context_id,
                is_final: update.status.state.is_terminal() || update.status.state.is_interrupted(),
                status: update.status.into(),
                metadata: update.metadata,
            }),
            v1::StreamResponse::ArtifactUpdate(update) => {
                Self::ArtifactUpdate(v03::TaskArtifactUpdateEvent {
                    kind: kind::ArtifactUpdate::Is,
                    task_id: update.task_id,
                    context_id: update.context_id,
                    artifact: update.artifact.into(),
                    append: update.append,
                    last_chunk: update.last_chunk,
                    metadata: update.metadata,
                })
            }
        }
    }
}

/// In 0.3 the response to sending a message is the bare task or message.
impl From<v1::SendMessageResponse> for v03::Event {
    fn from(new: v1::SendMessageResponse) -> Self {
        match new {
            v1::SendMessageResponse::Task(task) => Self::Task(task.into()),
            v1::SendMessageResponse::Message(message) => Self::Message(message.into()),
        }
    }
}
