//! Encodes the options of a call for the chat completions API.

use plexus_domain::{
    CallOptions,
    agent::{Hundredths, ModelParameters, ReasoningEffort},
    call_options::{AnswerFormat, FunctionTool, SamplingOptions, ToolChoice},
};
use serde_json::{Map, Value, json};

use super::ModelEndpoint;

/// Returns the function definition of a caller's tool.
pub(super) fn function(tool: &FunctionTool) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), json!(tool.name));
    insert(&mut function, "description", tool.description.as_ref().map(|text| json!(text)));
    let parameters = tool.parameters.clone().unwrap_or_else(|| json!({ "type": "object", "properties": {} }));
    insert(&mut function, "parameters", Some(parameters));
    insert(&mut function, "strict", tool.strict.map(Value::Bool));
    json!({ "type": "function", "function": function })
}

/// Returns the members of a streaming request that encode the options, except the tools, and the agent's parameters.
pub(super) fn members(
    options: &CallOptions,
    parameters: ModelParameters,
    model: &ModelEndpoint,
) -> Map<String, Value> {
    let mut members = Map::new();
    insert(&mut members, "stream", Some(Value::Bool(true)));
    insert(&mut members, "stream_options", Some(json!({ "include_usage": true })));
    sampling(&mut members, &options.sampling, parameters);
    if !options.callable_tools().is_empty() {
        insert(&mut members, "tool_choice", tool_choice(&options.tool_choice));
        insert(&mut members, "parallel_tool_calls", options.parallel_tool_calls.map(Value::Bool));
    }
    insert(&mut members, "response_format", response_format(&options.format));
    insert(&mut members, "stop", (!options.stop.is_empty()).then(|| json!(options.stop)));
    insert(&mut members, max_tokens_member(model), options.max_tokens.map(|most| json!(most)));
    members
}

/// Adds how the model chooses its words: as the caller says, else as the agent's owner says.
fn sampling(members: &mut Map<String, Value>, asked: &SamplingOptions, parameters: ModelParameters) {
    let temperature = asked.temperature.or_else(|| parameters.temperature().map(Hundredths::as_f64));
    let top_p = asked.top_p.or_else(|| parameters.top_p().map(Hundredths::as_f64));
    let effort = asked.reasoning_effort.as_deref();
    let effort = effort.or_else(|| parameters.reasoning_effort().map(ReasoningEffort::as_str));
    insert(members, "temperature", temperature.map(|number| json!(number)));
    insert(members, "top_p", top_p.map(|number| json!(number)));
    insert(members, "presence_penalty", asked.presence_penalty.map(|number| json!(number)));
    insert(members, "frequency_penalty", asked.frequency_penalty.map(|number| json!(number)));
    insert(members, "seed", asked.seed.map(|number| json!(number)));
    insert(members, "reasoning_effort", effort.map(|effort| json!(effort)));
}

fn insert(members: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.insert(name.to_owned(), value);
    }
}

/// OpenAI refuses `max_tokens` for its reasoning models. Many other servers know no other name.
fn max_tokens_member(model: &ModelEndpoint) -> &'static str {
    if model.base.host_str() == Some("api.openai.com") { "max_completion_tokens" } else { "max_tokens" }
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Function(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

fn response_format(format: &AnswerFormat) -> Option<Value> {
    match format {
        AnswerFormat::Text => None,
        AnswerFormat::JsonObject => Some(json!({ "type": "json_object" })),
        AnswerFormat::JsonSchema { name, description, schema, strict } => {
            let mut named = Map::new();
            named.insert("name".to_owned(), json!(name));
            insert(&mut named, "description", description.as_ref().map(|text| json!(text)));
            named.insert("schema".to_owned(), schema.clone());
            insert(&mut named, "strict", strict.map(Value::Bool));
            Some(json!({ "type": "json_schema", "json_schema": named }))
        }
    }
}
