//! Background write load for other benchmarks: an API client that renames chats, 500 rows per second.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hyper::Method;
use serde_json::json;
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

use crate::{
    client::{Client, Target},
    model_server::Script,
    token_client::Chat,
};

/// A rename writes two rows, chat and event, in one transaction.
const ROWS_EACH: usize = 2;
pub const ROWS_PER_SECOND: usize = 500;
/// Concurrent writers, so that one slow response does not lower the rate.
const HANDS: usize = 5;

/// Writes until dropped.
pub struct Writer {
    _hands: JoinSet<anyhow::Result<()>>,
    since: Instant,
    renamed: Arc<AtomicUsize>,
}

impl Writer {
    pub async fn start(target: &Target, agent: &str) -> anyhow::Result<Self> {
        let (mut hands, renamed) = (JoinSet::new(), Arc::default());
        for _ in 0..HANDS {
            let nothing = Script { tokens: 1, every: Duration::ZERO };
            let chat = Chat::begin(target.clone(), agent, nothing).await?;
            hands.spawn(write(target.clone(), chat.id, Arc::clone(&renamed)));
        }
        Ok(Self { _hands: hands, since: Instant::now(), renamed })
    }

    /// Returns the average rate so far.
    pub fn rows_per_second(&self) -> f64 {
        (self.renamed.load(Ordering::Relaxed) * ROWS_EACH) as f64 / self.since.elapsed().as_secs_f64()
    }
}

async fn write(target: Target, chat: String, renamed: Arc<AtomicUsize>) -> anyhow::Result<()> {
    let mut client = Client::open(target.address).await?;
    let mut turns = interval(Duration::from_secs(1) * (HANDS * ROWS_EACH) as u32 / ROWS_PER_SECOND as u32);
    turns.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let path = format!("/api/v1/chats/{chat}");
    for n in 0_u64.. {
        turns.tick().await;
        let title = json!({ "title": format!("Title {n}") });
        client.call(target.json(Method::PATCH, &path, &title)?).await?;
        renamed.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
