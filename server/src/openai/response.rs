//! Formats an answer as a Response object, with every member that the vendor-neutral specification requires
//! (openresponses.org).

use plexus_domain::{MessageId, RunState, part::ToolUse, run::Usage};
use plexus_hub::calls::Task;
use serde_json::{Map, Value, json};

use super::{call_options::namespaced_names, caller_call::CallerCall, error::OpenAiError};

/// String members of the request that are echoed in the response.
const ECHOED: [&str; 5] =
    ["instructions", "previous_response_id", "safety_identifier", "prompt_cache_key", "user"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Queued,
    InProgress,
    Completed,
    /// The answer was cut at the length limit.
    Incomplete,
    Failed,
    Cancelled,
}

impl Status {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<&Task> for Status {
    /// Returns the status of a run, if that has not failed.
    fn from(task: &Task) -> Self {
        match task.state {
            RunState::Queued => Self::Queued,
            RunState::Stopped => Self::Cancelled,
            _ if !task.is_settled() => Self::InProgress,
            _ if task.is_truncated => Self::Incomplete,
            _ => Self::Completed,
        }
    }
}

/// An answer in its current state.
#[derive(Clone, Copy)]
pub struct ResponseProgress<'a> {
    pub message: MessageId,
    pub reasoning: &'a str,
    pub text: &'a str,
    /// Calls of the caller's tools.
    pub calls: &'a [CallerCall],
    pub task: &'a Task,
}

/// The members of a Response that do not change while it is written.
pub struct ResponseTemplate {
    members: Map<String, Value>,
    /// Functions of namespaces: the name for the model, the namespace, and the name in it.
    namespaced: Vec<(String, String, String)>,
}

impl ResponseTemplate {
    /// Creates the members for a message created at `created` (seconds since 1970). `model` is the model name
    /// in the caller's spelling.
    pub fn new(message: MessageId, created: i64, model: &str, asked: &Map<String, Value>) -> Self {
        let mut frame = Map::new();
        frame.insert("id".to_owned(), json!(id(message)));
        frame.insert("object".to_owned(), json!("response"));
        frame.insert("created_at".to_owned(), json!(created));
        frame.insert("model".to_owned(), json!(model));
        for name in ECHOED {
            let told = asked.get(name).filter(|value| value.is_string()).cloned();
            frame.insert(name.to_owned(), told.unwrap_or(Value::Null));
        }
        let fixed = json!({
            "incomplete_details": null, "tools": [], "tool_choice": "auto", "truncation": "disabled",
            "parallel_tool_calls": true, "text": { "format": { "type": "text" } }, "top_p": 1.0, "temperature": 1.0,
            "presence_penalty": 0.0, "frequency_penalty": 0.0, "top_logprobs": 0, "store": true,
            "background": false, "service_tier": "default", "metadata": {}, "reasoning": null,
            "max_output_tokens": null, "max_tool_calls": null, "conversation": null,
        });
        if let Value::Object(fixed) = fixed {
            frame.extend(fixed);
        }
        frame.extend(echoed_options(asked));
        // Report defaults for unsupported request options.
        if let Some(metadata) = asked.get("metadata").filter(|value| value.is_object()) {
            frame.insert("metadata".to_owned(), metadata.clone());
        }
        for name in ["store", "background", "parallel_tool_calls"] {
            if let Some(Value::Bool(flag)) = asked.get(name) {
                frame.insert(name.to_owned(), json!(flag));
            }
        }
        Self { members: frame, namespaced: namespaced_names(asked) }
    }

    pub fn tell(&self, said: ResponseProgress<'_>, status: Status, failure: Option<&OpenAiError>) -> Value {
        let done = matches!(status, Status::Completed | Status::Incomplete);
        let output = if done { self.items(said, status) } else { Vec::new() };
        let error = failure.map(|failure| json!({ "code": failure.code(), "message": failure.message() }));
        let mut told = self.members.clone();
        let ended = said.task.state_at.millis() / 1_000;
        if status == Status::Incomplete {
            told.insert("incomplete_details".to_owned(), json!({ "reason": "max_output_tokens" }));
        }
        told.insert(
            "completed_at".to_owned(),
            if status == Status::Completed { json!(ended) } else { Value::Null },
        );
        told.insert("status".to_owned(), json!(status.as_str()));
        told.insert("output".to_owned(), Value::Array(output));
        told.insert("error".to_owned(), json!(error));
        let usage = if matches!(status, Status::Queued | Status::InProgress) {
            Value::Null
        } else {
            usage(said.task.usage)
        };
        told.insert("usage".to_owned(), usage);
        Value::Object(told)
    }

