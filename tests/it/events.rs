//! Fixture: client of a chat's event stream. Assembles messages by byte offset and checks that each byte
//! arrives once.

use std::{collections::BTreeMap, time::Duration};

use futures::{StreamExt as _, stream::BoxStream};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::time::timeout;

use crate::client::{Client, text_of};

/// Timeout for the next event of a stream.
pub const TIMEOUT: Duration = Duration::from_secs(120);

pub struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: Value,
}

/// One connection to `/api/v1/events`.
pub struct Events {
    bytes: BoxStream<'static, reqwest::Result<Vec<u8>>>,
    buffer: Vec<u8>,
}

impl Events {
    /// Opens the stream after event `after`.
    pub async fn open(client: &Client, chat: &str, after: i64) -> Self {
        Self::connect(client.request(Method::GET, &format!("/api/v1/events?chat={chat}&after={after}"))).await
    }

    /// Reconnects as a browser does, with `Last-Event-ID`.
    pub async fn resume(client: &Client, chat: &str, last: i64) -> Self {
        Self::resume_all(client, &format!("chat={chat}&after=0"), &last.to_string()).await
    }

    /// The same for any subscription that `query` selects.
    pub async fn resume_all(client: &Client, query: &str, last: &str) -> Self {
        let request = client.request(Method::GET, &format!("/api/v1/events?{query}"));
        Self::connect(request.header("last-event-id", last)).await
    }

    async fn connect(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("the hub answers");
        assert_eq!(response.status(), StatusCode::OK);
        Self::of(response)
    }

    fn of(response: reqwest::Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let bytes = response.bytes_stream().map(|piece| piece.map(|piece| piece.to_vec())).boxed();
        Self { bytes, buffer: Vec::new() }
    }

    /// Returns the next event. Reconnects at the end of the stream, as a browser does, with retries while the
    /// hub refuses.
    pub async fn next_or_back(&mut self, client: &Client, chat: &str, last: i64) -> Event {
        let path = format!("/api/v1/events?chat={chat}&after={last}");
        for _ in 0..20 {
            if let Some(event) = self.next().await {
                return event;
            }
            let response = client.request(Method::GET, &path).send().await.expect("the hub answers");
            if response.status() == StatusCode::OK {
                *self = Self::of(response);
            }
        }
        panic!("it does not come back");
    }

    /// Returns the next event, or `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).expect("text");
                match parse(&frame) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let piece = timeout(TIMEOUT, self.bytes.next()).await.expect("the stream says something");
            self.buffer.extend(piece?.ok()?);
        }
    }
}

/// Parses an event. Returns `None` for comments and `retry`.
fn parse(frame: &str) -> Option<Event> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let name = field("event")?.to_owned();
    let id = field("id").map(str::to_owned);
    Some(Event { name, id, data: serde_json::from_str(field("data")?).expect("JSON") })
}

/// Content that a page would show.
#[derive(Default)]
pub struct Screen {
    /// Number of the last numbered event.
    pub last: i64,
    pub messages: BTreeMap<String, Shown>,
    pub stream_ended: bool,
}

#[derive(Default)]
pub struct Shown {
    pub parent: Option<String>,
    pub branch: i64,
    pub state: String,
    pub html: String,
    pub ended: bool,
    pub parts: BTreeMap<u64, Part>,
}

/// Received part: source text from byte `from` on, and HTML of the closed blocks before byte `closed`.
#[derive(Default)]
pub struct Part {
    pub from: usize,
    pub text: String,
    pub closed: usize,
    pub html: String,
}

impl Screen {
    pub fn from(last: i64) -> Self {
        Self { last, ..Self::default() }
    }

    /// Applies one event.
    #[track_caller]
    pub fn take(&mut self, event: &Event) {
        let data = &event.data;
        let seq = data["seq"].as_i64();
        assert_eq!(seq.is_some(), event.id.is_some(), "what is kept has a number and an id");
        if let Some(seq) = seq {
            assert!(seq > self.last, "event {seq} came after {}", self.last);
            self.last = seq;
        }
        match event.name.as_str() {
            "message_created" => self.message(data),
            "message_completed" => {
                let shown = self.messages.entry(text_of(&data["id"])).or_default();
                assert!(!std::mem::replace(&mut shown.ended, true), "it ended twice");
                (shown.state, shown.html) = (text_of(&data["state"]), text_of(&data["html"]));
            }
            "part_snapshot" | "text_delta" | "block_html" => {
                let shown = self.messages.entry(text_of(&data["m"])).or_default();
                // A slow subscriber receives the end first. Later events concern text that it already has.
                if !shown.ended {
                    let part = shown.parts.entry(data["p"].as_u64().expect("a part")).or_default();
                    part.take(&event.name, data);
                }
            }
            "stream_end" => self.stream_ended = true,
            _ => {}
        }
    }

