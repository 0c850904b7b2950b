//! Property: an exported chat of this program comes back with the same tree and the same parts.

use std::collections::BTreeMap;

use plexus_chat_import::{ImportedPart, decode};
use proptest::prelude::*;
use serde_json::{Value, json};

fn part() -> impl Strategy<Value = Value> {
    let text = "[a-zé<`\\\\\" ]{0,20}[a-z]";
    prop_oneof![
        text.prop_map(|text| json!({ "kind": "text", "text": text })),
        text.prop_map(|text| json!({ "kind": "reasoning", "text": text })),
        (text, any::<i32>()).prop_map(
            |(text, number)| json!({ "kind": "tool", "tool": "t", "arguments": { "a": text, "b": [number] }, "result": number })
        ),
        (text, any::<bool>()).prop_map(|(text, flag)| json!({ "kind": "data", "data": { "a": flag }, "name": text })),
        Just(json!({ "kind": "link", "url": "https://a.example/b", "name": "A" })),
    ]
}

fn message() -> impl Strategy<Value = (prop::sample::Index, i32, &'static str, Vec<Value>)> {
    let state = prop::sample::select(vec!["done", "stopped", "failed", "deleted"]);
    (any::<prop::sample::Index>(), 0..3, state, prop::collection::vec(part(), 0..4))
}

proptest! {
    #![proptest_config(plexus_testing::cases(200))]

    #[test]
    fn an_own_export_is_read_whole(messages in prop::collection::vec(message(), 1..20)) {
        let mut exported = Vec::new();
        let mut expected = BTreeMap::new();
        for (number, (above, branch, state, parts)) in messages.iter().enumerate() {
            // The first message has no parent, and a parent is an earlier message.
            let parent = number.checked_sub(1).map(|_| above.index(number).to_string());
            exported.push(json!({ "id": number.to_string(), "parent": parent, "branch": branch, "state": state, "parts": parts,
                "author": { "kind": "imported", "label": "Bot" }, "created": 1_700_000_000_000_i64 }));
            expected.insert(number.to_string(), (parent, format!("\"{state}\""), parts.clone()));
        }
        let export = json!({ "format": "plexus-chat/1", "id": "c", "title": "T", "messages": exported });
        let decoded = decode(export.to_string().as_bytes()).unwrap();
        let chat = &decoded.conversations[0];
        let mut found = BTreeMap::new();
        for message in &chat.messages {
            let parent = message.parent.map(|parent| chat.messages[parent].source_id.clone());
            let state = serde_json::to_string(&message.state).unwrap();
            let parts: Vec<Value> = message.parts.iter().map(|part| match part {
                ImportedPart::Content(part) => serde_json::to_value(part).unwrap(),
                ImportedPart::File(file) => json!(file.name),
            }).collect();
            found.insert(message.source_id.clone(), (parent, state, parts));
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(decoded.omissions.iter().count(), 0);
    }
}
