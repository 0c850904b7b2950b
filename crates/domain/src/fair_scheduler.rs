//! Fair scheduler of runs with concurrency limits per agent and per caller.
//!
//! A run starts at once if both limits allow it. Otherwise it waits in the queue of its agent. The queue is
//! served round-robin between callers, first in, first out within each caller. Runs of a caller at its own
//! limit are skipped until that caller has a free slot.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
};

/// Limits of one caller: concurrent runs and waiting runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerQuota {
    pub working: usize,
    pub waiting: usize,
}

/// Result of submitting a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Works,
    Waits,
    /// Rejected: the caller already has the maximum number of waiting runs.
    Full,
}

/// Scheduler state: running and waiting runs by number. The user assigns the numbers, in increasing order.
#[derive(Debug)]
pub struct FairScheduler<C, A> {
    /// Maximum number of concurrent runs per agent.
    per_agent: usize,
    entries: HashMap<u64, QueuedRun<C, A>>,
    callers: HashMap<C, CallerLoad<A>>,
    lines: HashMap<A, AgentQueue<C>>,
}

/// A running or waiting run.
#[derive(Debug)]
struct QueuedRun<C, A> {
    caller: C,
    agent: A,
    share: CallerQuota,
    works: bool,
}

/// Running and waiting runs of one caller.
#[derive(Debug)]
struct CallerLoad<A> {
    working: usize,
    /// Keyed by run number, hence in submission order.
    waiting: BTreeMap<u64, A>,
}

/// Number of running runs of one agent and its queue.
#[derive(Debug)]
struct AgentQueue<C> {
    working: usize,
    /// Callers in round-robin order, each with its waiting runs.
    turns: VecDeque<(C, VecDeque<u64>)>,
}

impl<C: Clone + Eq + Hash, A: Clone + Eq + Hash> FairScheduler<C, A> {
    pub fn new(per_agent: usize) -> Self {
        Self { per_agent, entries: HashMap::new(), callers: HashMap::new(), lines: HashMap::new() }
    }

    /// Submits a run: starts, queues or rejects it. Cannot
    /// overtake: a run that could start is never left waiting.
    pub fn submit(&mut self, number: u64, caller: C, agent: A, share: CallerQuota) -> Admission {
        let load = self.callers.entry(caller.clone()).or_insert_with(CallerLoad::new);
        let line = self.lines.entry(agent.clone()).or_insert_with(AgentQueue::new);
        let works = load.working < share.working && line.working < self.per_agent;
        if works {
            load.working += 1;
            line.working += 1;
        } else if load.waiting.len() >= share.waiting {
            self.forget(&caller, &agent);
            return Admission::Full;
        } else {
            load.waiting.insert(number, agent.clone());
            line.push(&caller, number);
        }
        self.entries.insert(number, QueuedRun { caller, agent, share, works });
        if works { Admission::Works } else { Admission::Waits }
    }

    /// Removes a run, running or waiting. Returns the runs that start in its slot.
    pub fn release(&mut self, number: u64) -> Vec<u64> {
        let Some(QueuedRun { caller, agent, share, works }) = self.entries.remove(&number) else {
            return Vec::new();
        };
        let (Some(load), Some(line)) = (self.callers.get_mut(&caller), self.lines.get_mut(&agent)) else {
            return Vec::new();
        };
        let mut begun = Vec::new();
        if works {
            load.working -= 1;
            line.working -= 1;
            begun.extend(self.next_of(&agent));
            begun.extend(self.next_elsewhere(&caller, share));
        } else {
            load.waiting.remove(&number);
            line.remove(&caller, number);
        }
        self.forget(&caller, &agent);
        begun
    }

    /// Returns the 1-based queue position, as far as known now, or `None` if the run is not waiting.
    pub fn queue_position(&self, number: u64) -> Option<usize> {
        let entry = self.entries.get(&number).filter(|entry| !entry.works)?;
        self.lines.get(&entry.agent)?.queue_position(&entry.caller, number)
    }

    /// Starts the first run of the agent's queue whose caller has a free slot, if the agent has one.
    fn next_of(&mut self, agent: &A) -> Option<u64> {
        let line = self.lines.get(agent).filter(|line| line.working < self.per_agent)?;
        let has_room = |number: &u64| {
            let entry = self.entries.get(number)?;
            Some(self.callers.get(&entry.caller)?.working < entry.share.working)
        };
        let fronts = line.turns.iter().filter_map(|(_, waiting)| waiting.front().copied());
        let next = fronts.into_iter().find(|number| has_room(number) == Some(true))?;
        self.begin(next);
        Some(next)
    }

