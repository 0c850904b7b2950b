//! Each member of an export is replaced by null, by values of other types, and removed: the other messages stay.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use plexus_chat_import::{ImportedMessage, decode};
use serde_json::{Value, json};

/// An export with messages that say `word1` and so on.
struct Sample {
    format: &'static str,
    export: Value,
    /// Pointers of the messages (RFC 6901).
    messages: Vec<String>,
}

fn chatgpt() -> Sample {
    let message = |role: &str, text: &str| {
        json!({ "id": text, "author": { "role": role, "name": null, "metadata": {} }, "create_time": 1_700_000_000.5, "recipient": "all",
            "content": { "content_type": "text", "parts": [text] },
            "metadata": { "model_slug": "gpt-5", "attachments": [{ "id": "file-Gone12", "name": "a.txt" }],
                "citations": [{ "start_ix": 0, "end_ix": 3, "metadata": { "title": "A", "url": "https://a.example/" } }],
                "content_references": [{ "matched_text": "\u{e200}cite\u{e202}turn0search0\u{e201}", "items": [{ "title": "A", "url": "https://a.example/",
                    "refs": [{ "turn_index": 0, "ref_type": "search", "ref_index": 0 }] }] }] } })
    };
    let node = |id: &str, parent: Value, children: Value, message: Value| json!({ "id": id, "parent": parent, "children": children, "message": message });
    Sample {
        format: "ChatGPT",
        export: json!([{ "title": "T", "create_time": 1_700_000_000, "conversation_id": "c", "current_node": "d", "default_model_slug": "gpt-5",
            "is_archived": false, "is_starred": null, "mapping": {
                "root": node("root", Value::Null, json!(["a"]), Value::Null),
                "a": node("a", json!("root"), json!(["b"]), message("user", "word1")),
                "b": node("b", json!("a"), json!(["c"]), message("assistant", "word2")),
                "c": node("c", json!("b"), json!(["d"]), message("user", "word3")),
                "d": node("d", json!("c"), json!([]), message("assistant", "word4")) } }]),
        messages: ["a", "b", "c", "d"].map(|id| format!("/0/mapping/{id}")).into(),
    }
}

fn claude() -> Sample {
    let message = |id: &str, parent: &str, sender: &str, text: &str| {
        json!({ "uuid": id, "parent_message_uuid": parent, "sender": sender, "text": "", "created_at": "2025-05-01T10:00:00Z",
            "content": [{ "type": "text", "text": text, "citations": [{ "end_index": 3, "details": { "url": "https://a.example/" } }] },
                { "type": "tool_use", "name": "artifacts", "input": { "id": "x", "command": "create", "content": "doc", "title": "D" } },
                { "type": "tool_result", "name": "search", "content": [{ "type": "text", "text": "r" }] }],
            "attachments": [{ "file_name": "a.txt", "extracted_content": "pasted" }], "files": [{ "file_name": "b.png", "file_uuid": "u" }] })
    };
    Sample {
        format: "Claude",
        export: json!([{ "uuid": "c", "name": "T", "created_at": "2025-05-01T10:00:00Z", "model": "m", "project": { "name": "P" }, "chat_messages": [
            message("1", "0", "human", "word1"), message("2", "1", "assistant", "word2"),
            message("3", "2", "human", "word3"), message("4", "3", "assistant", "word4")] }]),
        messages: (0..4).map(|at| format!("/0/chat_messages/{at}")).collect(),
    }
}

fn deepseek() -> Sample {
    let message = |kind: &str, text: &str| {
        json!({ "files": [{ "file_name": "a" }], "model": "m", "inserted_at": "2025-05-01T10:00:00Z",
        "fragments": [{ "type": "THINK", "content": "hm" }, { "type": kind, "content": text }] })
    };
    Sample {
        format: "DeepSeek",
        export: json!([{ "id": "d", "title": "T", "inserted_at": "2025-05-01T10:00:00Z", "updated_at": "2025-05-01T10:00:00Z", "mapping": {
            "root": { "id": "root", "parent": null, "children": ["1"], "message": null },
            "1": { "id": "1", "parent": "root", "children": ["2"], "message": message("REQUEST", "word1") },
            "2": { "id": "2", "parent": "1", "children": [], "message": message("RESPONSE", "word2") } } }]),
        messages: ["1", "2"].map(|id| format!("/0/mapping/{id}")).into(),
    }
}

fn open_webui() -> Sample {
    let message = |parent: Value, role: &str, text: &str| {
        json!({ "parentId": parent, "childrenIds": [], "role": role, "content": text, "model": "m", "timestamp": 1_700_000_000, "models": ["m"],
            "files": [{ "type": "file", "name": "a.txt", "url": "x", "file": { "id": "f", "data": { "content": "notes" }, "meta": { "name": "a.txt" } } }],
            "sources": [{ "source": { "name": "s" }, "metadata": [{ "source": "https://a.example/" }] }] })
    };
    Sample {
        format: "Open WebUI",
        export: json!([{ "id": "w", "title": "T", "created_at": 1_700_000_000, "pinned": true, "archived": false, "folder": { "name": "F" }, "chat": {
            "title": "T", "models": ["m"], "timestamp": 1_700_000_000, "history": { "currentId": "b", "messages": {
                "a": message(Value::Null, "user", "word1"), "b": message(json!("a"), "assistant", "word2"), "c": message(json!("b"), "user", "word3") } } } }]),
        messages: ["a", "b", "c"].map(|id| format!("/0/chat/history/messages/{id}")).into(),
    }
}

