//! Each format as a small file, then files that are damaged or hostile.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use plexus_chat_import::{
    DecodedExport, ImportError, ImportedAuthor, ImportedConversation, MAX_ALL_MESSAGES, MAX_CONVERSATIONS,
    MAX_LABEL_CHARS, MAX_MESSAGES, Omission, SourceFormat, decode,
};
use plexus_domain::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

fn decoded(value: &Value) -> DecodedExport {
    decode(value.to_string().as_bytes()).unwrap()
}

fn only(export: DecodedExport) -> ImportedConversation {
    let [conversation] = <[_; 1]>::try_from(export.conversations).unwrap();
    conversation
}

/// Returns each message as `parent: author: text`.
fn outline(conversation: &ImportedConversation) -> Vec<String> {
    let line = |message: &plexus_chat_import::ImportedMessage| {
        let parent = message.parent.map_or_else(|| "-".to_owned(), |parent| parent.to_string());
        let author = match &message.author {
            ImportedAuthor::User => "user",
            ImportedAuthor::Assistant { label, .. } => label,
        };
        format!("{parent}: {author}: {}", message.text())
    };
    conversation.messages.iter().map(line).collect()
}

fn omitted(export: &DecodedExport) -> Vec<String> {
    export.omissions.iter().map(|(omission, count)| omission.describe(count)).collect()
}

fn chatgpt() -> Value {
    let message = |role: &str, content: Value| {
        json!({ "author": { "role": role }, "content": content, "create_time": 1_700_000_000.5,
            "metadata": { "model_slug": "gpt-4o" }, "recipient": "all", "weight": 1.0 })
    };
    let text = |text: &str| json!({ "content_type": "text", "parts": [text] });
    let image =
        json!({ "content_type": "image_asset_pointer", "asset_pointer": "file-service://x", "width": 5 });
    let search = json!({ "author": { "role": "assistant" }, "recipient": "browser",
        "content": { "content_type": "code", "text": "search()" } });
    let node = |id: &str, parent: &str, children: Value, message: Value| json!({ "id": id, "parent": parent, "children": children, "message": message });
    json!([{
        "title": "Bread",
        "create_time": 1_700_000_000,
        "conversation_id": "c-1",
        "current_node": "a1",
        "mapping": {
            "root": { "id": "root", "parent": null, "children": ["s"], "message": null },
            "s": node("s", "root", json!(["q"]), message("system", text(""))),
            "q": node("q", "s", json!(["t", "a2"]), message("user", json!({ "content_type": "multimodal_text", "parts": [image, "How?"] }))),
            "t": node("t", "q", json!(["r"]), search),
            "r": node("r", "t", json!(["a1"]), message("tool", text("found"))),
            "a1": node("a1", "r", json!([]), message("assistant", text("**Knead**"))),
            "a2": node("a2", "q", json!([]), message("assistant", text("Buy"))),
            "h": node("h", "a2", json!([]), message("assistant", json!({ "content_type": "thoughts", "thoughts": [] }))),
        },
    }])
}

#[test]
fn chatgpt_keeps_branches_and_counts_images_and_tools() {
    let export = decoded(&chatgpt());
    assert_eq!(export.format, SourceFormat::ChatGpt);
    assert_eq!(omitted(&export), ["1 image"]);
    let chat = only(export);
    assert_eq!((chat.title.as_str(), chat.source_id.as_str()), ("Bread", "c-1"));
    assert_eq!(chat.created, Some(Timestamp::from_millis(1_700_000_000_000)));
    assert_eq!(chat.messages[0].created, Some(Timestamp::from_millis(1_700_000_000_500)));
    let mut lines = outline(&chat);
    lines.sort();
    assert_eq!(lines, ["-: user: How?", "0: ChatGPT · gpt-4o: **Knead**", "0: ChatGPT · gpt-4o: Buy"]);
    assert_eq!(chat.messages[chat.current].text(), "**Knead**");
}