    /// Starts the caller's oldest waiting run at any agent with a free slot, if the caller has one.
    fn next_elsewhere(&mut self, caller: &C, share: CallerQuota) -> Option<u64> {
        let load = self.callers.get(caller).filter(|load| load.working < share.working)?;
        let has_room = |agent: &A| self.lines.get(agent).is_some_and(|line| line.working < self.per_agent);
        let (&next, _) = load.waiting.iter().find(|(_, agent)| has_room(agent))?;
        self.begin(next);
        Some(next)
    }

    fn begin(&mut self, number: u64) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        entry.works = true;
        if let Some(load) = self.callers.get_mut(&entry.caller) {
            load.waiting.remove(&number);
            load.working += 1;
        }
        if let Some(line) = self.lines.get_mut(&entry.agent) {
            line.take_turn(&entry.caller, number);
            line.working += 1;
        }
    }

    /// Removes the state of a caller and an agent without runs, to bound memory.
    fn forget(&mut self, caller: &C, agent: &A) {
        if self.callers.get(caller).is_some_and(|load| load.working == 0 && load.waiting.is_empty()) {
            self.callers.remove(caller);
        }
        if self.lines.get(agent).is_some_and(|line| line.working == 0 && line.turns.is_empty()) {
            self.lines.remove(agent);
        }
    }
}

impl<A> CallerLoad<A> {
    const fn new() -> Self {
        Self { working: 0, waiting: BTreeMap::new() }
    }
}

impl<C: Clone + Eq> AgentQueue<C> {
    const fn new() -> Self {
        Self { working: 0, turns: VecDeque::new() }
    }

    fn push(&mut self, caller: &C, number: u64) {
        match self.turns.iter_mut().find(|(waits, _)| waits == caller) {
            Some((_, waiting)) => waiting.push_back(number),
            None => self.turns.push_back((caller.clone(), VecDeque::from([number]))),
        }
    }

    /// Removes the started run and moves its caller to the end of the round-robin order.
    fn take_turn(&mut self, caller: &C, number: u64) {
        let Some(at) = self.turns.iter().position(|(waits, _)| waits == caller) else { return };
        let Some((caller, mut waiting)) = self.turns.remove(at) else { return };
        waiting.retain(|&waits| waits != number);
        if !waiting.is_empty() {
            self.turns.push_back((caller, waiting));
        }
    }

    /// Removes a waiting run. The order of the callers is unchanged.
    fn remove(&mut self, caller: &C, number: u64) {
        if let Some((_, waiting)) = self.turns.iter_mut().find(|(waits, _)| waits == caller) {
            waiting.retain(|&waits| waits != number);
        }
        self.turns.retain(|(_, waiting)| !waiting.is_empty());
    }

    fn queue_position(&self, caller: &C, number: u64) -> Option<usize> {
        let at = self.turns.iter().position(|(waits, _)| waits == caller)?;
        let round = self.turns[at].1.iter().position(|&waits| waits == number)?;
        // Every caller has a turn in each earlier round; in this round only the callers ahead of this one.
        let turns = self.turns.iter().enumerate();
        let before = turns.map(|(index, (_, waiting))| waiting.len().min(round + usize::from(index < at)));
        Some(before.sum::<usize>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SHARE: CallerQuota = CallerQuota { working: 3, waiting: 5 };

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Enter {
            caller: u8,
            agent: u8,
        },
        /// Removes a run by its index among all runs.
        Leave(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0..4_u8, 0..3_u8).prop_map(|(caller, agent)| Step::Enter { caller, agent }),
            2 => any::<usize>().prop_map(Step::Leave),
        ]
    }

    /// Model of the scheduler for the property tests: the runs as seen from its results.
    #[derive(Default)]
    struct Seen {
        working: Vec<(u64, u8, u8)>,
        waiting: Vec<(u64, u8, u8)>,
    }

    impl Seen {
        fn working_of(&self, is_it: impl Fn(&(u64, u8, u8)) -> bool) -> usize {
            self.working.iter().filter(|one| is_it(one)).count()
        }

        fn begin(&mut self, begun: Vec<u64>) {
            for number in begun {
                let at = self.waiting.iter().position(|one| one.0 == number).expect("only who waits begins");
                self.working.push(self.waiting.remove(at));
            }
        }

