//! Parses the options of a request, and refuses those that cannot be honoured.

use plexus_domain::{
    CallOptions,
    call_options::{AnswerFormat, FunctionTool, ToolChoice},
};
use serde_json::{Map, Value};

use super::error::OpenAiError;

pub const MAX_TOOLS: usize = 128;
/// Maximum length of a function name (OpenAI API reference).
const MAX_NAME_CHARS: usize = 64;
const MAX_STOPS: usize = 16;
const MAX_STOP_BYTES: usize = 512;

/// Members that no agent honours, if their value is not one of these defaults.
const UNSUPPORTED: [(&str, &[&str]); 13] = [
    ("n", &["1"]),
    ("logprobs", &["false"]),
    ("top_logprobs", &["0"]),
    ("logit_bias", &["{}"]),
    ("modalities", &["[]", "[\"text\"]"]),
    ("audio", &[]),
    ("functions", &["[]"]),
    ("function_call", &["\"none\"", "\"auto\""]),
    ("web_search_options", &[]),
    ("prompt", &[]),
    ("max_tool_calls", &[]),
    ("context_management", &["[]"]),
    ("best_of", &["1"]),
];

/// Returns the options of a request for a chat completion. `is_model`: the agent is a model of this hub.
pub fn of_completion(asked: &Map<String, Value>, is_model: bool) -> Result<CallOptions, OpenAiError> {
    refuse_unsupported(asked)?;
    let format = match asked.get("response_format") {
        Some(format) => answer_format(format, format.get("json_schema"), "response_format")?,
        None => AnswerFormat::Text,
    };
    let max_tokens = match tokens(asked, "max_completion_tokens")? {
        None => tokens(asked, "max_tokens")?,
        some => some,
    };
    let options = CallOptions { format, max_tokens, ..common(asked, Some("function"))? };
    for_agent(options, is_model, "response_format")
}

/// Returns the options of a request for a Response.
pub fn of_response(asked: &Map<String, Value>, is_model: bool) -> Result<CallOptions, OpenAiError> {
    refuse_unsupported(asked)?;
    let included = asked.get("include").and_then(Value::as_array).into_iter().flatten();
    if included.filter_map(Value::as_str).any(|name| name.ends_with("logprobs")) {
        return Err(OpenAiError::unsupported("include", "Token probabilities are not available."));
    }
    let format = match asked.get("text").and_then(|text| text.get("format")) {
        Some(format) => answer_format(format, Some(format), "text.format")?,
        None => AnswerFormat::Text,
    };
    let max_tokens = tokens(asked, "max_output_tokens")?;
    let options = CallOptions { format, max_tokens, ..common(asked, None)? };
    for_agent(options, is_model, "text.format")
}

fn refuse_unsupported(asked: &Map<String, Value>) -> Result<(), OpenAiError> {
    for (name, defaults) in UNSUPPORTED {
        let Some(value) = asked.get(name).filter(|value| !value.is_null()) else { continue };
        if !defaults.contains(&value.to_string().as_str()) {
            let words = format!("The parameter {name} is not supported with this value. Leave it out.");
            return Err(OpenAiError::unsupported(name, words));
        }
    }
    Ok(())
}

/// Parses what both APIs share. `nested` is the member of a tool that contains its function, if it is nested.
fn common(asked: &Map<String, Value>, nested: Option<&str>) -> Result<CallOptions, OpenAiError> {
    let tools = tools(asked, nested)?;
    let tool_choice = tool_choice(asked, nested, &tools)?;
    let parallel_tool_calls = match asked.get("parallel_tool_calls") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(parallel)) => Some(*parallel),
        Some(_) => {
            return Err(OpenAiError::invalid(
                Some("parallel_tool_calls"),
                "The member parallel_tool_calls is true or false.",
            ));
        }
    };
    Ok(CallOptions {
        tools,
        tool_choice,
        parallel_tool_calls,
        stop: stop(asked, "stop")?,
        ..CallOptions::default()
    })
}

/// Refuses options that only models honour, for another agent. Tools that must not be called are left out there.
pub fn for_agent(
    mut options: CallOptions,
    is_model: bool,
    format_param: &str,
) -> Result<CallOptions, OpenAiError> {
    if is_model {
        return Ok(options);
    }
    if !options.callable_tools().is_empty() {
        let words =
            "This agent cannot call tools of its caller: it is not a model of this hub. Leave tools out.";
        return Err(OpenAiError::unsupported("tools", words));
    }
    if !options.format.is_text() {
        let words = format!(
            "This agent cannot answer in a given format: it is not a model of this hub. Leave {format_param} out."
        );
        return Err(OpenAiError::unsupported(format_param, words));
    }
    options.tools.clear();
    Ok(options)
}

fn tools(asked: &Map<String, Value>, nested: Option<&str>) -> Result<Vec<FunctionTool>, OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some("tools"), words);
    let listed = match asked.get("tools") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(wrong("Tools are a list.")),
    };
    if listed.len() > MAX_TOOLS {
        return Err(wrong("Send at most 128 tools."));
    }
    let mut tools: Vec<FunctionTool> = Vec::new();
    for (index, tool) in listed.iter().enumerate() {
        let param = format!("tools[{index}]");
        if tool["type"].as_str() != Some("function") {
            let words = "Only tools of the type function are supported.";
            return Err(OpenAiError::unsupported(format!("{param}.type"), words));
        }
        let tool = function(nested.map_or(tool, |member| &tool[member]), "parameters", &param)?;
        if tools.iter().any(|other| other.name == tool.name) {
            return Err(OpenAiError::invalid(Some(&param), "Two tools have the same name."));
        }
        tools.push(tool);
    }
    Ok(tools)
}

