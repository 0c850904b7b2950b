//! Assembles the tool calls of one turn from their pieces.
//!
//! A call is identified by its id. The index is a hint only: servers leave it out, begin at 1, leave gaps, or give all calls
//! the same.

use std::mem::take;

use serde_json::{Map, Value};

use super::{
    chunk::{Members, number},
    tool_call::{ToolCall, parse_arguments},
};
use crate::json_scanner::JsonScanner;

/// Maximum tool calls of a model in one turn.
const MAX_CALLS: usize = 16;
const MAX_ARGUMENT_BYTES: usize = 64 << 10;
/// Maximum bytes of what a server adds to a call and gets back, such as a signature.
const MAX_EXTRA_BYTES: usize = 64 << 10;
const MAX_NAME_CHARS: usize = 200;
/// Bytes of arguments that do not begin a later piece by chance.
const REPEATED: usize = 4;

/// Piece of a call, or a whole call.
#[derive(Debug, Default)]
struct CallPiece {
    id: String,
    index: Option<u64>,
    name: String,
    arguments: Arguments,
    extra: Map<String, Value>,
    function_extra: Map<String, Value>,
}

#[derive(Debug, Default)]
enum Arguments {
    #[default]
    None,
    Piece(String),
    /// An object instead of its text.
    Whole(String),
}

impl Arguments {
    fn text(&self) -> &str {
        match self {
            Self::None => "",
            Self::Piece(text) | Self::Whole(text) => text,
        }
    }
}

#[derive(Debug, Default)]
struct OpenCall {
    call: ToolCall,
    index: Option<u64>,
    scanner: JsonScanner,
    /// True if the arguments are a complete JSON value.
    is_complete: bool,
}

/// Calls of a turn so far, in order.
#[derive(Debug, Default)]
pub(super) struct CallAssembler(Vec<OpenCall>);

/// What is wrong with the calls of a model.
pub(super) type Excess = &'static str;

impl CallAssembler {
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the calls of a message, whole or in pieces. Returns the number of pieces.
    pub fn add(&mut self, message: &Members) -> Result<usize, Excess> {
        let list = match message.get("tool_calls") {
            Some(Value::Array(list)) => list.as_slice(),
            Some(call @ Value::Object(_)) => std::slice::from_ref(call),
            _ => &[],
        };
        let mut pieces: Vec<CallPiece> = list.iter().filter_map(piece).collect();
        if let Some(function) = message.get("function_call").filter(|_| pieces.is_empty()) {
            pieces.extend(legacy_piece(function));
        }
        let count = pieces.len();
        for (position, piece) in pieces.into_iter().enumerate() {
            let hint = (count > 1).then_some(position);
            self.add_piece(piece, hint)?;
        }
        Ok(count)
    }

    /// Takes the calls. A piece that became no call, without a name and arguments, is left out.
    pub fn take(&mut self) -> Vec<ToolCall> {
        let calls = take(&mut self.0).into_iter().map(|open| open.call);
        calls.filter(|call| !(call.name.is_empty() && call.arguments.trim().is_empty())).collect()
    }

    fn add_piece(&mut self, piece: CallPiece, position: Option<usize>) -> Result<(), Excess> {
        let at = match self.find(&piece, position) {
            Some(at) => at,
            None if piece.name.is_empty() && piece.id.is_empty() && piece.arguments.text().is_empty() => {
                return Ok(());
            }
            None if self.0.len() == MAX_CALLS => return Err("requested too many tool calls at once"),
            None => {
                self.0.push(OpenCall { index: piece.index, ..OpenCall::default() });
                self.0.len() - 1
            }
        };
        self.0[at].add(piece)
    }

