//! Registry of the runs that this instance works on or has queued.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use plexus_domain::{
    AccountId, AgentId, ChatId, Error as Refusal, HubRowId, RunId,
    schedule::{Entered, Schedule, Share},
};
use tokio_util::sync::CancellationToken;

use crate::caller::Who;

/// The runs of this instance, with their slots and their fair queue. Cheap to clone.
#[derive(Clone)]
pub struct Running(Arc<Mutex<Places>>);

/// Slots by number, not by run: a run that waited for input may be resumed before its former slot is
/// released.
struct Places {
    last: u64,
    taken: HashMap<u64, Entry>,
    schedule: Schedule<Who, AgentId>,
}

impl Places {
    /// Releases a slot and admits the runs that may start now.
    fn give_back(&mut self, number: u64) {
        for begins in self.schedule.leave(number) {
            if let Some(entry) = self.taken.get(&begins) {
                entry.turn.cancel();
            }
        }
    }
}

struct Entry {
    run: RunId,
    chat: ChatId,
    who: Who,
    from: Option<HubRowId>,
    agent: AgentId,
    home: HubRowId,
    stop: CancellationToken,
    turn: CancellationToken,
}

/// Attributes of a run that decide about its slot and about bulk cancellation.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub run: RunId,
    pub chat: ChatId,
    /// Subject whose quota the run counts against.
    pub who: Who,
    /// The remote hub of the requester, if there is one.
    pub from: Option<HubRowId>,
    pub agent: AgentId,
    /// The hub of the agent.
    pub home: HubRowId,
}

impl Running {
    pub fn new(per_agent: usize) -> Self {
        let (taken, schedule) = (HashMap::new(), Schedule::new(per_agent));
        Self(Arc::new(Mutex::new(Places { last: 0, taken, schedule })))
    }

    /// Acquires a slot, or a place in the queue. Fails if the queue of the subject is full.
    ///
    /// The slot is released when the result is dropped.
    pub fn enter(&self, about: About, share: Share) -> Result<Place, Refusal> {
        let About { run, chat, who, from, agent, home } = about;
        let mut places = self.0.lock();
        let number = places.last + 1;
        let entered = places.schedule.enter(number, who, agent, share);
        if entered == Entered::Full {
            let waiting = share.waiting;
            let message =
                format!("{waiting} answers wait for their turn already. Wait for one, or stop one.");
            return Err(Refusal::Limited { message, retry_after_ms: 2_000 });
        }
        places.last = number;
        let (stop, turn) = (CancellationToken::new(), CancellationToken::new());
        if entered == Entered::Works {
            turn.cancel();
        }
        let entry = Entry { run, chat, who, from, agent, home, stop: stop.clone(), turn: turn.clone() };
        places.taken.insert(number, entry);
        drop(places);
        Ok(Place { running: self.clone(), number, stop, turn })
    }

    /// Returns whether any run of the chat is registered.
    pub fn in_chat(&self, chat: ChatId) -> bool {
        self.any(|entry| entry.chat == chat)
    }

    /// Cancels a run. Returns false if this instance does not run it.
    pub fn stop(&self, run: RunId) -> bool {
        let places = self.0.lock();
        let mut found = places.taken.values().filter(|entry| entry.run == run).peekable();
        let goes_on = found.peek().is_some();
        found.for_each(|entry| entry.stop.cancel());
        goes_on
    }

    /// Releases the slot of a run that waits for other runs, so that they cannot deadlock. It can still be
    /// cancelled.
    pub fn step_aside(&self, run: RunId) {
        let mut places = self.0.lock();
        let of_run = |(number, entry): (&u64, &Entry)| (entry.run == run).then_some(*number);
        let numbers: Vec<u64> = places.taken.iter().filter_map(of_run).collect();
        numbers.into_iter().for_each(|number| places.give_back(number));
    }

