//! Parses the options of a request, and refuses those that cannot be honoured.

use plexus_domain::{
    CallOptions,
    call_options::{AnswerFormat, FunctionTool, ToolChoice},
};
use serde_json::{Map, Value};

use crate::openai::{
    call_options::{MAX_TOOLS, checked_choice, for_agent, function, stop, tokens},
    error::OpenAiError,
};

/// Members that no agent honours, if they are not empty.
const UNSUPPORTED: [&str; 3] = ["mcp_servers", "container", "context_management"];
const FORMAT: &str = "output_config.format";
/// The name of a format. Model servers require one, but this API has none.
const FORMAT_NAME: &str = "answer";

/// Returns the options of a request. `is_model`: the agent is a model of this hub.
pub fn parse(asked: &Map<String, Value>, is_model: bool) -> Result<CallOptions, OpenAiError> {
    for name in UNSUPPORTED {
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
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
        forwarded: None,
    };
    for_agent(options, is_model, FORMAT)
}

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
        if !matches!(tool["type"].as_str(), None | Some("custom")) {
            let words =
                "Only tools of the type custom are supported: the caller runs them, and gives their schema.";
            return Err(OpenAiError::unsupported(format!("{param}.type"), words));
        }
        let tool = function(tool, "input_schema", &param)?;
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