    /// Returns the call that a piece belongs to; `None` if it begins another.
    fn find(&self, piece: &CallPiece, position: Option<usize>) -> Option<usize> {
        let has_id = !piece.id.is_empty();
        if has_id && let Some(at) = self.0.iter().rposition(|open| open.call.id == piece.id) {
            return (!self.0[at].is_followed_by(piece, true)).then_some(at);
        }
        let by_index =
            piece.index.and_then(|index| self.0.iter().rposition(|open| open.index == Some(index)));
        let last = || match position {
            // The pieces of several calls come in the order of the calls.
            Some(position) if position < self.0.len() => Some(position),
            _ => self.0.len().checked_sub(1),
        };
        let is_continuation = piece.index.is_none() || piece.name.is_empty() && !has_id;
        let at = by_index.or_else(|| last().filter(|_| is_continuation))?;
        let open = &self.0[at];
        match has_id {
            // The id of a call may come late, and some servers make a new id for each piece.
            true if piece.name.is_empty() => Some(at),
            true => (open.call.id.is_empty() && !open.is_followed_by(piece, false)).then_some(at),
            false => (!open.is_followed_by(piece, false)).then_some(at),
        }
    }
}

impl OpenCall {
    /// Returns whether a piece for the place of this call begins another call: it has another name, or the call is
    /// complete and the piece has other arguments.
    fn is_followed_by(&self, piece: &CallPiece, has_same_id: bool) -> bool {
        if piece.name.is_empty() || self.call.name.is_empty() {
            return false;
        }
        let (arguments, name) = (piece.arguments.text(), piece.name.as_str());
        if name != self.call.name {
            let is_rest_of_name = has_same_id && self.call.arguments.is_empty();
            return !is_rest_of_name;
        }
        self.is_complete
            && !arguments.trim().is_empty()
            && arguments != self.call.arguments
            && self.call.arguments != "{}"
    }

    fn add(&mut self, piece: CallPiece) -> Result<(), Excess> {
        if !piece.id.is_empty() && self.call.id.is_empty() {
            self.call.id = piece.id;
        }
        if self.index.is_none() {
            self.index = piece.index;
        }
        if piece.name.starts_with(&self.call.name) {
            self.call.name = piece.name;
        } else if !piece.name.is_empty() {
            self.call.name.push_str(&piece.name);
        }
        self.call.name = self.call.name.chars().take(MAX_NAME_CHARS).collect();
        merge(&mut self.call.extra, piece.extra)?;
        merge(&mut self.call.function_extra, piece.function_extra)?;
        match piece.arguments {
            Arguments::None => Ok(()),
            Arguments::Whole(text) => self.set_arguments(text),
            Arguments::Piece(text) => self.add_arguments(text),
        }
    }

    fn add_arguments(&mut self, piece: String) -> Result<(), Excess> {
        let known = &self.call.arguments;
        let is_repeated = known.len() >= REPEATED && piece.starts_with(known.as_str());
        // Some servers begin with an empty object, and some send what they have so far, or the whole call at the end again.
        if self.is_complete && known == "{}" && piece.trim_start().starts_with('{') || is_repeated {
            return self.set_arguments(piece);
        }
        if known.len() + piece.len() > MAX_ARGUMENT_BYTES {
            return Err("sent tool arguments that exceed the size limit");
        }
        self.is_complete |= self.scanner.scan(piece.as_bytes()).is_some();
        self.call.arguments.push_str(&piece);
        Ok(())
    }

    fn set_arguments(&mut self, text: String) -> Result<(), Excess> {
        (self.scanner, self.is_complete) = (JsonScanner::default(), false);
        self.call.arguments.clear();
        if text.len() > MAX_ARGUMENT_BYTES {
            return Err("sent tool arguments that exceed the size limit");
        }
        self.is_complete = self.scanner.scan(text.as_bytes()).is_some();
        self.call.arguments = text;
        Ok(())
    }
}

