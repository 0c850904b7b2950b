//! Request and response types of the methods (specification section 3.1).

use serde::{Deserialize, Serialize};

use super::{Message, Task, TaskPushNotificationConfig, TaskState};
use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SendMessageRequest {
    /// Tenant of the card's interface, repeated.
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub message: Message,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<SendMessageConfiguration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

impl From<Message> for SendMessageRequest {
    fn from(message: Message) -> Self {
        Self { tenant: None, message, configuration: None, metadata: None }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageConfiguration {
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
    /// If true, respond immediately instead of at the end of the task.
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    pub return_immediately: bool,
}

/// Response to sending a message: `{"task"}` or `{"message"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SendMembers", rename_all = "lowercase")]
pub enum SendMessageResponse {
    Task(Task),
    Message(Message),
}

#[derive(Deserialize)]
struct SendMembers {
    task: Option<Task>,
    message: Option<Message>,
}

impl TryFrom<SendMembers> for SendMessageResponse {
    type Error = &'static str;

    fn try_from(response: SendMembers) -> Result<Self, Self::Error> {
        match (response.task, response.message) {
            (Some(task), None) => Ok(Self::Task(task)),
            (None, Some(message)) => Ok(Self::Message(message)),
            (None, None) => Err("an answer with neither task nor message"),
            (Some(_), Some(_)) => Err("an answer with both task and message"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetTaskRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CancelTaskRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeToTaskRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub id: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskState>,
    /// 1 to 100; default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub page_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
    /// RFC 3339.
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub status_timestamp_after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_artifacts: Option<bool>,
}

/// All fields are required, even if empty or zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResponse {
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub tasks: Vec<Task>,
    /// Empty on the last page.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub next_page_token: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub page_size: u32,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub total_size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetExtendedCardRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}
