//! Timer for the waits of a run: each ends by its result, a stop or a timeout.

use std::{future::Future, pin::Pin, time::Duration};

use plexus_domain::run::Failure;
use tokio::{
    pin, select,
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// Reason why a run stops.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RunInterruption {
    Stopped,
    Failed(Failure),
}

impl From<Failure> for RunInterruption {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitInterrupted {
    Stopped,
    /// Timeout: nothing was received for this duration.
    Late(Duration),
}

/// Applies a timeout and cancellation to each wait of a run. For the hot path: a result in time costs one
/// clock read, because the timer is reset only when it fires.
pub(crate) struct WaitTimer<'a> {
    token: &'a CancellationToken,
    stop: Pin<Box<WaitForCancellationFuture<'a>>>,
    timer: Pin<Box<Sleep>>,
    limit: Duration,
    since: Instant,
}

impl<'a> WaitTimer<'a> {
    pub fn new(stop: &'a CancellationToken, limit: Duration) -> Self {
        let since = Instant::now();
        let timer = Box::pin(sleep_until(since + limit));
        Self { token: stop, stop: Box::pin(stop.cancelled()), timer, limit, since }
    }

    /// Sets the timeout of each wait from now on, and restarts the current one.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        self.since = Instant::now();
        self.timer.as_mut().reset(self.since + limit);
    }

    pub const fn stop(&self) -> &'a CancellationToken {
        self.token
    }

    /// Restarts the timeout, so that time spent waiting for a human does not count.
    pub fn go_on(&mut self) {
        self.since = Instant::now();
    }

    pub async fn wait<T>(&mut self, future: impl Future<Output = T>) -> Result<T, WaitInterrupted> {
        pin!(future);
        loop {
            select! {
                biased;
                () = &mut self.stop => return Err(WaitInterrupted::Stopped),
                value = &mut future => {
                    self.since = Instant::now();
                    return Ok(value);
                }
                () = &mut self.timer => {
                    let due = self.since + self.limit;
                    if due <= Instant::now() {
                        return Err(WaitInterrupted::Late(self.limit));
                    }
                    self.timer.as_mut().reset(due);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::time::sleep;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn each_wait_has_the_whole_limit() {
        let stop = CancellationToken::new();
        let mut pace = WaitTimer::new(&stop, LIMIT);
        for _ in 0..5 {
            assert_eq!(pace.wait(sleep(Duration::from_secs(9))).await, Ok(()));
        }
        let begun = Instant::now();
        assert_eq!(pace.wait(pending::<()>()).await, Err(WaitInterrupted::Late(LIMIT)));
        assert_eq!(begun.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_limit_holds_at_once() {
        let stop = CancellationToken::new();
        let mut pace = WaitTimer::new(&stop, LIMIT);
        pace.set_limit(LIMIT / 10);
        assert_eq!(pace.wait(sleep(LIMIT)).await, Err(WaitInterrupted::Late(LIMIT / 10)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_is_heard_before_what_is_ready() {
        let stop = CancellationToken::new();
        let mut pace = WaitTimer::new(&stop, LIMIT);
        assert_eq!(pace.wait(ready(1)).await, Ok(1));
        stop.cancel();
        assert_eq!(pace.wait(ready(2)).await, Err(WaitInterrupted::Stopped));
    }
}
