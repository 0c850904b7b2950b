//! Registry of the runs that this instance works on or has queued.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use plexus_domain::{
    AccountId, AgentId, ChatId, Error as Refusal, HubRowId, RunId,
    fair_scheduler::{Admission, CallerQuota, FairScheduler},
};
use tokio_util::sync::CancellationToken;

use crate::caller::QuotaSubject;

/// The runs of this instance, with their slots and their fair queue. Cheap to clone.
#[derive(Clone)]
pub struct RunRegistry(Arc<Mutex<SlotTable>>);

/// Slots by number, not by run: a run that waited for input may be resumed before its former slot is
/// released.
struct SlotTable {
    last: u64,
    taken: HashMap<u64, RunEntry>,
    schedule: FairScheduler<QuotaSubject, AgentId>,
}

impl SlotTable {
    /// Releases a slot and admits the runs that may start now.
    fn give_back(&mut self, number: u64) {
        for begins in self.schedule.release(number) {
            if let Some(entry) = self.taken.get(&begins) {
                entry.turn.cancel();
            }
        }
    }
}

struct RunEntry {
    run: RunId,
    chat: ChatId,
    who: QuotaSubject,
    from: Option<HubRowId>,
    agent: AgentId,
    home: HubRowId,
    stop: CancellationToken,
    turn: CancellationToken,
}

/// Attributes of a run that decide about its slot and about bulk cancellation.
#[derive(Clone, Copy, Debug)]
pub struct RunInfo {
    pub run: RunId,
    pub chat: ChatId,
    /// Subject whose quota the run counts against.
    pub who: QuotaSubject,
    /// The remote hub of the requester, if there is one.
    pub from: Option<HubRowId>,
    pub agent: AgentId,
    /// The hub of the agent.
    pub home: HubRowId,
}

impl RunRegistry {
    pub fn new(per_agent: usize) -> Self {
        let (taken, schedule) = (HashMap::new(), FairScheduler::new(per_agent));
        Self(Arc::new(Mutex::new(SlotTable { last: 0, taken, schedule })))
    }

