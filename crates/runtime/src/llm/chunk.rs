//! Reads the members of a completion. A member of an unexpected kind is skipped: it costs that piece, never the answer.

use std::borrow::Cow;

use plexus_domain::run::Usage;
use serde_json::{Map, Value};

use crate::outbound::words_of;

/// Maximum nesting of content.
const MAX_DEPTH: usize = 6;

/// Members of a message with reasoning. A server that sends several of them sends the same text in each.
pub(super) const REASONING: [&str; 9] = [
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "thinking_content",
    "thought",
    "thoughts",
    "reasoning_details",
    "thinking_blocks",
];

pub(super) type Members = Map<String, Value>;

/// Piece of the content of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ContentPiece<'v> {
    Text(Cow<'v, str>),
    Reasoning(Cow<'v, str>),
    /// URL of an image, often with its data.
    Image(&'v str),
}

/// Why a message ended, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinishReason {
    Stop,
    Length,
    Filter,
    Error,
}

/// Returns the first choice of a chunk. A server without a list of choices sends the message itself.
pub(super) fn choice(chunk: &Members) -> Option<&Members> {
    match chunk.get("choices") {
        Some(Value::Array(list)) => list.iter().find_map(Value::as_object),
        Some(Value::Object(choice)) => Some(choice),
        _ => ["delta", "message"]
            .iter()
            .any(|name| chunk.get(*name).is_some_and(Value::is_object))
            .then_some(chunk),
    }
}

/// Returns the next piece of the message: `delta`, or the whole `message`. `has_begun`: a whole message would repeat what
/// came in pieces.
pub(super) fn message(choice: &Members, has_begun: bool) -> Option<Cow<'_, Members>> {
    let of = |name: &str| choice.get(name).and_then(Value::as_object).filter(|message| !message.is_empty());
    if let Some(message) = of("delta").or_else(|| of("message").filter(|_| !has_begun)) {
        return Some(Cow::Borrowed(message));
    }
    // The older completions API has the text here.
    let text = choice.get("text").filter(|text| text.is_string())?;
    Some(Cow::Owned(Members::from_iter([("content".to_owned(), text.clone())])))
}

/// Returns why the message ended, if it did.
pub(super) fn finish_reason(chunk: &Members, choice: &Members) -> Option<FinishReason> {
    let is_done = chunk.get("done") == Some(&Value::Bool(true));
    let named =
        ["finish_reason", "finishReason", "done_reason"].iter().find_map(|name| choice.get(*name)?.as_str());
    let named = named.map(str::to_ascii_lowercase).unwrap_or_default();
    Some(match named.as_str() {
        "" | "null" | "none" if is_done => FinishReason::Stop,
        "" | "null" | "none" => return None,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => FinishReason::Length,
        "content_filter" | "safety" | "prohibited_content" | "blocklist" | "recitation" | "sensitive" => {
            FinishReason::Filter
        }
        "error" | "network_error" | "insufficient_system_resource" => FinishReason::Error,
        _ => FinishReason::Stop,
    })
}

/// Returns the words of an error, if a chunk reports one.
pub(super) fn error(chunk: &Members) -> Option<String> {
    if let Some(error) =
        chunk.get("error").or_else(|| choice(chunk)?.get("error")).filter(|error| is_error(error))
    {
        let words = words_of(error).unwrap_or_else(|| error.to_string());
        return Some(words);
    }
    let is_named =
        ["type", "object", "event"].iter().any(|name| chunk.get(*name).is_some_and(|kind| kind == "error"));
    let is_bare = choice(chunk).is_none()
        && ["message", "detail", "errors", "msg", "error_msg", "errorMessage"]
            .iter()
            .any(|name| chunk.get(*name).is_some_and(is_error));
    if is_named || is_bare { words_of(&Value::Object(chunk.clone())) } else { None }
}

