//! Concurrency benchmark: running streams, connected subscribers, and the time until an event reaches all of
//! them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use hyper::Method;
use serde_json::json;
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{interval, sleep},
};

use crate::{
    client::{Client, Events, Target},
    hub::Hub,
    model_relay,
    model_server::{Script, Upstream},
    print, process,
    stats::{percentile, sorted},
    token_client::{Chat, read_along},
    tokens, users,
};

const STREAMS: usize = 4_000;
const READERS: usize = 5_000;
/// Limit of concurrent answers per account.
const PER_ACCOUNT: usize = 8;
/// Long enough that all streams have started before the first one ends.
const HELD: Script = Script { tokens: 160, every: Duration::from_millis(250) };
const BEGIN_WITHIN: Duration = Duration::from_secs(20);
const SHORT: Script = Script { tokens: 20, every: Duration::ZERO };
/// Chats that are started concurrently.
const AT_ONCE: usize = 64;
/// Pause between connecting the subscribers, which happens one after the other, and the event.
const QUIET: Duration = Duration::from_secs(2);
const SAMPLES: Duration = Duration::from_millis(100);

pub async fn run() -> anyhow::Result<()> {
    let files = rlimit::increase_nofile_limit(u64::MAX)?;
    print(&format!(
        "\nMany at once; rate limits raised 100,000 times, open files {files}, other limits as they are"
    ));
    print("| what | at once | failed | MiB before | MiB at most | KiB each | reached all within ms |");
    print("|---|---|---|---|---|---|---|");
    running().await?;
    reading().await
}

async fn running() -> anyhow::Result<()> {
    let upstream = Upstream::start()?;
    let hub = Hub::with_settings(tempfile::tempdir()?, model_relay::settings(&upstream)).await?;
    let people = users::sign_up(&hub, STREAMS / PER_ACCOUNT).await?;
    let agent = users::publish_agent(&people[0]).await?;
    let hub = hub.again().await?;
    let memory = Memory::watch(hub.id())?;
    let mut streams = JoinSet::new();
    for n in 0..STREAMS {
        let target = Target { address: hub.address, ..people[n / PER_ACCOUNT].clone() };
        let (agent, wait) = (agent.clone(), BEGIN_WITHIN.mul_f64(n as f64 / STREAMS as f64));
        streams.spawn(async move {
            sleep(wait).await;
            held(target, &agent, HELD).await
        });
    }
    let (mut spans, mut failed) = (Vec::new(), None);
    while let Some(stream) = streams.join_next().await {
        match stream? {
            Ok(span) => spans.push(span),
            Err(error) => failed = Some(error),
        }
    }
    if let Some(error) = &failed {
        print(&format!("one of those that failed: {error:#}"));
    }
    memory.row("running streams", at_once(&spans), STREAMS - spans.len(), STREAMS, None);
    Ok(())
}

/// Starts a chat and reads its answer to the end. Returns the times of the first and last token.
pub async fn held(target: Target, agent: &str, script: Script) -> anyhow::Result<(u64, u64)> {
    let asked = tokens::now();
    let mut chat = Chat::begin(target, agent, script).await?;
    let heard = chat.hear(asked).await?;
    anyhow::ensure!(heard.count == script.tokens, "{} tokens of {} came", heard.count, script.tokens);
    Ok((asked + (heard.first * 1e3) as u64, tokens::now()))
}

/// Returns the maximum number of overlapping spans.
pub fn at_once(spans: &[(u64, u64)]) -> usize {
    let mut changes: Vec<(u64, i64)> = spans.iter().flat_map(|(from, to)| [(*from, 1), (*to, -1)]).collect();
    changes.sort_unstable();
    let now = changes.iter().scan(0_i64, |now, (_, change)| {
        *now += change;
        Some(*now)
    });
    usize::try_from(now.max().unwrap_or(0)).unwrap_or(0)
}

async fn reading() -> anyhow::Result<()> {
    let upstream = Upstream::start()?;
    let hub = Hub::with_settings(tempfile::tempdir()?, model_relay::settings(&upstream)).await?;
    let people = users::sign_up(&hub, READERS / 10).await?;
    let agent = users::publish_agent(&people[0]).await?;
    let chats = begin_chats(&people, &agent).await?;
    let hub = readers_of("readers, each of another chat", hub, &chats).await?;
    let one = vec![chats[0].clone(); READERS];
    readers_of("readers of one chat", hub, &one).await?;
    Ok(())
}

