//! Lenient reading of a server's JSON: a strange part costs that part, not the message that contains it.
//!
//! rmcp decodes whole messages by strict types, so a wrong member anywhere would lose all of it. Messages are
//! therefore repaired before it sees them. Tool lists pass through unchanged; `tool_list` reads each tool by itself.

use std::borrow::Cow;

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};

/// Maximum nesting that is kept. Deeper content is replaced by `null`: the parser refuses more than 128 levels.
const MAX_DEPTH: usize = 100;
/// JSON-RPC code of an error without a usable one: internal error.
const INTERNAL_ERROR: i64 = -32603;

/// Parses a message and repairs it. Returns `None` for what is not JSON.
pub fn parse_message(bytes: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let value = serde_json::from_str(&repair_text(text)).ok()?;
    Some(repair_message(only_one_of_batch(value)))
}

/// Returns the message of a batch with one message (MCP 2025-03-26).
fn only_one_of_batch(value: Value) -> Value {
    match value {
        Value::Array(mut batch) if batch.len() == 1 => batch.remove(0),
        other => other,
    }
}

fn repair_message(mut message: Value) -> Value {
    let Some(members) = message.as_object_mut() else { return message };
    members.entry("jsonrpc").or_insert_with(|| json!("2.0"));
    match members.get_mut("error") {
        Some(Value::Null) => drop(members.remove("error")),
        Some(error) => {
            *error = repair_error(error);
            members.remove("result");
        }
        None => {}
    }
    if let Some(result) = members.get_mut("result").and_then(Value::as_object_mut) {
        repair_result(result);
    }
    message
}

/// Returns an error object with an integer code and a text. Other forms of both are read as text.
fn repair_error(error: &Value) -> Value {
    let Some(members) = error.as_object() else {
        return json!({ "code": INTERNAL_ERROR, "message": plain_text(error) });
    };
    let code = members.get("code").and_then(Value::as_i64).filter(|code| i32::try_from(*code).is_ok());
    let said = ["message", "detail", "error", "code"].iter().find_map(|name| members.get(*name));
    let mut repaired = json!({ "code": code.unwrap_or(INTERNAL_ERROR), "message": said.map(plain_text).unwrap_or_default() });
    if let Some(data) = members.get("data").filter(|data| !data.is_null()) {
        repaired["data"] = data.clone();
    }
    repaired
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Repairs the members that results of calls and lists share.
fn repair_result(result: &mut Map<String, Value>) {
    if result.get("_meta").is_some_and(|meta| !meta.is_object()) {
        result.remove("_meta");
    }
    if result.get("isError").is_some_and(|flag| !flag.is_boolean()) {
        let is_error = matches!(result["isError"].as_str(), Some("true")) || result["isError"] == 1;
        result.insert("isError".to_owned(), is_error.into());
    }
    match result.get_mut("content") {
        Some(Value::Array(blocks)) => blocks.iter_mut().for_each(repair_block),
        Some(Value::Null) => drop(result.remove("content")),
        Some(Value::String(text)) => {
            let block = json!({ "type": "text", "text": text });
            result.insert("content".to_owned(), json!([block]));
        }
        Some(block @ Value::Object(_)) => {
            repair_block(block);
            let block = block.take();
            result.insert("content".to_owned(), json!([block]));
        }
        _ => {}
    }
}

/// Replaces a content block that rmcp cannot read by what can be read of it.
fn repair_block(block: &mut Value) {
    let is_readable = |block: &Value| serde_json::from_value::<ContentBlock>(block.clone()).is_ok();
    if is_readable(block) {
        return;
    }
    repair_members(block);
    block.get_mut("resource").into_iter().for_each(repair_members);
    if is_readable(block) {
        return;
    }
    let text = match (&*block, block.get("text"), block.pointer("/resource/text")) {
        (Value::String(text), ..) | (_, Some(Value::String(text)), _) | (_, _, Some(Value::String(text))) => {
            text.clone()
        }
        _ => {
            let kind = block.get("type").map(plain_text).unwrap_or_default();
            format!("[content of the unknown type “{kind}”]")
        }
    };
    *block = json!({ "type": "text", "text": text });
}

/// Leaves out the members of a block that are not used or are wrong, and adds those that must be there.
fn repair_members(block: &mut Value) {
    let Some(members) = block.as_object_mut() else { return };
    members.retain(|name, value| match name.as_str() {
        "annotations" | "_meta" | "icons" => false,
        "title" | "description" | "mimeType" | "uri" | "name" => value.is_string(),
        "size" => value.is_u64(),
        _ => !value.is_null(),
    });
    for name in ["mimeType", "uri", "name"] {
        members.entry(name).or_insert_with(|| json!(""));
    }
}

/// Repairs what a JSON parser refuses although the rest can be read: nesting beyond [`MAX_DEPTH`], halves of
/// surrogate pairs (Python writes them), and control characters in strings.
fn repair_text(text: &str) -> Cow<'_, str> {
    if !may_need_repair(text) {
        return Cow::Borrowed(text);
    }
    let mut scanner = Scanner::default();
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = scanner.copy(letter, rest, &mut repaired);
        rest = &rest[length..];
    }
    Cow::Owned(repaired)
}

