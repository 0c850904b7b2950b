//! What people wrote and what the service wrote for them stays in the chat: pasted texts, files, documents, citations.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::io::Write as _;

use flate2::{Compression, write::DeflateEncoder};
use plexus_chat_import::{
    DecodedExport, FileContent, ImportError, ImportedAuthor, ImportedConversation, ImportedMessage,
    ImportedPart, Omission, SourceFormat, decode, read_archived,
};
use plexus_domain::{PartBody, message::MessageState};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Value, json};

fn decoded(value: &Value) -> DecodedExport {
    decode(value.to_string().as_bytes()).unwrap()
}

fn only(export: DecodedExport) -> ImportedConversation {
    let [conversation] = <[_; 1]>::try_from(export.conversations).unwrap();
    conversation
}

/// Returns a part as `kind: content`.
fn part_line(part: &ImportedPart) -> String {
    match part {
        ImportedPart::Content(part) => match &part.content {
            PartBody::Text { text } => format!("text: {text}"),
            PartBody::Reasoning { text } => format!("reasoning: {text}"),
            PartBody::Tool(call) => {
                format!(
                    "tool: {}({}) = {}",
                    call.tool,
                    call.arguments,
                    call.result.clone().unwrap_or_default()
                )
            }
            other => format!("{other:?}"),
        },
        ImportedPart::File(file) => format!("file: {}", file.name),
    }
}

fn lines(message: &ImportedMessage) -> Vec<String> {
    message.parts.iter().map(part_line).collect()
}