fn piece(call: &Value) -> Option<CallPiece> {
    let call = call.as_object()?;
    let function = call.get("function").and_then(Value::as_object);
    let of = |name: &str| function.and_then(|function| function.get(name)).or_else(|| call.get(name));
    let extra = |members: &Members, known: &[&str]| -> Map<String, Value> {
        let unknown =
            members.iter().filter(|(name, value)| !known.contains(&name.as_str()) && !value.is_null());
        unknown.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    Some(CallPiece {
        id: call.get("id").map(text).unwrap_or_default(),
        index: call.get("index").and_then(number),
        name: of("name").map(text).unwrap_or_default(),
        arguments: arguments(of("arguments").or_else(|| of("parameters"))),
        extra: extra(call, &["id", "index", "type", "function", "name", "arguments", "parameters"]),
        function_extra: function
            .map(|function| extra(function, &["name", "arguments", "parameters", "description"]))
            .unwrap_or_default(),
    })
}

/// Reads `function_call`, which was replaced by `tool_calls`.
fn legacy_piece(function: &Value) -> Option<CallPiece> {
    let function = function.as_object()?;
    let name = function.get("name").map(text).unwrap_or_default();
    Some(CallPiece { name, arguments: arguments(function.get("arguments")), ..CallPiece::default() })
}

/// Reads an id or a name, which a number may be as well.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(MAX_NAME_CHARS).collect(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn arguments(value: Option<&Value>) -> Arguments {
    match value {
        Some(Value::String(text)) if !text.is_empty() => Arguments::Piece(text.clone()),
        Some(Value::Object(members)) => Arguments::Whole(Value::Object(members.clone()).to_string()),
        // PHP writes an empty object as an empty list.
        Some(Value::Array(list)) if list.is_empty() => Arguments::Whole("{}".to_owned()),
        Some(Value::Array(list)) => Arguments::Whole(Value::Array(list.clone()).to_string()),
        _ => Arguments::None,
    }
}

fn merge(known: &mut Map<String, Value>, news: Map<String, Value>) -> Result<(), Excess> {
    if news.is_empty() {
        return Ok(());
    }
    for (name, value) in news {
        if value.as_str() == Some("") {
            continue;
        }
        known.insert(name, value);
    }
    match serde_json::to_string(known).is_ok_and(|text| text.len() <= MAX_EXTRA_BYTES) {
        true => Ok(()),
        false => Err("added more to a tool call than the size limit"),
    }
}