        fn check(&self, per_agent: usize) {
            for number in 0..4 {
                assert!(self.working_of(|one| one.1 == number) <= SHARE.working);
                assert!(self.working_of(|one| one.2 == number) <= per_agent);
            }
            for (_, caller, agent) in &self.waiting {
                let caller_has_room = self.working_of(|one| one.1 == *caller) < SHARE.working;
                let agent_has_room = self.working_of(|one| one.2 == *agent) < per_agent;
                assert!(!(caller_has_room && agent_has_room), "what could begin does not wait");
            }
        }
    }

    proptest! {
        #[test]
        fn bounds_hold_nothing_idles_and_nothing_is_lost(steps in prop::collection::vec(step(), 1..200)) {
            const PER_AGENT: usize = 2;
            let mut schedule = FairScheduler::new(PER_AGENT);
            let mut seen = Seen::default();
            for (number, step) in (0..).zip(steps) {
                match step {
                    Step::Enter { caller, agent } => match schedule.submit(number, caller, agent, SHARE) {
                        Admission::Works => seen.working.push((number, caller, agent)),
                        Admission::Waits => seen.waiting.push((number, caller, agent)),
                        Admission::Full => {
                            let waiting = seen.waiting.iter().filter(|one| one.1 == caller).count();
                            prop_assert_eq!(waiting, SHARE.waiting);
                        }
                    },
                    Step::Leave(at) => {
                        let all: Vec<_> = seen.working.iter().chain(&seen.waiting).map(|one| one.0).collect();
                        let Some(&leaves) = at.checked_rem(all.len()).and_then(|at| all.get(at)) else { continue };
                        seen.working.retain(|one| one.0 != leaves);
                        seen.waiting.retain(|one| one.0 != leaves);
                        seen.begin(schedule.release(leaves));
                    }
                }
                seen.check(PER_AGENT);
                for (number, ..) in &seen.waiting {
                    prop_assert!(schedule.queue_position(*number).is_some());
                }
            }
            while let Some((number, ..)) = seen.working.pop() {
                seen.begin(schedule.release(number));
            }
            prop_assert!(seen.waiting.is_empty(), "everything that waited had its turn");
            prop_assert!(schedule.entries.is_empty() && schedule.callers.is_empty() && schedule.lines.is_empty());
        }

        #[test]
        fn a_position_is_the_turn_that_comes(callers in prop::collection::vec(0..5_u8, 1..40)) {
            let share = CallerQuota { working: 100, waiting: 100 };
            let mut schedule = FairScheduler::new(1);
            schedule.submit(0, 9, 0, share);
            let numbers: Vec<u64> = (1..).take(callers.len()).collect();
            for (number, caller) in numbers.iter().zip(&callers) {
                prop_assert_eq!(schedule.submit(*number, *caller, 0, share), Admission::Waits);
            }
            let mut told: Vec<_> = numbers.iter().map(|&number| (schedule.queue_position(number), number)).collect();
            told.sort_unstable();
            let mut working = 0;
            for (place, number) in told.into_iter().enumerate().map(|(at, (place, number))| {
                assert_eq!(place, Some(at + 1));
                (at, number)
            }) {
                prop_assert_eq!((place, schedule.release(working)), (place, vec![number]));
                working = number;
            }
        }

        #[test]
        fn whoever_floods_an_agent_takes_no_turns_from_others(
            flood in 10..60_u64, others in prop::collection::vec(1..9_u64, 1..5), per_agent in 1..4_usize,
        ) {
            let share = CallerQuota { working: 1_000, waiting: 1_000 };
            let mut schedule = FairScheduler::new(per_agent);
            let mut working = VecDeque::new();
            let mut callers = HashMap::new();
            let mut number = 0;
            let all = std::iter::once(flood).chain(others.iter().copied()).zip(0..);
            for (count, caller) in all {
                for _ in 0..count {
                    number += 1;
                    callers.insert(number, caller);
                    if schedule.submit(number, caller, 0, share) == Admission::Works {
                        working.push_back(number);
                    }
                }
            }
            // While a caller waits, no other caller may have more than one turn between two of its turns.
            let mut since: HashMap<(u64, u64), usize> = HashMap::new();
            while let Some(ended) = working.pop_front() {
                let begun = schedule.release(ended);
                for &begins in &begun {
                    let turn = callers[&begins];
                    let waiting: Vec<u64> = schedule.lines[&0].turns.iter().map(|(caller, _)| *caller).collect();
                    for other in waiting.into_iter().filter(|&other| other != turn) {
                        let turns = since.entry((other, turn)).or_default();
                        *turns += 1;
                        prop_assert!(*turns <= 1, "{turn} took {turns} turns while {other} waited");
                    }
                    since.retain(|(other, _), _| *other != turn);
                }
                working.extend(begun);
            }
        }
    }
}
