//! Converts OpenAI request messages (text, images, audio, files) to a conversation for an agent.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plexus_domain::{Part, PartBody, sanitized_text};
use plexus_hub::{
    blobs::NewBlob,
    calls::{CallRequest, Origin, PriorMessage},
};
use serde_json::Value;

use super::error::OpenAiError;

const NAME_CHARS: usize = 200;

/// A conversation for an agent.
#[derive(Default)]
pub struct Input {
    turns: Vec<PriorMessage>,
    files: Vec<NewBlob>,
}

impl Input {
    /// Adds a user message.
    pub fn say(&mut self, words: &str) {
        self.turns.push(PriorMessage { by_agent: false, parts: vec![Part::text(words)] });
    }

    /// Adds a list of messages; `param` is their name in errors.
    pub fn messages(&mut self, messages: &[Value], param: &str) -> Result<(), OpenAiError> {
        for (index, message) in messages.iter().enumerate() {
            self.message(message, &format!("{param}[{index}]"))?;
        }
        Ok(())
    }

    /// Builds the call. The last message is the question; the messages before it are history.
    pub fn call(mut self, param: &str) -> Result<CallRequest, OpenAiError> {
        let asked = self.turns.pop();
        let asked = asked
            .ok_or_else(|| OpenAiError::invalid(Some(param), "No message. Send at least one message."))?;
        if asked.by_agent {
            let words = "The last message is from the agent. End with a user message.";
            return Err(OpenAiError::invalid(Some(param), words));
        }
        Ok(CallRequest {
            before: self.turns,
            files: self.files,
            ..CallRequest::new(Origin::OpenAi, asked.parts)
        })
    }

    /// Adds a message. Messages without content, such as those that only call tools, are skipped.
    fn message(&mut self, message: &Value, param: &str) -> Result<(), OpenAiError> {
        let wrong = |words: &str| OpenAiError::invalid(Some(param), words);
        let kind = message["type"].as_str().unwrap_or("message");
        let (role, content) = match kind {
            "message" => {
                (message["role"].as_str().ok_or_else(|| wrong("A message has a role."))?, &message["content"])
            }
            "function_call_output" => ("tool", &message["output"]),
            // Skip other items, such as reasoning and tool calls of other models.
            _ if message.is_object() => return Ok(()),
            _ => return Err(wrong("A message is an object.")),
        };
        let by_agent = match role {
            "assistant" => true,
            "system" | "developer" | "user" | "tool" | "function" => false,
            _ => return Err(OpenAiError::invalid(Some(&format!("{param}.role")), "Unknown role.")),
        };
        let parts = self.content(content, &format!("{param}.content"))?;
        if !parts.is_empty() {
            self.turns.push(PriorMessage { by_agent, parts });
        }
        Ok(())
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
            (Some(data), _) if data.starts_with("data:") => self.link(Some(data), name, param),
            (Some(data), _) => self.bytes(None, data, name, param),
            (None, url) => self.link(url, name, param),
        }
    }

    /// Returns a link, or a file if the URL is a `data:` URL (RFC 2397).
    fn link(
        &mut self,
        url: Option<&str>,
        name: Option<String>,
        param: &str,
    ) -> Result<Vec<Part>, OpenAiError> {
        let words = "Send the file as a URL or as base64 data. Uploads by id are not supported.";
        let url = url.ok_or_else(|| OpenAiError::invalid(Some(param), words))?;
        let Some(data) = url.strip_prefix("data:") else {
            return Ok(vec![Part { name, ..Part::from(PartBody::Link { url: linkable(url, param)? }) }]);
        };
        let unreadable =
            || OpenAiError::invalid(Some(param), "A data: URL looks like data:image/png;base64,…");
        let (head, data) = data.split_once(',').ok_or_else(unreadable)?;
        let media_type = head.strip_suffix(";base64").ok_or_else(unreadable)?;
        self.bytes(Some(media_type.to_owned()), data, name, param)
    }

    fn bytes(
        &mut self,
        media_type: Option<String>,
        data: &str,
        name: Option<String>,
        param: &str,
    ) -> Result<Vec<Part>, OpenAiError> {
        let bytes = STANDARD.decode(data.trim());
        let bytes =
            bytes.map_err(|_| OpenAiError::invalid(Some(param), "The bytes of the file are not base64."))?;
        let blob = NewBlob::new(media_type, bytes);
        let part = blob.part(name);
        self.files.push(blob);
        Ok(vec![part])
    }
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
