//! Options of a request that a model server refuses. They are left out, and the request is sent again.

use std::collections::BTreeSet;

use http::StatusCode;
use serde_json::{Map, Value, json};

/// Options that a request can do without, and words by which servers refuse them besides their name.
const OPTIONS: [(&str, &[&str]); 13] = [
    ("stream_options", &["include_usage"]),
    ("parallel_tool_calls", &["parallel tool"]),
    ("reasoning_effort", &["reasoning effort", "reasoning.effort"]),
    ("temperature", &[]),
    ("top_p", &["top-p"]),
    ("response_format", &["json_schema", "json_object", "json mode", "structured output", "response format"]),
    ("tool_choice", &["tool choice"]),
    ("max_completion_tokens", &[]),
    ("max_tokens", &["max tokens"]),
    ("stop", &["stop sequence"]),
    ("seed", &[]),
    ("frequency_penalty", &[]),
    ("presence_penalty", &[]),
];
/// Words of refusals that name no option.
const UNNAMED: [&str; 9] = [
    "parameter",
    "argument",
    "extra input",
    "extra field",
    "not permitted",
    "unrecognized",
    "unknown field",
    "unexpected field",
    "unsupported field",
];

/// Options that a server has refused in this run.
#[derive(Clone, Debug, Default)]
pub(super) struct RefusedOptions {
    refused: BTreeSet<&'static str>,
    /// True if the server does not stream.
    no_stream: bool,
    /// True if the other name of `max_tokens` is to be used.
    other_max_tokens: bool,
}

impl RefusedOptions {
    /// Removes what the server refuses from the members of a request.
    pub fn apply(&self, members: &mut Map<String, Value>) {
        if self.other_max_tokens {
            let (old, new) = match members.contains_key("max_tokens") {
                true => ("max_tokens", "max_completion_tokens"),
                false => ("max_completion_tokens", "max_tokens"),
            };
            if let Some(most) = members.remove(old) {
                members.insert(new.to_owned(), most);
            }
        }
        members.retain(|name, _| !self.refused.contains(name.as_str()));
        if self.no_stream {
            members.insert("stream".to_owned(), json!(false));
            members.remove("stream_options");
        }
    }

    /// Notes what a server refuses with `words`. Returns true if the request with these members can be sent again without
    /// it. Each time it has fewer options, so that this ends.
    pub fn learn(&mut self, status: Option<StatusCode>, words: &str, members: &Map<String, Value>) -> bool {
        let may_refuse = |status: StatusCode| {
            status.is_client_error() && !matches!(status.as_u16(), 401 | 403 | 404 | 429)
        };
        // A gateway may report the refusal of the server behind it as a failure of its own.
        if status.is_some_and(|status| !may_refuse(status) && status != StatusCode::INTERNAL_SERVER_ERROR) {
            return false;
        }
        let words = words.to_ascii_lowercase();
        let is_named = |(name, others): &&(&'static str, &[&str])| {
            members.contains_key(*name)
                && (has_word(&words, name) || others.iter().any(|other| words.contains(other)))
        };
        let named: Vec<&'static str> = OPTIONS.iter().filter(is_named).map(|(name, _)| *name).collect();
        if !named.is_empty() {
            named.into_iter().for_each(|name| self.refuse(name));
            return true;
        }
        let is_streaming = members.get("stream") == Some(&Value::Bool(true));
        if is_streaming && (has_word(&words, "stream") || has_word(&words, "streaming")) {
            self.no_stream = true;
            return true;
        }
        if status.is_some() && UNNAMED.iter().any(|word| words.contains(word)) {
            let left: Vec<_> = OPTIONS[..5]
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| members.contains_key(*name))
                .collect();
            self.refused.extend(&left);
            return !left.is_empty();
        }
        false
    }

    fn refuse(&mut self, name: &'static str) {
        let is_of_length = matches!(name, "max_tokens" | "max_completion_tokens");
        if is_of_length && !std::mem::replace(&mut self.other_max_tokens, true) {
            return;
        }
        self.refused.insert(name);
    }
}

/// Returns whether a text has this word. `max_tokens` is no word of `max_tokens_to_sample`.
fn has_word(text: &str, word: &str) -> bool {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_of_word) && !text[at + word.len()..].starts_with(is_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(names: &[&str]) -> Map<String, Value> {
        names.iter().map(|name| ((*name).to_owned(), json!(1))).collect()
    }

    fn sent(refused: &RefusedOptions, names: &[&str]) -> Vec<String> {
        let mut members = members(names);
        refused.apply(&mut members);
        let mut names: Vec<String> = members.into_iter().map(|(name, _)| name).collect();
        names.sort();
        names
    }

    #[test]
    fn named_options_are_left_out() {
        for (words, names, left) in [
            (
                "stream_options: Extra inputs are not permitted",
                &["model", "stream_options"][..],
                &["model"][..],
            ),
            (
                "Unsupported value: 'temperature' does not support 0.5",
                &["model", "temperature", "top_p"],
                &["model", "top_p"],
            ),
            (
                "Unknown parameter: parallel_tool_calls",
                &["model", "parallel_tool_calls", "tools"],
                &["model", "tools"],
            ),
            (
                "Use 'max_completion_tokens' instead of 'max_tokens'.",
                &["max_tokens", "model"],
                &["max_completion_tokens", "model"],
            ),
            (
                "max_completion_tokens is unknown",
                &["max_completion_tokens", "model"],
                &["max_tokens", "model"],
            ),
            (
                "Unrecognized request argument supplied",
                &["model", "stream_options", "tools"],
                &["model", "tools"],
            ),
            ("This model has no JSON mode", &["model", "response_format"], &["model"]),
        ] {
            let mut refused = RefusedOptions::default();
            assert!(refused.learn(Some(StatusCode::BAD_REQUEST), words, &members(names)), "{words}");
            assert_eq!(sent(&refused, names), left, "{words}");
        }
    }

    #[test]
    fn what_was_left_out_is_not_left_out_again() {
        let names = ["max_tokens", "stream_options"];
        let mut refused = RefusedOptions::default();
        let mut tries = 0;
        loop {
            let mut members = members(&names);
            refused.apply(&mut members);
            if !refused.learn(
                Some(StatusCode::UNPROCESSABLE_ENTITY),
                "max_tokens max_completion_tokens stream_options",
                &members,
            ) {
                break;
            }
            tries += 1;
        }
        assert!((2..=3).contains(&tries), "{tries}");
        for status in [StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS, StatusCode::BAD_GATEWAY] {
            assert!(!RefusedOptions::default().learn(
                Some(status),
                "temperature",
                &members(&["temperature"])
            ));
        }
        assert!(!RefusedOptions::default().learn(
            Some(StatusCode::BAD_REQUEST),
            "The prompt is too long",
            &members(&["temperature"])
        ));
    }
}