    /// Acquires a slot, or a place in the queue. Fails if the queue of the subject is full.
    ///
    /// The slot is released when the result is dropped.
    pub fn acquire_slot(&self, about: RunInfo, share: CallerQuota) -> Result<RunSlot, Refusal> {
        let RunInfo { run, chat, who, from, agent, home } = about;
        let mut places = self.0.lock();
        let number = places.last + 1;
        let entered = places.schedule.submit(number, who, agent, share);
        if entered == Admission::Full {
            let waiting = share.waiting;
            let message = format!("{waiting} answers are already queued. Wait for one, or stop one.");
            return Err(Refusal::RateLimited { message, retry_after_ms: 2_000 });
        }
        places.last = number;
        let (stop, turn) = (CancellationToken::new(), CancellationToken::new());
        if entered == Admission::Works {
            turn.cancel();
        }
        let entry = RunEntry { run, chat, who, from, agent, home, stop: stop.clone(), turn: turn.clone() };
        places.taken.insert(number, entry);
        drop(places);
        Ok(RunSlot { running: self.clone(), number, stop, turn })
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
    pub fn yield_slot(&self, run: RunId) {
        let mut places = self.0.lock();
        let of_run = |(number, entry): (&u64, &RunEntry)| (entry.run == run).then_some(*number);
        let numbers: Vec<u64> = places.taken.iter().filter_map(of_run).collect();
        numbers.into_iter().for_each(|number| places.give_back(number));
    }

    /// Cancels the runs of an account, and those of these agents.
    pub fn cancel_account(&self, account: AccountId, agents: &[AgentId]) {
        let places = self.0.lock();
        let theirs =
            |entry: &&RunEntry| entry.who == QuotaSubject::Account(account) || agents.contains(&entry.agent);
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Cancels the runs of a remote hub's users, and those of its agents.
    pub fn cancel_hub(&self, hub: HubRowId) {
        let places = self.0.lock();
        let theirs = |entry: &&RunEntry| entry.from == Some(hub) || entry.home == hub;
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Returns the subjects that have runs of an agent.
    pub fn subjects_of(&self, agent: AgentId) -> HashSet<QuotaSubject> {
        let places = self.0.lock();
        places.taken.values().filter(|entry| entry.agent == agent).map(|entry| entry.who).collect()
    }

    /// Cancels the runs of an agent that work for this subject.
    pub fn cancel_runs_for(&self, agent: AgentId, who: QuotaSubject) {
        let places = self.0.lock();
        let theirs = |entry: &&RunEntry| entry.agent == agent && entry.who == who;
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Returns the accounts that have runs.
    pub fn accounts(&self) -> HashSet<AccountId> {
        let account = |entry: &RunEntry| match entry.who {
            QuotaSubject::Account(account) => Some(account),
            _ => None,
        };
        self.0.lock().taken.values().filter_map(account).collect()
    }

    /// Returns the runs of a chat.
    pub fn runs_of_chat(&self, chat: ChatId) -> Vec<RunId> {
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

    fn any(&self, is_wanted: impl Fn(&RunEntry) -> bool) -> bool {
        self.0.lock().taken.values().any(is_wanted)
    }
}

/// A slot or a place in the queue, released on drop.
///
/// It is held from before the run is committed until its answer is stored, so every visible run can be
/// cancelled.
pub struct RunSlot {
    running: RunRegistry,
    number: u64,
    /// Cancelled when the run is to end.
    pub stop: CancellationToken,
    /// Cancelled when the run is admitted.
    turn: CancellationToken,
}

impl RunSlot {
    /// Returns whether the run is queued.
    pub fn is_queued(&self) -> bool {
        !self.turn.is_cancelled()
    }

    /// Waits until the run is admitted.
    pub async fn wait_admission(&self) {
        self.turn.cancelled().await;
    }

    /// Returns the position in the queue, starting at 1; none once the run is admitted.
    pub fn position(&self) -> Option<usize> {
        self.running.0.lock().schedule.queue_position(self.number)
    }

    /// Releases the slot early, so that subscribers to the end of the run see the registry without it.
    pub fn release(&self) {
        let mut places = self.running.0.lock();
        places.taken.remove(&self.number);
        places.give_back(self.number);
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        self.release();
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
        let share = CallerQuota { working: 2, waiting: 1 };
        let running = RunRegistry::new(9);
        let enter_as =
            |who, from, home| running.acquire_slot(RunInfo { run, chat, who, from, agent, home }, share);
        let enter = |account| enter_as(QuotaSubject::Account(account), None, HubRowId::SELF);
        let aside = RunId::new(at, &[7; 10]);
        let (who, from, home) = (QuotaSubject::Account(ada), None, HubRowId::SELF);
        let first =
            running.acquire_slot(RunInfo { run: aside, chat, who, from, agent, home }, share).unwrap();
        let again = enter(ada).unwrap();
        let waits = enter(ada).unwrap();
        assert!(!first.is_queued() && !again.is_queued() && waits.is_queued());
        assert_eq!((first.position(), waits.position()), (None, Some(1)));
        assert!(matches!(enter(ada), Err(Refusal::RateLimited { .. })));
        let other = enter(bob).unwrap();
        running.cancel_account(ada, &[]);
        assert!(first.stop.is_cancelled() && waits.stop.is_cancelled() && !other.stop.is_cancelled());
        running.cancel_account(ada, &[agent]);
        assert!(other.stop.is_cancelled(), "it runs an agent of theirs");
        drop(other);

        let hub = HubRowId::new(at, &[6; 10]);
        let remote_user = enter_as(QuotaSubject::Hub(hub), Some(hub), HubRowId::SELF).unwrap();
        let newcomer = enter_as(QuotaSubject::Newcomers, Some(hub), HubRowId::SELF).unwrap();
        let elsewhere = enter_as(QuotaSubject::Account(bob), None, hub).unwrap();
        let here = enter(bob).unwrap();
        running.cancel_hub(hub);
        assert!([&remote_user, &newcomer, &elsewhere].iter().all(|slot| slot.stop.is_cancelled()));
        assert!(!here.stop.is_cancelled());
        drop((remote_user, newcomer, elsewhere, here));

        running.yield_slot(aside);
        assert!(
            !waits.is_queued() && running.has(aside),
            "what steps aside leaves its place and stays known"
        );
        drop((first, waits));
        assert!(running.stop(run) && again.stop.is_cancelled(), "the run that went on is still known");
        drop(again);
        assert!(!running.stop(run) && !running.in_chat(chat));
    }
}
