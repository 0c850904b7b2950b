//! Static fixtures of the MCP conformance suite: tools, prompts and resources with fixed results.

use std::time::Duration;

use serde_json::{Value, json};

/// Pause between two notifications of one call.
pub const PAUSE: Duration = Duration::from_millis(50);
pub const DEFAULTS: &str = "Please review and update the form fields with defaults";
pub const CHOICES: &str = "Please choose";

/// PNG image of one red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// WAV header without samples.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

pub fn tools() -> Value {
    let text = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let none = || json!({ "type": "object", "properties": {} });
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_tool_with_progress",
        "test_error_handling",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_missing_capability",
        "test_logging_tool",
    ];
    let mut tools: Vec<Value> =
        plain.into_iter().chain(super::multi_round::TOOLS).map(|name| tool(name, &none())).collect();
    tools.push(tool("test_sampling", &text("prompt")));
    tools.push(tool("test_elicitation", &text("message")));
    Value::Array(tools)
}

fn tool(name: &str, input: &Value) -> Value {
    json!({ "name": name, "description": "A fixture of the conformance suite.", "inputSchema": input })
}

/// Returns the fixed content of a tool, or `None` if its result is computed.
pub fn content(tool: &str) -> Option<Value> {
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let embedded = |uri: &str, media_type: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } });
    Some(match tool {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_logging_tool" => json!([text("Nothing was logged, since nobody asked for it.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            json!([embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )])
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            let embedded = embedded("test://mixed-content-resource", "application/json", &data);
            json!([text("Multiple content types test:"), image, embedded])
        }
        _ => return None,
    })
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

/// Returns the elicitation request of a tool (protocol versions up to 2025-11-25).
pub fn elicitation(tool: &str, arguments: &Value) -> Option<Value> {
    let (message, properties, required) = match tool {
        "test_elicitation" => {
            let field = |words: &str| json!({ "type": "string", "description": words });
            let fields =
                json!({ "username": field("User's response"), "email": field("User's email address") });
            (arguments["message"].clone(), fields, json!(["username", "email"]))
        }
        "test_elicitation_sep1034_defaults" => (json!(DEFAULTS), defaults(), json!([])),
        "test_elicitation_sep1330_enums" => (json!(CHOICES), choices(), json!([])),
        _ => return None,
    };
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Some(json!({ "message": message, "requestedSchema": schema }))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = |values: [(&str, &str); 3]| -> Value {
        values.iter().map(|(value, title)| json!({ "const": value, "title": title })).collect()
    };
    let single =
        titled([("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")]);
    let many = titled([("value1", "First Choice"), ("value2", "Second Choice"), ("value3", "Third Choice")]);
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": single },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                        "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": many } },
    })
}

pub fn prompts() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "A test argument.", "required": true });
    let prompt = |name: &str, arguments: Value| json!({ "name": name, "description": "A fixture of the conformance suite.", "arguments": arguments });
    json!([
        prompt("test_simple_prompt", json!([])),
        prompt("test_prompt_with_arguments", json!([argument("arg1"), argument("arg2")])),
        prompt("test_prompt_with_embedded_resource", json!([argument("resourceUri")])),
        prompt("test_prompt_with_image", json!([])),
        prompt(super::multi_round::PROMPT, json!([])),
    ])
}

/// Returns the messages of a prompt.
pub fn messages(prompt: &str, arguments: &Value) -> Option<Value> {
    let user = |content: Value| json!({ "role": "user", "content": content });
    let given = |name: &str| arguments[name].as_str().unwrap_or_default();
    Some(match prompt {
        "test_simple_prompt" => json!([user(text("This is a simple prompt for testing."))]),
        "test_prompt_with_arguments" => {
            let words = format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2"));
            json!([user(text(&words))])
        }
        "test_prompt_with_embedded_resource" => {
            let words = "Embedded resource content for testing.";
            let resource = json!({ "uri": given("resourceUri"), "mimeType": "text/plain", "text": words });
            let embedded = json!({ "type": "resource", "resource": resource });
            json!([user(embedded), user(text("Please process the embedded resource above."))])
        }
        "test_prompt_with_image" => {
            let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
            json!([user(image), user(text("Please analyze the image above."))])
        }
        _ => return None,
    })
}

pub fn resources() -> Value {
    let resource = |uri: &str, name: &str, media_type: &str| json!({ "uri": uri, "name": name, "description": "A fixture of the conformance suite.", "mimeType": media_type });
    json!([
        resource("test://static-text", "Static text", "text/plain"),
        resource("test://static-binary", "Static binary", "image/png"),
        resource("test://watched-resource", "Watched resource", "text/plain"),
    ])
}

pub fn templates() -> Value {
    json!([{ "uriTemplate": "test://template/{id}/data", "name": "Data by id", "mimeType": "application/json",
             "description": "A fixture of the conformance suite." }])
}

/// Returns the contents of a resource.
pub fn resource(uri: &str) -> Option<Value> {
    let words = |words: &str| json!({ "uri": uri, "mimeType": "text/plain", "text": words });
    Some(match uri {
        "test://static-text" => words("This is the content of the static text resource."),
        "test://watched-resource" => words("This may be watched."),
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
    })
}
