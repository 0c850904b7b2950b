//! Converts OpenAI request messages (text, images, audio, files) to a conversation for an agent.

use plexus_a2a::encoded_bytes::{DataUrl, decode_base64, is_data_url};
use plexus_domain::{
    CallOptions, Part, PartBody,
    part::{ToolUse, plain_text},
    sanitized_text,
};
use plexus_hub::{
    blobs::NewBlob,
    calls::{CallRequest, Origin, PriorMessage},
};
use serde_json::{Value, json};

use super::{call_options::namespaced_name, caller_call::added_metadata, error::OpenAiError};

const NAME_CHARS: usize = 200;
/// Question of a request that ends with a message of the agent.
const CONTINUE: &str = "Continue.";
const MAX_CALL_ID_BYTES: usize = 200;
/// Separator between instructions: a paragraph break.
const BETWEEN: &str = "\n\n";

/// A conversation for an agent.
pub struct Input {
    /// True if calls and results of tools are kept as such; else results are text of the caller.
    with_tools: bool,
    /// System messages for a model. For another agent they are text of the caller.
    system: Vec<String>,
    /// Reasoning of the model that belongs to its next message.
    reasoning: Vec<Part>,
    turns: Vec<PriorMessage>,
    files: Vec<NewBlob>,
}

impl Input {
    pub const fn has_tools(&self) -> bool {
        self.with_tools
    }

    /// Creates an empty conversation. `with_tools`: the agent calls tools of the caller.
    pub const fn new(with_tools: bool) -> Self {
        Self { with_tools, system: Vec::new(), reasoning: Vec::new(), turns: Vec::new(), files: Vec::new() }
    }

    /// Adds a user message.
    pub fn say(&mut self, words: &str) {
        self.turns.push(PriorMessage { by_agent: false, parts: vec![Part::text(words)] });
    }

    /// Adds a message of the role `system` or `developer`.
    pub fn add_system(&mut self, parts: Vec<Part>) {
        let (texts, others) = if self.with_tools {
            parts.into_iter().partition(|part| part.as_text().is_some())
        } else {
            (Vec::new(), parts)
        };
        self.system.extend(texts.iter().filter_map(Part::as_text).map(str::to_owned));
        self.turn(false, others);
    }

    /// Adds a list of messages; `param` is their name in errors.
    pub fn messages(&mut self, messages: &[Value], param: &str) -> Result<(), OpenAiError> {
        for (index, message) in messages.iter().enumerate() {
            self.message(message, &format!("{param}[{index}]"))?;
        }
        Ok(())
    }

    /// Builds the call. The last message is the question; the messages before it are history. After a message of
    /// the agent the question is to continue. System messages without any other message are the question.
    pub fn call(mut self, options: CallOptions, param: &str) -> Result<CallRequest, OpenAiError> {
        let system = std::mem::take(&mut self.system).join(BETWEEN);
        let mut system = Some(system).filter(|system| !system.trim().is_empty());
        if self.turns.is_empty()
            && let Some(system) = system.take()
        {
            self.say(&system);
        }
        let is_asked = system.is_some() || self.turns.iter().any(|turn| !turn.by_agent);
        if is_asked && self.turns.last().is_some_and(|last| last.by_agent) {
            self.say(CONTINUE);
        }
        let asked = self.turns.pop();
        let asked = asked
            .ok_or_else(|| OpenAiError::invalid(Some(param), "No message. Send at least one message."))?;
        if asked.by_agent {
            let words = "All messages are from the agent. Send a user message.";
            return Err(OpenAiError::invalid(Some(param), words));
        }
        Ok(CallRequest {
            before: self.turns,
            files: self.files,
            options: CallOptions { system, ..options },
            ..CallRequest::new(Origin::OpenAi, asked.parts)
        })
    }

