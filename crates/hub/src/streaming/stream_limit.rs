//! Limits of open event streams, and of those that catch up.
//!
//! A stream that follows its chat shares each frame with the other subscribers. A stream that catches up holds messages of
//! its own until its client has read them, so only a few of an account and of the hub catch up at once; the others wait.
//! The write timeout of a connection ends a stream whose client reads nothing.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use plexus_domain::Error as Refusal;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits;

/// Maximum number of open streams of one account.
pub const MAX_STREAMS: usize = 200;
/// Maximum number of streams of one account that catch up at once.
const MAX_CATCH_UPS: usize = 4;
/// Maximum number of all streams that catch up at once.
const MAX_CATCH_UPS_TOTAL: usize = 32;
/// Time after which a client may try again to open a stream.
const RETRY_AFTER_MILLIS: u64 = 5_000;

/// The open event streams of this instance, by account.
pub struct StreamLimiter {
    by_account: Mutex<HashMap<String, AccountStreams>>,
    catch_ups: Arc<Semaphore>,
}

struct AccountStreams {
    count: usize,
    catch_ups: Arc<Semaphore>,
}

/// An open stream. Dropping it frees its place.
pub struct StreamPermit {
    account: String,
    catch_ups: Arc<Semaphore>,
    limiter: Arc<StreamLimiter>,
}

/// The right to hold messages for a client that catches up.
pub struct CatchUpPermit {
    _own: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Default for StreamLimiter {
    fn default() -> Self {
        Self { by_account: Mutex::default(), catch_ups: Arc::new(Semaphore::new(MAX_CATCH_UPS_TOTAL)) }
    }
}

impl StreamLimiter {
    /// Opens a stream of the account with this key. Refuses more than [`MAX_STREAMS`].
    pub fn open(self: &Arc<Self>, account: &str) -> Result<StreamPermit, Refusal> {
        let mut by_account = self.by_account.lock();
        let streams = by_account.entry(account.to_owned()).or_insert_with(|| AccountStreams {
            count: 0,
            catch_ups: Arc::new(Semaphore::new(MAX_CATCH_UPS)),
        });
        if streams.count >= MAX_STREAMS {
            limits::refused("streams");
            let message =
                format!("Your account has {MAX_STREAMS} open event streams. Close some of them first.");
            return Err(Refusal::RateLimited { message, retry_after_ms: RETRY_AFTER_MILLIS });
        }
        streams.count += 1;
        let catch_ups = Arc::clone(&streams.catch_ups);
        Ok(StreamPermit { account: account.to_owned(), catch_ups, limiter: Arc::clone(self) })
    }
}

impl StreamPermit {
    /// Waits until the stream may catch up. Cancellation safe.
    pub async fn catch_up(&self) -> Result<CatchUpPermit, Refusal> {
        let ended = |_| Refusal::unavailable("The hub is shutting down.");
        let own = Arc::clone(&self.catch_ups).acquire_owned().await.map_err(ended)?;
        let of_all = Arc::clone(&self.limiter.catch_ups).acquire_owned().await.map_err(ended)?;
        Ok(CatchUpPermit { _own: own, _of_all: of_all })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut by_account = self.limiter.by_account.lock();
        let Some(streams) = by_account.get_mut(&self.account) else { return };
        streams.count = streams.count.saturating_sub(1);
        if streams.count == 0 {
            by_account.remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn an_account_has_a_bounded_number_of_streams() {
        let limiter = Arc::new(StreamLimiter::default());
        let mut open: Vec<_> = (0..MAX_STREAMS).map(|_| limiter.open("ada").unwrap()).collect();
        assert!(matches!(limiter.open("ada"), Err(Refusal::RateLimited { .. })));
        assert!(limiter.open("grace").is_ok());
        open.pop();
        assert!(limiter.open("ada").is_ok());
        drop(open);
        assert!(limiter.by_account.lock().is_empty());
    }

    #[test]
    fn streams_that_catch_up_wait_for_each_other_and_not_for_other_accounts() {
        let limiter = Arc::new(StreamLimiter::default());
        let open: Vec<_> = (0..=MAX_CATCH_UPS).map(|_| limiter.open("ada").unwrap()).collect();
        let mut held: Vec<_> =
            open[1..].iter().map(|stream| stream.catch_up().now_or_never().unwrap().unwrap()).collect();
        assert!(open[0].catch_up().now_or_never().is_none());
        let other = limiter.open("grace").unwrap();
        assert!(other.catch_up().now_or_never().is_some());
        held.pop();
        assert!(open[0].catch_up().now_or_never().is_some());
    }
}
