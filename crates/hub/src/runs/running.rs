//! The runs that this process works on.

use std::collections::HashMap;

use parking_lot::Mutex;
use plexus_domain::{AccountId, ChatId, Error as Refusal, RunId};
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub struct Running(Mutex<HashMap<RunId, Entry>>);

struct Entry {
    chat: ChatId,
    account: AccountId,
    stop: CancellationToken,
}

impl Running {
    /// Takes a place; it is given back when the answer is dropped.
    pub fn enter(&self, run: RunId, chat: ChatId, account: AccountId, stop: CancellationToken) -> Place<'_> {
        self.0.lock().insert(run, Entry { chat, account, stop });
        Place { running: self, run }
    }

    pub fn check_room(&self, account: AccountId, most: usize) -> Result<(), Refusal> {
        let running = self.0.lock().values().filter(|entry| entry.account == account).count();
        if running < most {
            return Ok(());
        }
        let message =
            format!("{running} answers are being written for you already. Wait for one, or stop one.");
        Err(Refusal::Limited { message, retry_after_ms: 2_000 })
    }

    pub fn in_chat(&self, chat: ChatId) -> bool {
        self.0.lock().values().any(|entry| entry.chat == chat)
    }

    /// Tells a run to end. False when it does not go on here.
    pub fn stop(&self, run: RunId) -> bool {
        let stop = self.0.lock().get(&run).map(|entry| entry.stop.clone());
        stop.inspect(CancellationToken::cancel).is_some()
    }

    pub fn of_chat(&self, chat: ChatId) -> Vec<RunId> {
        self.0.lock().iter().filter(|(_, entry)| entry.chat == chat).map(|(run, _)| *run).collect()
    }

    pub fn all(&self) -> Vec<RunId> {
        self.0.lock().keys().copied().collect()
    }

    pub fn has(&self, run: RunId) -> bool {
        self.0.lock().contains_key(&run)
    }
}

pub struct Place<'a> {
    running: &'a Running,
    run: RunId,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.running.0.lock().remove(&self.run);
    }
}
