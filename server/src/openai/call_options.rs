//! Parses the options of a request, and refuses those that cannot be honoured.

use plexus_domain::{
    CallOptions,
    call_options::{AnswerFormat, FunctionTool, SamplingOptions, ToolChoice},
};
use serde_json::{Map, Value};

use super::{error::OpenAiError, text};

pub const MAX_TOOLS: usize = 128;
/// Maximum length of a function name (OpenAI API reference).
const MAX_NAME_CHARS: usize = 64;
const MAX_STOPS: usize = 16;
const MAX_STOP_BYTES: usize = 512;
/// Type of a tool that groups functions, as Codex sends it.
const NAMESPACE: &str = "namespace";
const MAX_EFFORT_CHARS: usize = 20;
const CHOICES: &str = "The tool choice is auto, none, required, a function or a list of allowed tools.";

/// Members that no agent honours and that change the answer, if their value is not one of these defaults. Other members
/// are hints, such as `prompt_cache_key`, or bound what the hub does not do, such as `max_tool_calls`: they are ignored.
const UNSUPPORTED: [(&str, &[&str]); 10] = [
    ("n", &["1"]),
    ("logprobs", &["false"]),
    ("top_logprobs", &["0"]),
    ("logit_bias", &["{}"]),
    ("modalities", &["[]", "[\"text\"]"]),
    ("audio", &[]),
    ("functions", &["[]"]),
    ("function_call", &["\"none\"", "\"auto\""]),
    ("prompt", &[]),
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
    let effort = text(asked, "reasoning_effort")?;
    let sampling = sampling(asked, effort, "reasoning_effort")?;
    let options = CallOptions { format, max_tokens, sampling, ..common(asked, Some("function"))? };
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
    let effort = asked.get("reasoning").and_then(|reasoning| reasoning["effort"].as_str());
    let sampling = sampling(asked, effort, "reasoning.effort")?;
    let options = CallOptions { format, max_tokens, sampling, ..common(asked, None)? };
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
    let tools = function_tools(asked, nested)?;
    let (tool_choice, tools) = tool_choice(asked, nested, tools)?;
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
    options.sampling = SamplingOptions::default();
    Ok(options)
}

/// Parses how a model chooses its words. `effort` is the reasoning effort, which the member `effort_param` has.
fn sampling(
    asked: &Map<String, Value>,
    effort: Option<&str>,
    effort_param: &str,
) -> Result<SamplingOptions, OpenAiError> {
    let is_word = |word: &str| {
        (1..=MAX_EFFORT_CHARS).contains(&word.len())
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    if effort.is_some_and(|effort| !is_word(effort)) {
        let words = "The reasoning effort is a word such as low, medium or high.";
        return Err(OpenAiError::invalid(Some(effort_param), words));
    }
    let seed = match asked.get("seed") {
        None | Some(Value::Null) => None,
        Some(seed) => Some(seed.as_i64().ok_or_else(|| {
            OpenAiError::invalid(Some("seed"), "The seed is an integer of at most 64 bits.")
        })?),
    };
    Ok(SamplingOptions {
        temperature: number(asked, "temperature", 0.0, 2.0)?,
        top_p: number(asked, "top_p", 0.0, 1.0)?,
        presence_penalty: number(asked, "presence_penalty", -2.0, 2.0)?,
        frequency_penalty: number(asked, "frequency_penalty", -2.0, 2.0)?,
        seed,
        reasoning_effort: effort.map(str::to_owned),
    })
}

/// Returns an optional number within a range.
pub fn number(
    asked: &Map<String, Value>,
    param: &str,
    least: f64,
    most: f64,
) -> Result<Option<f64>, OpenAiError> {
    let Some(value) = asked.get(param).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| (least..=most).contains(number));
    let wrong = || {
        let words = format!("The member {param} is a number from {least} to {most}.");
        OpenAiError::invalid(Some(param), words)
    };
    number.map(Some).ok_or_else(wrong)
}

/// Returns the tools of a request: the member `tools`, and those in items `additional_tools` of the input, where newer
/// versions of Codex send some.
fn listed_tools(asked: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    fn list(value: Option<&Value>) -> &[Value] {
        value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
    let items = list(asked.get("input")).iter().filter(|item| item["type"] == "additional_tools");
    list(asked.get("tools")).iter().chain(items.flat_map(|item| list(item.get("tools"))))
}

/// Returns the functions among the tools, also those inside of a namespace. Tools of other types run at the service
/// that has them, or have no JSON Schema: clients such as Codex send them to every server, and go on without them.
fn function_tools(
    asked: &Map<String, Value>,
    nested: Option<&str>,
) -> Result<Vec<FunctionTool>, OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some("tools"), words);
    if asked.get("tools").is_some_and(|tools| !tools.is_null() && !tools.is_array()) {
        return Err(wrong("Tools are a list."));
    }
    let mut tools: Vec<FunctionTool> = Vec::new();
    for (index, tool) in listed_tools(asked).enumerate() {
        let param = format!("tools[{index}]");
        match tool["type"].as_str() {
            Some("function") => {
                add(
                    &mut tools,
                    function(nested.map_or(tool, |member| &tool[member]), "parameters", &param)?,
                    &param,
                )?;
            }
            Some(NAMESPACE) => {
                for tool in namespaced_functions(tool, nested, &param)? {
                    add(&mut tools, tool, &param)?;
                }
            }
            Some(_) => {}
            None => return Err(OpenAiError::invalid(Some(&format!("{param}.type")), "A tool has a type.")),
        }
        if tools.len() > MAX_TOOLS {
            return Err(wrong("Send at most 128 tools."));
        }
    }
    Ok(tools)
}

