//! Members of a model's message that its server wants back with the results of the tools: reasoning in the members it came
//! in, and signatures.

use serde_json::{Map, Value, json};

use super::chunk::{Members, REASONING, is_reasoning_part};

/// Members besides the reasoning that servers want back.
const OTHERS: [&str; 3] = ["extra_content", "provider_specific_fields", "reasoning_opaque"];
/// Members whose pieces are joined. Pieces of other members replace each other.
const TEXTS: [&str; 5] = ["text", "summary", "thinking", "content", "data"];

/// The members, joined from their pieces.
#[derive(Debug, Default)]
pub(super) struct ReturnedMembers {
    members: Map<String, Value>,
    /// Parts of the content, for servers that write reasoning there.
    content: Vec<Value>,
    has_reasoning_part: bool,
    bytes: usize,
}

impl ReturnedMembers {
    /// Adds the members of a piece. Beyond `max_bytes` they are dropped: the server then gets none back.
    pub fn add(&mut self, message: &Members, max_bytes: usize) {
        let returned = message.iter().filter(|(name, value)| is_returned(name) && !value.is_null());
        for (name, value) in returned {
            self.bytes = self.bytes.saturating_add(size(value));
            let is_text = REASONING.contains(&name.as_str());
            join(self.members.entry(name).or_insert(Value::Null), value, is_text);
        }
        if let Some(Value::Array(parts)) = message.get("content") {
            self.bytes = self.bytes.saturating_add(parts.iter().map(size).sum());
            self.has_reasoning_part |=
                parts.iter().any(|part| part.as_object().is_some_and(is_reasoning_part));
            parts.iter().for_each(|part| join_item(&mut self.content, part));
        } else if let Some(text) =
            message.get("content").and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            self.bytes = self.bytes.saturating_add(text.len());
            join_item(&mut self.content, &json!({ "type": "text", "text": text }));
        }
        if self.bytes > max_bytes {
            *self = Self { bytes: self.bytes, ..Self::default() };
        }
    }

    /// Takes the members of a message, its content included if that has parts with reasoning.
    pub fn take(&mut self) -> Map<String, Value> {
        let Self { mut members, content, has_reasoning_part, .. } = std::mem::take(self);
        if has_reasoning_part {
            members.insert("content".to_owned(), Value::Array(content));
        }
        members
    }
}

fn is_returned(name: &str) -> bool {
    REASONING.contains(&name)
        || OTHERS.contains(&name)
        || name.contains("signature")
        || name.contains("encrypted")
}

fn size(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), str::len)
}

/// Adds a piece of a member to what is known of it.
fn join(known: &mut Value, piece: &Value, is_text: bool) {
    match (known, piece) {
        (Value::String(known), Value::String(piece)) if is_text => known.push_str(piece),
        (_, Value::Null) => {}
        (Value::String(_), Value::String(piece)) if piece.is_empty() => {}
        (Value::Array(known), Value::Array(items)) => items.iter().for_each(|item| join_item(known, item)),
        (Value::Object(known), Value::Object(members)) => {
            for (name, value) in members {
                let is_text = TEXTS.contains(&name.as_str());
                join(known.entry(name).or_insert(Value::Null), value, is_text);
            }
        }
        (known @ Value::Null, Value::Array(items)) => {
            let mut list = Vec::new();
            items.iter().for_each(|item| join_item(&mut list, item));
            *known = Value::Array(list);
        }
        (known, piece) => *known = piece.clone(),
    }
}

/// Adds an item of a list: to the last item if it continues that, or behind it.
fn join_item(list: &mut Vec<Value>, item: &Value) {
    let identity = |item: &Value| ["type", "index", "id"].map(|name| item.get(name).cloned());
    let is_same = |last: &Value| {
        let (known, new) = (identity(last), identity(item));
        let agree = |at: usize| new[at].is_none() || known[at] == new[at];
        // An item with an identity of its own is whole.
        last.is_object() && item.is_object() && known[0] == new[0] && agree(1) && agree(2)
    };
    match list.last_mut() {
        Some(last) if is_same(last) => join(last, item, false),
        _ => list.push(item.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(pieces: &[Value]) -> Value {
        let mut members = ReturnedMembers::default();
        pieces.iter().for_each(|piece| members.add(piece.as_object().unwrap(), 1_000));
        Value::Object(members.take())
    }

    #[test]
    fn members_come_back_as_they_came() {
        for (pieces, expected) in [
            (
                vec![
                    json!({ "reasoning_content": "I ", "content": "x" }),
                    json!({ "reasoning_content": "add", "content": null }),
                ],
                json!({ "reasoning_content": "I add" }),
            ),
            (
                vec![
                    json!({ "reasoning": "I ", "reasoning_details": [{ "type": "reasoning.text", "text": "I ", "index": 0 }] }),
                    json!({ "reasoning": "add", "reasoning_details": [{ "type": "reasoning.text", "text": "add", "index": 0, "signature": null }] }),
                    json!({ "reasoning_details": [{ "type": "reasoning.text", "signature": "s", "index": 0 }] }),
                    json!({ "reasoning_details": [{ "type": "reasoning.encrypted", "data": "e", "index": 1 }] }),
                ],
                json!({ "reasoning": "I add", "reasoning_details": [
                    { "type": "reasoning.text", "text": "I add", "index": 0, "signature": "s" },
                    { "type": "reasoning.encrypted", "data": "e", "index": 1 } ] }),
            ),
            (
                vec![
                    json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "I " }] }] }),
                    json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "add" }] }] }),
                    json!({ "content": "So" }),
                ],
                json!({ "content": [
                    { "type": "thinking", "thinking": [{ "type": "text", "text": "I add" }] },
                    { "type": "text", "text": "So" } ] }),
            ),
            (
                vec![
                    json!({ "extra_content": { "google": { "thought_signature": "s" } }, "role": "assistant", "annotations": [] }),
                ],
                json!({ "extra_content": { "google": { "thought_signature": "s" } } }),
            ),
            (vec![json!({ "content": [{ "type": "text", "text": "So" }] })], json!({})),
            (vec![json!({ "reasoning": "x".repeat(2_000) })], json!({})),
        ] {
            assert_eq!(returned(&pieces), expected);
        }
    }
}
