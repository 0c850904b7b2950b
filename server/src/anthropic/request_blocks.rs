//! Converts the messages of a request, which are made of blocks, to a conversation for an agent.

use plexus_domain::{Part, sanitized_text};
use serde_json::{Map, Value};

use crate::openai::{
    error::OpenAiError,
    request_messages::{Input, call_part},
};

const NAME_CHARS: usize = 200;

/// Returns the conversation. `with_tools`: the agent calls tools of the caller.
pub fn parse(asked: &Map<String, Value>, with_tools: bool) -> Result<Input, OpenAiError> {
    let mut input = Input::new(with_tools);
    let system = asked.get("system").unwrap_or(&Value::Null);
    let parts = blocks(&mut input, system, "system")?;
    input.add_system(parts);
    let messages = asked.get("messages").and_then(Value::as_array);
    let messages =
        messages.ok_or_else(|| OpenAiError::invalid(Some("messages"), "Send a list of messages."))?;
    for (index, message) in messages.iter().enumerate() {
        add_message(&mut input, message, &format!("messages.{index}"))?;
    }
    Ok(input)
}

fn add_message(input: &mut Input, message: &Value, param: &str) -> Result<(), OpenAiError> {
    let by_agent = match message["role"].as_str() {
        Some("assistant") => true,
        Some("user" | "system") => false,
        _ => {
            let words = "The role of a message is user or assistant.";
            return Err(OpenAiError::invalid(Some(&format!("{param}.role")), words));
        }
    };
    let (content, param) = (&message["content"], format!("{param}.content"));
    if message["role"] == "system" {
        let parts = blocks(input, content, &param)?;
        input.add_system(parts);
        return Ok(());
    }
    let Value::Array(listed) = content else {
        let parts = blocks(input, content, &param)?;
        input.turn(by_agent, parts);
        return Ok(());
    };
    // Results of tools are a message of their own, before the words that follow them.
    let mut parts = Vec::new();
    for (index, content) in listed.iter().enumerate() {
        let param = format!("{param}.{index}");
        if content["type"] == "tool_result" && input.has_tools() {
            input.turn(by_agent, std::mem::take(&mut parts));
            let result = result(input, content, &param)?;
            input.result_parts(&content["tool_use_id"], result, &param)?;
        } else {
            parts.extend(block(input, content, &param)?);
        }
    }
    input.turn(by_agent, parts);
    Ok(())
}

fn blocks(input: &mut Input, content: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
    match content {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(text_parts(text)),
        Value::Array(listed) => {
            let mut parts = Vec::new();
            for (index, content) in listed.iter().enumerate() {
                parts.extend(block(input, content, &format!("{param}.{index}"))?);
            }
            Ok(parts)
        }
        _ => Err(OpenAiError::invalid(Some(param), "Content is a text or a list of blocks.")),
    }
}

fn block(input: &mut Input, block: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
    match block["type"].as_str().unwrap_or_default() {
        "text" => {
            let text = block["text"].as_str();
            let wrong = || OpenAiError::invalid(Some(param), "A block of the type text has a text.");
            text.map(text_parts).ok_or_else(wrong)
        }
        "image" => source(input, &block["source"], None, param),
        "document" => {
            let title = block["title"].as_str().map(sanitized_text::one_line);
            let name = title.map(|title| sanitized_text::ellipsize(&title, NAME_CHARS));
            source(input, &block["source"], name, param)
        }
        "search_result" => blocks(input, &block["content"], &format!("{param}.content")),
        "tool_use" if input.has_tools() => {
            Ok(vec![call_part(&block["id"], &block["name"], &block["input"], param)?])
        }
        "tool_result" => result(input, block, param),
        "thinking" => {
            input.reason(block["thinking"].as_str().unwrap_or_default());
            Ok(Vec::new())
        }
        "compaction" => blocks(input, &block["content"], &format!("{param}.content")),
        // Not for another agent than the one that wrote them: calls, encrypted thinking, and the work of services.
        kind if is_foreign(kind) => Ok(Vec::new()),
        _ => {
            let words = "Unsupported block type. Use text, image, document, tool_use or tool_result.";
            Err(OpenAiError::unsupported(format!("{param}.type"), words))
        }
    }
}

/// Returns whether a block is the work of the service that answered before, which only that can read.
fn is_foreign(kind: &str) -> bool {
    matches!(
        kind,
        "tool_use" | "redacted_thinking" | "server_tool_use" | "mcp_tool_use" | "tool_reference" | "fallback"
    ) || kind.ends_with("_tool_result")
}

/// Returns the content of a tool's result. A failure is marked in its text, since models get no other mark.
fn result(input: &mut Input, block: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
    let mut parts = blocks(input, &block["content"], &format!("{param}.content"))?;
    if block["is_error"] == true {
        parts.insert(0, Part::text("Error:"));
    }
    Ok(parts)
}

/// Returns a file that is given as base64, as a text, as blocks or by a URL.
fn source(
    input: &mut Input,
    source: &Value,
    name: Option<String>,
    param: &str,
) -> Result<Vec<Part>, OpenAiError> {
    let param = format!("{param}.source");
    let media_type = source["media_type"].as_str().map(str::to_owned);
    match (source["type"].as_str().unwrap_or_default(), source["data"].as_str()) {
        ("base64", Some(data)) => input.bytes(media_type, data, name, &param),
        ("text", Some(text)) => {
            Ok(text_parts(text).into_iter().map(|part| Part { name: name.clone(), ..part }).collect())
        }
        ("url", _) => input.link(source["url"].as_str(), name, &param),
        ("content", _) => blocks(input, &source["content"], &format!("{param}.content")),
        _ => {
            let words = "Send the file as base64, text, content or a URL. Uploads by id are not supported.";
            Err(OpenAiError::invalid(Some(&param), words))
        }
    }
}

fn text_parts(text: &str) -> Vec<Part> {
    if text.trim().is_empty() { Vec::new() } else { vec![Part::text(text)] }
}
