//! Stream events and responses of 0.3: one object with a `kind`.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use super::{Artifact, Message, Task, TaskStatus, kind};
use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Event {
    Task(Task),
    Message(Message),
    StatusUpdate(TaskStatusUpdateEvent),
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(input)?;
        let kind = value.get("kind").and_then(Value::as_str).map(str::to_owned);
        let event = match kind.as_deref() {
            Some("task") => serde_json::from_value(value).map(Self::Task),
            Some("message") => serde_json::from_value(value).map(Self::Message),
            Some("status-update") => serde_json::from_value(value).map(Self::StatusUpdate),
            Some("artifact-update") => serde_json::from_value(value).map(Self::ArtifactUpdate),
            _ => {
                return Err(D::Error::custom(
                    "no kind that is task, message, status-update or artifact-update",
                ));
            }
        };
        event.map_err(D::Error::custom)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    #[serde(default)]
    pub kind: kind::StatusUpdate,
    pub task_id: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub context_id: String,
    pub status: TaskStatus,
    /// Last event of the stream: the task ended or waits for its caller.
    #[serde(default, rename = "final", deserialize_with = "lenient::or_default")]
    pub is_final: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    #[serde(default)]
    pub kind: kind::ArtifactUpdate,
    pub task_id: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub context_id: String,
    pub artifact: Artifact,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    pub append: bool,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    pub last_chunk: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}