/// Returns the parts of all messages, with who wrote each.
fn all(conversation: &ImportedConversation) -> Vec<(&'static str, Vec<String>)> {
    let author = |message: &ImportedMessage| match message.author {
        ImportedAuthor::User => "user",
        ImportedAuthor::Assistant { .. } => "assistant",
    };
    conversation.messages.iter().map(|message| (author(message), lines(message))).collect()
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        let file = archive.new_file(*name).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A conversation of ChatGPT whose messages follow one another.
fn chatgpt(messages: &[Value]) -> Value {
    let mut mapping = serde_json::Map::new();
    for (number, message) in messages.iter().enumerate() {
        let parent = number.checked_sub(1).map(|before| before.to_string());
        let node = json!({ "id": number.to_string(), "parent": parent, "message": message });
        mapping.insert(number.to_string(), node);
    }
    json!([{ "title": "T", "conversation_id": "c", "default_model_slug": "gpt-5-thinking", "mapping": mapping }])
}

fn message(role: &str, content: &Value, metadata: &Value) -> Value {
    json!({ "author": { "role": role }, "content": content, "metadata": metadata })
}

fn said(role: &str, text: &str) -> Value {
    message(role, &json!({ "content_type": "text", "parts": [text] }), &json!({}))
}

fn call(tool: &str, arguments: &Value) -> Value {
    let content = json!({ "content_type": "code", "text": arguments.to_string() });
    json!({ "author": { "role": "assistant" }, "recipient": tool, "content": content })
}

#[test]
fn files_of_chatgpt_are_found_in_the_archive_and_named_if_they_are_not() {
    let image = |pointer: &str| json!({ "content_type": "image_asset_pointer", "asset_pointer": pointer });
    let user = message(
        "user",
        &json!({ "content_type": "multimodal_text", "parts": [image("file-service://file-Photo1"), image("sediment://file_0002"), "Compare"] }),
        &json!({ "attachments": [
            { "id": "file-Photo1", "name": "sea.png", "mime_type": "image/png" },
            { "id": "file-Gone1", "name": "gone.pdf", "mime_type": "application/pdf" },
        ] }),
    );
    let drawn = json!({ "author": { "role": "tool", "name": "dalle.text2im" }, "content": {
        "content_type": "multimodal_text", "parts": [image("file-service://file-Drawn1")] } });
    let only_a_file = message(
        "user",
        &json!({ "content_type": "multimodal_text", "parts": [image("file-service://file-Unknown")] }),
        &json!({}),
    );
    let chat = chatgpt(&[
        user,
        call("dalle.text2im", &json!({ "prompt": "sea" })),
        drawn,
        said("assistant", "Here"),
        only_a_file,
        said("assistant", "I see"),
    ]);
    let bytes = archive(&[
        ("export/conversations.json", chat.to_string().as_bytes()),
        ("export/file-Photo1-sea.png", b"one"),
        ("export/user-x/file_0002-sanitized.jpg", b"two"),
        ("export/dalle-generations/file-Drawn1-abc.webp", b"three"),
    ]);
    let export = decode(&bytes).unwrap();
    assert_eq!((export.omissions.get(Omission::Image), export.omissions.get(Omission::File)), (1, 1));
    let chat = only(export);
    let expected = [
        (
            "user",
            vec![
                "file: sea.png",
                "file: sanitized.jpg",
                "text: Compare",
                "text: [File: gone.pdf, not in the export]",
            ],
        ),
        (
            "assistant",
            vec!["tool: dalle.text2im({\"prompt\":\"sea\"}) = \"\"", "file: abc.webp", "text: Here"],
        ),
        ("user", vec!["text: [Image, not in the export]"]),
        ("assistant", vec!["text: I see"]),
    ];
    let expected: Vec<(&str, Vec<String>)> = expected
        .into_iter()
        .map(|(author, lines)| (author, lines.into_iter().map(str::to_owned).collect()))
        .collect();
    assert_eq!(all(&chat), expected);
    let ImportedPart::File(file) = &chat.messages[0].parts[1] else { panic!("no file") };
    let FileContent::Archived(archived) = &file.content else { panic!("not in the archive") };
    assert_eq!(read_archived(&bytes, *archived, 10).unwrap(), b"two");
}

#[test]
fn texts_of_attached_files_belong_to_the_message_of_chatgpt() {
    let quote = json!({ "author": { "role": "tool", "name": "myfiles_browser" }, "content": {
        "content_type": "tether_quote", "title": "notes.txt", "text": "Tides are twice a day" },
        "metadata": { "is_visually_hidden_from_conversation": true } });
    let reply = message(
        "user",
        &json!({ "content_type": "text", "parts": ["Why?"] }),
        &json!({ "targeted_reply": "twice\na day", "attachments": [{ "name": "p.txt", "content": "pasted" }] }),
    );
    let chat = only(decoded(&chatgpt(&[said("user", "Read"), quote, said("assistant", "Done"), reply])));
    assert_eq!(
        all(&chat),
        [
            ("user", vec!["text: Read".to_owned(), "text: notes.txt\n\nTides are twice a day".to_owned()]),
            ("assistant", vec!["text: Done".to_owned()]),
            (
                "user",
                vec![
                    "text: > twice\n> a day".to_owned(),
                    "text: Why?".to_owned(),
                    "text: p.txt:\n\npasted".to_owned()
                ]
            ),
        ]
    );
    let ImportedAuthor::Assistant { label, .. } = &chat.messages[1].author else { panic!("not an answer") };
    assert_eq!(label, "ChatGPT · gpt-5-thinking", "the model of the conversation");
}

#[test]
fn reasoning_and_tool_calls_of_chatgpt_are_parts_of_the_answer() {
    let thoughts = json!({ "author": { "role": "assistant" }, "content": { "content_type": "thoughts",
        "thoughts": [{ "summary": "Plan", "content": "First add" }, { "content": "then check" }] } });
    let recap = json!({ "author": { "role": "assistant" }, "content": { "content_type": "reasoning_recap", "content": "Thought for 3s" } });
    let output = json!({ "author": { "role": "tool", "name": "python" }, "content": { "content_type": "execution_output", "text": "42" } });
    let hidden = message(
        "user",
        &json!({ "content_type": "user_editable_context", "user_instructions": "Be brief" }),
        &json!({}),
    );
    let voice = message(
        "user",
        &json!({ "content_type": "multimodal_text", "parts": [
            { "content_type": "audio_transcription", "text": "Six times seven" },
            { "content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": { "asset_pointer": "sediment://file_9999" } } ] }),
        &json!({}),
    );
    let export = decoded(&chatgpt(&[
        hidden,
        voice,
        thoughts,
        recap,
        call("python", &json!({ "code": "6*7" })),
        output,
        said("assistant", "42"),
    ]));
    assert_eq!(
        export.omissions.iter().collect::<Vec<_>>(),
        [(Omission::File, 1), (Omission::HiddenMessage, 1)]
    );
    assert_eq!(
        all(&only(export)),
        [
            ("user", vec!["text: Six times seven".to_owned()]),
            (
                "assistant",
                vec![
                    "reasoning: **Plan**\n\nFirst add\n\nthen check".to_owned(),
                    "tool: python({\"code\":\"6*7\"}) = \"42\"".to_owned(),
                    "text: 42".to_owned(),
                ]
            ),
        ]
    );
}

#[test]
fn canvas_documents_of_chatgpt_have_their_text_after_each_edit() {
    let done = |id: &str| {
        json!({ "author": { "role": "tool", "name": "canmore" }, "content": { "content_type": "text", "parts": ["ok"] },
        "metadata": { "canvas": { "textdoc_id": id } } })
    };
    let create = |name: &str, kind: &str, text: &str| {
        call("canmore.create_textdoc", &json!({ "name": name, "type": kind, "content": text }))
    };
    let update = |pattern: &str, text: &str| {
        call(
            "canmore.update_textdoc",
            &json!({ "updates": [{ "pattern": pattern, "multiple": false, "replacement": text }] }),
        )
    };
    let chat = only(decoded(&chatgpt(&[
        said("user", "A poem"),
        create("Tide", "document", "Low\nHigh"),
        done("d1"),
        said("assistant", "It is in the canvas."),
        said("user", "And code"),
        create("sum.py", "code/python", "1 + 1"),
        done("d2"),
        said("user", "Change the poem"),
        update("Low", "Ebb"),
        done("d1"),
        said("assistant", "Changed."),
    ])));
    let texts: Vec<String> = chat.messages.iter().map(ImportedMessage::text).collect();
    assert_eq!(
        texts,
        [
            "A poem",
            "**Tide**\n\n```markdown\nLow\nHigh\n```\n\nIt is in the canvas.",
            "And code",
            "**sum.py**\n\n```python\n1 + 1\n```",
            "Change the poem",
            "**Tide**\n\n```markdown\nEbb\nHigh\n```\n\nChanged.",
        ]
    );
}

#[test]
fn citations_of_chatgpt_are_links() {
    let answer = message(
        "assistant",
        &json!({ "content_type": "text", "parts": ["Tides\u{e200}cite\u{e202}turn0search0\u{e201} rise. See citeturn0search1 and \u{e200}filecite\u{e202}turn0file0\u{e201}."] }),
        &json!({
            "content_references": [
                { "matched_text": "\u{e200}cite\u{e202}turn0search0\u{e201}", "type": "grouped_webpages", "items": [{ "title": "Tide", "url": "https://tide.example/a" }] },
                { "matched_text": "\u{e200}filecite\u{e202}turn0file0\u{e201}", "type": "file", "name": "moon.pdf" },
            ],
            "search_result_groups": [{ "entries": [{ "url": "https://sea.example/", "title": "Sea",
                "ref_id": { "turn_index": 0, "ref_type": "search", "ref_index": 1 } }] }],
        }),
    );
    let old = message(
        "assistant",
        &json!({ "content_type": "text", "parts": ["é so【3†source】."] }),
        &json!({ "citations": [{ "start_ix": 4, "end_ix": 14, "metadata": { "title": "Old", "url": "https://old.example/" } }] }),
    );
    let chat = only(decoded(&chatgpt(&[said("user", "?"), answer, said("user", "!"), old])));
    assert_eq!(
        chat.messages[1].text(),
        "Tides ([Tide](https://tide.example/a)) rise. See ([Sea](https://sea.example/)) and [^1].\n\n[^1]: moon.pdf"
    );
    assert_eq!(chat.messages[3].text(), "é so ([Old](https://old.example/)).");
}

#[test]
fn claude_keeps_pasted_texts_files_artifacts_and_links() {
    let at = |number: u32| format!("2025-05-01T10:00:{number:02}Z");
    let message = |number: u32, sender: &str, content: Value| json!({ "uuid": format!("m{number}"), "sender": sender, "text": "", "content": content, "created_at": at(number) });
    let mut pasted = message(1, "human", json!([]));
    pasted["attachments"] =
        json!([{ "file_name": "", "file_type": "txt", "extracted_content": "A long pasted prompt" }]);
    let mut file = message(3, "human", json!([]));
    file["files"] = json!([{ "file_name": "sea.png", "file_uuid": "0f0e8f7c-1111-2222-3333-444455556666", "file_kind": "image" },
        { "file_name": "lost.pdf" }]);
    let artifact = |command: &str, rest: Value| {
        let mut input = json!({ "id": "poem", "command": command });
        for (key, value) in rest.as_object().unwrap() {
            input[key] = value.clone();
        }
        json!({ "type": "tool_use", "name": "artifacts", "input": input })
    };
    let answers = [
        message(
            2,
            "assistant",
            json!([
                { "type": "thinking", "thinking": "Hm" },
                { "type": "text", "text": "Here." },
                artifact("create", json!({ "type": "text/markdown", "title": "Poem", "content": "Low\nHigh" })),
                { "type": "tool_result", "name": "artifacts", "content": [{ "type": "text", "text": "OK" }] },
                { "type": "tool_use", "name": "web_search", "input": { "query": "tide" } },
                { "type": "tool_result", "name": "web_search", "content": [{ "type": "text", "text": "found" }] },
                { "type": "text", "text": "Tides rise daily. Yes.", "citations": [{ "start_index": 0, "end_index": 17,
                    "details": { "type": "web_search_citation", "url": "https://tide.example/x" } }] },
            ]),
        ),
        message(4, "assistant", json!([artifact("update", json!({ "old_str": "Low", "new_str": "Ebb" }))])),
        message(6, "assistant", json!([artifact("rewrite", json!({ "content": "New" }))])),
        message(
            8,
            "assistant",
            json!([{ "type": "text", "text": "So: <antArtifact identifier=\"x\" type=\"application/vnd.ant.code\" language=\"python\" title=\"Sum\">\n1 + 1\n</antArtifact> Done." }]),
        ),
    ];
    let [one, two, three, four] = answers;
    let user = |number: u32| message(number, "human", json!([{ "type": "text", "text": "Go on" }]));
    let export = json!([{ "uuid": "c", "name": "Poem", "model": "claude-sonnet-4", "is_starred": true, "project": { "name": "Sea" },
        "chat_messages": [pasted, one, file, two, user(5), three, user(7), four] }]);
    let bytes = archive(&[
        ("conversations.json", export.to_string().as_bytes()),
        ("files/0f0e8f7c-1111-2222-3333-444455556666/sea.png", b"png"),
    ]);
    let export = decode(&bytes).unwrap();
    assert_eq!(export.omissions.get(Omission::File), 1);
    let chat = only(export);
    assert_eq!((chat.is_pinned, chat.is_archived, chat.folder.as_deref()), (true, false, Some("Sea")));
    assert_eq!(lines(&chat.messages[0]), ["text: A long pasted prompt"]);
    assert_eq!(
        lines(&chat.messages[1]),
        [
            "reasoning: Hm",
            "text: Here.",
            "text: **Poem**\n\n```markdown\nLow\nHigh\n```",
            "tool: web_search({\"query\":\"tide\"}) = \"found\"",
            "text: Tides rise daily. ([tide.example](https://tide.example/x)) Yes.",
        ]
    );
    assert_eq!(lines(&chat.messages[2]), ["file: sea.png", "text: [File: lost.pdf, not in the export]"]);
    assert_eq!(lines(&chat.messages[3]), ["text: **Poem**\n\n```markdown\nEbb\nHigh\n```"]);
    assert_eq!(lines(&chat.messages[5]), ["text: **Poem**\n\n```markdown\nNew\n```"]);
    assert_eq!(lines(&chat.messages[7]), ["text: So: **Sum**\n\n```python\n1 + 1\n``` Done."]);
    let ImportedAuthor::Assistant { label, .. } = &chat.messages[1].author else { panic!("not an answer") };
    assert_eq!(label, "Claude · claude-sonnet-4");
}

#[test]
fn open_webui_keeps_reasoning_tools_files_and_sources() {
    let answer = "<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>Thought for 3 seconds</summary>\n&gt; First\n&gt; then\n</details>\n\
        <details type=\"tool_calls\" done=\"true\" id=\"c\" name=\"search\" arguments=\"&quot;{\\&quot;q\\&quot;: \\&quot;a &gt; b\\&quot;}&quot;\" result=\"&quot;found&quot;\">\n<summary>Tool Executed</summary>\n</details>\n\
        Tides [1] rise [2]. [3] [x](y)";
    let export = decoded(
        &json!([{ "id": "w", "title": "T", "pinned": true, "archived": true, "folder": { "name": "Work" }, "chat": {
        "models": [null], "history": { "currentId": "b", "messages": {
            "a": { "parentId": null, "role": "user", "content": [{ "type": "text", "text": "Look" }, { "type": "image_url", "image_url": { "url": "data:image/png;base64,YWJj" } }],
                "files": [{ "type": "file", "name": "n.txt", "file": { "data": { "content": "the notes" } } }, { "type": "image", "url": "data:image/png;base64,YWJj" }] },
            "b": { "parentId": "a", "role": "assistant", "content": answer, "model": "qwen", "sources": [
                { "source": { "name": "s" }, "metadata": [{ "source": "https://a.example/", "name": "A" }, { "source": "https://a.example/", "name": "A" }] },
                { "source": { "name": "book.pdf" }, "document": ["…"] } ] } } } } }]),
    );
    assert_eq!(export.omissions.iter().count(), 0);
    let chat = only(export);
    assert_eq!((chat.is_pinned, chat.is_archived, chat.folder.as_deref()), (true, true, Some("Work")));
    assert_eq!(
        lines(&chat.messages[0]),
        ["text: Look", "file: image.png", "text: n.txt:\n\nthe notes", "file: image.png"]
    );
    assert_eq!(
        lines(&chat.messages[1]),
        [
            "reasoning: First\nthen",
            "tool: search({\"q\":\"a > b\"}) = \"found\"",
            "text: Tides [A](https://a.example/) rise [^2]. [3] [x](y)\n\n[^2]: book.pdf",
        ]
    );
}

#[test]
fn librechat_keeps_reasoning_tools_files_and_citations() {
    let export = json!({ "conversationId": "l", "title": "T", "options": { "model": "gpt-4o" }, "isArchived": true, "messages": [
        { "messageId": "1", "text": "Look", "isCreatedByUser": true, "files": [
            { "file_id": "0f0e8f7c-1111-2222-3333-444455556666", "filename": "sea.png", "type": "image/png", "width": 3 },
            { "filename": "n.txt", "text": "the notes" } ] },
        { "messageId": "2", "parentMessageId": "1", "isCreatedByUser": false, "sender": "GPT", "content": [
            { "type": "think", "think": "Hm" },
            { "type": "tool_call", "tool_call": { "name": "search", "args": "{\"q\":\"x\"}", "output": "found" } },
            { "type": "text", "text": "Tides\u{e202}turn0search0 rise" } ],
          "attachments": [{ "type": "web_search", "web_search": { "turn": 0, "organic": [{ "title": "A", "link": "https://a.example/" }] } }] },
        { "messageId": "3", "parentMessageId": "2", "isCreatedByUser": true, "text": "", "files": [{ "filename": "only.pdf" }] },
        { "messageId": "4", "parentMessageId": "3", "isCreatedByUser": false, "text": ":::thinking\nHm\n:::\nYes" } ] });
    let bytes = archive(&[
        ("backup/chat-l.json", export.to_string().as_bytes()),
        ("backup/images/0f0e8f7c-1111-2222-3333-444455556666__sea.png", b"png"),
        ("__MACOSX/backup/._chat-l.json", b"\0\0"),
    ]);
    let chat = only(decode(&bytes).unwrap());
    assert!(chat.is_archived);
    let all: Vec<Vec<String>> = chat.messages.iter().map(lines).collect();
    assert_eq!(
        all,
        [
            vec!["text: Look", "file: sea.png", "text: n.txt:\n\nthe notes"],
            vec![
                "reasoning: Hm",
                "tool: search({\"q\":\"x\"}) = \"found\"",
                "text: Tides ([A](https://a.example/)) rise"
            ],
            vec!["text: [File: only.pdf, not in the export]"],
            vec!["reasoning: Hm", "text: Yes"],
        ]
    );
}

#[test]
fn deepseek_is_read() {
    let fragments = |list: Value| json!({ "files": [], "model": "deepseek-reasoner", "inserted_at": "2025-05-01T10:00:00.000000+08:00", "fragments": list });
    let export = decoded(
        &json!([{ "id": "d", "title": "T", "inserted_at": "2025-05-01T10:00:00.000000+08:00", "updated_at": "", "mapping": {
        "root": { "id": "root", "parent": null, "children": ["1"], "message": null },
        "1": { "id": "1", "parent": "root", "children": ["2"], "message": fragments(json!([{ "type": "REQUEST", "content": "Tides?" }])) },
        "2": { "id": "2", "parent": "1", "children": [], "message": fragments(json!([{ "type": "THINK", "content": "Hm" },
            { "type": "SEARCH", "results": [{ "url": "https://a.example/", "title": "A", "cite_index": 7 }] },
            { "type": "RESPONSE", "content": "Twice a day[citation:7]." }])) },
        "3": { "id": "3", "parent": "2", "message": { "content": "Why?", "files": [{ "file_name": "n.txt" }] } },
        "4": { "id": "4", "parent": "3", "message": { "content": "Moon", "reasoning_content": "Think", "model": "deepseek-chat" } } } }]),
    );
    assert_eq!(export.format, SourceFormat::DeepSeek);
    let chat = only(export);
    assert_eq!(
        all(&chat),
        [
            ("user", vec!["text: Tides?".to_owned()]),
            (
                "assistant",
                vec!["reasoning: Hm".to_owned(), "text: Twice a day ([A](https://a.example/)).".to_owned()]
            ),
            ("user", vec!["text: Why?".to_owned(), "text: [File: n.txt, not in the export]".to_owned()]),
            ("assistant", vec!["reasoning: Think".to_owned(), "text: Moon".to_owned()]),
        ]
    );
}

#[test]
fn plexus_keeps_everything() {
    let parts = json!([
        { "kind": "reasoning", "text": "Hm" },
        { "kind": "tool", "tool": "t", "arguments": { "a": 1 }, "result": [2], "took_ms": 5, "call_id": "x" },
        { "kind": "data", "data": { "b": true }, "name": "d" },
        { "kind": "link", "url": "https://a.example/", "name": "A" },
        { "kind": "file", "blob": "00", "size": 3, "name": "a.txt", "media_type": "text/plain", "data": "YWJj" },
        { "kind": "later", "text": "of a later version" },
        { "kind": "text", "text": "Done", "artifact": "r" },
    ]);
    let chat = only(decoded(
        &json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "id": "c", "title": "T", "exported_by": "ada",
        "pinned": true, "archived": true, "folder": "Work", "current_message": "3", "messages": [
            { "id": "1", "branch": 0, "author": { "kind": "person", "name": "ada" }, "state": "done", "parts": [{ "kind": "text", "text": "Hi" }] },
            { "id": "2", "parent": "1", "branch": 1, "author": { "kind": "agent", "address": "@bob/poet" }, "state": "stopped", "parts": parts },
            { "id": "3", "parent": "2", "branch": 0, "author": { "kind": "person", "name": "bob" }, "state": "done", "parts": [{ "kind": "text", "text": "Mine" }] },
            { "id": "4", "parent": "2", "branch": 0, "author": { "kind": "gone" }, "state": "deleted", "parts": [] } ] }),
    ));
    assert_eq!((chat.is_pinned, chat.is_archived, chat.folder.as_deref()), (true, true, Some("Work")));
    assert_eq!(
        lines(&chat.messages[1])[..2],
        ["reasoning: Hm".to_owned(), "tool: t({\"a\":1}) = [2]".to_owned()]
    );
    assert_eq!(chat.messages[1].parts.len(), 7);
    let states: Vec<MessageState> = chat.messages.iter().map(|message| message.state).collect();
    use MessageState::{Deleted, Done, Stopped};
    assert_eq!(states, [Done, Stopped, Done, Deleted]);
    assert_eq!(chat.messages[2].text(), "bob: Mine", "another person of a room is named");
}