#[test]
fn claude_is_a_list_of_messages_or_a_tree() {
    let message = |id: &str, sender: &str, content: Value| {
        json!({ "uuid": id, "sender": sender, "text": "old form", "content": content, "created_at": "2024-05-01T10:00:00.000000Z",
            "attachments": [], "files": [] })
    };
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let mut first = message("1", "human", text("Hi"));
    first["attachments"] = json!([{ "file_name": "a.txt", "extracted_content": "a" }]);
    let mut other = message(
        "3",
        "assistant",
        json!([{ "type": "thinking", "thinking": "…" }, { "type": "text", "text": "Hey" }]),
    );
    other["parent_message_uuid"] = json!("1");
    let export = decoded(&json!([{ "uuid": "c", "name": "Greeting", "created_at": "2024-05-01T09:00:00Z",
        "chat_messages": [first, message("2", "assistant", json!([])), other] }]));
    assert_eq!(export.format, SourceFormat::Claude);
    assert_eq!(omitted(&export), Vec::<String>::new());
    let chat = only(export);
    assert_eq!(outline(&chat), ["-: user: Hi\n\na.txt:\n\na", "0: Claude: old form", "0: Claude: Hey"]);
    assert_eq!((chat.title.as_str(), chat.current), ("Greeting", 2));
}

#[test]
fn open_webui_has_a_history_or_a_list() {
    let export = decoded(&json!([
        { "id": "w", "title": "Sums", "created_at": 1_700_000_000, "chat": { "models": ["llama3"], "history": {
            "currentId": "b", "messages": {
                "a": { "id": "a", "parentId": null, "childrenIds": ["b", "c"], "role": "user", "content": "1+1?",
                    "files": [{ "type": "image", "url": "data:" }, { "type": "file" }], "timestamp": 1_700_000_001 },
                "b": { "id": "b", "parentId": "a", "role": "assistant", "content": "2", "model": "qwen" },
                "c": { "id": "c", "parentId": "a", "role": "assistant", "content": "two" } } },
            "messages": [{ "role": "user", "content": "ignored" }] } },
        { "id": "v", "chat": { "title": "List", "messages": [{ "role": "system", "content": "x" },
            { "role": "user", "content": "Hi" }, { "role": "assistant", "content": "Hello" }] } },
    ]));
    assert_eq!(export.format, SourceFormat::OpenWebUi);
    assert_eq!(omitted(&export), ["1 image", "1 file", "1 hidden message"]);
    let mut lines = outline(&export.conversations[0]);
    lines.sort();
    assert_eq!(lines, ["-: user: 1+1?", "0: Open WebUI · llama3: two", "0: Open WebUI · qwen: 2"]);
    assert_eq!(export.conversations[0].messages[export.conversations[0].current].text(), "2");
    assert_eq!(export.conversations[1].title, "List");
    assert_eq!(outline(&export.conversations[1]), ["-: user: Hi", "0: Open WebUI: Hello"]);
}

#[test]
fn librechat_is_flat_or_nested() {
    let zero = "00000000-0000-0000-0000-000000000000";
    let question = json!({ "messageId": "1", "parentMessageId": zero, "text": "Why?", "sender": "User", "isCreatedByUser": true,
        "createdAt": "2024-05-01T10:00:00.000Z" });
    let answer = json!({ "messageId": "2", "parentMessageId": "1", "sender": "GPT-4", "isCreatedByUser": false, "model": "gpt-4",
        "content": [{ "type": "text", "text": { "value": "Because" } }, { "type": "tool_call", "tool_call": {} }] });
    let flat = json!({ "conversationId": "l", "title": "Reasons", "endpoint": "openAI", "recursive": false,
        "messages": [question, answer] });
    let mut nested_question = question;
    nested_question["children"] = json!([answer]);
    let nested = json!({ "conversationId": "l", "title": "Reasons", "recursive": true, "messagesTree": [nested_question] });
    for export in [flat, nested] {
        let export = decoded(&export);
        assert_eq!(export.format, SourceFormat::LibreChat);
        assert_eq!(omitted(&export), Vec::<String>::new());
        let chat = only(export);
        assert_eq!(outline(&chat), ["-: user: Why?", "0: LibreChat · gpt-4: Because"]);
        assert_eq!(chat.created, Timestamp::from_rfc3339("2024-05-01T10:00:00Z"));
    }
}

