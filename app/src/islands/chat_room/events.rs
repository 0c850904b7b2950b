//! SSE events of a chat, as the hub sends them to a page.

use serde::Deserialize;

use super::texts::{RoomTexts, fill};

/// Names of the SSE events.
pub const KINDS: [&str; 14] = [
    "message_created",
    "message_completed",
    "run_updated",
    "title_changed",
    "member_changed",
    "chat_list_changed",
    "part_snapshot",
    "text_delta",
    "block_html",
    "agent_status",
    "presence",
    "typing",
    "chat_unavailable",
    "stream_end",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    MessageCreated(MessageCreated),
    MessageCompleted(MessageCompleted),
    RunUpdated(RunUpdated),
    TitleChanged(TitleChanged),
    PartSnapshot(PartSnapshot),
    TextDelta(TextDelta),
    BlockHtml(BlockHtml),
    AgentStatus(AgentStatus),
    Presence(Presence),
    Typing(Typing),
    ChatListChanged,
    /// The reader has no access to the chat any more.
    ChatUnavailable(ChatUnavailable),
    StreamEnd,
}

/// Complete article and its position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MessageCreated {
    pub id: String,
    pub parent: Option<String>,
    pub branch: i32,
    pub html: String,
}

/// Final form of an article.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MessageCompleted {
    pub id: String,
    pub state: String,
    pub html: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RunUpdated {
    pub failure: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure {
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TitleChanged {
    pub title: String,
}

/// Part `p` of message `m` from its start: `h` is HTML that is shown, the text `t` begins at byte `s`.
///
/// If `w` is true, `h` is the complete element of the part, including its frame.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PartSnapshot {
    pub m: String,
    pub p: u32,
    pub h: String,
    #[serde(default)]
    pub s: usize,
    #[serde(default)]
    pub t: String,
    #[serde(default)]
    pub w: bool,
}

/// Text to append, beginning at byte `s`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TextDelta {
    pub m: String,
    pub p: u32,
    pub s: usize,
    pub t: String,
}

/// Final HTML `h` of the bytes `s..e`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BlockHtml {
    pub m: String,
    pub p: u32,
    pub s: usize,
    pub e: usize,
    pub h: String,
}

/// Current activity of the agent of message `m`; an empty `t` clears it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AgentStatus {
    pub m: String,
    pub t: String,
}

/// Names of the people that have the room open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Presence {
    pub people: Vec<String>,
}

/// Why the reader has no access: `removed` from the room, or `gone`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ChatUnavailable {
    #[serde(default)]
    pub reason: String,
}

/// A person that types in the room now.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Typing {
    pub name: String,
}

impl Event {
    /// Parses an event. `None` if it is unknown or invalid: a newer hub may send other kinds.
    pub fn parse(kind: &str, data: &str) -> Option<Self> {
        let event = match kind {
            "message_created" => Self::MessageCreated(serde_json::from_str(data).ok()?),
            "message_completed" => Self::MessageCompleted(serde_json::from_str(data).ok()?),
            "run_updated" => Self::RunUpdated(serde_json::from_str(data).ok()?),
            "title_changed" => Self::TitleChanged(serde_json::from_str(data).ok()?),
            "part_snapshot" => Self::PartSnapshot(serde_json::from_str(data).ok()?),
            "text_delta" => Self::TextDelta(serde_json::from_str(data).ok()?),
            "block_html" => Self::BlockHtml(serde_json::from_str(data).ok()?),
            "agent_status" => Self::AgentStatus(serde_json::from_str(data).ok()?),
            "presence" => Self::Presence(serde_json::from_str(data).ok()?),
            "typing" => Self::Typing(serde_json::from_str(data).ok()?),
            "chat_list_changed" => Self::ChatListChanged,
            "chat_unavailable" => Self::ChatUnavailable(serde_json::from_str(data).ok()?),
            "stream_end" => Self::StreamEnd,
            _ => return None,
        };
        Some(event)
    }
}