#[test]
fn other_services_are_refused_by_name() {
    let cases: [(&[u8], &str); 21] = [
        (br#"[{"header":"Gemini Apps","title":"Prompted x","products":["Gemini Apps"]}]"#, "Gemini"),
        (br#"{"runSettings":{},"chunkedPrompt":{}}"#, "Google AI Studio"),
        (br#"{"conversations":[{"conversation":{"id":"x"},"responses":[]}],"projects":[]}"#, "Grok"),
        (br#"[{"id":"x","chatId":"y","role":"user","content":"z","contentChunks":null}]"#, "Le Chat"),
        (br#"[{"backend_uuid":"x","query_str":"y"}]"#, "Perplexity"),
        (br#"{"bot":"x","messages":[]}"#, "Poe"),
        (b"Conversation,Time,Author,Message\n\"a\",\"b\",\"c\",\"d\"\n", "Copilot"),
        (b"<!DOCTYPE html><html><title>ChatGPT Data Export</title>", "web page"),
        (b"<html><body>Gemini Apps</body>", "Gemini"),
        (b"%PDF-1.7 \0", "PDF"),
        (b"\x89PNG\r\n\x1a\n\0", "image"),
        (b"SQLite format 3\0", "SQLite"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (br#"{"exportType":"all","state":{}}"#, "LobeChat"),
        (br#"{"messages":[{"role":"user","content":"x"}]}"#, "API"),
        (br#"[{"role":"user","content":"x"}]"#, "API"),
        (b"{\"user_name\":\"a\",\"character_name\":\"b\"}\n{\"mes\":\"c\"}", "SillyTavern"),
        (br#"{"format":"plexus-agent/1","name":"x"}"#, "agent"),
        (b"a,b,c\n1,2,3\n", "CSV"),
        (b"# My chat\n\nhello", "Markdown"),
        (br#"{"localStorage":{},"indexedDB":{}}"#, "Cherry"),
    ];
    for (bytes, name) in cases {
        let error = decode(bytes).unwrap_err();
        assert!(matches!(error, ImportError::OtherService(_)), "{name}: {error}");
        let words = error.to_string();
        assert!(
            words.contains(name) && words.contains("It reads exports of ChatGPT, Claude, DeepSeek"),
            "{words}"
        );
    }
    type ArchiveFiles<'a> = &'a [(&'a str, &'a [u8])];
    let archives: [(ArchiveFiles<'_>, &str); 4] = [
        (&[("Takeout/My Activity/Gemini Apps/MyActivity.html", b"<html>")], "Gemini"),
        (
            &[(
                "ttl/30d/export_data/x/prod-grok-backend.json",
                br#"{"conversations":[{"conversation":{"id":1},"responses":[]}]}"#,
            )],
            "Grok",
        ),
        (
            &[("chat-1.json", br#"[{"chatId":"y","role":"user","content":"z"}]"#), ("chat-2.json", b"[]")],
            "Le Chat",
        ),
        (&[("[Content_Types].xml", b""), ("word/document.xml", b"")], "Word"),
    ];
    for (files, name) in archives {
        let words = decode(&archive(files)).unwrap_err().to_string();
        assert!(words.contains(name), "{name}: {words}");
    }
}

#[test]
fn each_format_is_read_from_an_archive_of_any_names() {
    let claude = json!([{ "uuid": "a", "chat_messages": [{ "sender": "human", "text": "Hi" }] }]).to_string();
    let plexus = json!({ "format": "plexus-chat/1", "id": "p", "messages": [{ "id": "1", "author": {}, "parts": [{ "kind": "text", "text": "Hi" }] }] });
    for (name, content) in [
        ("x/conversations-003.json", claude.as_str()),
        ("x/conversations_1.json", claude.as_str()),
        ("deep/er/all-chats-export-1.json", claude.as_str()),
        ("chats.jsonl", &format!("{plexus}\n")),
    ] {
        let bytes = archive(&[(name, content.as_bytes()), ("other.txt", b"x"), ("z/broken.json", b"{")]);
        assert_eq!(decode(&bytes).unwrap().conversations.len(), 1, "{name}");
    }
    let wrapped = format!("{{\"conversations\":{claude}}}");
    assert_eq!(decode(wrapped.as_bytes()).unwrap().conversations.len(), 1);
}