fn add(tools: &mut Vec<FunctionTool>, tool: FunctionTool, param: &str) -> Result<(), OpenAiError> {
    if tools.iter().any(|other| other.name == tool.name) {
        return Err(OpenAiError::invalid(Some(param), "Two tools have the same name."));
    }
    tools.push(tool);
    Ok(())
}

/// Returns the functions of a namespace, each by its name with the namespace before it. One whose whole name is too
/// long is left out.
fn namespaced_functions(
    namespace: &Value,
    nested: Option<&str>,
    param: &str,
) -> Result<Vec<FunctionTool>, OpenAiError> {
    let inner = namespace["tools"].as_array().into_iter().flatten();
    let mut tools = Vec::new();
    for tool in inner.filter(|tool| tool["type"] == "function") {
        let tool = function(nested.map_or(tool, |member| &tool[member]), "parameters", param)?;
        let name = namespaced_name(namespace["name"].as_str().unwrap_or_default(), &tool.name);
        if is_function_name(&name, MAX_NAME_CHARS) {
            tools.push(FunctionTool { name, ..tool });
        }
    }
    Ok(tools)
}

/// Returns the name by which a model calls a function of a namespace.
pub fn namespaced_name(namespace: &str, name: &str) -> String {
    format!("{namespace}__{name}")
}

/// Returns the functions inside of namespaces: the name for the model, the namespace, and the name in it.
pub fn namespaced_names(asked: &Map<String, Value>) -> Vec<(String, String, String)> {
    let namespaces = listed_tools(asked).filter(|tool| tool["type"] == NAMESPACE);
    let named = |namespace: &Value, tool: &Value| {
        let (namespace, name) = (namespace["name"].as_str()?, tool["name"].as_str()?);
        Some((namespaced_name(namespace, name), namespace.to_owned(), name.to_owned()))
    };
    namespaces
        .flat_map(|namespace| {
            let tools = namespace["tools"].as_array().into_iter().flatten();
            tools.filter_map(move |tool| named(namespace, tool))
        })
        .collect()
}

pub fn is_function_name(name: &str, max_chars: usize) -> bool {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=max_chars).contains(&name.len()) && name.chars().all(is_valid)
}

/// Parses a function, whose JSON Schema is the member `schema`.
pub fn function(function: &Value, schema: &str, param: &str) -> Result<FunctionTool, OpenAiError> {
    function_named(function, schema, param, MAX_NAME_CHARS)
}

/// Parses a function whose name has at most `max_chars`.
pub fn function_named(
    function: &Value,
    schema: &str,
    param: &str,
    max_chars: usize,
) -> Result<FunctionTool, OpenAiError> {
    let name = function["name"].as_str().unwrap_or_default();
    if !is_function_name(name, max_chars) {
        let words = format!(
            "A function has a name of at most {max_chars} letters, digits, underscores, dots and dashes."
        );
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

/// Returns the choice, and the tools that it leaves. A choice of a tool that was left out is the model's own.
fn tool_choice(
    asked: &Map<String, Value>,
    nested: Option<&str>,
    mut tools: Vec<FunctionTool>,
) -> Result<(ToolChoice, Vec<FunctionTool>), OpenAiError> {
    let wrong = |words: &str| OpenAiError::invalid(Some("tool_choice"), words);
    let named = |choice: &Value| {
        let named = nested.map_or(choice, |member| &choice[member]);
        named["name"].as_str().unwrap_or_default().to_owned()
    };
    let choice = match asked.get("tool_choice") {
        None | Some(Value::Null) => ToolChoice::Auto,
        Some(Value::String(word)) => choice_word(word)?,
        Some(choice) if choice["type"] == "function" => ToolChoice::Function(named(choice)),
        Some(choice) if choice["type"] == "allowed_tools" => {
            let allowed = if nested.is_some() { &choice["allowed_tools"] } else { choice };
            let names: Vec<_> = allowed["tools"].as_array().into_iter().flatten().map(named).collect();
            tools.retain(|tool| names.contains(&tool.name));
            choice_word(allowed["mode"].as_str().unwrap_or("auto"))?
        }
        Some(choice) if choice["type"].is_string() => ToolChoice::Auto,
        Some(_) => return Err(wrong(CHOICES)),
    };
    let has_others = listed_tools(asked).next().is_some();
    let choice = if choice == ToolChoice::Required && tools.is_empty() && has_others {
        ToolChoice::Auto
    } else {
        choice
    };
    let choice = checked_choice(choice, &tools);
    let choice = choice.ok_or_else(|| wrong("The tool choice names no tool of this request."))?;
    Ok((choice, tools))
}

fn choice_word(word: &str) -> Result<ToolChoice, OpenAiError> {
    match word {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::None),
        "required" => Ok(ToolChoice::Required),
        _ => Err(OpenAiError::invalid(Some("tool_choice"), CHOICES)),
    }
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
