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
    #[serde(alias = "accepted_output_modes")]
    pub accepted_output_modes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(alias = "task_push_notification_config")]
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "history_length")]
    pub history_length: Option<u32>,
    /// If true, respond immediately instead of at the end of the task.
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "lenient::is_false")]
    #[serde(alias = "return_immediately")]
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
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "history_length")]
    pub history_length: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CancelTaskRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeToTaskRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "context_id")]
    pub context_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskState>,
    /// 1 to 100; default 50.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "page_size")]
    pub page_size: Option<u32>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "page_token")]
    pub page_token: Option<String>,
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "history_length")]
    pub history_length: Option<u32>,
    /// RFC 3339.
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "status_timestamp_after")]
    pub status_timestamp_after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(alias = "include_artifacts")]
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
    #[serde(alias = "next_page_token")]
    pub next_page_token: String,
    #[serde(default, deserialize_with = "lenient::integer_or_zero")]
    #[serde(alias = "page_size")]
    pub page_size: u32,
    #[serde(default, deserialize_with = "lenient::integer_or_zero")]
    #[serde(alias = "total_size")]
    pub total_size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetExtendedCardRequest {
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_numbers_or_texts() {
        let length = |value| {
            let request =
                serde_json::from_value::<GetTaskRequest>(json!({"id": "t", "history_length": value}));
            request.map(|request| request.history_length).ok()
        };
        assert_eq!([json!(3), json!("3"), json!(3.0), json!("3e0")].map(length), [Some(Some(3)); 4]);
        assert_eq!([json!(null), json!("")].map(length), [Some(None); 2]);
        let wrong = [json!(-1), json!(0.5), json!("x"), json!(5_000_000_000_u64), json!([]), json!(true)];
        assert_eq!(wrong.map(length), [None; 6]);
    }

    #[test]
    fn fields_of_a_list_may_be_null_or_in_snake_case() {
        let list = json!({
            "tasks": null, "next_page_token": null, "page_size": "7", "total_size": null,
        });
        let list: ListTasksResponse = serde_json::from_value(list).unwrap();
        assert_eq!((list.tasks.len(), list.page_size, list.total_size), (0, 7, 0));
        let asked = json!({"status": 6, "include_artifacts": true, "context_id": "c", "page_size": null});
        let asked: ListTasksRequest = serde_json::from_value(asked).unwrap();
        assert_eq!((asked.status, asked.include_artifacts), (Some(TaskState::InputRequired), Some(true)));
        assert_eq!((asked.context_id.as_deref(), asked.page_size), (Some("c"), None));
    }
}
