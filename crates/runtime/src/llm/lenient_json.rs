//! Parses JSON that servers write almost correctly.

use std::{borrow::Cow, str::FromStr as _};

use serde_json::Value;

/// Parses the JSON values of an event. Values that cannot be parsed, even after repairs, are left out. Of a doubled
/// member the last counts.
pub(super) fn values(data: &[u8]) -> Vec<Value> {
    if let Ok(value) = serde_json::from_slice(data) {
        return vec![value];
    }
    let text = String::from_utf8_lossy(data);
    let whole = repaired(&text);
    if let Ok(value) = Value::from_str(&whole) {
        return vec![value];
    }
    // Several values without the empty line between their events.
    text.lines().filter_map(|line| Value::from_str(&repaired(line)).ok()).collect()
}

/// Replaces what JSON does not allow: lone surrogates, control characters and unknown escapes in strings, and numbers such
/// as `NaN`. Python's and JavaScript's servers write these.
fn repaired(text: &str) -> Cow<'_, str> {
    let (mut fixed, mut rest) = (String::with_capacity(text.len()), text);
    let mut is_in_string = false;
    while let Some(c) = rest.chars().next() {
        let (kept, taken) = if is_in_string { in_string(rest, c) } else { outside(rest, c) };
        is_in_string ^= c == '"' && taken == 1;
        fixed.push_str(&kept);
        rest = &rest[taken..];
    }
    fixed.into()
}

/// Returns what replaces the beginning of the rest of a string, and how many bytes it replaces.
fn in_string(rest: &str, c: char) -> (Cow<'_, str>, usize) {
    match c {
        '\\' => escape(rest),
        _ if c.is_control() => (format!("\\u{:04x}", u32::from(c)).into(), c.len_utf8()),
        _ => (rest[..c.len_utf8()].into(), c.len_utf8()),
    }
}

fn escape(rest: &str) -> (Cow<'_, str>, usize) {
    let Some(kind) = rest[1..].chars().next() else { return ("".into(), 1) };
    let unit = |at: usize| {
        let hex = rest.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    match kind {
        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => (rest[..2].into(), 2),
        'u' => match (unit(0), unit(6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (rest[..12].into(), 12),
            (Some(0xd800..0xe000), _) => ("\u{fffd}".into(), 6),
            (Some(_), _) => (rest[..6].into(), 6),
            (None, _) => ("\u{fffd}".into(), 2),
        },
        _ => (rest[1..=kind.len_utf8()].into(), 1 + kind.len_utf8()),
    }
}

fn outside(rest: &str, c: char) -> (Cow<'_, str>, usize) {
    let number = ["NaN", "Infinity", "-Infinity"].into_iter().find(|number| rest.starts_with(number));
    number.map_or((rest[..c.len_utf8()].into(), c.len_utf8()), |number| ("null".into(), number.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_almost_json_is_parsed() {
        for (text, expected) in [
            (r#"{"a": 1, "a": 2}"#, vec![json!({ "a": 2 })]),
            (r#"{"a": NaN, "b": -Infinity, "c": "NaN"}"#, vec![json!({ "a": null, "b": null, "c": "NaN" })]),
            (
                r#"{"a": "\ud83d", "b": "x\ude00\ud83d\ude00"}"#,
                vec![json!({ "a": "\u{fffd}", "b": "x\u{fffd}😀" })],
            ),
            ("{\"a\": \"one\ntwo\\'\\x\"}", vec![json!({ "a": "one\ntwo'x" })]),
            ("{\"a\": 1}\n{\"b\": 2}\n[DONE]", vec![json!({ "a": 1 }), json!({ "b": 2 })]),
            ("nonsense", vec![]),
            ("{\"a\": \"open", vec![]),
            ("{\"a\": \"\\", vec![]),
            ("{\"a\": \"\\u12", vec![]),
        ] {
            assert_eq!(values(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(values(b"{\"a\": \"\xff\"}"), [json!({ "a": "\u{fffd}" })]);
    }
}
