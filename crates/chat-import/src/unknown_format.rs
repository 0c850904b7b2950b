//! Names of formats that are not read, by their shape, so that a refusal says what the file is.

use crate::fields::{Fields, items_of};

/// Returns what a file is that is no JSON.
pub fn of_text(text: &str) -> Option<&'static str> {
    let start: String = text.trim_start().chars().take(400).collect::<String>().to_lowercase();
    let first_line = start.lines().next().unwrap_or_default();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        let is_takeout = text.contains("Gemini Apps");
        return Some(if is_takeout { "a page of Gemini (Google Takeout)" } else { "a web page (HTML)" });
    }
    let first_bytes = [
        ("%pdf-", "a PDF file"),
        ("{\\rtf", "a text document (RTF)"),
        ("<?xml", "an XML file"),
        ("<svg", "an image (SVG)"),
        ("<img src=\"https://r2cdn.perplexity.ai", "a page of Perplexity as Markdown"),
        ("---\n", "a Markdown document"),
        ("# ", "a Markdown document"),
    ];
    if let Some((_, kind)) = first_bytes.into_iter().find(|(begin, _)| start.starts_with(begin)) {
        return Some(kind);
    }
    let columns: Vec<&str> =
        first_line.split([',', ';', '\t']).map(|column| column.trim_matches(['"', ' '])).collect();
    if columns.contains(&"conversation") && columns.contains(&"author") {
        return Some("the activity history of Microsoft Copilot (CSV)");
    }
    let is_table = columns.len() >= 3 && !first_line.contains(['{', '[', '.']);
    is_table.then_some("a table (CSV)")
}

/// Returns what a file is that is no text, by its first bytes.
pub fn of_bytes(bytes: &[u8]) -> Option<&'static str> {
    let kinds: [(&[u8], &str); 13] = [
        (b"%PDF-", "a PDF file"),
        (b"\x89PNG", "an image"),
        (b"\xff\xd8\xff", "an image"),
        (b"GIF8", "an image"),
        (b"RIFF", "an image or a recording"),
        (b"\x1f\x8b", "an archive (gzip)"),
        (b"Rar!", "an archive (RAR)"),
        (b"7z\xbc\xaf", "an archive (7z)"),
        (b"BZh", "an archive (bzip2)"),
        (b"\xfd7zXZ", "an archive (xz)"),
        (b"SQLite format 3", "a database (SQLite), such as that of Open WebUI"),
        (b"\xd0\xcf\x11\xe0", "a document of Microsoft Office"),
        (b"bplist", "a property list of Apple"),
    ];
    kinds.into_iter().find(|(begin, _)| bytes.starts_with(begin)).map(|(_, kind)| kind)
}

/// Returns what an archive is that has no conversations, by the paths in it.
pub fn of_archive<'a>(paths: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let marks = [
        ("Gemini Apps", "an archive of Gemini (Google Takeout)"),
        ("My Activity/", "an archive of Google Takeout"),
        ("Takeout/", "an archive of Google Takeout"),
        ("word/document.xml", "a document of Microsoft Word"),
        ("xl/workbook.xml", "a table of Microsoft Excel"),
        ("ppt/presentation.xml", "a presentation of Microsoft PowerPoint"),
        ("META-INF/container.xml", "a book (EPUB)"),
        ("chat.html", "the pages of an export of ChatGPT without its conversations.json"),
    ];
    let mut found: Option<usize> = None;
    for path in paths {
        let place = marks.iter().position(|(mark, _)| path.contains(mark));
        found = [found, place].into_iter().flatten().min();
    }
    found.map(|at| marks[at].1)
}

/// Returns the service of a conversation, or of another value of an export.
pub fn of_json(json: &str) -> Option<&'static str> {
    let fields = Fields::of(json);
    let has = |names: &[&str]| names.iter().all(|name| fields.has(name));
    let text = |name: &str| fields.text(name).unwrap_or_default();
    let first = |name: &str| fields.list(name).first().map(|first| Fields::of(first)).unwrap_or_default();
    let kind = if text("header").contains("Gemini") || (has(&["titleUrl", "products"])) {
        "the activity history of Gemini (Google Takeout)"
    } else if has(&["runSettings", "chunkedPrompt"]) {
        "a prompt of Google AI Studio"
    } else if has(&["conversation", "responses"]) {
        "an export of Grok"
    } else if has(&["chatId", "contentChunks"]) || has(&["chatId", "role", "content"]) {
        "an export of Mistral Le Chat"
    } else if has(&["backend_uuid"]) || has(&["thread_url_slug"]) || has(&["query", "answer"]) {
        "an export of Perplexity"
    } else if has(&["chatCode"]) || has(&["bot", "messages"]) || has(&["botName"]) {
        "an export of Poe"
    } else if has(&["conversationHistory"]) || has(&["copilotSession"]) || text("source").contains("Copilot")
    {
        "an export of Microsoft Copilot"
    } else if has(&["user_name", "character_name"]) || has(&["chat_metadata"]) {
        "a chat of SillyTavern"
    } else if has(&["histories"]) && has(&["char_id"]) {
        "an export of Character.AI"
    } else if has(&["exportType", "state"]) {
        "an export of LobeChat"
    } else if has(&["localStorage", "indexedDB"]) {
        "a backup of Cherry Studio"
    } else if has(&["chats", "folders"]) || (has(&["data"]) && fields.object("data").has("chats")) {
        "an export of TypingMind or a similar program"
    } else if has(&["systemPrompt", "messages"]) && first("messages").has("versions") {
        "a chat of LM Studio"
    } else if has(&["sessionId", "message"]) || has(&["parentUuid", "cwd"]) {
        "a session of Claude Code"
    } else if has(&["role", "content"]) || (has(&["messages"]) && first("messages").has("role")) {
        "a list of messages for the API of a model"
    } else if has(&["format"]) && text("format").starts_with("plexus-agent/") {
        "the export of an agent, which the page \"Register an agent\" imports"
    } else {
        return items_of(json).first().and_then(|first| of_json_once(first));
    };
    Some(kind)
}

/// Like [`of_json`] for the first item of a list in a list, such as the messages of one chat.
fn of_json_once(json: &str) -> Option<&'static str> {
    if json.starts_with('{') { of_json(json) } else { None }
}