fn is_error(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// Adds the usage that a chunk reports. A count of zero is one that the server does not know.
pub(super) fn add_usage(chunk: &Members, usage: &mut Usage) {
    let places = [Some(chunk), choice(chunk), chunk.get("x_groq").and_then(Value::as_object)];
    let reported = places.into_iter().flatten().filter_map(|place| place.get("usage")?.as_object());
    for reported in reported.chain([chunk]) {
        let count = |names: &[&str]| {
            names.iter().find_map(|name| number(reported.get(*name)?)).filter(|count| *count > 0)
        };
        usage.tokens_in =
            count(&["prompt_tokens", "input_tokens", "prompt_eval_count"]).unwrap_or(usage.tokens_in);
        usage.tokens_out =
            count(&["completion_tokens", "output_tokens", "eval_count"]).unwrap_or(usage.tokens_out);
    }
}

/// Reads a count, also from a text or from a number with a fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is checked before, and its fraction does not matter"
)]
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            number.as_f64().filter(|number| (0.0..=9e15).contains(number)).map(|number| number as u64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Returns the reasoning of a message outside of its content.
pub(super) fn reasoning(message: &Members) -> String {
    let text = |name: &&str| Some(text_of(message.get(*name)?, 0)).filter(|text| !text.is_empty());
    REASONING.iter().find_map(text).unwrap_or_default()
}

/// Returns the content of a message in its order: text, reasoning and images.
pub(super) fn content(message: &Members) -> Vec<ContentPiece<'_>> {
    let mut pieces = Vec::new();
    for name in ["content", "refusal", "images"] {
        if let Some(value) = message.get(name) {
            add_content(value, name == "images", 0, &mut pieces);
        }
    }
    pieces
}

fn add_content<'v>(value: &'v Value, is_image: bool, depth: usize, pieces: &mut Vec<ContentPiece<'v>>) {
    match value {
        Value::String(text) if is_image => pieces.push(ContentPiece::Image(text)),
        Value::String(text) if !text.is_empty() => pieces.push(ContentPiece::Text(text.into())),
        Value::Number(number) if !is_image => pieces.push(ContentPiece::Text(number.to_string().into())),
        Value::Array(list) if depth < MAX_DEPTH => {
            list.iter().for_each(|item| add_content(item, is_image, depth + 1, pieces));
        }
        Value::Object(part) if depth < MAX_DEPTH => add_part(part, depth, pieces),
        _ => {}
    }
}

fn add_part<'v>(part: &'v Members, depth: usize, pieces: &mut Vec<ContentPiece<'v>>) {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(url) = image_url(part) {
        return pieces.push(ContentPiece::Image(url));
    }
    if is_reasoning_part(part) {
        let text = text_of(&Value::Object(part.clone()), 0);
        return pieces.push(ContentPiece::Reasoning(text.into()));
    }
    let text = match kind {
        "refusal" => part.get("refusal"),
        _ => part.get("text").or_else(|| part.get("content")).or_else(|| part.get("value")),
    };
    if let Some(text) = text {
        add_content(text, false, depth + 1, pieces);
    }
}

/// Returns whether a part of the content is reasoning.
pub(super) fn is_reasoning_part(part: &Members) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.contains("thinking")
        || kind.contains("reasoning")
        || kind == "thought"
        || part.get("thought") == Some(&Value::Bool(true))
}

fn image_url(part: &Members) -> Option<&str> {
    let image = part.get("image_url").or_else(|| part.get("image"))?;
    image.as_str().or_else(|| image.get("url")?.as_str())
}

/// Returns the text in a value of reasoning, wherever it is. Encrypted reasoning has none.
fn text_of(value: &Value, depth: usize) -> String {
    match value {
        _ if depth > MAX_DEPTH => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(|item| text_of(item, depth + 1)).collect(),
        Value::Object(members) => {
            ["text", "thinking", "summary", "content", "reasoning", "reasoning_content"]
                .iter()
                .map(|name| members.get(*name).map(|value| text_of(value, depth + 1)).unwrap_or_default())
                .find(|text| !text.is_empty())
                .unwrap_or_default()
        }
        _ => String::new(),
    }
}
