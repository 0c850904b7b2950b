//! Placeholders, and what takes their places.

use std::fmt::Write as _;

use serde_json::Value;

use super::Request;

/// What the hub can fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// What to answer.
    Message,
    /// What was said before it, as text.
    History,
    /// The whole conversation as a list of `{role, content}`, as chat completions have it.
    Messages,
    /// The same for all messages of one conversation with the agent, and no other.
    Conversation,
    /// The id that the first request gave.
    Task,
}

impl Placeholder {
    pub const ALL: [Self; 5] = [Self::Message, Self::History, Self::Messages, Self::Conversation, Self::Task];

    /// As it is written in a request.
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

/// What a request is filled with.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub message: String,
    pub history: String,
    pub messages: Value,
    pub conversation: String,
    pub task: String,
}

impl Asked {
    fn get(&self, placeholder: Placeholder) -> &str {
        match placeholder {
            Placeholder::Message => &self.message,
            Placeholder::History => &self.history,
            // Only ever a value of its own.
            Placeholder::Messages => "",
            Placeholder::Conversation => &self.conversation,
            Placeholder::Task => &self.task,
        }
    }

    /// `text` with its placeholders filled in, each value passed through `write`.
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

    /// An address: what is filled in stays within its place in the path or the query.
    pub fn url(&self, template: &str) -> String {
        self.fill(template, |filled, value| {
            // A segment of dots would climb, also when it is encoded; encoded twice it is a name.
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

    /// A header's value. What would end the line is left out.
    pub fn header(&self, template: &str) -> String {
        self.fill(template, |filled, value| filled.extend(value.chars().filter(char::is_ascii_graphic)))
    }

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

fn first(text: &str) -> Option<(usize, Placeholder)> {
    let found = Placeholder::ALL.into_iter().filter_map(|it| Some((text.find(it.token())?, it)));
    found.min_by_key(|(at, _)| *at)
}

/// Every text of a request that is sent.
pub(super) fn texts(request: &Request) -> impl Iterator<Item = &str> {
    let mut texts: Vec<&str> = vec![&request.url];
    texts.extend(request.start_url.as_deref());
    texts.extend(request.headers.values().map(String::as_str));
    for body in [&request.body, &request.start_body].into_iter().flatten() {
        strings(body, &mut texts);
    }
    texts.into_iter()
}

/// The strings of a JSON value, without the names of its members.
pub(super) fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.values().for_each(|member| strings(member, found)),
        _ => {}
    }
}
