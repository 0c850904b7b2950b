//! Renders a conversation as text, for agents that accept text only.

use std::fmt::Write;

use plexus_domain::{Part, PartBody, sanitized_text::ellipsize};
use url::Url;

use crate::{ConversationTurn, RunRequest, TurnRole};

/// Maximum characters of one agent's message that are quoted to another agent.
const QUOTE_CHARS: usize = 8_000;
/// Maximum bytes of the rendered conversation. The latest turns have priority.
const TRANSCRIPT_BYTES: usize = 64 << 10;

/// Returns the turns before the question that the agent has not received yet. In a new conversation that is
/// all of them. In a continued remote conversation, those since the agent's last answer.
pub(crate) fn unseen_turns<'a>(
    request: &RunRequest,
    before: &'a [ConversationTurn],
) -> &'a [ConversationTurn] {
    let heard = match &request.remote {
        Some(_) => before.iter().rposition(|turn| turn.speaker == TurnRole::Me).map_or(0, |at| at + 1),
        None => 0,
    };
    &before[heard..]
}

/// Returns the latest turns that fit into `max_bytes` of JSON, and at least the last one.
pub(crate) fn recent(mut turns: Vec<ConversationTurn>, max_bytes: usize) -> Vec<ConversationTurn> {
    let mut left = max_bytes;
    let fits = |turn: &&ConversationTurn| {
        left = left.saturating_sub(serde_json::to_string(&turn.parts).map_or(usize::MAX, |json| json.len()));
        left > 0
    };
    let kept = turns.iter().rev().take_while(fits).count().max(1).min(turns.len());
    turns.split_off(turns.len() - kept)
}

/// Renders the turns before a message, followed by a line that announces the message. Returns `None` if no
/// turn fits or `turns` is empty.
pub(crate) fn previous_turns_text(turns: &[ConversationTurn]) -> Option<String> {
    let mut left = TRANSCRIPT_BYTES;
    let lines = turns.iter().rev().map(line).take_while(|line| {
        left = left.saturating_sub(line.len());
        left > 0
    });
    let mut lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return None;
    }
    lines.reverse();
    let mut text = "What was said before in this conversation:\n\n".to_owned();
    for line in lines {
        let _ = write!(text, "{line}\n\n");
    }
    text.push_str("The message to answer follows.");
    Some(text)
}

fn line(turn: &ConversationTurn) -> String {
    let said = part_text(&turn.parts);
    match &turn.speaker {
        TurnRole::Me => format!("You: {said}"),
        TurnRole::Person { name } => format!("{name}: {said}"),
        TurnRole::Agent { address } => format!("The agent {address}:\n{}", quoted(&said)),
    }
}

/// Renders the parts of a message as text. Content that a model cannot read is replaced by its name.
pub(crate) fn part_text(parts: &[Part]) -> String {
    let mut said = String::new();
    for part in parts {
        if !said.is_empty() {
            said.push_str("\n\n");
        }
        let name = part.name.as_deref().unwrap_or("unnamed");
        let _ = match &part.content {
            PartBody::Text { text } => write!(said, "{text}"),
            PartBody::Data { data } => write!(said, "```json\n{data}\n```"),
            PartBody::File { size, .. } => write!(said, "[file: {name}, {size} bytes]"),
            PartBody::Link { url } => write!(said, "[link: {url}]"),
            PartBody::Tool(_)
            | PartBody::Reasoning { .. }
            | PartBody::Approval { .. }
            | PartBody::Question { .. } => Ok(()),
        };
    }
    said
}

/// Converts a link that is not an HTTP(S) URL to text, against script and other unsafe schemes.
pub(crate) fn linkable(mut part: Part) -> Part {
    if let PartBody::Link { url } = &part.content {
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_web {
            part.content = PartBody::Text { text: part_text(std::slice::from_ref(&part)) };
        }
    }
    part
}

/// Renders untrusted text as a Markdown block quote, truncated to `QUOTE_CHARS`.
pub(crate) fn quoted(text: &str) -> String {
    as_quote(&ellipsize(text, QUOTE_CHARS))
}

/// Renders untrusted text as a Markdown block quote.
pub(crate) fn as_quote(text: &str) -> String {
    format!("> {}", text.replace('\n', "\n> "))
}
