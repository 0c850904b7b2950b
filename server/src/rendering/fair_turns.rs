//! Turns of rendering jobs, shared fairly between callers.
//!
//! A caller that has used much CPU time lately waits behind callers that have used little, and never occupies all turns:
//! some are kept for callers with little use. Thus ordinary pages do not wait for expensive ones.

use std::{
    cmp::Ordering,
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::PAGE_TIME;

/// CPU time from which a caller counts as a heavy one: what two pages may cost.
const HEAVY: Duration = PAGE_TIME.saturating_mul(2);
/// Share of the elapsed time that is forgiven: a caller that uses no more than a fourth of one processor stays light.
const FORGIVEN: u32 = 4;
/// Number of callers from which settled ones are removed.
const MAX_CALLERS: usize = 1_024;

/// The turns of a renderer. Cheap to clone.
#[derive(Clone)]
pub struct FairTurns(Arc<Mutex<Turns>>);

struct Turns {
    /// Maximum number of concurrent turns of light callers, and of heavy ones.
    light: usize,
    heavy: usize,
    taken_light: usize,
    taken_heavy: usize,
    /// CPU time used lately by caller. Bounded by the callers of the last seconds, whose requests are limited.
    used: HashMap<String, Usage>,
    /// Jobs that wait, in order of arrival. Bounded by the number of requests in progress and by their timeout.
    waiting: Vec<Waiting>,
}

#[derive(Clone, Copy)]
struct Usage {
    time: Duration,
    at: Instant,
}

struct Waiting {
    caller: String,
    granted: oneshot::Sender<Turn>,
}

/// Permission to render. Released when dropped.
pub struct Turn {
    turns: FairTurns,
    caller: String,
    is_heavy: bool,
    spent: Duration,
}

impl FairTurns {
    /// Creates turns for a number of processors. Heavy callers leave one of them free, if there are several.
    pub fn new(processors: usize) -> Self {
        let heavy = processors.saturating_sub(1).max(1);
        Self(Arc::new(Mutex::new(Turns {
            light: processors,
            heavy,
            taken_light: 0,
            taken_heavy: 0,
            used: HashMap::new(),
            waiting: Vec::new(),
        })))
    }

    /// Waits for a turn. Dropping the future gives up the place in the queue.
    pub async fn take(&self, caller: String) -> Option<Turn> {
        let (granted, receive) = oneshot::channel();
        self.0.lock().waiting.push(Waiting { caller, granted });
        self.grant();
        receive.await.ok()
    }

    /// Gives the free turns to those who wait.
    fn grant(&self) {
        loop {
            let next = self.0.lock().next(Instant::now());
            let Some((waiting, is_heavy)) = next else { return };
            let turn = Turn { turns: self.clone(), caller: waiting.caller, is_heavy, spent: Duration::ZERO };
            // The turn of a job that is gone comes back in the error. Dropping it releases it.
            drop(waiting.granted.send(turn));
        }
    }

    fn release(&self, is_heavy: bool) {
        let mut turns = self.0.lock();
        let taken = if is_heavy { &mut turns.taken_heavy } else { &mut turns.taken_light };
        *taken = taken.saturating_sub(1);
    }
}

impl Turns {
    /// Removes the job to run next from the queue and counts its turn: that of the caller with the least use.
    fn next(&mut self, now: Instant) -> Option<(Waiting, bool)> {
        self.waiting.retain(|waiting| !waiting.granted.is_closed());
        let least = |one: &(usize, Duration), other: &(usize, Duration)| -> Ordering {
            one.1.cmp(&other.1).then(one.0.cmp(&other.0))
        };
        let uses = self.waiting.iter().map(|waiting| self.used(&waiting.caller, now)).enumerate();
        let (at, used) = uses.min_by(least)?;
        let is_heavy = used >= HEAVY;
        let (taken, most) = match is_heavy {
            true => (&mut self.taken_heavy, self.heavy),
            false => (&mut self.taken_light, self.light),
        };
        if *taken >= most {
            return None;
        }
        *taken += 1;
        Some((self.waiting.remove(at), is_heavy))
    }

    fn used(&self, caller: &str, now: Instant) -> Duration {
        self.used.get(caller).map_or(Duration::ZERO, |usage| usage.left(now))
    }

    fn add(&mut self, caller: String, spent: Duration, now: Instant) {
        if self.used.len() >= MAX_CALLERS {
            self.used.retain(|_, usage| !usage.left(now).is_zero());
        }
        let time = self.used(&caller, now) + spent;
        self.used.insert(caller, Usage { time, at: now });
    }
}

impl Usage {
    fn left(&self, now: Instant) -> Duration {
        self.time.saturating_sub(now.saturating_duration_since(self.at) / FORGIVEN)
    }
}

impl Turn {
    /// Ends the turn. `spent` is the CPU time of the job.
    pub fn end(mut self, spent: Duration) {
        self.spent = spent;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.release(self.is_heavy);
        if !self.spent.is_zero() {
            self.turns.0.lock().add(std::mem::take(&mut self.caller), self.spent, Instant::now());
        }
        self.turns.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::task::unconstrained;

    use super::*;

    #[tokio::test]
    async fn a_heavy_caller_waits_and_others_do_not() {
        let turns = FairTurns::new(2);
        turns.take("heavy".to_owned()).await.unwrap().end(HEAVY * 10);
        let busy = turns.take("heavy".to_owned()).await.unwrap();
        let mut again: Vec<_> = (0..100).map(|_| Box::pin(turns.take("heavy".to_owned()))).collect();
        assert!(again.iter_mut().all(|turn| turn.now_or_never().is_none()), "one turn at once");
        for _ in 0..1_000 {
            // Unconstrained: tokio makes a task that polls this often wait, even for what is ready.
            let light = unconstrained(turns.take("light".to_owned())).now_or_never().unwrap().unwrap();
            light.end(Duration::from_micros(50));
        }
        drop(busy);
        drop(again);
        let next = unconstrained(turns.take("heavy".to_owned())).now_or_never();
        assert!(next.is_some(), "jobs that are gone keep no turn");
    }

    #[tokio::test]
    async fn among_those_who_wait_the_one_with_the_least_use_is_first() {
        let turns = FairTurns::new(1);
        turns.take("most".to_owned()).await.unwrap().end(HEAVY * 30);
        turns.take("more".to_owned()).await.unwrap().end(HEAVY * 20);
        let busy = turns.take("more".to_owned()).await.unwrap();
        let (mut most, mut more) =
            (Box::pin(turns.take("most".to_owned())), Box::pin(turns.take("more".to_owned())));
        assert!((&mut most).now_or_never().is_none() && (&mut more).now_or_never().is_none());
        drop(busy);
        assert!((&mut most).now_or_never().is_none());
        assert!((&mut more).now_or_never().is_some());
    }

    #[test]
    fn use_is_forgiven_in_time() {
        let at = Instant::now();
        let usage = Usage { time: HEAVY, at };
        assert_eq!(usage.left(at), HEAVY);
        assert!(usage.left(at + HEAVY * FORGIVEN).is_zero());
    }
}