/// Returns the arguments of a call as JSON that model servers accept in a history. What is no JSON object is left out:
/// the result of the call tells the model what was wrong.
pub(super) fn valid_arguments(text: &str) -> String {
    parse_arguments(text).map_or_else(|_| "{}".to_owned(), |arguments| Value::Object(arguments).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns id, name and arguments of the calls in these pieces.
    fn assembled(pieces: &[Value]) -> Vec<(String, String, String)> {
        let mut calls = CallAssembler::default();
        for piece in pieces {
            calls.add(json!({ "tool_calls": piece }).as_object().unwrap()).unwrap();
        }
        calls.take().into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_are_told_apart_by_what_identifies_them() {
        let f = |name: &str, arguments: &str| json!({ "name": name, "arguments": arguments });
        let two = vec![call("a", "add", r#"{"x":1}"#), call("b", "add", r#"{"x":2}"#)];
        let anonymous = vec![call("", "add", r#"{"x":1}"#), call("", "sub", r#"{"x":2}"#)];
        for (what, pieces, expected) in [
            (
                "later pieces have an empty id and name",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("add", "{\"x\"") }]),
                    json!([{ "index": 0, "id": "", "function": f("", ":1}") }]),
                ],
                two[..1].to_vec(),
            ),
            (
                "the same index",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("add", r#"{"x":1}"#) }]),
                    json!([{ "index": 0, "id": "b", "function": f("add", r#"{"x":2}"#) }]),
                ],
                two.clone(),
            ),
            (
                "indexes from one, with gaps, as texts",
                vec![
                    json!([{ "index": "1", "id": "a", "function": f("add", "{\"x\"") }]),
                    json!([{ "index": 7, "id": "b", "function": f("add", "{\"x\"") }]),
                    json!([{ "index": 1, "function": f("", ":1}") }]),
                    json!([{ "index": 7, "function": { "arguments": ":2}" } }]),
                ],
                two.clone(),
            ),
            (
                "no index, in one piece",
                vec![json!([
                    { "id": "a", "function": f("add", r#"{"x":1}"#) },
                    { "id": "b", "function": { "name": "add", "arguments": { "x": 2 } } },
                ])],
                two.clone(),
            ),
            (
                "pieces of several calls without an index",
                vec![
                    json!([{ "id": "a", "function": f("add", "{\"x\"") }, { "id": "b", "function": f("add", "{\"x\"") }]),
                    json!([{ "function": { "arguments": ":1}" } }, { "function": { "arguments": ":2}" } }]),
                ],
                two.clone(),
            ),
            (
                "no id and no index",
                vec![
                    json!([{ "function": f("add", "{\"x\"") }]),
                    json!([{ "function": { "arguments": ":1}" } }]),
                    json!({ "function": f("sub", r#"{"x":2}"#) }),
                ],
                anonymous.clone(),
            ),
            (
                "no id, the same index",
                vec![
                    json!([{ "index": 0, "function": f("add", r#"{"x":1}"#) }]),
                    json!([{ "index": 0, "function": f("sub", r#"{"x":2}"#) }]),
                ],
                anonymous,
            ),
            (
                "another id for each piece",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("add", "{\"x\"") }]),
                    json!([{ "index": 0, "id": "z", "function": { "name": null, "arguments": ":1}" } }]),
                ],
                two[..1].to_vec(),
            ),
            (
                "the id comes late, the name is repeated",
                vec![
                    json!([{ "index": 0, "function": f("add", "") }]),
                    json!([{ "index": 0, "id": "a", "function": f("add", "{\"x\"") }]),
                    json!([{ "index": 0, "id": "a", "function": f("add", ":1}") }]),
                ],
                two[..1].to_vec(),
            ),
            (
                "the whole call again",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("add", r#"{"x":1}"#) }]),
                    json!([{ "index": 0, "id": "a", "function": f("add", r#"{"x":1}"#) }]),
                ],
                two[..1].to_vec(),
            ),
            (
                "what came so far, again and again; an empty object first",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("add", "{}") }]),
                    json!([{ "index": 0, "id": "a", "function": f("", "{\"x\"") }]),
                    json!([{ "index": 0, "id": "a", "function": f("", r#"{"x":1}"#) }]),
                ],
                two[..1].to_vec(),
            ),
            (
                "nulls, unknown kinds and pieces of nothing",
                vec![
                    json!(null),
                    json!([null, 5, { "index": 0 }, { "index": 3, "id": "", "function": null }]),
                    json!([{ "index": null, "id": 7, "type": 5, "function": { "name": "add", "arguments": [] } }]),
                ],
                vec![call("7", "add", "{}")],
            ),
            (
                "a name in pieces",
                vec![
                    json!([{ "index": 0, "id": "a", "function": f("ad", "") }]),
                    json!([{ "index": 0, "id": "a", "function": f("d", r#"{"x":1}"#) }]),
                ],
                two[..1].to_vec(),
            ),
        ] {
            assert_eq!(assembled(&pieces), expected, "{what}");
        }
    }

    #[test]
    fn what_a_server_adds_to_a_call_is_kept() {
        let mut calls = CallAssembler::default();
        let signature = json!({ "google": { "thought_signature": "s" } });
        let function = json!({ "name": "add", "arguments": "{}", "signature": "t" });
        let message = json!({ "tool_calls": [{ "id": "a", "extra_content": signature, "cache": null, "function": function }] });
        calls.add(message.as_object().unwrap()).unwrap();
        let legacy = json!({ "function_call": { "name": "old", "arguments": { "x": 1 } } });
        calls.add(legacy.as_object().unwrap()).unwrap();
        let taken = calls.take();
        assert_eq!(json!(taken[0].extra), json!({ "extra_content": signature }));
        assert_eq!(json!(taken[0].function_extra), json!({ "signature": "t" }));
        assert_eq!((&*taken[1].name, &*taken[1].arguments), ("old", r#"{"x":1}"#));
    }

    #[test]
    fn arguments_in_a_history_are_json() {
        for (text, valid) in [
            ("", "{}"),
            (r#"{"a": 1}"#, r#"{"a":1}"#),
            (r#"{"a": "#, "{}"),
            ("[1]", "{}"),
            (r#""{\"a\": 1}""#, r#"{"a":1}"#),
            (r#"{}{"a": 1}"#, r#"{"a":1}"#),
            ("```json\n{\"a\": 1}\n```", r#"{"a":1}"#),
        ] {
            assert_eq!(valid_arguments(text), valid, "{text}");
        }
    }
}
