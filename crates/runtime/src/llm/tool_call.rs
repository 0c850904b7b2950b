//! Tool call of a model, and its presentation to users.

use std::time::Duration;

use plexus_domain::{
    Metadata, Part, PartBody,
    part::ToolUse,
    sanitized_text::{ellipsize, one_line},
};
use serde_json::{Map, Value, json};

use crate::mcp_client::ToolResult;

/// One tool call as requested by a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// Arguments as JSON text. Not validated: the model may have written invalid JSON.
    pub arguments: String,
    /// Members that the server added to the call and wants back, such as signatures.
    pub extra: Map<String, Value>,
    /// The same, of the function of the call.
    pub function_extra: Map<String, Value>,
}

/// Member of a part's metadata with what a model server added to a call: `call` and `function`, each an object.
const MODEL_SERVER: &str = "model_server";

/// Returns what a model server added to the call of a part, and to its function.
pub(super) fn extra_members(part: &Part) -> (Map<String, Value>, Map<String, Value>) {
    let added = part.metadata.as_ref().and_then(|metadata| metadata.get(MODEL_SERVER));
    let members =
        |name: &str| added.and_then(|added| added.get(name)?.as_object()).cloned().unwrap_or_default();
    (members("call"), members("function"))
}

/// Parses the arguments of a call. Models leave them out if there are none, and servers encode them twice, put an empty
/// object before them, or leave a code block around them.
pub(super) fn parse_arguments(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let text = text.trim();
    if text.is_empty() || text == "null" {
        return Ok(Map::new());
    }
    let parsed = match serde_json::from_str::<Value>(text) {
        Ok(Value::String(inner)) => serde_json::from_str(&inner),
        Ok(value) => serde_json::from_value(value),
        Err(error) => Err(error),
    };
    let bare = text.strip_prefix("{}").or_else(|| {
        let block = text.strip_prefix("```")?.strip_suffix("```")?;
        block.split_once('\n').map(|(_, block)| block)
    });
    parsed.or_else(|error| bare.and_then(|bare| serde_json::from_str(bare).ok()).ok_or(error))
}

impl ToolCall {
    /// Returns the part with which the caller is asked to execute this call. `make_id` names calls of servers
    /// that give no id. Arguments that are not JSON are passed on as text.
    pub(super) fn for_caller(&self, make_id: impl FnOnce() -> String) -> Part {
        let arguments = self.parse().map_or_else(|_| Value::String(self.arguments.clone()), Value::Object);
        let call_id = Some(if self.id.is_empty() { make_id() } else { self.id.clone() });
        let tool = ToolUse { tool: self.name.clone(), arguments, result: None, took_ms: None, call_id };
        Part { metadata: self.metadata(), ..PartBody::Tool(tool).into() }
    }

    /// Returns what the server added, as metadata of the part of the call; `None` if it added nothing.
    fn metadata(&self) -> Option<Box<Metadata>> {
        let members = [("call", &self.extra), ("function", &self.function_extra)];
        let members = members.into_iter().filter(|(_, members)| !members.is_empty());
        let members: Map<String, Value> =
            members.map(|(name, members)| (name.to_owned(), json!(members))).collect();
        (!members.is_empty())
            .then(|| Box::new(Map::from_iter([(MODEL_SERVER.to_owned(), Value::Object(members))])))
    }

    pub(super) fn parse(&self) -> Result<Map<String, Value>, serde_json::Error> {
        parse_arguments(&self.arguments)
    }
}

/// Tool call as shown to users, before and after it runs.
#[derive(Clone, Debug)]
pub(super) struct ToolCallCard {
    tool: String,
    arguments: Value,
}

/// Maximum characters shown of arguments that are not valid JSON.
const UNREAD_CHARS: usize = 1_000;

impl ToolCallCard {
    pub fn new(tool: &str, arguments: &Map<String, Value>) -> Self {
        Self { tool: tool.to_owned(), arguments: Value::Object(arguments.clone()) }
    }

    /// Creates the card of a call that cannot be made.
    pub fn of_unknown(call: &ToolCall) -> Self {
        let arguments =
            call.parse().map_or_else(|_| json!(ellipsize(&call.arguments, UNREAD_CHARS)), Value::Object);
        Self { tool: one_line(&call.name), arguments }
    }

    pub fn running(&self) -> Part {
        self.part(None, None)
    }

    /// Returns the card with the result. A result that is a JSON object or array is shown as JSON.
    pub fn done(&self, outcome: &ToolResult, took: Duration) -> Part {
        let json = serde_json::from_str::<Value>(&outcome.text).ok();
        let json = json.filter(|value| value.is_object() || value.is_array());
        let value = json.unwrap_or_else(|| Value::String(outcome.text.clone()));
        let result = if outcome.is_error { json!({ "error": value }) } else { value };
        self.part(Some(result), Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the card of a call that was not made, with the reason.
    pub fn failed(&self, why: &str) -> Part {
        self.part(Some(json!({ "error": why })), None)
    }

    fn part(&self, result: Option<Value>, took_ms: Option<u64>) -> Part {
        let Self { tool, arguments } = self.clone();
        PartBody::Tool(ToolUse { tool, arguments, result, took_ms, call_id: None }).into()
    }
}
