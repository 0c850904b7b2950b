//! Marks in the text of answers: artifacts of Claude, and the reasoning and tool calls of Open WebUI.

use crate::{
    content::{ImportedPart, code_block},
    read_context::ReadContext,
};

/// Returns the text with each `<antArtifact …>` as a code block.
pub fn artifacts(text: &str) -> String {
    const TAG: &str = "<antArtifact";
    const END: &str = "</antArtifact>";
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(TAG) {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        let Some(head) = tag.find('>') else {
            rest = tag;
            break;
        };
        let body = &tag[head + 1..];
        // An answer that was cut has no end of its artifact.
        let (body, after) = body.split_once(END).unwrap_or((body, ""));
        let attributes = &tag[TAG.len()..head];
        let language = attribute(attributes, "language");
        let kind = attribute(attributes, "type").unwrap_or_default();
        let language = language.unwrap_or_else(|| language_of(&kind).to_owned());
        let title = attribute(attributes, "title");
        plain.push_str(&code_block(title.as_deref(), &language, body.trim_matches('\n')));
        rest = after;
    }
    plain.push_str(rest);
    plain.replace("<antThinking>", "").replace("</antThinking>", "")
}

/// Returns the language of a code block for a media type of an artifact.
pub fn language_of(kind: &str) -> &'static str {
    match kind {
        "text/markdown" => "markdown",
        "text/html" => "html",
        "image/svg+xml" => "svg",
        "application/vnd.ant.react" => "jsx",
        "application/vnd.ant.mermaid" => "mermaid",
        _ => "",
    }
}

/// Splits the text of an answer of Open WebUI: `<details type="reasoning">` is reasoning, `type="tool_calls"` a call.
pub fn details(text: &str, context: &mut ReadContext) -> Vec<ImportedPart> {
    const TAG: &str = "<details type=\"";
    const END: &str = "</details>";
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(TAG) {
        let tag = &rest[at..];
        let Some((head, body)) = tag_end(tag) else { break };
        let (body, after) = body.split_once(END).unwrap_or((body, ""));
        push_text(&rest[..at], &mut parts);
        let body = body.split_once("</summary>").map_or(body, |(_, body)| body);
        match attribute(head, "type").as_deref() {
            Some("tool_calls") => {
                let name = attribute(head, "name").unwrap_or_else(|| "tool".to_owned());
                let arguments = context.value_in(unquoted(attribute(head, "arguments").unwrap_or_default()));
                let result = attribute(head, "result").map(|result| context.value_in(unquoted(result)));
                parts.push(ImportedPart::tool(name, arguments, result));
            }
            Some("reasoning") => {
                let lines = body.trim().lines().map(|line| {
                    let line = line.strip_prefix("&gt;").or_else(|| line.strip_prefix('>')).unwrap_or(line);
                    line.strip_prefix(' ').unwrap_or(line)
                });
                push_reasoning(&unescape(&lines.collect::<Vec<_>>().join("\n")), &mut parts);
            }
            _ => push_text(body, &mut parts),
        }
        rest = after;
    }
    push_thinking(rest, &mut parts);
    parts
}

/// Pushes a text that may begin with `<think>…</think>` or LibreChat's `:::thinking`.
fn push_thinking(text: &str, parts: &mut Vec<ImportedPart>) {
    let (thinking, rest) = thinking(text);
    if let Some(thinking) = thinking {
        push_reasoning(thinking, parts);
    }
    push_text(rest, parts);
}

/// Splits reasoning at the beginning of a text from it.
pub fn thinking(text: &str) -> (Option<&str>, &str) {
    let start = text.trim_start();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>"), (":::thinking", ":::")] {
        if let Some(inner) = start.strip_prefix(open)
            && let Some((thinking, rest)) = inner.split_once(close)
        {
            return (Some(thinking.trim()), rest.trim_start());
        }
    }
    (None, text)
}

fn push_text(text: &str, parts: &mut Vec<ImportedPart>) {
    if !text.trim().is_empty() {
        parts.push(ImportedPart::text(text.trim_matches('\n')));
    }
}

fn push_reasoning(text: &str, parts: &mut Vec<ImportedPart>) {
    if !text.trim().is_empty() {
        parts.push(ImportedPart::reasoning(text.trim().to_owned()));
    }
}

/// Returns a tag up to its `>` outside of quotes, and the text after it.
fn tag_end(tag: &str) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    let end = tag.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    })?;
    Some((&tag[..end], &tag[end + 1..]))
}

/// Returns the unescaped value of an attribute in quotes.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let value = unescape(value);
    (!value.trim().is_empty()).then_some(value)
}

/// Replaces the character references that these services write.
fn unescape(text: &str) -> String {
    let replaced = text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&#39;", "'");
    replaced.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns the text of a JSON string, or the text itself.
fn unquoted(text: String) -> String {
    crate::fields::text_of(&text).unwrap_or(text)
}
