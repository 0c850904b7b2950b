//! JSON value of a card with its pointer and the list of problems to report to.

use plexus_domain::sanitized_text;
use serde_json::Value;
use url::Url;

use super::{
    card_url,
    problem::{Problems, Severity},
};
use crate::bounded_json::pointer_step;

/// A present value. `null` counts as absent, as in ProtoJSON.
#[derive(Clone)]
pub struct JsonNode<'a> {
    value: &'a Value,
    pointer: String,
    problems: &'a Problems,
}

impl<'a> JsonNode<'a> {
    pub const fn root(value: &'a Value, problems: &'a Problems) -> Self {
        Self { value, pointer: String::new(), problems }
    }

    pub fn error(&self, message: impl Into<String>) {
        self.problems.note(Severity::Error, &self.pointer, message);
    }

    pub fn warn(&self, message: impl Into<String>) {
        self.problems.note(Severity::Warning, &self.pointer, message);
    }

    /// Reports a problem of a member, which may be absent.
    pub fn note_at(&self, member: &str, severity: Severity, message: impl Into<String>) {
        self.problems.note(severity, &format!("{}{}", self.pointer, pointer_step(member)), message);
    }

    /// Returns a member by its name in camel case, also if the card has it in snake case (ProtoJSON).
    pub fn get(&self, member: &str) -> Option<Self> {
        let value = |name: &str| self.value.get(name).filter(|value| !value.is_null());
        if let Some(value) = value(member) {
            return Some(self.below(member, value));
        }
        let name = snake_case(member);
        Some(self.below(&name, value(&name)?))
    }

    /// Returns the member, or reports it as missing with its purpose.
    pub fn expect(&self, member: &str, severity: Severity, purpose: &str) -> Option<Self> {
        let found = self.get(member);
        if found.is_none() {
            self.note_at(member, severity, format!("This is missing: {purpose}."));
        }
        found
    }

    pub fn is_object(&self) -> bool {
        if !self.value.is_object() {
            self.wrong_type("an object");
        }
        self.value.is_object()
    }

    /// Returns the first `max` items of a list. Warns about further ones.
    pub fn items(&self, max: usize) -> Vec<Self> {
        let Some(list) = self.value.as_array() else {
            self.wrong_type("a list");
            return Vec::new();
        };
        self.warn_beyond(max, list.len());
        let step = |(index, value): (usize, &'a Value)| self.below(&index.to_string(), value);
        list.iter().take(max).enumerate().map(step).collect()
    }

    /// Returns the first `max` members of an object with free names. Warns about further ones.
    pub fn members(&self, max: usize) -> Vec<(&'a str, Self)> {
        let Some(object) = self.value.as_object() else {
            self.wrong_type("an object");
            return Vec::new();
        };
        self.warn_beyond(max, object.len());
        object.iter().take(max).map(|(name, value)| (name.as_str(), self.below(name, value))).collect()
    }

    pub const fn value(&self) -> &'a Value {
        self.value
    }

    pub fn flag(&self) -> Option<bool> {
        if !self.value.is_boolean() {
            self.wrong_type("true or false");
        }
        self.value.as_bool()
    }

    pub fn raw_text(&self) -> Option<&'a str> {
        if !self.value.is_string() {
            self.wrong_type("text");
        }
        self.value.as_str()
    }

    /// Returns one sanitized line, truncated to `max` characters.
    pub fn line(&self, max: usize) -> Option<String> {
        let raw = self.raw_text()?;
        Some(self.fit(raw, &sanitized_text::one_line(raw), max))
    }

    /// Returns sanitized multi-line text, truncated to `max` characters.
    pub fn block(&self, max: usize) -> Option<String> {
        let raw = self.raw_text()?;
        Some(self.fit(raw, sanitized_text::multi_line(raw).trim(), max))
    }

    /// Returns at most `count` sanitized lines of a list,
    /// each truncated to `max` characters. Omits empty ones.
    pub fn lines(&self, count: usize, max: usize) -> Vec<String> {
        self.texts(count, |item| item.line(max))
    }

    /// Like [`JsonNode::lines`], for multi-line texts.
    pub fn blocks(&self, count: usize, max: usize) -> Vec<String> {
        self.texts(count, |item| item.block(max))
    }

    fn texts(&self, count: usize, read: impl Fn(&Self) -> Option<String>) -> Vec<String> {
        let texts = self.items(count).into_iter().filter_map(|item| read(&item));
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Returns the URL if it is valid (see `url::check`); otherwise reports a problem of this severity.
    pub fn url(&self, severity: Severity) -> Option<Url> {
        match card_url::check(self.raw_text()?) {
            Ok(url) => {
                card_url::url_warnings(&url).into_iter().for_each(|oddity| self.warn(oddity));
                Some(url)
            }
            Err(reason) => {
                self.problems.note(severity, &self.pointer, reason);
                None
            }
        }
    }

    fn fit(&self, raw: &str, clean: &str, max: usize) -> String {
        if sanitized_text::has_invisible(&raw.replace(['\n', '\r', '\t'], " ")) {
            self.warn("This has characters that are not seen, such as controls or direction marks. They were removed.");
        }
        let length = clean.chars().count();
        if length > max {
            self.warn(format!("This has {length} characters; the first {max} are shown."));
        }
        sanitized_text::ellipsize(clean, max)
    }

    fn warn_beyond(&self, max: usize, found: usize) {
        if found > max {
            self.warn(format!("This has {found} entries; the first {max} are read."));
        }
    }

    fn wrong_type(&self, wanted: &str) {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.error(format!("Expected {wanted}, found {found}."));
    }

    fn below(&self, step: &str, value: &'a Value) -> Self {
        let pointer = format!("{}{}", self.pointer, pointer_step(step));
        Self { value, pointer, problems: self.problems }
    }
}
/// Returns a name in camel case as snake case: `iconUrl` as `icon_url`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