#[test]
fn plexus_has_a_chat_per_line() {
    let chat = |id: &str| {
        json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "id": id, "title": id, "created": 1_700_000_000_000_i64,
            "current_message": "4", "messages": [
                { "id": "1", "parent": null, "branch": 0, "author": { "kind": "person", "name": "ada" }, "state": "done",
                    "created": 1_700_000_000_001_i64, "parts": [{ "kind": "text", "text": "Hi" }, { "kind": "file", "media_type": "image/png" }] },
                { "id": "2", "parent": "1", "branch": 1, "author": { "kind": "agent", "address": "@bob/poet" }, "parts": [{ "kind": "text", "text": "a" }] },
                { "id": "3", "parent": "1", "branch": 2, "author": { "kind": "agent", "address": "@eve/bot@other.example" }, "parts": [{ "kind": "text", "text": "b" }] },
                { "id": "4", "parent": "1", "branch": 1, "author": { "kind": "imported", "label": "Claude" }, "parts": [{ "kind": "text", "text": "c" }] },
                { "id": "5", "parent": "4", "branch": 0, "author": { "kind": "gone" }, "state": "deleted", "parts": [] } ] })
    };
    let export = decode(format!("{}\n{}\n", chat("one"), chat("two")).as_bytes()).unwrap();
    assert_eq!(export.format, SourceFormat::Plexus);
    assert_eq!(omitted(&export), ["2 images"]);
    let [one, two] = <[_; 2]>::try_from(export.conversations).unwrap();
    assert_eq!((one.source_id.as_str(), two.title.as_str()), ("one", "two"));
    let lines = outline(&one);
    assert_eq!(lines.len(), 5);
    for line in ["-: user: Hi", "0: @bob/poet@hub.example: a", "0: @eve/bot@other.example: b", "0: Claude: c"]
    {
        assert!(lines.iter().any(|found| found == line), "{line}");
    }
    let lanes: Vec<i32> = one
        .messages
        .iter()
        .filter_map(|message| match &message.author {
            ImportedAuthor::Assistant { lane, .. } => Some(*lane),
            ImportedAuthor::User => None,
        })
        .collect();
    assert_eq!(lanes.iter().sum::<i32>(), 4);
    assert_eq!(one.messages[one.current].text(), "c");
}