fn librechat() -> Sample {
    let message = |id: &str, parent: &str, is_user: bool, text: &str| {
        json!({ "messageId": id, "parentMessageId": parent, "isCreatedByUser": is_user, "sender": "S", "model": "m", "createdAt": "2025-05-01T10:00:00Z",
            "text": "", "content": [{ "type": "text", "text": { "value": text } }, { "type": "think", "think": "hm" },
                { "type": "tool_call", "tool_call": { "name": "t", "args": "{}", "output": "r" } }],
            "files": [{ "filename": "a.png", "file_id": "f", "type": "image/png", "filepath": "/images/a" }],
            "attachments": [{ "type": "web_search", "web_search": { "turn": 0, "organic": [{ "title": "A", "link": "https://a.example/" }] } }] })
    };
    Sample {
        format: "LibreChat",
        export: json!({ "conversationId": "l", "title": "T", "options": { "model": "m" }, "endpoint": "e", "messages": [
            message("1", "0", true, "word1"), message("2", "1", false, "word2"), message("3", "2", true, "word3")] }),
        messages: (0..3).map(|at| format!("/messages/{at}")).collect(),
    }
}

fn plexus() -> Sample {
    let message = |id: &str, parent: Value, branch: u32, text: &str| {
        json!({ "id": id, "parent": parent, "branch": branch, "author": { "kind": "person", "name": "ada", "address": "@a/b" }, "state": "done",
            "created": 1_700_000_000_000_i64, "parts": [{ "kind": "text", "text": text }, { "kind": "tool", "tool": "t", "arguments": {}, "result": 1 },
                { "kind": "file", "name": "a", "blob": "b", "media_type": "image/png", "image": {} }, { "kind": "approval", "approval": "x" }] })
    };
    Sample {
        format: "Plexus",
        export: json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "exported_by": "ada", "id": "p", "title": "T", "created": 1,
            "pinned": true, "archived": false, "folder": "F", "current_message": "2", "messages": [
                message("1", Value::Null, 0, "word1"), message("2", json!("1"), 1, "word2"), message("3", json!("2"), 0, "word3")] }),
        messages: (0..3).map(|at| format!("/messages/{at}")).collect(),
    }
}

/// Returns the pointers of all values in a value.
fn pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            found.push(path.clone());
            pointers(member, &path, found);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, item)| {
            let path = format!("{path}/{at}");
            found.push(path.clone());
            pointers(item, &path, found);
        }),
        _ => {}
    }
}

fn remove(export: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match export.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => panic!("no container"),
    }
}

fn texts(export: &Value) -> Vec<String> {
    let Ok(decoded) = decode(export.to_string().as_bytes()) else { return Vec::new() };
    decoded.conversations.iter().flat_map(|chat| &chat.messages).map(ImportedMessage::text).collect()
}

#[test]
fn a_damaged_member_costs_at_most_its_message() {
    let samples = [chatgpt(), claude(), deepseek(), open_webui(), librechat(), plexus()];
    let values = [
        Value::Null,
        json!(5),
        json!(-1.5),
        json!("x"),
        json!(""),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!({ "a": null }),
        json!([["x"], {}]),
    ];
    for Sample { format, export, messages } in samples {
        assert_eq!(
            texts(&export).iter().filter(|text| text.contains("word")).count(),
            messages.len(),
            "{format}: {:?}",
            texts(&export)
        );
        let mut all = Vec::new();
        pointers(&export, "", &mut all);
        for pointer in all {
            // A value that contains messages costs those: the list of messages, or the conversation.
            let is_lost = |message: &String| {
                pointer.starts_with(message.as_str()) || message.starts_with(&format!("{pointer}/"))
            };
            let kept: Vec<String> = (1..)
                .zip(&messages)
                .filter(|(_, message)| !is_lost(message))
                .map(|(number, _)| format!("word{number}"))
                .collect();
            for change in values.iter().map(Some).chain([None]) {
                let mut damaged = export.clone();
                match change {
                    Some(value) => *damaged.pointer_mut(&pointer).unwrap() = value.clone(),
                    None => remove(&mut damaged, &pointer),
                }
                let found = texts(&damaged);
                for word in &kept {
                    assert!(
                        found.iter().any(|text| text.contains(word)),
                        "{format}: {pointer} = {change:?}: {word} is not in {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn messages_in_cycles_stay() {
    for Sample { format, export, messages } in
        [chatgpt(), claude(), deepseek(), open_webui(), librechat(), plexus()]
    {
        let parent = match format {
            "Claude" => "parent_message_uuid",
            "LibreChat" => "parentMessageId",
            "Open WebUI" => "parentId",
            _ => "parent",
        };
        for (at, message) in messages.iter().enumerate() {
            for other in &messages {
                let id = export.pointer(other).unwrap();
                let id = ["id", "uuid", "messageId"].iter().find_map(|name| id.get(name)).cloned();
                let mut cyclic = export.clone();
                cyclic.pointer_mut(message).unwrap()[parent] =
                    id.unwrap_or_else(|| json!(other.rsplit('/').next()));
                let found = texts(&cyclic);
                for number in 1..=messages.len() {
                    assert!(
                        found.iter().any(|text| text.contains(&format!("word{number}"))),
                        "{format} {at}: {found:?}"
                    );
                }
            }
        }
    }
}