    /// Returns the output: the reasoning, the message, unless the answer has calls only, and the calls of the caller's
    /// tools.
    fn items(&self, said: ResponseProgress<'_>, status: Status) -> Vec<Value> {
        let reasoning = (!said.reasoning.is_empty()).then(|| reasoning_item(said.message, 0, said.reasoning));
        let message = (said.calls.is_empty() || !said.text.is_empty()).then(|| item(said, status));
        let calls = said.calls.iter().enumerate();
        let calls = calls.map(|(index, call)| self.call_item(said.message, index, call, "completed"));
        reasoning.into_iter().chain(message).chain(calls).collect()
    }

    /// Returns the item of the call with this index. A function of a namespace has its name in that.
    pub fn call_item(&self, message: MessageId, index: usize, call: &CallerCall, status: &str) -> Value {
        let mut item = call_item(message, index, call, status);
        call.add_to_item(&mut item);
        if let Some((_, namespace, name)) = self.namespaced.iter().find(|(whole, ..)| *whole == call.tool) {
            item["name"] = json!(name);
            item["namespace"] = json!(namespace);
        }
        item
    }
}

/// Returns the id of a Response. The next request may use it as `previous_response_id`.
pub fn id(message: MessageId) -> String {
    format!("resp_{}", message.uuid().simple())
}

pub fn message_of(id: &str) -> Option<MessageId> {
    id.strip_prefix("resp_")?.parse().ok()
}

pub fn item_id(message: MessageId) -> String {
    format!("msg_{}", message.uuid().simple())
}

/// Returns the options of the request that a Response repeats.
fn echoed_options(asked: &Map<String, Value>) -> Map<String, Value> {
    let mut echoed = Map::new();
    let names = ["tools", "tool_choice", "text", "max_output_tokens", "temperature", "top_p"];
    for name in names.into_iter().chain(["presence_penalty", "frequency_penalty"]) {
        if let Some(value) = asked.get(name).filter(|value| !value.is_null()) {
            echoed.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(reasoning) = asked.get("reasoning").filter(|reasoning| reasoning.is_object()) {
        let told = json!({ "effort": reasoning["effort"], "summary": reasoning["summary"] });
        echoed.insert("reasoning".to_owned(), told);
    }
    if let Some(text) = echoed.get_mut("text").and_then(Value::as_object_mut) {
        text.entry("format").or_insert_with(|| json!({ "type": "text" }));
    }
    if let Some(Value::String(id)) = asked.get("conversation").map(|named| named.get("id").unwrap_or(named)) {
        echoed.insert("conversation".to_owned(), json!({ "id": id }));
    }
    echoed
}

/// Returns the item of the call with this index.
pub fn call_item(message: MessageId, index: usize, call: &ToolUse, status: &str) -> Value {
    let arguments = if status == "completed" { call.arguments_text() } else { String::new() };
    json!({ "type": "function_call", "id": call_item_id(message, index), "call_id": call.call_id, "name": call.tool,
            "arguments": arguments, "status": status })
}

pub fn call_item_id(message: MessageId, index: usize) -> String {
    format!("fc_{}_{index}", message.uuid().simple())
}

/// Returns the item of one piece of reasoning. Its text is the summary as well, which is what most clients show.
pub fn reasoning_item(message: MessageId, index: usize, text: &str) -> Value {
    let parts = |kind: &str| match text {
        "" => json!([]),
        text => json!([{ "type": kind, "text": text }]),
    };
    json!({ "type": "reasoning", "id": reasoning_item_id(message, index), "summary": parts("summary_text"),
            "content": parts("reasoning_text"), "encrypted_content": null })
}

pub fn reasoning_item_id(message: MessageId, index: usize) -> String {
    format!("rs_{}_{index}", message.uuid().simple())
}

/// Returns the item of the answer's text.
pub fn item(said: ResponseProgress<'_>, status: Status) -> Value {
    let is_begun = matches!(status, Status::InProgress);
    let content = if is_begun { Vec::new() } else { vec![text(said.text)] };
    json!({ "type": "message", "id": item_id(said.message), "status": status.as_str(), "role": "assistant",
            "content": content })
}

pub fn text(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

/// Formats token usage; all zero if the agent reports none.
fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.tokens_in, "output_tokens": usage.tokens_out, "total_tokens": usage.tokens(),
        "input_tokens_details": { "cached_tokens": 0 }, "output_tokens_details": { "reasoning_tokens": 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_found_again_by_its_id() {
        let message: MessageId = "0b5c9a52-1f0e-4c0e-9b64-0f4f6a1f5a11".parse().unwrap();
        assert_eq!(message_of(&id(message)), Some(message));
        for wrong in ["", "resp_", "resp_x", "0b5c9a52-1f0e-4c0e-9b64-0f4f6a1f5a11"] {
            assert_eq!(message_of(wrong), None);
        }
    }
}