#[test]
fn files_that_are_no_export_are_refused_with_what_to_do() {
    let whole = chatgpt().to_string();
    let utf16: Vec<u8> = whole.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let many = format!("[{}{{}}]", "{},".repeat(MAX_CONVERSATIONS));
    let cases: [(&[u8], &str); 9] = [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        (&utf16, "UTF-8"),
        (b"[\"\xff\"]", "UTF-8"),
        (&whole.as_bytes()[..whole.len() - 3], "not complete JSON"),
        (b"[]", "no conversations"),
        (b"{\"a\":1}", "no export of"),
        (b"PK\x03\x04", "ZIP archive cannot be read"),
        (many.as_bytes(), "more than 20000 conversations"),
    ];
    for (bytes, words) in cases {
        let error = decode(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
        assert!(["Choose", "Save", "Export", "Download"].iter().any(|verb| error.contains(verb)), "{error}");
    }
    let with_mark = [b"\xef\xbb\xbf", whole.as_bytes()].concat();
    assert_eq!(decode(&with_mark).unwrap().conversations.len(), 1);
}

#[test]
fn one_bad_conversation_does_not_spoil_the_others() {
    let [good] = <[Value; 1]>::try_from(chatgpt().as_array().unwrap().clone()).unwrap();
    let nodes = (0..=MAX_MESSAGES).map(|at| (at.to_string(), json!({})));
    let long: Value = json!({ "mapping": nodes.collect::<serde_json::Map<_, _>>() });
    let export = decoded(&json!([good, { "mapping": 5 }, 7, { "mapping": {} }, long, { "other": true }]));
    assert_eq!(export.conversations.len(), 1);
    assert_eq!(export.omissions.get(Omission::UnreadableConversation), 3);
    assert_eq!(export.omissions.get(Omission::EmptyConversation), 1);
    assert_eq!(export.omissions.get(Omission::LongConversation), 1);
}

// Slow: decodes some hundred thousand messages.
#[test]
fn files_of_very_many_messages_are_refused() {
    let messages = format!(
        "{}{{\"sender\":\"human\",\"text\":\"a\"}}",
        "{\"sender\":\"human\",\"text\":\"a\"},".repeat(MAX_MESSAGES - 1)
    );
    let chat = format!("{{\"chat_messages\":[{messages}]}}");
    let lines = format!("{chat}\n").repeat(MAX_ALL_MESSAGES / MAX_MESSAGES + 1);
    assert_eq!(decode(lines.as_bytes()).unwrap_err(), ImportError::TooManyMessages);
}

#[test]
fn half_a_surrogate_pair_is_replaced() {
    let json = chatgpt().to_string().replace("Buy", "Buy \\ud83d");
    let chat = only(decode(json.as_bytes()).unwrap());
    assert!(chat.messages.iter().any(|message| message.text() == "Buy \u{fffd}"));
}

#[test]
fn a_conversation_without_an_id_has_a_stable_one_and_labels_are_short() {
    let export = json!([{ "chat_messages": [{ "sender": "human", "text": "Hi" }] , "uuid": "not an id", "model": "m".repeat(999) },
        { "chat_messages": [{ "sender": "assistant", "text": "Hi" }], "model": "m".repeat(999) }]);
    let [one, two] = <[_; 2]>::try_from(decoded(&export).conversations).unwrap();
    assert_ne!(one.source_id, two.source_id);
    assert_eq!(one.source_id, decoded(&export).conversations[0].source_id);
    let ImportedAuthor::Assistant { label, .. } = &two.messages[0].author else { panic!("not an answer") };
    assert_eq!(label.chars().count(), MAX_LABEL_CHARS);
}

#[test]
fn deep_nesting_is_no_problem() {
    let depth = 200_000;
    let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for json in [
        deep.clone(),
        format!("[{{\"mapping\":{{\"a\":{{\"message\":{{\"content\":{{\"parts\":{deep}}}}}}}}}}}]"),
    ] {
        let export = decode(json.as_bytes());
        assert!(export.is_err() || export.unwrap().conversations.is_empty());
    }
    let depth = 5_000;
    let nested = format!(
        "{{\"conversationId\":\"x\",\"messages\":[{}{}]}}",
        "{\"text\":\"t\",\"children\":[".repeat(depth),
        "]}".repeat(depth)
    );
    let chat = only(decode(nested.as_bytes()).unwrap());
    // Each answers the one before and none is from the user: one answer that was continued.
    assert_eq!(chat.messages.len(), 1);
}

proptest! {
    #![proptest_config(plexus_testing::cases(500))]

    #[test]
    fn arbitrary_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _: Result<_, ImportError> = decode(&bytes);
    }

    #[test]
    fn changed_files_are_decoded_or_refused(at in any::<prop::sample::Index>(), with in "[\\[\\]{}\",:0-9a\\\\]{0,3}", length in 0_usize..40) {
        let whole = chatgpt().to_string();
        let begin = whole.floor_char_boundary(at.index(whole.len()));
        let end = whole.floor_char_boundary((begin + length).min(whole.len()));
        let changed = format!("{}{with}{}", &whole[..begin], &whole[end..]);
        if let Ok(export) = decode(changed.as_bytes()) {
            for chat in export.conversations {
                prop_assert!(chat.current < chat.messages.len());
                for (at, message) in chat.messages.iter().enumerate() {
                    prop_assert!(message.parent.is_none_or(|parent| parent < at));
                    prop_assert!(!message.parts.is_empty());
                }
            }
        }
    }
}
