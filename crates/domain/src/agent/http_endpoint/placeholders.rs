//! Placeholders of request templates and their substitution.

use std::fmt::Write as _;

use serde_json::Value;

use super::EndpointRequestSpec;

/// A placeholder that the hub can substitute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The message to answer.
    Message,
    /// The earlier messages of the conversation, as text.
    History,
    /// The whole conversation as a list of `{role, content}`, as in chat completions.
    Messages,
    /// An id of this conversation with the agent, equal for all its messages and unique to it.
    Conversation,
    /// The task id from the response to the init request.
    Task,
}

impl Placeholder {
    pub const ALL: [Self; 5] = [Self::Message, Self::History, Self::Messages, Self::Conversation, Self::Task];

    /// Returns the placeholder as written in a template.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Message => "{{message}}",
            Self::History => "{{history}}",
            Self::Messages => "{{messages}}",
            Self::Conversation => "{{conversation}}",
            Self::Task => "{{task}}",
        }
    }
}

/// Values for the placeholders of one request.
#[derive(Clone, Debug, Default)]
pub struct PlaceholderValues {
    pub message: String,
    pub history: String,
    pub messages: Value,
    pub conversation: String,
    pub task: String,
}

impl PlaceholderValues {
    fn get(&self, placeholder: Placeholder) -> &str {
        match placeholder {
            Placeholder::Message => &self.message,
            Placeholder::History => &self.history,
            // A list, not a text: substituted only as a whole JSON value, in `body`.
            Placeholder::Messages => "",
            Placeholder::Conversation => &self.conversation,
            Placeholder::Task => &self.task,
        }
    }

    /// Substitutes the placeholders in `text`; `write` escapes each value.
    fn fill(&self, mut text: &str, write: impl Fn(&mut String, &str)) -> String {
        let mut filled = String::with_capacity(text.len());
        while let Some((at, placeholder)) = first(text) {
            filled.push_str(&text[..at]);
            write(&mut filled, self.get(placeholder));
            text = &text[at + placeholder.token().len()..];
        }
        filled.push_str(text);
        filled
    }

    /// Substitutes placeholders in a URL. Values are percent-encoded,
    /// so they cannot leave their segment or parameter.
    pub fn url(&self, template: &str) -> String {
        self.fill(template, |filled, value| {
            // Path traversal: "." and ".." are resolved even when
            // percent-encoded. Encoded twice they are names.
            let value =
                if value.bytes().all(|byte| byte == b'.') { &"%2E".repeat(value.len()) } else { value };
            for byte in value.bytes() {
                let _ = match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                        filled.write_char(byte.into())
                    }
                    _ => write!(filled, "%{byte:02X}"),
                };
            }
        })
    }

    /// Substitutes placeholders in a header value. Only printable ASCII is retained (header injection).
    pub fn header(&self, template: &str) -> String {
        self.fill(template, |filled, value| filled.extend(value.chars().filter(char::is_ascii_graphic)))
    }

    /// Substitutes placeholders in the strings of a JSON body. `{{messages}}` becomes a JSON list.
    pub fn body(&self, template: &Value) -> Value {
        match template {
            Value::String(text) if text == Placeholder::Messages.token() => self.messages.clone(),
            Value::String(text) => Value::String(self.fill(text, |filled, value| filled.push_str(value))),
            Value::Array(items) => items.iter().map(|item| self.body(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.body(value))).collect()
            }
            other => other.clone(),
        }
    }
}

/// Finds the first placeholder.
fn first(text: &str) -> Option<(usize, Placeholder)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("{{") {
        let at = from + found;
        if let Some(placeholder) = Placeholder::ALL.into_iter().find(|it| text[at..].starts_with(it.token()))
        {
            return Some((at, placeholder));
        }
        from = at + 1;
    }
    None
}

/// Returns the number of placeholders in a text.
pub(super) fn count(mut text: &str) -> usize {
    let mut count = 0;
    while let Some((at, placeholder)) = first(text) {
        count += 1;
        text = &text[at + placeholder.token().len()..];
    }
    count
}

/// Returns all texts of a request that are sent and may hold placeholders.
pub(super) fn template_texts(request: &EndpointRequestSpec) -> impl Iterator<Item = &str> {
    let mut texts: Vec<&str> = vec![&request.url];
    texts.extend(request.init_url.as_deref());
    texts.extend(request.headers.values().map(String::as_str));
    for body in [&request.body, &request.init_body].into_iter().flatten() {
        json_strings(body, &mut texts);
    }
    texts.into_iter()
}

/// Collects the strings of a JSON value, without member names.
pub(super) fn json_strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| json_strings(item, found)),
        Value::Object(members) => members.values().for_each(|member| json_strings(member, found)),
        _ => {}
    }
}