fn may_need_repair(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match (in_string, byte) {
            (true, b'u' | b'U') if escaped && is_surrogate(&text[at + 1..]) => return true,
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, 0..0x20) => return true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

fn code_unit(digits: &str) -> Option<u16> {
    u16::from_str_radix(digits.get(..4)?, 16).ok()
}

fn is_surrogate(digits: &str) -> bool {
    code_unit(digits).is_some_and(|unit| (0xD800..0xE000).contains(&unit))
}

/// State of [`repair_text`].
#[derive(Default)]
struct Scanner {
    depth: usize,
    in_string: bool,
}

impl Scanner {
    /// Copies what begins with `letter`, repaired. Returns the bytes read.
    fn copy(&mut self, letter: char, rest: &str, to: &mut String) -> usize {
        let is_kept = self.depth <= MAX_DEPTH;
        match letter {
            '\\' if self.in_string => return Self::copy_escape(rest, is_kept, to),
            '"' => self.in_string = !self.in_string,
            '\0'..' ' if self.in_string => {
                if is_kept {
                    to.push(' ');
                }
                return letter.len_utf8();
            }
            '[' | '{' if !self.in_string => {
                self.depth += 1;
                if self.depth == MAX_DEPTH + 1 {
                    to.push_str("null");
                }
            }
            ']' | '}' if !self.in_string => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
        if is_kept && self.depth <= MAX_DEPTH {
            to.push(letter);
        }
        letter.len_utf8()
    }

    /// Copies an escape sequence. Half a surrogate pair becomes the replacement character.
    fn copy_escape(rest: &str, is_kept: bool, to: &mut String) -> usize {
        let unit = rest.strip_prefix("\\u").and_then(code_unit);
        let low = rest.get(6..).and_then(|next| next.strip_prefix("\\u")).and_then(code_unit);
        let length = match (unit, low) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                if is_kept {
                    to.push('\u{fffd}');
                }
                return 6;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        if is_kept {
            to.push_str(&rest[..length]);
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ResourceContents;

    use super::*;

    #[test]
    fn text_that_a_parser_refuses_is_repaired() {
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        for (text, expected) in [
            (r#"{"a":"\ud83d"}"#.to_owned(), json!({ "a": "\u{fffd}" })),
            (r#"{"a":"\ud83d\ude00 \\ud83d \"x\""}"#.to_owned(), json!({ "a": "😀 \\ud83d \"x\"" })),
            (r#"{"a":"\ude00\ud83d\u0041"}"#.to_owned(), json!({ "a": "\u{fffd}\u{fffd}A" })),
            ("{\"a\":\"one\ntwo\"}".to_owned(), json!({ "a": "one two" })),
            (format!(r#"{{"a":{deep},"b":[2,"é"]}}"#), json!({ "b": [2, "é"] })),
        ] {
            let mut parsed: Value = serde_json::from_str(&repair_text(&text)).unwrap();
            if expected.get("a").is_none() {
                parsed.as_object_mut().unwrap().remove("a").unwrap();
            }
            assert_eq!(parsed, expected, "{}", &text[..text.len().min(80)]);
        }
        assert!(matches!(repair_text(r#"{"a":["\u00e9"]}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn errors_of_any_form_are_read() {
        for (error, code, message) in [
            (json!({ "code": -32602, "message": "no" }), -32602, "no"),
            (json!({ "code": "E_LIMIT", "message": "no" }), INTERNAL_ERROR, "no"),
            (json!({ "code": 1e20, "message": { "text": "no" } }), INTERNAL_ERROR, "{\"text\":\"no\"}"),
            (json!({ "code": "E_LIMIT" }), INTERNAL_ERROR, "E_LIMIT"),
            (json!("no"), INTERNAL_ERROR, "no"),
        ] {
            let message_of = parse_message(&serde_json::to_vec(&json!({ "id": 1, "error": error })).unwrap());
            let error = &message_of.unwrap()["error"];
            assert_eq!((error["code"].as_i64(), error["message"].as_str()), (Some(code), Some(message)));
        }
    }

    #[test]
    fn a_strange_block_costs_itself() {
        let content = json!([
            { "type": "text", "text": "kept", "annotations": { "priority": "high" } },
            { "type": "resource", "resource": { "text": "file", "mimeType": 7 } },
            { "type": "hologram", "data": "x" }, { "text": "no type" }, "bare", 5,
        ]);
        let message = json!({ "id": 1, "result": { "content": content, "isError": "true", "_meta": [] } });
        let read = parse_message(&serde_json::to_vec(&message).unwrap()).unwrap();
        let result: rmcp::model::CallToolResult = serde_json::from_value(read["result"].clone()).unwrap();
        assert_eq!((result.content.len(), result.is_error), (6, Some(true)));
        // A repaired file stays a file.
        let text = |block: &ContentBlock| match block {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::Resource(file) => match &file.resource {
                ResourceContents::TextResourceContents { text, .. } => format!("{text} (file)"),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        let texts: Vec<String> = result.content.iter().map(text).collect();
        let unknown = |kind| format!("[content of the unknown type “{kind}”]");
        assert_eq!(texts, ["kept", "file (file)", &unknown("hologram"), "no type", "bare", &unknown("")]);
    }
}
