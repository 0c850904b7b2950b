//! A call of one of the caller's tools, with the members that a model server added to it and wants back, such as the
//! signatures of Gemini.

use std::ops::Deref;

use plexus_domain::{Metadata, Part, PartBody, part::ToolUse};
use serde_json::{Map, Value, json};

/// Member of a part's metadata with what a model server added: `call` and `function`, each an object.
const MODEL_SERVER: &str = "model_server";
/// Added members that are taken from callers. Others are the work of their libraries, which model servers refuse.
const ADDED: [&str; 2] = ["extra_content", "provider_specific_fields"];

#[derive(Clone, Debug)]
pub struct CallerCall {
    tool: ToolUse,
    /// Members of the call.
    call: Map<String, Value>,
    /// Members of its function.
    function: Map<String, Value>,
}

impl Deref for CallerCall {
    type Target = ToolUse;

    fn deref(&self) -> &ToolUse {
        &self.tool
    }
}

impl CallerCall {
    /// Returns the call of a part, if it is for the caller.
    pub fn of(part: &Part) -> Option<Self> {
        let PartBody::Tool(tool) = &part.content else { return None };
        tool.call_id.as_ref()?;
        let added = part.metadata.as_ref().and_then(|metadata| metadata.get(MODEL_SERVER));
        let members = |name: &str| added.and_then(|added| added.get(name)?.as_object()).cloned();
        Some(Self {
            tool: tool.clone(),
            call: members("call").unwrap_or_default(),
            function: members("function").unwrap_or_default(),
        })
    }

    /// Adds the members to a call as chat completions tell it.
    pub fn add_to_call(&self, told: &mut Value) {
        add(told, &self.call);
        add(&mut told["function"], &self.function);
    }

    /// Adds the members to a call as the Responses API tells it.
    pub fn add_to_item(&self, told: &mut Value) {
        add(told, &self.call);
        add(told, &self.function);
    }
}

/// Adds members that an object does not have.
fn add(told: &mut Value, members: &Map<String, Value>) {
    let Some(told) = told.as_object_mut() else { return };
    for (name, value) in members {
        told.entry(name).or_insert_with(|| value.clone());
    }
}

/// Returns what a model server added to a call that the caller sends back, as metadata of its part.
pub fn added_metadata(call: &Value, function: &Value) -> Option<Box<Metadata>> {
    let members = [("call", added(call)), ("function", added(function))];
    let members = members.into_iter().filter(|(_, members)| !members.is_empty());
    let members: Map<String, Value> =
        members.map(|(name, members)| (name.to_owned(), json!(members))).collect();
    (!members.is_empty())
        .then(|| Box::new(Map::from_iter([(MODEL_SERVER.to_owned(), Value::Object(members))])))
}

fn added(object: &Value) -> Map<String, Value> {
    let members = object.as_object().into_iter().flatten();
    let is_added = |name: &str| ADDED.contains(&name) || name.contains("signature");
    members
        .filter(|(name, value)| is_added(name) && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_added_comes_back_as_it_came() {
        let signature = json!({ "google": { "thought_signature": "s" } });
        let sent = json!({ "id": "c", "type": "function", "extra_content": signature, "index": 0,
                           "function": { "name": "f", "arguments": "{}", "signature": "t", "parsed_arguments": {} } });
        let tool = ToolUse {
            tool: "f".to_owned(),
            arguments: json!({}),
            result: None,
            took_ms: None,
            call_id: Some("c".to_owned()),
        };
        let metadata = added_metadata(&sent, &sent["function"]);
        let part = Part { metadata, ..PartBody::Tool(tool).into() };
        let call = CallerCall::of(&part).unwrap();
        let mut told = json!({ "id": "c", "function": { "name": "f" } });
        call.add_to_call(&mut told);
        assert_eq!(
            told,
            json!({ "id": "c", "extra_content": signature, "function": { "name": "f", "signature": "t" } })
        );
        let mut told = json!({ "call_id": "c", "name": "f" });
        call.add_to_item(&mut told);
        assert_eq!(
            told,
            json!({ "call_id": "c", "name": "f", "extra_content": signature, "signature": "t" })
        );
        assert!(added_metadata(&json!({ "id": "c" }), &Value::Null).is_none());
    }
}