/// Error response of `/api/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refusal {
    error: RefusalBody,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct RefusalBody {
    message: String,
    retry_after_ms: Option<u64>,
}

impl Refusal {
    /// Returns the error message for the composer. A response that cannot be deserialized gets a generic one.
    pub fn words(texts: &RoomTexts, status: u16, body: &str) -> String {
        match serde_json::from_str::<Self>(body) {
            Ok(Self { error: RefusalBody { message, retry_after_ms: Some(wait) } }) => {
                // The hub's own sentence may say when already.
                if message.contains(texts.wait.split("{0}").next().unwrap_or_default()) {
                    return fill(&texts.kept, &[&message]);
                }
                fill(&texts.try_in, &[&message, &wait.div_ceil(1_000).max(1).to_string()])
            }
            Ok(Self { error }) => error.message,
            Err(_) => fill(&texts.rejected, &[&status.to_string()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_the_hub_writes_them() {
        let data = r#"{"id":"b","parent":null,"branch":1,"state":"open","author":{"kind":"agent"},"html":"<article>"}"#;
        let placed = MessageCreated { id: "b".into(), parent: None, branch: 1, html: "<article>".into() };
        assert_eq!(Event::parse("message_created", data), Some(Event::MessageCreated(placed)));
        let data = r#"{"m":"b","p":0,"s":3,"e":9,"h":"<p>x</p>"}"#;
        assert!(matches!(Event::parse("block_html", data), Some(Event::BlockHtml(block)) if block.e == 9));
        let data =
            r#"{"run":"r","message":"b","state":"failed","failure":{"class":"refused","message":"No."}}"#;
        assert!(
            matches!(Event::parse("run_updated", data), Some(Event::RunUpdated(run)) if run.failure.is_some())
        );
        assert_eq!(Event::parse("stream_end", "{}"), Some(Event::StreamEnd));
        let unavailable = Event::parse("chat_unavailable", r#"{"chat":"c","reason":"removed"}"#);
        assert!(matches!(unavailable, Some(Event::ChatUnavailable(it)) if it.reason == "removed"));
        assert!(matches!(Event::parse("chat_unavailable", "{}"), Some(Event::ChatUnavailable(_))));
    }

    #[test]
    fn the_worker_listens_for_the_same_events() {
        let worker = include_str!("../../../../public/events.js");
        let lines: String = KINDS.iter().map(|kind| format!("  {kind:?},\n")).collect();
        let kinds = format!("const KINDS = [\n{lines}];");
        assert!(worker.contains(&kinds), "{kinds}");
    }

    #[test]
    fn what_is_not_understood_is_nothing() {
        assert!(KINDS.contains(&"stream_end") && !KINDS.contains(&"weather"));
        assert_eq!(Event::parse("text_delta", r#"{"m":"b","p":-1,"s":0,"t":""}"#), None);
        assert_eq!(Event::parse("text_delta", "not json"), None);
        assert_eq!(Event::parse("weather", "{}"), None);
    }

    #[test]
    fn refusals_are_told_in_words() {
        let texts = &RoomTexts::of_page();
        let limited = r#"{"error":{"code":"rate_limited","message":"Too many messages at once.","retry_after_ms":11200}}"#;
        assert_eq!(
            Refusal::words(texts, 429, limited),
            "Too many messages at once. Try again in 12 s; your text is kept."
        );
        let told = r#"{"error":{"code":"rate_limited","message":"Too many messages from here. Try again in 1 second.","retry_after_ms":900}}"#;
        assert_eq!(
            Refusal::words(texts, 429, told),
            "Too many messages from here. Try again in 1 second. Your text is kept."
        );
        let plain = r#"{"error":{"code":"invalid","message":"Write something first.","field":"text"}}"#;
        assert_eq!(Refusal::words(texts, 422, plain), "Write something first.");
        assert!(Refusal::words(texts, 502, "<html>").contains("502"));
    }
}