    /// Cancels the runs of an account, and those of these agents.
    pub fn stop_of(&self, account: AccountId, agents: &[AgentId]) {
        let places = self.0.lock();
        let theirs = |entry: &&Entry| entry.who == Who::Account(account) || agents.contains(&entry.agent);
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Cancels the runs of a remote hub's users, and those of its agents.
    pub fn stop_of_hub(&self, hub: HubRowId) {
        let places = self.0.lock();
        let theirs = |entry: &&Entry| entry.from == Some(hub) || entry.home == hub;
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Returns the accounts that have runs.
    pub fn accounts(&self) -> HashSet<AccountId> {
        let account = |entry: &Entry| match entry.who {
            Who::Account(account) => Some(account),
            _ => None,
        };
        self.0.lock().taken.values().filter_map(account).collect()
    }

    /// Returns the runs of a chat.
    pub fn of_chat(&self, chat: ChatId) -> Vec<RunId> {
        self.0.lock().taken.values().filter(|entry| entry.chat == chat).map(|entry| entry.run).collect()
    }

    /// Returns all runs of this instance.
    pub fn all(&self) -> Vec<RunId> {
        self.0.lock().taken.values().map(|entry| entry.run).collect()
    }

    /// Returns whether this instance runs or queues the run.
    pub fn has(&self, run: RunId) -> bool {
        self.any(|entry| entry.run == run)
    }

    fn any(&self, is_wanted: impl Fn(&Entry) -> bool) -> bool {
        self.0.lock().taken.values().any(is_wanted)
    }
}

/// A slot or a place in the queue, released on drop.
///
/// It is held from before the run is committed until its answer is stored, so every visible run can be
/// cancelled.
pub struct Place {
    running: Running,
    number: u64,
    /// Cancelled when the run is to end.
    pub stop: CancellationToken,
    /// Cancelled when the run is admitted.
    turn: CancellationToken,
}

impl Place {
    /// Returns whether the run is queued.
    pub fn waits(&self) -> bool {
        !self.turn.is_cancelled()
    }

    /// Waits until the run is admitted.
    pub async fn turn(&self) {
        self.turn.cancelled().await;
    }

    /// Returns the position in the queue, starting at 1; none once the run is admitted.
    pub fn position(&self) -> Option<usize> {
        self.running.0.lock().schedule.position(self.number)
    }

    /// Releases the slot early, so that subscribers to the end of the run see the registry without it.
    pub fn leave(&self) {
        let mut places = self.running.0.lock();
        places.taken.remove(&self.number);
        places.give_back(self.number);
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
    fn places_are_given_in_turn_and_given_back() {
        let at = Timestamp::from_millis(1);
        let (run, chat) = (RunId::new(at, &[1; 10]), ChatId::new(at, &[2; 10]));
        let (ada, bob) = (AccountId::new(at, &[3; 10]), AccountId::new(at, &[4; 10]));
        let agent = AgentId::new(at, &[5; 10]);
        let share = Share { working: 2, waiting: 1 };
        let running = Running::new(9);
        let enter_as = |who, from, home| running.enter(About { run, chat, who, from, agent, home }, share);
        let enter = |account| enter_as(Who::Account(account), None, HubRowId::SELF);
        let aside = RunId::new(at, &[7; 10]);
        let (who, from, home) = (Who::Account(ada), None, HubRowId::SELF);
        let first = running.enter(About { run: aside, chat, who, from, agent, home }, share).unwrap();
        let again = enter(ada).unwrap();
        let waits = enter(ada).unwrap();
        assert!(!first.waits() && !again.waits() && waits.waits());
        assert_eq!((first.position(), waits.position()), (None, Some(1)));
        assert!(matches!(enter(ada), Err(Refusal::Limited { .. })));
        let other = enter(bob).unwrap();
        running.stop_of(ada, &[]);
        assert!(first.stop.is_cancelled() && waits.stop.is_cancelled() && !other.stop.is_cancelled());
        running.stop_of(ada, &[agent]);
        assert!(other.stop.is_cancelled(), "it runs an agent of theirs");
        drop(other);

        let hub = HubRowId::new(at, &[6; 10]);
        let guest = enter_as(Who::Hub(hub), Some(hub), HubRowId::SELF).unwrap();
        let newcomer = enter_as(Who::Newcomers, Some(hub), HubRowId::SELF).unwrap();
        let elsewhere = enter_as(Who::Account(bob), None, hub).unwrap();
        let here = enter(bob).unwrap();
        running.stop_of_hub(hub);
        assert!([&guest, &newcomer, &elsewhere].iter().all(|place| place.stop.is_cancelled()));
        assert!(!here.stop.is_cancelled());
        drop((guest, newcomer, elsewhere, here));

        running.step_aside(aside);
        assert!(!waits.waits() && running.has(aside), "what steps aside leaves its place and stays known");
        drop((first, waits));
        assert!(running.stop(run) && again.stop.is_cancelled(), "the run that went on is still known");
        drop(again);
        assert!(!running.stop(run) && !running.in_chat(chat));
    }
}
