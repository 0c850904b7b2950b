//! The tools that a model may call.

use plexus_domain::run::Failure;
use serde_json::{Map, Value, json};

use super::call::{Card, ToolCall};
use crate::mcp::{self, Outcome, Server, Session, Taken};

/// Attached to an agent by its owner.
#[derive(Clone, Debug)]
pub struct ToolServer {
    pub server: Server,
    /// Whether each call waits for the person's leave.
    pub asks: bool,
}

/// Names of functions have at most this many characters where models are called (OpenAI API reference).
const MAX_FUNCTION_NAME: usize = 64;

/// A call that cannot be made, as people see it, and why.
pub(super) struct Mistake {
    pub card: Card,
    pub why: &'static str,
}

/// A tool that the model was offered.
pub(super) struct Known {
    /// What the model calls it.
    function: String,
    /// What its server calls it.
    name: String,
    /// What people know it by: whose tool it is belongs to what they are asked.
    pub label: String,
    description: String,
    schema: Value,
    session: usize,
    pub asks: bool,
}

impl Known {
    /// As chat completions take it.
    fn function(&self) -> Value {
        json!({ "type": "function", "function": { "name": self.function, "description": self.description,
                "parameters": self.schema } })
    }
}

/// All tools of one run, with the sessions that they are called through.
#[derive(Default)]
pub(super) struct Toolbox {
    sessions: Vec<Session>,
    /// Of the programs among them. Behind them, so that it is given back last.
    _places: Option<Taken>,
    tools: Vec<Known>,
    functions: Vec<Value>,
    /// Of the functions as JSON.
    bytes: usize,
}

impl Toolbox {
    /// A server that does not answer ends the run: the model would be another agent without its tools. Tools whose
    /// descriptions do not fit into `max_bytes` together are not offered.
    pub async fn open(servers: &[ToolServer], max_bytes: usize) -> Result<Self, Failure> {
        let mut toolbox =
            Self { _places: mcp::places(servers.iter().map(|it| &it.server)).await?, ..Self::default() };
        for attached in servers {
            let session = Session::open(&attached.server).await?;
            for tool in session.tools().await? {
                let function = toolbox.free_name(&tool.name);
                let session = toolbox.sessions.len();
                let label = format!("{}/{}", attached.server.name(), tool.name);
                let (name, description, schema) = (tool.name, tool.description, tool.schema);
                let asks = attached.asks;
                toolbox.offer(Known { function, name, label, description, schema, session, asks }, max_bytes);
            }
            toolbox.sessions.push(session);
        }
        Ok(toolbox)
    }

    fn offer(&mut self, tool: Known, max_bytes: usize) {
        let function = tool.function();
        let bytes = function.to_string().len();
        if self.bytes + bytes > max_bytes {
            tracing::info!(tool = tool.label, "a tool is not offered: the model's window has no room for it");
            return;
        }
        self.bytes += bytes;
        self.functions.push(function);
        self.tools.push(tool);
    }

    /// A name that models accept and that no other tool has.
    fn free_name(&self, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let base: String = name.chars().map(plain).take(MAX_FUNCTION_NAME - 4).collect();
        let is_free = |name: &String| !self.tools.iter().any(|tool| tool.function == *name);
        let numbered = (2..1_000).map(|number| format!("{base}_{number}"));
        [base.clone()].into_iter().chain(numbered).find(is_free).unwrap_or(base)
    }

    /// As chat completions take them.
    pub fn functions(&self) -> &[Value] {
        &self.functions
    }

    /// How much of a model's window their descriptions take.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The tool that a call means, and its arguments.
    pub fn find(&self, call: &ToolCall) -> Result<(&Known, Map<String, Value>), Mistake> {
        let Some(tool) = self.tools.iter().find(|tool| tool.function == call.name) else {
            return Err(Mistake { card: Card::of_unknown(call), why: "There is no such tool." });
        };
        match call.parse() {
            Ok(arguments) => Ok((tool, arguments)),
            Err(_) => {
                Err(Mistake { card: Card::of_unknown(call), why: "The arguments are not a JSON object." })
            }
        }
    }

    /// Makes a call. What goes wrong is an outcome, which the model reads.
    pub async fn call(&self, tool: &Known, arguments: Map<String, Value>) -> Outcome {
        let called = self.sessions[tool.session].call(&tool.name, arguments).await;
        called.unwrap_or_else(|failure| Outcome { text: failure.message, is_error: true })
    }
}
