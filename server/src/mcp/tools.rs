//! Definitions of the tools that the hub and its agents offer.

use std::sync::Arc;

use plexus_domain::{Error as Refusal, RunId};
use rmcp::{
    ErrorData,
    model::{JsonObject, Tool, ToolAnnotations},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

pub const SEARCH: &str = "search_agents";
pub const GET: &str = "get_agent";
pub const SEND: &str = "send_message";
pub const LAUNCH: &str = "launch_goal";
/// Prefix of the names of tools that send a message to an agent, and an alias of all of them.
pub const ASK: &str = "ask";

#[derive(Deserialize)]
pub struct Search {
    #[serde(default)]
    pub query: String,
    pub limit: Option<u16>,
    pub cursor: Option<String>,
}

#[derive(Deserialize)]
pub struct Get {
    pub agent: String,
}

#[derive(Deserialize)]
pub struct Send {
    pub agent: String,
    #[serde(flatten)]
    pub said: AgentReplyJson,
}

#[derive(Deserialize)]
pub struct LaunchGoal {
    pub goal: String,
    #[serde(default)]
    pub members: Vec<String>,
}

/// A message with its conversation and task.
#[derive(Deserialize)]
pub struct AgentReplyJson {
    pub message: String,
    pub context: Option<String>,
    pub task: Option<String>,
}

impl AgentReplyJson {
    pub fn task(&self) -> Result<Option<RunId>, Refusal> {
        let parse = |id: &String| id.parse().map_err(|_| Refusal::not_found("Task not found."));
        self.task.as_ref().map(parse).transpose()
    }
}

/// Deserializes the arguments of a tool. An error names the invalid argument.
pub fn arguments<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, Refusal> {
    serde_json::from_value(Value::Object(given.unwrap_or_default()))
        .map_err(|error| Refusal::invalid("arguments", format!("Invalid arguments: {error}.")))
}

pub fn unknown(name: &str) -> ErrorData {
    let name = plexus_domain::sanitized_text::ellipsize(name, 60);
    ErrorData::invalid_params(format!("Tool \"{name}\" not found. See tools/list."), None)
}

pub fn of_hub() -> Vec<Tool> {
    vec![search(), get(), send(), launch()]
}

fn search() -> Tool {
    let words = "Find agents of this hub by what they do. Answers their addresses, best match first.";
    let input = json!({ "type": "object", "properties": {
        "query": { "type": "string", "description": "What the agent should be good at. Words, \"phrases\", -without, tag:x, owner:x. Empty lists all." },
        "limit": { "type": "integer", "minimum": 1, "maximum": 100, "description": "How many to answer; 20 unless given." },
        "cursor": { "type": "string", "description": "`next` of the answer before, for those that follow." } } });
    tool(SEARCH, "Search agents", words, input).annotate(looks())
}

fn get() -> Tool {
    let words = "Read what an agent is good for, how to speak to it, and whether it answers now.";
    let input = json!({ "type": "object", "required": ["agent"], "properties": { "agent": address() } });
    tool(GET, "Read about an agent", words, input).annotate(looks())
}

fn send() -> Tool {
    let words = "Say something to an agent and wait for its answer. Send the `context` of the answer to go on with the same conversation.";
    let mut input = said("What to say, in markdown.");
    input["properties"]["agent"] = address();
    input["required"] = json!(["agent", "message"]);
    tool(SEND, "Send a message", words, input).annotate(speaks()).with_raw_output_schema(answer())
}

fn launch() -> Tool {
    let words = "Let a team of agents reach a goal, and wait for its answer. Without members the hub looks for those whom the goal needs.";
    let input = json!({ "type": "object", "required": ["goal"], "properties": {
        "goal": { "type": "string", "description": "The outcome, with each task as its own clause." },
        "members": { "type": "array", "items": { "type": "string" }, "description": "Addresses or names of agents, as in @plexus/calc." } } });
    tool(LAUNCH, "Launch a goal", words, input).annotate(speaks())
}

/// Returns the tool that sends a message to an agent, under a name of its own.
pub fn ask(name: String, title: &str, description: &str) -> Tool {
    let words =
        if description.is_empty() { format!("Ask {title}.") } else { format!("Ask {title}. {description}") };
    let tool = tool(name, title, words, said("What to ask, in markdown."));
    tool.annotate(speaks()).with_raw_output_schema(answer())
}

/// Returns the tool of a skill with an input schema.
pub fn skill(name: String, title: &str, description: String, input: JsonObject) -> Tool {
    let tool = Tool::new(name, description, input).with_title(title);
    tool.annotate(speaks()).with_raw_output_schema(answer())
}

fn tool(
    name: impl Into<std::borrow::Cow<'static, str>>,
    title: &str,
    description: impl Into<std::borrow::Cow<'static, str>>,
    input: Value,
) -> Tool {
    Tool::new(name, description, object(input)).with_title(title)
}

fn looks() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

/// Annotations of tools that call agents: the effects of an agent are unknown.
fn speaks() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).open_world(true)
}

fn address() -> Value {
    json!({ "type": "string", "description": "The address of the agent, as in @plexus/calc." })
}

fn said(message: &str) -> Value {
    json!({ "type": "object", "required": ["message"], "properties": {
        "message": { "type": "string", "description": message },
        "context": { "type": "string", "description": "The conversation to go on with: `context` of an answer before, or a name of your own. None begins a new one." },
        "task": { "type": "string", "description": "`task` of an answer whose state is input_required: what you say then answers its question." } } })
}

/// Output schema of tools that call an agent.
fn answer() -> Arc<JsonObject> {
    Arc::new(object(
        json!({ "type": "object", "required": ["task", "context", "state", "text"], "properties": {
        "task": { "type": "string", "description": "The id of this piece of work." },
        "context": { "type": "string", "description": "The conversation. Send it with the next message to go on." },
        "state": { "type": "string", "enum": ["completed", "input_required", "auth_required", "failed", "stopped", "rejected"] },
        "text": { "type": "string", "description": "What the agent said." },
        "data": { "type": "array", "description": "Data that it answered beside the text." } } }),
    ))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}
