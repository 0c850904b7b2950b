//! Finds the words of an error report, whatever envelope a server puts them in.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::quote_foreign_text;

/// Maximum nesting of envelopes, JSON within strings included.
const MAX_DEPTH: usize = 8;
/// Maximum number of errors of a list that are quoted.
const MAX_ERRORS: usize = 4;
/// Members with the words of an error or with another envelope, the most specific first.
const MEMBERS: [&str; 20] = [
    "error",
    "errors",
    "message",
    "detail",
    "details",
    "msg",
    "error_message",
    "errorMessage",
    "error_msg",
    "error_description",
    "description",
    "reason",
    "failure",
    "title",
    "fault",
    "faultstring",
    "exception",
    "response",
    "body",
    "text",
];

/// Extracts the words of an error from a response body: JSON of any usual shape, a web page or plain text.
pub(crate) fn words(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let words = match serde_json::from_slice::<Value>(body) {
        Ok(value) => of_value(&value, 0)?,
        Err(_) => of_text(&text, 0)?.into_owned(),
    };
    Some(quote_foreign_text(&words)).filter(|words| !words.is_empty())
}

/// Extracts the words of an error from a JSON value.
pub(crate) fn words_of(value: &Value) -> Option<String> {
    of_value(value, 0).map(|words| quote_foreign_text(&words)).filter(|words| !words.is_empty())
}

fn of_value(value: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::String(text) => of_text(text, depth).map(Cow::into_owned),
        Value::Array(list) => {
            let words: Vec<_> =
                list.iter().filter_map(|item| of_value(item, depth + 1)).take(MAX_ERRORS).collect();
            (!words.is_empty()).then(|| words.join("; "))
        }
        Value::Object(object) => of_object(object, depth),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) => None,
    }
}

fn of_object(object: &Map<String, Value>, depth: usize) -> Option<String> {
    let has_words = |value: &&Value| !matches!(value, Value::Number(_));
    let found = MEMBERS.iter().find_map(|name| {
        let value = object.get(*name).filter(has_words)?;
        of_value(value, depth + 1).filter(|words| !words.trim().is_empty())
    });
    let found = found.or_else(|| by_field(object, depth))?;
    // A gateway quotes the server behind it here, and says itself only that it failed.
    let raw = object.get("metadata").and_then(|metadata| of_value(metadata.get("raw")?, depth + 1));
    let found = match raw {
        Some(raw) if !found.contains(&raw) => format!("{found}: {raw}"),
        _ => found,
    };
    Some(match place(object) {
        Some(place) if !found.contains(place) => format!("{place}: {found}"),
        _ => found,
    })
}

/// Reads errors by field, as in `{"temperature": ["Too large."]}`; without a text in them, the code.
fn by_field(object: &Map<String, Value>, depth: usize) -> Option<String> {
    let of_field = |(name, value): (&String, &Value)| {
        let is_list = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        let words = of_value(value, depth + 1).filter(|_| is_list)?;
        Some(format!("{name}: {words}"))
    };
    let fields: Vec<_> = object.iter().filter_map(of_field).take(MAX_ERRORS).collect();
    if !fields.is_empty() {
        return Some(fields.join("; "));
    }
    ["code", "type", "status", "error_code"].iter().find_map(|name| {
        let value = object.get(*name)?;
        value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|code| format!("code {code}")))
    })
}

/// Returns the name of the member of the request that an error is about.
fn place(object: &Map<String, Value>) -> Option<&str> {
    let last = object.get("loc").and_then(Value::as_array).and_then(|path| path.last()?.as_str());
    last.or_else(|| object.get("param")?.as_str()).filter(|place| !place.is_empty())
}

/// Returns the words of a text: of the JSON in it, of a web page without its markup, or itself.
fn of_text(text: &str, depth: usize) -> Option<Cow<'_, str>> {
    let text = text.trim();
    if text.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        return of_value(&value, depth + 1).map(Cow::from);
    }
    let is_page = text.get(..200.min(text.len())).unwrap_or(text).trim_start().starts_with('<');
    let words = if is_page { Cow::from(without_markup(text)) } else { Cow::from(text) };
    (!words.trim().is_empty()).then_some(words)
}

/// Returns the text of a web page, without tags, styles and scripts.
fn without_markup(page: &str) -> String {
    let (mut words, mut rest) = (String::new(), page);
    while let Some((text, tag)) = rest.split_once('<') {
        words.push_str(text);
        words.push(' ');
        let hidden = ["style", "script", "!--"]
            .into_iter()
            .find(|name| tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)));
        let end = match hidden {
            Some("!--") => tag.split_once("-->"),
            Some(name) => tag.split_once(&format!("</{name}")).and_then(|(_, rest)| rest.split_once('>')),
            None => tag.split_once('>'),
        };
        rest = end.map_or("", |(_, rest)| rest);
    }
    words.push_str(rest);
    for (entity, character) in
        [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
    {
        words = words.replace(entity, character);
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_envelope() {
        for (body, expected) in [
            (r#"{"error": {"message": "no such key", "type": "x"}}"#, "no such key"),
            (r#"{"error": "model not found"}"#, "model not found"),
            (r#"{"error": {"code": "busy", "message": null}}"#, "busy"),
            (r#"{"error": ["one", {"message": "two"}]}"#, "one; two"),
            (
                r#"[{"error": {"code": 400, "message": "API key not valid", "status": "INVALID"}}]"#,
                "API key not valid",
            ),
            (r#"{"object": "error", "message": "too long", "code": 400}"#, "too long"),
            (r#"{"detail": "Not Found"}"#, "Not Found"),
            (
                r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}"#,
                "stream_options: Extra inputs are not permitted",
            ),
            (r#"{"message": {"detail": [{"loc": ["body", "stop"], "msg": "Bad"}]}}"#, "stop: Bad"),
            (r#"{"errors": [{"message": "one"}, {"message": "two"}]}"#, "one; two"),
            (r#"{"errors": {"temperature": ["Too large."]}}"#, "temperature: Too large."),
            (r#"{"error": {"message": "{\"error\": {\"message\": \"deep\"}}"}}"#, "deep"),
            (r#""{\"detail\": \"in a string\"}""#, "in a string"),
            (r#"{"code": "InvalidParameter", "message": "bad input", "request_id": "1"}"#, "bad input"),
            (r#"{"error_code": 17, "error_msg": "limit reached"}"#, "limit reached"),
            (r#"{"fault": {"faultstring": "Over quota"}}"#, "Over quota"),
            (
                r#"{"title": "Gone", "status": 410, "detail": "The deployment was removed."}"#,
                "The deployment was removed.",
            ),
            (
                r#"{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":{\"message\":\"no tools\"}}"}}}"#,
                "Provider returned error: no tools",
            ),
            (
                "<html><head><title>502 Bad Gateway</title><style>a{}</style></head><body>nginx &amp; co</body></html>",
                "502 Bad Gateway nginx & co",
            ),
            ("upstream connect error\nor disconnect", "upstream connect error or disconnect"),
            (r#"{"error": {"code": 503}}"#, "code 503"),
        ] {
            assert_eq!(words(body.as_bytes()).as_deref(), Some(expected), "{body}");
        }
        for body in ["", "  ", "{}", "null", "[]", "<p></p>", r#"{"error": null}"#] {
            assert_eq!(words(body.as_bytes()), None, "{body}");
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(words(deep.as_bytes()), None);
    }
}
