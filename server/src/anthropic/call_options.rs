//! Parses the options of a request, and refuses those that cannot be honoured.

use plexus_domain::{
    CallOptions,
    call_options::{AnswerFormat, FunctionTool, SamplingOptions, ToolChoice},
};
use serde_json::{Map, Value};

use super::client_tools::client_tool;
use crate::openai::{
    call_options::{checked_choice, for_agent, function_named, number, stop, tokens},
    error::OpenAiError,
};

/// Members that no agent honours and whose loss would change the answer without a word, if they are not empty. Other
/// members that the hub does not serve are hints or experiments of clients, which are ignored (docs/api.md).
const UNSUPPORTED: [&str; 2] = ["mcp_servers", "container"];
const FORMAT: &str = "output_config.format";
/// The name of a format. Model servers require one, but this API has none.
const FORMAT_NAME: &str = "answer";
const MAX_TOOLS: usize = 512;
/// Maximum length of a tool's name (Anthropic API reference).
const MAX_NAME_CHARS: usize = 128;
/// Error code by which clients know that they have to send the whole conversation instead of a reference to it.
const THREAD_UNSUPPORTED: &str = "thread_unsupported_request";

/// Returns the options of a request. `is_model`: the agent is a model of this hub.
pub fn parse(asked: &Map<String, Value>, is_model: bool) -> Result<CallOptions, OpenAiError> {
    if asked.get("thread").is_some_and(|thread| !is_empty(thread)) {
        let words = "Threads are not supported. Send the whole conversation, without thread.";
        return Err(OpenAiError::unsupported("thread", words).detailed(THREAD_UNSUPPORTED));
    }
    for name in UNSUPPORTED {
        if asked.get(name).is_some_and(|value| !is_empty(value)) {
            return Err(OpenAiError::unsupported(name, "Not supported. Leave it out."));
        }
    }
    let tools = tools(asked)?;
    let (tool_choice, parallel_tool_calls) = tool_choice(asked, &tools)?;
    let options = CallOptions {
        tools,
        tool_choice,
        parallel_tool_calls,
        format: format(asked)?,
        stop: stop(asked, "stop_sequences")?,
        max_tokens: tokens(asked, "max_tokens")?,
        sampling: SamplingOptions {
            temperature: number(asked, "temperature", 0.0, 2.0)?,
            top_p: number(asked, "top_p", 0.0, 1.0)?,
            ..SamplingOptions::default()
        },
        ..CallOptions::default()
    };
    for_agent(options, is_model, FORMAT)
}

/// Returns whether the client asks for thinking blocks.
pub fn shows_thinking(asked: &Map<String, Value>) -> bool {
    let kind = asked.get("thinking").and_then(|thinking| thinking["type"].as_str());
    matches!(kind, Some("enabled" | "adaptive"))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Returns the tools that the caller runs: those with a schema, and those whose schema is known by their type. The others
/// run at the service that has them, such as `web_search_20250305`, and are left out.
fn tools(asked: &Map<String, Value>) -> Result<Vec<FunctionTool>, OpenAiError> {
    let wrong = |words: String| OpenAiError::invalid(Some("tools"), words);
    let listed = match asked.get("tools") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(listed)) if listed.len() <= MAX_TOOLS => listed,
        Some(_) => return Err(wrong(format!("Tools are a list of at most {MAX_TOOLS}."))),
    };
    let mut tools: Vec<FunctionTool> = Vec::new();
    for (index, tool) in listed.iter().enumerate() {
        let param = format!("tools.{index}");
        let tool = match tool["type"].as_str() {
            None | Some("custom") => Some(function_named(tool, "input_schema", &param, MAX_NAME_CHARS)?),
            Some(kind) => client_tool(kind, &tool["name"]),
        };
        let Some(tool) = tool else { continue };
        if tools.iter().any(|other| other.name == tool.name) {
            return Err(wrong(format!("Two tools have the name {}.", tool.name)));
        }
        tools.push(tool);
    }
    Ok(tools)
}

/// Returns the choice, and whether several calls at once are allowed.
fn tool_choice(
    asked: &Map<String, Value>,
    tools: &[FunctionTool],
) -> Result<(ToolChoice, Option<bool>), OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some("tool_choice"), words);
    let listed = asked.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let Some(asked) = asked.get("tool_choice").filter(|choice| !choice.is_null()) else {
        return Ok((ToolChoice::Auto, None));
    };
    let choice = match asked["type"].as_str() {
        Some("auto") => ToolChoice::Auto,
        Some("none") => ToolChoice::None,
        Some("any") => ToolChoice::Required,
        Some("tool") => ToolChoice::Function(asked["name"].as_str().unwrap_or_default().to_owned()),
        _ => return Err(wrong("The type of a tool choice is auto, any, tool or none.")),
    };
    // The choice of a tool that was left out is the model's own.
    let is_left_out = match &choice {
        ToolChoice::Required => tools.is_empty() && !listed.is_empty(),
        ToolChoice::Function(name) => {
            !tools.iter().any(|tool| tool.name == *name) && listed.iter().any(|tool| tool["name"] == **name)
        }
        ToolChoice::Auto | ToolChoice::None => false,
    };
    let choice = if is_left_out { ToolChoice::Auto } else { choice };
    let choice = checked_choice(choice, tools);
    let choice = choice.ok_or_else(|| wrong("The tool choice names no tool of this request."))?;
    Ok((choice, asked["disable_parallel_tool_use"].as_bool().map(|is_disabled| !is_disabled)))
}

/// Parses the format, which is `output_format` in older clients.
fn format(asked: &Map<String, Value>) -> Result<AnswerFormat, OpenAiError> {
    let named = asked.get("output_config").map_or(&Value::Null, |config| &config["format"]);
    let format = if named.is_null() { asked.get("output_format").unwrap_or(&Value::Null) } else { named };
    if format.is_null() {
        return Ok(AnswerFormat::Text);
    }
    if format["type"] != "json_schema" || !format["schema"].is_object() {
        let words = "The format is of the type json_schema and has a schema.";
        return Err(OpenAiError::invalid(Some(FORMAT), words));
    }
    Ok(AnswerFormat::JsonSchema {
        name: FORMAT_NAME.to_owned(),
        description: None,
        schema: format["schema"].clone(),
        strict: Some(true),
    })
}