/// Starts a chat with a finished answer for each subscriber.
async fn begin_chats(people: &[Target], agent: &str) -> anyhow::Result<Vec<(Target, String)>> {
    let mut chats = Vec::new();
    let mut beginning = JoinSet::new();
    for n in 0..READERS {
        if beginning.len() == AT_ONCE {
            chats.push(beginning.join_next().await.context("nobody begins")???);
        }
        let (target, agent) = (people[n % people.len()].clone(), agent.to_owned());
        beginning.spawn(async move {
            let mut chat = Chat::begin(target.clone(), &agent, SHORT).await?;
            chat.hear(0).await?;
            anyhow::Ok((target, chat.id))
        });
    }
    while let Some(begun) = beginning.join_next().await {
        chats.push(begun??);
    }
    Ok(chats)
}

/// Subscribes to each chat, renames the first one, and waits until all its subscribers have received the
/// event.
async fn readers_of(what: &str, hub: Hub, chats: &[(Target, String)]) -> anyhow::Result<Hub> {
    let hub = hub.again().await?;
    let memory = Memory::watch(hub.id())?;
    let here = |target: &Target| Target { address: hub.address, ..target.clone() };
    let (mut readers, mut others) = (JoinSet::new(), Vec::new());
    for (target, chat) in chats {
        let mut events = read_along(&here(target), chat).await?;
        until(&mut events, "message_completed", "").await?;
        if *chat == chats[0].1 {
            let title = what.to_owned();
            readers.spawn(async move { until(&mut events, "title_changed", &title).await });
        } else {
            others.push(events);
        }
    }
    sleep(QUIET).await;
    let (target, chat) = (here(&chats[0].0), &chats[0].1);
    let rename = target.json(Method::PATCH, &format!("/api/v1/chats/{chat}"), &json!({ "title": what }))?;
    let mut client = Client::open(hub.address).await?;
    let asked = tokens::now();
    client.call(rename).await?;
    let mut took = Vec::new();
    while let Some(known) = readers.join_next().await {
        took.push(known??.saturating_sub(asked) as f64 / 1e3);
    }
    let reached = percentile(&sorted(took), 100.0);
    memory.row(what, chats.len(), 0, chats.len(), Some(reached));
    drop(others);
    Ok(hub)
}

/// Reads until an event contains `words`, and returns its time of arrival.
async fn until(events: &mut Events, name: &str, words: &str) -> anyhow::Result<u64> {
    loop {
        let event = events.next().await?.context("a stream of events ended")?;
        let came = tokens::now();
        if event.name() == name.as_bytes() && String::from_utf8_lossy(event.data()).contains(words) {
            return Ok(came);
        }
    }
}

/// Sampler of the resident memory of a process.
pub struct Memory {
    before: f64,
    most: JoinHandle<()>,
    seen: Arc<AtomicU64>,
}

impl Memory {
    pub fn watch(process: u32) -> anyhow::Result<Self> {
        let before = process::memory_kib(process)?;
        let seen = Arc::new(AtomicU64::new(0));
        let note = Arc::clone(&seen);
        let most = tokio::spawn(async move {
            let mut samples = interval(SAMPLES);
            while let Ok(kib) = process::memory_kib(process) {
                note.fetch_max(kib as u64, Ordering::Relaxed);
                samples.tick().await;
            }
        });
        Ok(Self { before, most, seen })
    }

    /// Stops sampling and returns the maximum in MiB.
    pub fn most_mib(self) -> f64 {
        self.most.abort();
        self.seen.load(Ordering::Relaxed) as f64 / 1024.0
    }

    pub fn row(self, what: &str, at_once: usize, failed: usize, each: usize, reached: Option<f64>) {
        self.most.abort();
        let most = self.seen.load(Ordering::Relaxed) as f64;
        let kib = (most - self.before) / each as f64;
        let reached = reached.map(|ms| format!("{ms:.0}")).unwrap_or_default();
        let (before, most) = (self.before / 1024.0, most / 1024.0);
        print(&format!("| {what} | {at_once} | {failed} | {before:.0} | {most:.0} | {kib:.1} | {reached} |"));
    }
}
