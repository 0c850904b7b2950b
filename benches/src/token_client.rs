//! Clients that request tokens: a chat of the hub with its event stream, or a streaming completions API.

use std::borrow::Cow;

use anyhow::Context as _;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{
    client::{Client, Event, Events, Target},
    model_server::Script,
    tokens::{self, Heard},
    users,
};

/// A client that asks one question at a time.
pub enum Line {
    Chat(Chat),
    Completions(Completions),
}

impl Line {
    pub async fn ask(&mut self, script: Script) -> anyhow::Result<Heard> {
        let heard = match self {
            Self::Chat(chat) => chat.ask(script).await?,
            Self::Completions(api) => api.ask(script).await?,
        };
        anyhow::ensure!(heard.count == script.tokens, "{} tokens of {} came", heard.count, script.tokens);
        Ok(heard)
    }
}

/// A chat in an open browser tab: messages are sent on one connection, events arrive on another.
pub struct Chat {
    target: Target,
    /// Opened when the second message is sent.
    client: Option<Client>,
    events: Events,
    pub id: String,
    /// Id of the last finished answer. Later events about it are ignored.
    ended: String,
}

impl Chat {
    /// Starts a chat with `agent`; its first answer is not read yet.
    pub async fn begin(target: Target, agent: &str, script: Script) -> anyhow::Result<Self> {
        let mut client = Client::open(target.address).await?;
        let first = json!({ "id": users::message_id(), "to": agent, "text": script.text() });
        let begun = client.call(target.json(Method::POST, "/api/v1/chats", &first)?).await?;
        let id = begun["chat"].as_str().context("no chat")?.to_owned();
        let events = read_along(&target, &id).await?;
        Ok(Self { target, client: None, events, id, ended: String::new() })
    }

    async fn ask(&mut self, script: Script) -> anyhow::Result<Heard> {
        let path = format!("/api/v1/chats/{}/messages", self.id);
        let body = json!({ "id": users::message_id(), "text": script.text() });
        let request = self.target.json(Method::POST, &path, &body)?;
        let client = match &mut self.client {
            Some(client) => client,
            none => none.insert(Client::open(self.target.address).await?),
        };
        let asked = tokens::now();
        let said = client.call(request);
        // The first token may arrive before the response to the message.
        let (said, heard) = tokio::join!(said, listen(&mut self.events, &mut self.ended, asked));
        said?;
        heard
    }

    /// Reads the answer that is being written.
    pub async fn hear(&mut self, asked: u64) -> anyhow::Result<Heard> {
        listen(&mut self.events, &mut self.ended, asked).await
    }
}

/// Opens the event stream of a chat, from its beginning.
pub async fn read_along(target: &Target, chat: &str) -> anyhow::Result<Events> {
    let request = target.get(&format!("/api/v1/events?chat={chat}&after=0"))?;
    Client::open(target.address).await?.stream(request).await
}

async fn listen(events: &mut Events, ended: &mut String, asked: u64) -> anyhow::Result<Heard> {
    let mut heard = Heard::default();
    // Byte count of the answer. Events around the time of the subscription may be delivered twice; their
    // offsets reveal it.
    let mut known = 0;
    loop {
        let event = events.next().await?.context("the stream of events ended")?;
        match event.name() {
            b"text_delta" | b"part_snapshot" => {
                let said: Said = read(&event)?;
                if said.m != ended.as_str() {
                    heard.take(asked, &tokens::words(&said.h), true)?;
                    heard.take(asked, &said.t, event.name() == b"part_snapshot" || said.s < known)?;
                    known = known.max(said.s + said.t.len());
                }
            }
            b"message_completed" => {
                let end: Ended = read(&event)?;
                anyhow::ensure!(end.state == "done", "an answer is {}: {}", end.state, end.html);
                // A subscriber that fell behind gets the missing text from the finished message.
                heard.take(asked, &tokens::words(&end.html), true)?;
                end.id.clone_into(ended);
                return Ok(heard);
            }
            b"stream_end" => anyhow::bail!("the hub ended a stream of events"),
            _ => {}
        }
    }
}

#[derive(Deserialize)]
struct Said<'a> {
    m: &'a str,
    s: usize,
    #[serde(borrow)]
    t: Cow<'a, str>,
    #[serde(borrow, default)]
    h: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Ended<'a> {
    id: &'a str,
    state: &'a str,
    #[serde(borrow)]
    html: Cow<'a, str>,
}

fn read<'a, T: Deserialize<'a>>(event: &'a Event) -> anyhow::Result<T> {
    serde_json::from_slice(event.data())
        .with_context(|| format!("an event holds {}", String::from_utf8_lossy(event.data())))
}

/// Client of an OpenAI-compatible server.
pub struct Completions {
    target: Target,
    model: String,
    client: Client,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
}

impl Completions {
    pub async fn open(target: Target, model: &str) -> anyhow::Result<Self> {
        let client = Client::open(target.address).await?;
        Ok(Self { target, model: model.to_owned(), client })
    }

    async fn ask(&mut self, script: Script) -> anyhow::Result<Heard> {
        let body = json!({ "model": self.model, "stream": true, "stream_options": { "include_usage": true },
            "messages": [{ "role": "user", "content": script.text() }] });
        let request = self.target.json(Method::POST, "/v1/chat/completions", &body)?;
        let asked = tokens::now();
        let mut events = self.client.stream(request).await?;
        let mut heard = Heard::default();
        let mut is_done = false;
        // Read to the end of the body: only then can the connection be reused.
        while let Some(event) = events.next().await? {
            is_done |= event.data() == b"[DONE]";
            if !is_done {
                let chunk: Chunk<'_> = read(&event)?;
                let texts = chunk.choices.iter().filter_map(|choice| choice.delta.content.as_deref());
                texts.into_iter().try_for_each(|text| heard.take(asked, text, false))?;
            }
        }
        anyhow::ensure!(is_done, "a completion ended early");
        Ok(heard)
    }
}
