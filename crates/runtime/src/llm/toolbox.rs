//! MCP tools offered to a model.

use plexus_domain::{
    call_options::FunctionTool,
    run::{Failure, FailureClass},
};
use serde_json::{Map, Value, json};

use super::{
    call_options,
    tool_call::{ToolCall, ToolCallCard},
};
use crate::{
    OutputFile,
    mcp_client::{self, McpProcessPermit, McpServer, McpSession, OmittedTool, RunningCall, ToolImage},
};

/// MCP server whose tools an agent may use, configured by its owner.
#[derive(Clone, Debug)]
pub struct ToolServer {
    pub server: McpServer,
    /// True if each call needs approval by the requester.
    pub require_approval: bool,
}

/// Maximum characters of a function name (OpenAI API reference).
const MAX_FUNCTION_NAME: usize = 64;
/// Room for the number that distinguishes a name from others.
const SUFFIX: usize = 4;

/// Tool call that cannot be made: its card and the reason.
pub(super) struct InvalidToolCall {
    pub card: ToolCallCard,
    pub why: &'static str,
}

/// Tool offered to the model.
pub(super) struct OfferedTool {
    /// Function name used by the model.
    function: String,
    /// Tool name on its server.
    name: String,
    /// Name shown to users: `server/tool`. Includes the server, because approvals must show whose tool it is.
    pub label: String,
    description: String,
    schema: Value,
    session: usize,
    pub require_approval: bool,
}

impl OfferedTool {
    /// Returns the function definition for the chat completions API.
    fn function(&self) -> Value {
        json!({ "type": "function", "function": { "name": self.function, "description": self.description,
                "parameters": self.schema } })
    }

    /// Returns the file for people of an image that the tool returned.
    pub fn image_file(&self, image: &ToolImage) -> OutputFile {
        let extension = image.media_type.trim_start_matches("image/");
        OutputFile {
            artifact: None,
            name: Some(format!("{}.{extension}", self.function)),
            media_type: Some(image.media_type.to_owned()),
            metadata: None,
            bytes: image.bytes.clone(),
            continues: false,
        }
    }
}

/// All tools of one run, with the MCP sessions to call them.
#[derive(Default)]
pub(super) struct Toolbox {
    /// Names of the caller's functions.
    of_caller: Vec<String>,
    sessions: Vec<McpSession>,
    /// Slots of the local server processes. Declared after `sessions`, so that they are released after the
    /// processes end.
    _places: Option<McpProcessPermit>,
    tools: Vec<OfferedTool>,
    functions: Vec<Value>,
    /// Size of the function definitions as JSON.
    bytes: usize,
}

impl Toolbox {
    /// Creates a toolbox with the caller's functions only. Fails if they do not fit into `max_bytes`, because the
    /// caller relies on them.
    pub fn of_caller(tools: &[FunctionTool], max_bytes: usize) -> Result<Self, Failure> {
        let of_caller = tools.iter().map(|tool| tool.name.clone()).collect();
        let functions: Vec<Value> = tools.iter().map(call_options::function).collect();
        let bytes: usize = functions.iter().map(|function| function.to_string().len()).sum();
        if bytes > max_bytes {
            let words = format!(
                "The tools have {bytes} bytes, more than the {max_bytes} that fit into the model's context window. Send \
                 fewer tools."
            );
            return Err(Failure::new(FailureClass::PromptTooLong, words));
        }
        Ok(Self { of_caller, functions, bytes, ..Self::default() })
    }

    pub const fn has_functions_of_caller(&self) -> bool {
        !self.of_caller.is_empty()
    }

    /// Returns whether the caller executes this call.
    pub fn is_of_caller(&self, call: &ToolCall) -> bool {
        self.of_caller.contains(&call.name)
    }

    /// Opens a session with each server and adds its tools. A tool with the name of a caller's function gets
    /// another name, since the caller relies on its own. A server that does not answer fails the run,
    /// because the agent would behave differently without its tools. Tools that do not fit into `max_bytes`
    /// are not offered.
    pub async fn open(self, servers: &[ToolServer], max_bytes: usize) -> Result<Self, Failure> {
        let places = mcp_client::places(servers.iter().map(|it| &it.server)).await?;
        let mut toolbox = Self { _places: places, ..self };
        for attached in servers {
            let session = McpSession::open(&attached.server).await?;
            let list = session.tools().await?;
            for OmittedTool { name, reason } in &list.omitted {
                let server = attached.server.name();
                tracing::warn!(server, tool = name, reason, "MCP tool: left out");
            }
            for tool in list.tools {
                let function = toolbox.free_name(&tool.name);
                let session = toolbox.sessions.len();
                let label = format!("{}/{}", attached.server.name(), tool.name);
                let (name, description, schema) = (tool.name, tool.description, tool.schema);
                let require_approval = attached.require_approval;
                toolbox.offer(
                    OfferedTool { function, name, label, description, schema, session, require_approval },
                    max_bytes,
                );
            }
            toolbox.sessions.push(session);
        }
        Ok(toolbox)
    }

    fn offer(&mut self, tool: OfferedTool, max_bytes: usize) {
        let function = tool.function();
        let bytes = function.to_string().len();
        if self.bytes + bytes > max_bytes {
            tracing::info!(tool = tool.label, "tool dropped: no room in the context window");
            return;
        }
        self.bytes += bytes;
        self.functions.push(function);
        self.tools.push(tool);
    }

    /// Returns a function name that is valid for models and unique among the tools. A name that has nothing valid
    /// in it becomes `tool`.
    fn free_name(&self, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let mut base: String = name.chars().map(plain).collect();
        if !base.contains(|c: char| c.is_ascii_alphanumeric()) {
            "tool".clone_into(&mut base);
        }
        // Gemini refuses names that begin otherwise.
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        let is_free = |name: &String| {
            !self.of_caller.contains(name) && !self.tools.iter().any(|tool| tool.function == *name)
        };
        base.truncate(MAX_FUNCTION_NAME);
        let start = &base[..base.len().min(MAX_FUNCTION_NAME - SUFFIX)];
        let numbered = (2..1_000).map(|number| format!("{start}_{number}"));
        [base.clone()].into_iter().chain(numbered).find(is_free).unwrap_or_else(|| base.clone())
    }

    /// Returns the function definitions for the chat completions API.
    pub fn functions(&self) -> &[Value] {
        &self.functions
    }

    /// Returns the bytes that the definitions take of the model's window.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the tool of a call and its parsed arguments.
    pub fn find(&self, call: &ToolCall) -> Result<(&OfferedTool, Map<String, Value>), InvalidToolCall> {
        let Some(tool) = self.tools.iter().find(|tool| tool.function == call.name) else {
            return Err(InvalidToolCall {
                card: ToolCallCard::of_unknown(call),
                why: "There is no such tool.",
            });
        };
        match call.parse() {
            Ok(arguments) => Ok((tool, arguments)),
            Err(_) => Err(InvalidToolCall {
                card: ToolCallCard::of_unknown(call),
                why: "The arguments are not a JSON object.",
            }),
        }
    }

    /// Starts a call of a tool.
    pub fn call(&self, tool: &OfferedTool, arguments: Map<String, Value>) -> RunningCall<'_> {
        self.sessions[tool.session].call(&tool.name, arguments)
    }
}
