//! Chats and messages of the API as text for a terminal.

use plexus_app::components::format::size;
use plexus_domain::Timestamp;
use serde_json::Value;

pub fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the items of a list; none of anything else.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Formats a page of the list of chats, one chat to a line.
pub fn chat_list(page: &Value) -> String {
    if items(&page["items"]).is_empty() {
        return "No chats yet.\n".to_owned();
    }
    let more = if page["next"].is_null() { "" } else { "More chats are at /chat on the hub.\n" };
    items(&page["items"]).iter().map(chat_line).collect::<String>() + more
}

fn chat_line(chat: &Value) -> String {
    let marks =
        [("waiting", "waits for you"), ("running", "answering"), ("unread", "unread"), ("pinned", "pinned")];
    let marks: Vec<&str> =
        marks.into_iter().filter(|(name, _)| chat[name] == true).map(|(_, text)| text).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    format!(
        "{} {} {}{marks}\n",
        word(&chat["id"]),
        day(&chat["last_activity"]),
        printable(word(&chat["title"]))
    )
}

/// Returns the date of a time in milliseconds.
fn day(time: &Value) -> String {
    Timestamp::from_millis(time.as_i64().unwrap_or_default()).to_date()
}

/// Formats the messages of a chat, each after a line with its author.
pub fn messages(chat: &Value) -> String {
    let written = items(&chat["messages"]).iter().map(|message| {
        let state = match word(&message["state"]) {
            "done" => String::new(),
            "open" => " (answering)".to_owned(),
            state => format!(" ({state})"),
        };
        let text = printable(&message_text(message));
        format!("{}{state}:\n{}\n\n", author(message), text.trim_end())
    });
    format!("# {}\n\n", printable(word(&chat["title"]))) + written.collect::<String>().trim_end() + "\n"
}

pub fn author(message: &Value) -> String {
    let author = &message["author"];
    match word(&author["kind"]) {
        "person" => printable(word(&author["name"])),
        "agent" => word(&author["address"]).to_owned(),
        "imported" => printable(word(&author["label"])),
        _ => "unknown".to_owned(),
    }
}

/// Returns the texts of the message, with a line for each other part.
fn message_text(message: &Value) -> String {
    let parts = items(&message["parts"]).iter().filter_map(|part| match word(&part["kind"]) {
        "text" => Some(word(&part["text"]).to_owned()),
        _ => other_part(part),
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Formats a part that is not text; `None` for parts that are not shown.
pub fn other_part(part: &Value) -> Option<String> {
    let name = || printable(word(&part["name"]));
    Some(match word(&part["kind"]) {
        "data" => format!("{:#}", part["data"]),
        "file" => {
            let path = format!("/api/v1/blobs/{}", word(&part["blob"]));
            format!("File {} ({}): {path}", name(), size(part["size"].as_u64().unwrap_or_default()))
        }
        "link" => format!("Link: {}", printable(word(&part["url"]))),
        "tool" => format!("Tool call: {}", printable(word(&part["tool"]))),
        _ => return None,
    })
}

/// Formats the results of a search.
pub fn found(page: &Value) -> String {
    let chats = items(&page["chats"]).iter().map(chat_line);
    let messages = items(&page["items"]).iter().map(|found| {
        let snippet: String = items(&found["snippet"]).iter().map(|piece| word(&piece["text"])).collect();
        let snippet = snippet.split_whitespace().collect::<Vec<_>>().join(" ");
        format!(
            "{} {} {}: {}\n",
            word(&found["chat"]),
            day(&found["created"]),
            author(found),
            printable(&snippet)
        )
    });
    let lines: String = chats.chain(messages).collect();
    if lines.is_empty() { "Nothing found.\n".to_owned() } else { lines }
}

/// Formats the result of an import.
pub fn import(result: &Value) -> String {
    let left_out: Vec<&str> =
        items(&result["left_out"]).iter().map(|left| word(&left["description"])).collect();
    let mut lines = format!("{} imported, {} already there.\n", result["imported"], result["already_there"]);
    if result["new_messages"].as_u64().is_some_and(|count| count > 0) {
        lines +=
            &format!("{} later messages added to {} chats.\n", result["new_messages"], result["updated"]);
    }
    if !left_out.is_empty() {
        lines += &format!("Left out: {}.\n", left_out.join(", "));
    }
    if let Some(problem) = result["problem"].as_str() {
        lines += &format!("{problem}\n");
    }
    lines
}

/// Removes control characters, such as escape sequences for the terminal, except line breaks and tabs.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_chat_is_printed_without_escape_sequences() {
        let chat = json!({ "title": "Tides\u{1b}[2J", "messages": [
            { "author": { "kind": "person", "name": "ada" }, "state": "done",
              "parts": [{ "kind": "text", "text": "When?" }, { "kind": "file", "name": "a.csv", "blob": "x", "size": 2048 }] },
            { "author": { "kind": "agent", "address": "@plexus/calc" }, "state": "stopped",
              "parts": [{ "kind": "text", "text": "At \u{1b}]0;x\u{7}noon" }] },
        ] });
        let text = messages(&chat);
        assert_eq!(text.chars().filter(|c| c.is_control() && *c != '\n').count(), 0, "{text:?}");
        assert!(text.starts_with("# Tides[2J\n\nada:\nWhen?\n\nFile a.csv ("), "{text}");
        assert!(text.ends_with("@plexus/calc (stopped):\nAt ]0;xnoon\n"), "{text}");
    }

    #[test]
    fn lists_and_results_have_a_line_each() {
        assert_eq!(chat_list(&json!({ "items": [], "next": null })), "No chats yet.\n");
        let page = json!({ "items": [{ "id": "1", "title": "Tides", "last_activity": 1_795_867_200_000_i64,
            "running": false, "waiting": true, "pinned": true, "unread": false }], "next": null });
        assert_eq!(chat_list(&page), "1 2026-11-28 Tides (waits for you, pinned)\n");
        assert_eq!(found(&json!({ "chats": [], "items": [] })), "Nothing found.\n");
        let results = json!({ "chats": [], "items": [{ "chat": "1", "created": 1_795_867_200_000_i64,
            "author": { "kind": "person", "name": "ada" }, "snippet": [{ "text": "high\n" }, { "text": "tide" }] }] });
        assert_eq!(found(&results), "1 2026-11-28 ada: high tide\n");
    }
}