    fn message(&mut self, data: &Value) {
        let state = text_of(&data["state"]);
        let shown = self.messages.entry(text_of(&data["id"])).or_default();
        (shown.state, shown.html) = (state, text_of(&data["html"]));
        shown.parent = data["parent"].as_str().map(str::to_owned);
        shown.branch = data["branch"].as_i64().expect("a branch");
    }

    /// Returns the only agent answer.
    #[track_caller]
    pub fn answer(&self) -> (&str, &Shown) {
        let mut answers =
            self.messages.iter().filter(|(_, shown)| shown.branch > 0 || !shown.parts.is_empty());
        let (id, shown) = answers.next().expect("an answer");
        assert!(answers.next().is_none(), "one answer");
        (id, shown)
    }

    /// Returns the text of its first part.
    pub fn text(&self) -> &str {
        self.messages.values().find_map(|shown| shown.parts.get(&0)).map_or("", |part| part.text.as_str())
    }
}

impl Part {
    #[track_caller]
    fn take(&mut self, name: &str, data: &Value) {
        let number = |key: &str| usize::try_from(data[key].as_u64().expect("an offset")).expect("small");
        let start = number("s");
        match name {
            "part_snapshot" => self.open(start, &text_of(&data["h"]), &text_of(&data["t"])),
            "text_delta" => self.append(start, &text_of(&data["t"])),
            _ => self.close(start, number("e"), &text_of(&data["h"])),
        }
    }

    fn end(&self) -> usize {
        self.from + self.text.len()
    }

    fn open(&mut self, start: usize, html: &str, tail: &str) {
        assert!(start + tail.len() >= self.end(), "a snapshot lacks text that was shown");
        if start > self.end() || self.text.is_empty() {
            (self.from, self.text) = (start, String::new());
        }
        (self.closed, self.html) = (start, html.to_owned());
        self.append(start, tail);
    }

    fn append(&mut self, start: usize, text: &str) {
        assert!(start <= self.end(), "bytes {}..{start} are missing", self.end());
        let known = self.end() - start;
        if let (Some(new), Some(at)) = (text.get(known..), start.checked_sub(self.from)) {
            assert_eq!(&self.text[at..], &text[..known], "the same bytes twice, and different");
            self.text.push_str(new);
        }
    }

    fn close(&mut self, start: usize, end: usize, html: &str) {
        if end <= self.closed {
            return;
        }
        assert_eq!(start, self.closed, "blocks follow each other");
        assert!(end <= self.end(), "a block closes after its text was shown");
        self.closed = end;
        self.html.push_str(html);
    }
}

/// Reads after event `after` until an answer has ended.
pub async fn read_answer(client: &Client, chat: &str, after: i64) -> Screen {
    let mut screen = Screen::from(after);
    let mut events = Events::open(client, chat, after).await;
    read_to_end(&mut events, &mut screen).await;
    screen
}

/// Reads until an answer has ended.
pub async fn read_to_end(events: &mut Events, screen: &mut Screen) {
    loop {
        let event = events.next().await.expect("the stream goes on until the answer has ended");
        screen.take(&event);
        if event.name == "message_completed" {
            return;
        }
    }
}

/// Reads until this many bytes of the answer were received.
pub async fn read_text(events: &mut Events, screen: &mut Screen, bytes: usize) {
    while screen.text().len() < bytes {
        let event = events.next().await.expect("the stream goes on");
        screen.take(&event);
        assert_ne!(event.name, "message_completed", "the answer ended before {bytes} bytes");
    }
}

/// Waits until an answer after event `after` has ended, and returns its stored message.
pub async fn answer_after(client: &Client, chat: &str, after: i64) -> Value {
    let screen = read_answer(client, chat, after).await;
    let ended = screen.messages.iter().find(|(_, shown)| shown.ended);
    let (id, _) = ended.expect("an answer has ended");
    client.api(&format!("/messages/{id}")).await
}

/// Returns the text of a message of the API.
pub fn text_in(message: &Value) -> &str {
    message["parts"][0]["text"].as_str().unwrap_or_default()
}

/// Returns the id of the approval that an answer waits for.
pub async fn question(client: &Client, chat: &str) -> String {
    let mut events = Events::open(client, chat, 0).await;
    let found = async {
        loop {
            let event = events.next().await.expect("the stream goes on");
            let text = event.data.to_string();
            if let Some((_, rest)) = text.split_once("name=\\\"approval\\\" value=\\\"") {
                return rest.split("\\\"").next().unwrap_or_default().to_owned();
            }
        }
    };
    timeout(TIMEOUT, found).await.expect("it asks in time")
}
