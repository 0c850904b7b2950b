//! The runs that this process works on.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use plexus_domain::{AccountId, AgentId, ChatId, Error as Refusal, RunId};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<Places>>);

/// By number, not by run: a run that waited for its caller may go on before its former place is given back.
#[derive(Default)]
struct Places {
    last: u64,
    taken: HashMap<u64, Entry>,
}

struct Entry {
    run: RunId,
    chat: ChatId,
    /// None for those of whom nothing is known, who share their places.
    account: Option<AccountId>,
    agent: AgentId,
    stop: CancellationToken,
}

/// What a run is, as far as places are counted and runs are ended by it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub run: RunId,
    pub chat: ChatId,
    pub account: Option<AccountId>,
    pub agent: AgentId,
}

impl Running {
    /// Takes one of the `most` places that an account has; it is given back when the answer is dropped.
    pub fn enter(&self, about: About, most: usize) -> Result<Place, Refusal> {
        let About { run, chat, account, agent } = about;
        let mut places = self.0.lock();
        let running = places.taken.values().filter(|entry| entry.account == account).count();
        if running >= most {
            let message =
                format!("{running} answers are being written for you already. Wait for one, or stop one.");
            return Err(Refusal::Limited { message, retry_after_ms: 2_000 });
        }
        let stop = CancellationToken::new();
        places.last += 1;
        let number = places.last;
        places.taken.insert(number, Entry { run, chat, account, agent, stop: stop.clone() });
        Ok(Place { running: self.clone(), number, stop })
    }

    pub fn in_chat(&self, chat: ChatId) -> bool {
        self.any(|entry| entry.chat == chat)
    }

    /// Tells a run to end. False when it does not go on here.
    pub fn stop(&self, run: RunId) -> bool {
        let places = self.0.lock();
        let mut found = places.taken.values().filter(|entry| entry.run == run).peekable();
        let goes_on = found.peek().is_some();
        found.for_each(|entry| entry.stop.cancel());
        goes_on
    }

    /// Tells the runs that an account asked for to end, and those of these agents.
    pub fn stop_of(&self, account: AccountId, agents: &[AgentId]) {
        let places = self.0.lock();
        let theirs = |entry: &&Entry| entry.account == Some(account) || agents.contains(&entry.agent);
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    pub fn of_chat(&self, chat: ChatId) -> Vec<RunId> {
        self.0.lock().taken.values().filter(|entry| entry.chat == chat).map(|entry| entry.run).collect()
    }

    pub fn all(&self) -> Vec<RunId> {
        self.0.lock().taken.values().map(|entry| entry.run).collect()
    }

    pub fn has(&self, run: RunId) -> bool {
        self.any(|entry| entry.run == run)
    }

    fn any(&self, is_wanted: impl Fn(&Entry) -> bool) -> bool {
        self.0.lock().taken.values().any(is_wanted)
    }
}

/// A place among the runs of this process, from before the run is committed until its answer is kept: whoever has
/// heard of a run can stop it.
pub struct Place {
    running: Running,
    number: u64,
    /// Cancelled when the run is to end.
    pub stop: CancellationToken,
}

impl Place {
    /// Gives the place back, for those who are told of the end and then look who still answers.
    pub fn leave(&self) {
        self.running.0.lock().taken.remove(&self.number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    #[test]
    fn places_are_counted_by_account_and_given_back() {
        let at = Timestamp::from_millis(1);
        let (run, chat) = (RunId::new(at, &[1; 10]), ChatId::new(at, &[2; 10]));
        let (ada, bob) = (AccountId::new(at, &[3; 10]), AccountId::new(at, &[4; 10]));
        let agent = AgentId::new(at, &[5; 10]);
        let about = |account| About { run, chat, account: Some(account), agent };
        let running = Running::default();
        let first = running.enter(about(ada), 2).unwrap();
        let again = running.enter(about(ada), 2).unwrap();
        assert!(matches!(running.enter(about(ada), 2), Err(Refusal::Limited { .. })));
        let other = running.enter(about(bob), 2).unwrap();
        running.stop_of(ada, &[]);
        assert!(first.stop.is_cancelled() && again.stop.is_cancelled() && !other.stop.is_cancelled());
        running.stop_of(ada, &[agent]);
        assert!(other.stop.is_cancelled(), "it runs an agent of theirs");
        drop(other);

        drop(first);
        assert!(running.stop(run) && again.stop.is_cancelled(), "the run that went on is still known");
        drop(again);
        assert!(!running.stop(run) && !running.in_chat(chat));
    }
}
