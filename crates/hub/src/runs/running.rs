//! The runs that this process works on, and those that wait for their turn.

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

#[derive(Clone)]
pub struct Running(Arc<Mutex<Places>>);

/// By number, not by run: a run that waited for its caller may go on before its former place is given back.
struct Places {
    last: u64,
    taken: HashMap<u64, Entry>,
    schedule: Schedule<Who, AgentId>,
}

impl Places {
    /// Those whose turn it is then may begin.
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

/// What a run is, as far as places are given and runs are ended by it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub run: RunId,
    pub chat: ChatId,
    /// Who asked.
    pub who: Who,
    /// The hub at which whoever asked is at home, where that is another one.
    pub from: Option<HubRowId>,
    pub agent: AgentId,
    /// The hub at which the agent is.
    pub home: HubRowId,
}

impl Running {
    pub fn new(per_agent: usize) -> Self {
        let (taken, schedule) = (HashMap::new(), Schedule::new(per_agent));
        Self(Arc::new(Mutex::new(Places { last: 0, taken, schedule })))
    }

    /// Takes a place, in which the run works at once or waits for its turn. It is given back when the answer is
    /// dropped.
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

    /// Leaves the run's place to others, while it waits for what they do. It can still be stopped.
    pub fn step_aside(&self, run: RunId) {
        let mut places = self.0.lock();
        let of_run = |(number, entry): (&u64, &Entry)| (entry.run == run).then_some(*number);
        let numbers: Vec<u64> = places.taken.iter().filter_map(of_run).collect();
        numbers.into_iter().for_each(|number| places.give_back(number));
    }

    /// Tells the runs that an account asked for to end, and those of these agents.
    pub fn stop_of(&self, account: AccountId, agents: &[AgentId]) {
        let places = self.0.lock();
        let theirs = |entry: &&Entry| entry.who == Who::Account(account) || agents.contains(&entry.agent);
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Tells the runs to end that people of another hub asked for, and those of its agents.
    pub fn stop_of_hub(&self, hub: HubRowId) {
        let places = self.0.lock();
        let theirs = |entry: &&Entry| entry.from == Some(hub) || entry.home == hub;
        places.taken.values().filter(theirs).for_each(|entry| entry.stop.cancel());
    }

    /// Those for whom something goes on.
    pub fn accounts(&self) -> HashSet<AccountId> {
        let account = |entry: &Entry| match entry.who {
            Who::Account(account) => Some(account),
            _ => None,
        };
        self.0.lock().taken.values().filter_map(account).collect()
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
    /// Cancelled when the run may begin.
    turn: CancellationToken,
}

impl Place {
    /// Whether the run has to wait for its turn.
    pub fn waits(&self) -> bool {
        !self.turn.is_cancelled()
    }

    /// Waits for the run's turn.
    pub async fn turn(&self) {
        self.turn.cancelled().await;
    }

    /// How many begin before the run, itself included; none once it may begin.
    pub fn position(&self) -> Option<usize> {
        self.running.0.lock().schedule.position(self.number)
    }

    /// Gives the place back, for those who are told of the end and then look who still answers.
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