    /// Adds a message. Messages without content are skipped.
    fn message(&mut self, message: &Value, param: &str) -> Result<(), OpenAiError> {
        let wrong = |words: &str| OpenAiError::invalid(Some(param), words);
        let kind = message["type"].as_str().unwrap_or("message");
        let (role, content) = match kind {
            "message" => {
                (message["role"].as_str().ok_or_else(|| wrong("A message has a role."))?, &message["content"])
            }
            "function_call_output" if self.with_tools => {
                return self.result(&message["call_id"], &message["output"], param);
            }
            "function_call_output" => ("tool", &message["output"]),
            "function_call" if self.with_tools => {
                let name = match (message["namespace"].as_str(), message["name"].as_str()) {
                    (Some(namespace), Some(name)) => json!(namespaced_name(namespace, name)),
                    _ => message["name"].clone(),
                };
                let part = call_part(&message["call_id"], &name, &message["arguments"], param)?;
                let metadata = added_metadata(message, &Value::Null);
                self.add_to_last(true, vec![Part { metadata, ..part }]);
                return Ok(());
            }
            "reasoning" => {
                self.reason(&reasoning_text(message));
                return Ok(());
            }
            // Skip other items, such as tool calls of other models.
            _ if message.is_object() => return Ok(()),
            _ => return Err(wrong("A message is an object.")),
        };
        let by_agent = match role {
            "assistant" => true,
            "system" | "developer" | "user" | "tool" | "function" => false,
            _ => return Err(OpenAiError::invalid(Some(&format!("{param}.role")), "Unknown role.")),
        };
        if role == "tool" && self.with_tools {
            return self.result(&message["tool_call_id"], content, param);
        }
        let mut parts = self.content(content, &format!("{param}.content"))?;
        if matches!(role, "system" | "developer") {
            self.add_system(parts);
            return Ok(());
        }
        if by_agent {
            let reasoning = message["reasoning_content"].as_str().or_else(|| message["reasoning"].as_str());
            self.reason(reasoning.unwrap_or_default());
        }
        let calls = message["tool_calls"].as_array().filter(|_| by_agent && self.with_tools);
        for call in calls.into_iter().flatten() {
            let function = &call["function"];
            let param = format!("{param}.tool_calls");
            let part = call_part(&call["id"], &function["name"], &function["arguments"], &param)?;
            parts.push(Part { metadata: added_metadata(call, function), ..part });
        }
        self.turn(by_agent, parts);
        Ok(())
    }

    /// Adds reasoning of the model, which goes back to it with its next message. Other agents do not get it.
    pub fn reason(&mut self, text: &str) {
        if self.with_tools && !text.trim().is_empty() {
            self.reasoning.push(PartBody::Reasoning { text: text.to_owned() }.into());
        }
    }

    /// Adds a turn, unless it is empty.
    pub fn turn(&mut self, by_agent: bool, parts: Vec<Part>) {
        if parts.is_empty() {
            return;
        }
        let mut all = std::mem::take(&mut self.reasoning);
        if !by_agent {
            all.clear();
        }
        all.extend(parts);
        self.turns.push(PriorMessage { by_agent, parts: all });
    }

    /// Adds a tool's result. Results of one turn are one message, since the agent's calls were one as well.
    fn result(&mut self, id: &Value, output: &Value, param: &str) -> Result<(), OpenAiError> {
        let parts = self.content(output, &format!("{param}.content"))?;
        self.result_parts(id, parts, param)
    }

    /// Adds a tool's result that is converted already.
    pub fn result_parts(&mut self, id: &Value, parts: Vec<Part>, param: &str) -> Result<(), OpenAiError> {
        let call_id = call_id(id, param)?;
        let text = plain_text(&parts);
        let files = parts.into_iter().filter(|part| part.as_text().is_none());
        let tool = ToolUse {
            tool: String::new(),
            arguments: Value::Null,
            result: Some(Value::String(text)),
            took_ms: None,
            call_id: Some(call_id),
        };
        let parts = std::iter::once(PartBody::Tool(tool).into()).chain(files).collect();
        let is_after_result = self.turns.last().is_some_and(|last| last.parts.iter().any(is_result));
        if is_after_result {
            self.add_to_last(false, parts);
        } else {
            self.turn(false, parts);
        }
        Ok(())
    }

    /// Adds parts to the last turn if it has the same author, else as a turn.
    fn add_to_last(&mut self, by_agent: bool, parts: Vec<Part>) {
        match self.turns.last_mut() {
            Some(last) if last.by_agent == by_agent => {
                let reasoning = std::mem::take(&mut self.reasoning);
                last.parts.extend(reasoning.into_iter().filter(|_| by_agent).chain(parts));
            }
            _ => self.turn(by_agent, parts),
        }
    }

    fn content(&mut self, content: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
        match content {
            Value::Null => Ok(Vec::new()),
            Value::String(words) => Ok(text_parts(words)),
            Value::Array(pieces) => {
                let mut parts = Vec::new();
                for (index, piece) in pieces.iter().enumerate() {
                    parts.extend(self.piece(piece, &format!("{param}[{index}]"))?);
                }
                Ok(parts)
            }
            _ => Err(OpenAiError::invalid(Some(param), "Content is a text or a list of parts.")),
        }
    }