/// Parses a function, whose JSON Schema is the member `schema`.
pub fn function(function: &Value, schema: &str, param: &str) -> Result<FunctionTool, OpenAiError> {
    let name = function["name"].as_str().unwrap_or_default();
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_valid) {
        let words = "A function has a name of at most 64 letters, digits, underscores, dots and dashes.";
        return Err(OpenAiError::invalid(Some(&format!("{param}.name")), words));
    }
    let parameters = match &function[schema] {
        Value::Null => None,
        parameters if parameters.is_object() => Some(parameters.clone()),
        _ => {
            let words = "The parameters of a function are a JSON Schema object.";
            return Err(OpenAiError::invalid(Some(&format!("{param}.{schema}")), words));
        }
    };
    Ok(FunctionTool {
        name: name.to_owned(),
        description: function["description"].as_str().map(str::to_owned),
        parameters,
        strict: function["strict"].as_bool(),
    })
}

fn tool_choice(
    asked: &Map<String, Value>,
    nested: Option<&str>,
    tools: &[FunctionTool],
) -> Result<ToolChoice, OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some("tool_choice"), words);
    let choice = match asked.get("tool_choice") {
        None | Some(Value::Null) => ToolChoice::Auto,
        Some(Value::String(word)) => match word.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            _ => return Err(wrong("The tool choice is auto, none, required or a function.")),
        },
        Some(choice) if choice["type"] == "function" => {
            let named = nested.map_or(choice, |member| &choice[member]);
            ToolChoice::Function(named["name"].as_str().unwrap_or_default().to_owned())
        }
        Some(_) => {
            let words = "The tool choice is auto, none, required or a function.";
            return Err(OpenAiError::unsupported("tool_choice", words));
        }
    };
    checked_choice(choice, tools).ok_or_else(|| wrong("The tool choice names no tool of this request."))
}

/// Returns the choice if there is a tool for it.
pub fn checked_choice(choice: ToolChoice, tools: &[FunctionTool]) -> Option<ToolChoice> {
    let is_possible = match &choice {
        ToolChoice::Auto | ToolChoice::None => true,
        ToolChoice::Required => !tools.is_empty(),
        ToolChoice::Function(name) => tools.iter().any(|tool| tool.name == *name),
    };
    is_possible.then_some(choice)
}

/// Parses a format. `schema` is the object with the name and the JSON Schema.
fn answer_format(format: &Value, schema: Option<&Value>, param: &str) -> Result<AnswerFormat, OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some(param), words);
    if format.is_null() {
        return Ok(AnswerFormat::Text);
    }
    match format["type"].as_str() {
        Some("text") => Ok(AnswerFormat::Text),
        Some("json_object") => Ok(AnswerFormat::JsonObject),
        Some("json_schema") => {
            let schema = schema.unwrap_or(&Value::Null);
            let name =
                schema["name"].as_str().filter(|name| !name.is_empty() && name.len() <= MAX_NAME_CHARS);
            let (Some(name), true) = (name, schema["schema"].is_object()) else {
                return Err(wrong("A format of the type json_schema has a name and a schema."));
            };
            Ok(AnswerFormat::JsonSchema {
                name: name.to_owned(),
                description: schema["description"].as_str().map(str::to_owned),
                schema: schema["schema"].clone(),
                strict: schema["strict"].as_bool(),
            })
        }
        Some(_) => Err(OpenAiError::unsupported(param, "The format is text, json_object or json_schema.")),
        None => Err(wrong("A format has a type.")),
    }
}

/// Returns the stop sequences, given as a text or a list.
pub fn stop(asked: &Map<String, Value>, param: &str) -> Result<Vec<String>, OpenAiError> {
    let wrong = || {
        let words = "Send at most 16 texts at which the answer stops, each with 1 to 512 bytes.";
        OpenAiError::invalid(Some(param), words)
    };
    let stops = match asked.get(param) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(stop)) => vec![stop.clone()],
        Some(Value::Array(stops)) => {
            let stops = stops.iter().map(|stop| stop.as_str().map(str::to_owned));
            stops.collect::<Option<_>>().ok_or_else(wrong)?
        }
        Some(_) => return Err(wrong()),
    };
    let is_valid = |stop: &String| !stop.is_empty() && stop.len() <= MAX_STOP_BYTES;
    if stops.len() > MAX_STOPS || !stops.iter().all(is_valid) {
        return Err(wrong());
    }
    Ok(stops)
}

/// Returns an optional positive number of tokens.
pub fn tokens(asked: &Map<String, Value>, param: &str) -> Result<Option<u32>, OpenAiError> {
    let Some(value) = asked.get(param).filter(|value| !value.is_null()) else { return Ok(None) };
    let most = value.as_u64().filter(|most| *most > 0).map(|most| u32::try_from(most).unwrap_or(u32::MAX));
    let wrong = || OpenAiError::invalid(Some(param), format!("The member {param} is a positive integer."));
    most.map(Some).ok_or_else(wrong)
}
