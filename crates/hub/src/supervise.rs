//! Supervision of background tasks: logs, counts and restarts a worker that panics or ends early.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use futures::FutureExt as _;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{ClockRng, Hub};

/// Backoff before the first restart. It doubles with each further failure, up to [`MAX_BACKOFF`].
const FIRST_DELAY: Duration = Duration::from_millis(250);
/// Maximum backoff. It bounds for how long a team stands still whose orchestrator panicked.
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// A worker that ran for this long counts as healthy: its next restart waits for [`FIRST_DELAY`].
const HEALTHY_AFTER: Duration = Duration::from_mins(5);

/// Metric: restarts since the instance started, by worker.
const RESTARTS: &str = "plexus_worker_restarts_total";
/// Metric: panics of tasks that are not restarted, by task.
const PANICS: &str = "plexus_task_panics_total";

/// How long a worker is expected to run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lifetime {
    /// As long as the hub. An earlier end is a fault, and the hub is not ready until the worker is restarted.
    Hub,
    /// Until its own work is done. Only a panic is a fault, and it does not affect readiness: there are many
    /// of these.
    Work,
}

/// The workers that wait for their restart, with the cause of their last failure.
#[derive(Clone, Default)]
pub(crate) struct Down(Arc<Mutex<BTreeMap<&'static str, String>>>);

/// Panics that a test injects, by worker. Only tests inject them.
#[derive(Clone, Default)]
pub struct FaultInjection(Arc<Faults>);

#[derive(Default)]
struct Faults {
    workers: Mutex<BTreeSet<&'static str>>,
    changed: tokio::sync::Notify,
}

impl FaultInjection {
    /// Makes every run of the worker panic at its next await, until [`FaultInjection::clear`].
    pub fn inject(&self, worker: &'static str) {
        self.0.workers.lock().insert(worker);
        self.0.changed.notify_waiters();
    }

    pub fn clear(&self, worker: &'static str) {
        self.0.workers.lock().remove(worker);
    }

    /// Waits until a fault is injected into the worker, then panics.
    pub(crate) async fn strike(&self, worker: &'static str) -> Infallible {
        loop {
            let changed = self.0.changed.notified();
            if self.0.workers.lock().contains(worker) {
                std::panic::resume_unwind(Box::new("injected fault"));
            }
            changed.await;
        }
    }
}

impl Hub {
    /// Runs a worker until the hub shuts down, and restarts it whenever it panics or ends before that.
    ///
    /// `work` is called for each run, so state that must survive a panic belongs outside its future.
    pub(crate) fn supervise<F, W>(&self, worker: &'static str, work: F)
    where
        F: FnMut(Self) -> W + Send + 'static,
        W: Future<Output = ()> + Send,
    {
        let (hub, stop) = (self.clone(), self.stop().clone());
        self.tasks().spawn(async move { run(&hub, worker, Lifetime::Hub, &stop, work).await });
    }

    /// Supervises a worker that may end when its work is done; only a panic restarts it.
    pub(crate) fn supervise_work<F, W>(&self, worker: &'static str, work: F)
    where
        F: FnMut(Self) -> W + Send + 'static,
        W: Future<Output = ()> + Send,
    {
        let (hub, stop) = (self.clone(), self.stop().clone());
        self.tasks().spawn(async move { run(&hub, worker, Lifetime::Work, &stop, work).await });
    }

    /// Supervises a worker of an edge, which ends with `stop` rather than with the hub.
    pub async fn supervise_until<F, W>(&self, worker: &'static str, stop: &CancellationToken, work: F)
    where
        F: FnMut(Self) -> W + Send,
        W: Future<Output = ()> + Send,
    {
        run(self, worker, Lifetime::Hub, stop, work).await;
    }

    /// Spawns a task that runs once. A panic is logged and counted; the task is not restarted.
    pub(crate) fn spawn_once(&self, task: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let hub = self.clone();
        self.tasks().spawn(async move {
            if let Err(panic) = guarded(hub.env(), task, work).await {
                tracing::error!(task, error = cause(panic.as_ref()), "task panicked");
                metrics::counter!(PANICS, "task" => task).increment(1);
            }
        });
    }

    /// Returns the workers that failed and wait for their restart, with the cause.
    pub fn workers_down(&self) -> Vec<(&'static str, String)> {
        self.down().0.lock().iter().map(|(worker, cause)| (*worker, cause.clone())).collect()
    }
}

async fn run<F, W>(hub: &Hub, worker: &'static str, lifetime: Lifetime, stop: &CancellationToken, mut work: F)
where
    F: FnMut(Hub) -> W + Send,
    W: Future<Output = ()> + Send,
{
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        let ended = guarded(hub.env(), worker, work(hub.clone())).await;
        let cause = match ended {
            Ok(()) if lifetime == Lifetime::Work || stop.is_cancelled() => return,
            Ok(()) => "ended early".to_owned(),
            Err(panic) => cause(panic.as_ref()),
        };
        failures = if begun.elapsed() >= HEALTHY_AFTER { 1 } else { failures + 1 };
        let delay = delay(hub.env(), failures);
        tracing::error!(worker, error = cause, failures, ?delay, "worker failed: restarting");
        metrics::counter!(RESTARTS, "worker" => worker).increment(1);
        if lifetime == Lifetime::Hub {
            hub.down().0.lock().insert(worker, cause);
        }
        let waited = stop.run_until_cancelled(sleep(delay)).await;
        hub.down().0.lock().remove(worker);
        if waited.is_none() {
            return;
        }
    }
}

/// Runs `work` and catches a panic, including one that a test injects.
async fn guarded(
    env: &ClockRng,
    worker: &'static str,
    work: impl Future<Output = ()> + Send,
) -> Result<(), Box<dyn Any + Send>> {
    let run = async {
        tokio::select! {
            biased;
            never = env.faults().strike(worker) => match never {},
            () = work => {}
        }
    };
    AssertUnwindSafe(Box::pin(run)).catch_unwind().await
}

/// Returns an exponential backoff with jitter: between half of the step and all of it.
fn delay(env: &ClockRng, failures: u32) -> Duration {
    let step = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1))).min(MAX_BACKOFF);
    let [random] = env.bytes::<1>();
    step / 2 + step / 2 * u32::from(random) / u32::from(u8::MAX)
}

/// Returns the message of a panic payload.
pub(crate) fn cause(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    #[test]
    fn delays_double_with_jitter_up_to_the_longest() {
        let (env, _) = ClockRng::fixed(Timestamp::from_millis(0), 7);
        for failures in 1..100 {
            let step = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(failures - 1)).min(MAX_BACKOFF);
            for _ in 0..50 {
                let delay = delay(&env, failures);
                assert!((step / 2..=step).contains(&delay), "{failures}: {delay:?}");
            }
        }
        let some: BTreeSet<Duration> = (0..50).map(|_| delay(&env, 5)).collect();
        assert!(some.len() > 10, "jitter spreads them: {some:?}");
    }

    #[test]
    fn the_cause_is_what_the_panic_says() {
        let of = |work: fn()| cause(std::panic::catch_unwind(work).unwrap_err().as_ref());
        assert_eq!(of(|| std::panic::resume_unwind(Box::new("short"))), "short");
        assert_eq!(of(|| std::panic::resume_unwind(Box::new("long".to_owned()))), "long");
        assert_eq!(of(|| std::panic::resume_unwind(Box::new(7))), "a panic without a message");
    }
}