    fn piece(&mut self, piece: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
        let wrong = |words: &str| OpenAiError::invalid(Some(param), words);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match piece["type"].as_str().unwrap_or_default() {
            "text" | "input_text" | "output_text" => {
                piece["text"].as_str().map(text_parts).ok_or_else(|| wrong("A part of this type has a text."))
            }
            "refusal" => {
                piece["refusal"].as_str().map(text_parts).ok_or_else(|| wrong("A refusal has words."))
            }
            "image_url" => {
                let url = text(&piece["image_url"]["url"]).or_else(|| text(&piece["image_url"]));
                self.link(url.as_deref(), None, param)
            }
            "input_image" => self.link(piece["image_url"].as_str(), None, param),
            "file" => self.file(&piece["file"], param),
            "input_file" => self.file(piece, param),
            "input_audio" => {
                let audio = &piece["input_audio"];
                let kind = sanitized_text::one_line(audio["format"].as_str().unwrap_or("wav"));
                let data = audio["data"].as_str().ok_or_else(|| wrong("Audio has its data as base64."))?;
                self.bytes(Some(format!("audio/{kind}")), data, None, param)
            }
            _ => Err(wrong("Unsupported part type. Use text, images, audio or files.")),
        }
    }

    fn file(&mut self, file: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
        let name = file["filename"]
            .as_str()
            .map(|name| sanitized_text::ellipsize(&sanitized_text::one_line(name), NAME_CHARS));
        match (file["file_data"].as_str(), file["file_url"].as_str()) {
            (Some(data), _) if is_data_url(data) => self.link(Some(data), name, param),
            (Some(data), _) => self.bytes(None, data, name, param),
            (None, url) => self.link(url, name, param),
        }
    }

    /// Returns a link, or a file if the URL is a `data:` URL (RFC 2397).
    pub fn link(
        &mut self,
        url: Option<&str>,
        name: Option<String>,
        param: &str,
    ) -> Result<Vec<Part>, OpenAiError> {
        let words = "Send the file as a URL or as base64 data. Uploads by id are not supported.";
        let url = url.ok_or_else(|| OpenAiError::invalid(Some(param), words))?;
        if !is_data_url(url) {
            return Ok(vec![Part { name, ..Part::from(PartBody::Link { url: linkable(url, param)? }) }]);
        }
        let words = "A data: URL looks like data:image/png;base64,…";
        let data = DataUrl::parse(url).ok_or_else(|| OpenAiError::invalid(Some(param), words))?;
        Ok(self.blob(data.media_type, data.bytes, name))
    }

    pub fn bytes(
        &mut self,
        media_type: Option<String>,
        data: &str,
        name: Option<String>,
        param: &str,
    ) -> Result<Vec<Part>, OpenAiError> {
        let wrong = || OpenAiError::invalid(Some(param), "The bytes of the file are not base64.");
        Ok(self.blob(media_type, decode_base64(data).ok_or_else(wrong)?, name))
    }

    fn blob(&mut self, media_type: Option<String>, bytes: Vec<u8>, name: Option<String>) -> Vec<Part> {
        let blob = NewBlob::new(media_type, bytes);
        let part = blob.part(name);
        self.files.push(blob);
        vec![part]
    }
}

/// Returns the text of a reasoning item: the reasoning itself, else its summary.
fn reasoning_text(item: &Value) -> String {
    let texts = |member: &str| {
        let parts = item[member].as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join(BETWEEN)
    };
    let whole = texts("content");
    if whole.is_empty() { texts("summary") } else { whole }
}

fn is_result(part: &Part) -> bool {
    matches!(&part.content, PartBody::Tool(tool) if tool.result.is_some())
}

/// Returns the part for a call that the model made earlier.
pub fn call_part(id: &Value, name: &Value, arguments: &Value, param: &str) -> Result<Part, OpenAiError> {
    let name = name.as_str().filter(|name| !name.is_empty());
    let tool =
        name.ok_or_else(|| OpenAiError::invalid(Some(param), "A call has the name of its function."))?;
    let arguments = match arguments {
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => {
            let parsed = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
            parsed.unwrap_or_else(|| Value::String(text.clone()))
        }
        Value::Null => json!({}),
        arguments => arguments.clone(),
    };
    let call_id = Some(call_id(id, param)?);
    let tool = ToolUse { tool: tool.to_owned(), arguments, result: None, took_ms: None, call_id };
    Ok(PartBody::Tool(tool).into())
}

fn call_id(id: &Value, param: &str) -> Result<String, OpenAiError> {
    let id = id.as_str().filter(|id| !id.is_empty() && id.len() <= MAX_CALL_ID_BYTES);
    let wrong = || OpenAiError::invalid(Some(param), "A tool call is named by its id.");
    id.map(str::to_owned).ok_or_else(wrong)
}

fn text_parts(words: &str) -> Vec<Part> {
    if words.trim().is_empty() { Vec::new() } else { vec![Part::text(words)] }
}

fn linkable(url: &str, param: &str) -> Result<String, OpenAiError> {
    let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    parsed
        .map(String::from)
        .ok_or_else(|| OpenAiError::invalid(Some(param), "A link is an http or https URL."))
}
