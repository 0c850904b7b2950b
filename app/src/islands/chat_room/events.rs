//! SSE events of a chat, as the hub sends them to a page.

use serde::Deserialize;

/// Names of the SSE events.
pub const KINDS: [&str; 12] =
    ["message", "ended", "run", "title", "member", "chats", "open", "text", "block", "status", "gone", "bye"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Message(MessageAdded),
    Ended(Ended),
    Run(Run),
    Title(Title),
    Open(Open),
    Text(Text),
    Block(Block),
    Status(Status),
    /// The list of chats changed.
    Chats,
    /// The reader has no access to the chat any more.
    Gone,
    Bye,
}

/// Complete article and its position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MessageAdded {
    pub id: String,
    pub parent: Option<String>,
    pub lane: i32,
    pub html: String,
}

/// Final form of an article.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Ended {
    pub id: String,
    pub state: String,
    pub html: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Run {
    pub failure: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure {
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Title {
    pub title: String,
}

/// Part `p` of message `m` from its start: `h` is HTML that is shown, the text `t` begins at byte `s`.
///
/// If `w` is true, `h` is the complete element of the part, including its frame.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Open {
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
pub struct Text {
    pub m: String,
    pub p: u32,
    pub s: usize,
    pub t: String,
}

/// Final HTML `h` of the bytes `s..e`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Block {
    pub m: String,
    pub p: u32,
    pub s: usize,
    pub e: usize,
    pub h: String,
}

/// Current activity of the agent of message `m`; an empty `t` clears it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    pub m: String,
    pub t: String,
}

impl Event {
    /// Parses an event. `None` if it is unknown or invalid: a newer hub may send other kinds.
    pub fn parse(kind: &str, data: &str) -> Option<Self> {
        let event = match kind {
            "message" => Self::Message(serde_json::from_str(data).ok()?),
            "ended" => Self::Ended(serde_json::from_str(data).ok()?),
            "run" => Self::Run(serde_json::from_str(data).ok()?),
            "title" => Self::Title(serde_json::from_str(data).ok()?),
            "open" => Self::Open(serde_json::from_str(data).ok()?),
            "text" => Self::Text(serde_json::from_str(data).ok()?),
            "block" => Self::Block(serde_json::from_str(data).ok()?),
            "status" => Self::Status(serde_json::from_str(data).ok()?),
            "chats" => Self::Chats,
            "gone" => Self::Gone,
            "bye" => Self::Bye,
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
    pub fn words(status: u16, body: &str) -> String {
        match serde_json::from_str::<Self>(body) {
            Ok(Self { error: RefusalBody { message, retry_after_ms: Some(wait) } }) => {
                format!("{message} Try again in {} s; your text is kept.", wait.div_ceil(1_000).max(1))
            }
            Ok(Self { error }) => error.message,
            Err(_) => format!("The hub rejected this (status {status}). Your text is kept; try again."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_the_hub_writes_them() {
        let data = r#"{"id":"b","parent":null,"lane":1,"state":"open","author":{"kind":"agent"},"html":"<article>"}"#;
        let placed = MessageAdded { id: "b".into(), parent: None, lane: 1, html: "<article>".into() };
        assert_eq!(Event::parse("message", data), Some(Event::Message(placed)));
        let data = r#"{"m":"b","p":0,"s":3,"e":9,"h":"<p>x</p>"}"#;
        assert!(matches!(Event::parse("block", data), Some(Event::Block(block)) if block.e == 9));
        let data =
            r#"{"run":"r","message":"b","state":"failed","failure":{"class":"refused","message":"No."}}"#;
        assert!(matches!(Event::parse("run", data), Some(Event::Run(run)) if run.failure.is_some()));
        assert_eq!(Event::parse("bye", "{}"), Some(Event::Bye));
    }

    #[test]
    fn the_worker_listens_for_the_same_events() {
        let worker = include_str!("../../../../public/events.js");
        let kinds = format!("const KINDS = {KINDS:?};");
        assert!(worker.contains(&kinds), "{kinds}");
    }

    #[test]
    fn what_is_not_understood_is_nothing() {
        assert!(KINDS.contains(&"bye") && !KINDS.contains(&"weather"));
        assert_eq!(Event::parse("text", r#"{"m":"b","p":-1,"s":0,"t":""}"#), None);
        assert_eq!(Event::parse("text", "not json"), None);
        assert_eq!(Event::parse("weather", "{}"), None);
    }

    #[test]
    fn refusals_are_told_in_words() {
        let limited =
            r#"{"error":{"code":"limited","message":"Too many messages at once.","retry_after_ms":11200}}"#;
        assert_eq!(
            Refusal::words(429, limited),
            "Too many messages at once. Try again in 12 s; your text is kept."
        );
        let plain = r#"{"error":{"code":"invalid","message":"Write something first.","field":"text"}}"#;
        assert_eq!(Refusal::words(422, plain), "Write something first.");
        assert!(Refusal::words(502, "<html>").contains("502"));
    }
}
