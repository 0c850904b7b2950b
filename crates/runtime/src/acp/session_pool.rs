//! Pool of idle ACP sessions, and the limit on concurrent programs.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::run::{Failure, FailureClass};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::session::AcpSession;
use crate::{
    Output,
    outbound::{RunInterruption, WaitInterrupted, WaitTimer},
};

/// Lifetime of an idle session.
const IDLE: Duration = Duration::from_mins(10);

/// Session pool of one hub. Cheap to clone.
#[derive(Clone)]
pub struct AcpSessionPool(Arc<Shared>);

struct Shared {
    places: Arc<Semaphore>,
    most: usize,
    /// Number of conversations that wait for a process slot.
    waiting: AtomicUsize,
    idle: Mutex<IdleSession>,
}

#[derive(Default)]
struct IdleSession {
    last: u64,
    kept: HashMap<SessionKey, (u64, PooledSession)>,
}

/// Key of a session: its owner scope and its conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SessionKey {
    pub scope: String,
    pub context: String,
}

/// Session with its process slot.
pub(super) struct PooledSession {
    pub session: AcpSession,
    _place: OwnedSemaphorePermit,
}

impl PooledSession {
    pub const fn new(session: AcpSession, place: OwnedSemaphorePermit) -> Self {
        Self { session, _place: place }
    }
}

/// Counts one waiting conversation until dropped.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn at(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::SeqCst);
        Self(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl AcpSessionPool {
    /// Creates a pool for at most `most` concurrent programs, idle ones included.
    pub fn new(most: usize) -> Self {
        let places = Arc::new(Semaphore::new(most));
        Self(Arc::new(Shared { places, most, waiting: AtomicUsize::new(0), idle: Mutex::default() }))
    }

    /// Removes and returns the idle session of a conversation. The caller returns it with `keep` or drops it
    /// to end the program.
    pub(super) fn take(&self, key: &SessionKey) -> Option<PooledSession> {
        self.0.idle.lock().kept.remove(key).map(|(_, held)| held)
    }

    /// Stores a session for the next message, unless another conversation waits for a slot.
    pub(super) fn keep(&self, key: SessionKey, held: PooledSession) {
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            return;
        }
        let mut idle = self.0.idle.lock();
        idle.last += 1;
        let number = idle.last;
        idle.kept.insert(key.clone(), (number, held));
        drop(idle);
        let shared = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let Some(shared) = shared.upgrade() else { return };
            let mut idle = shared.idle.lock();
            if idle.kept.get(&key).is_some_and(|(kept, _)| *kept == number) {
                idle.kept.remove(&key);
            }
        });
    }

    /// Returns a slot for one more program. Evicts the longest idle session if necessary. If all programs are
    /// busy, waits until one ends.
    pub(super) async fn place(
        &self,
        output: &mut dyn Output,
        pace: &mut WaitTimer<'_>,
    ) -> Result<OwnedSemaphorePermit, RunInterruption> {
        // From here on `keep` stores no session, so a slot is either free now or released later. Avoids a
        // lost wake-up.
        let _waits = Waits::at(&self.0.waiting);
        loop {
            if let Ok(place) = Arc::clone(&self.0.places).try_acquire_owned() {
                return Ok(place);
            }
            if !self.end_oldest() {
                break;
            }
        }
        output.status(&format!("Queued: the limit of {} running programs is reached", self.0.most));
        let place = pace.wait(Arc::clone(&self.0.places).acquire_owned()).await;
        match place {
            Ok(Ok(place)) => Ok(place),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(WaitInterrupted::Stopped) => Err(RunInterruption::Stopped),
            Err(WaitInterrupted::Late(_)) => {
                let words = format!(
                    "The limit of {} running programs on this hub is reached. Try again later.",
                    self.0.most
                );
                Err(Failure::new(FailureClass::TimedOut, words).into())
            }
        }
    }

    fn end_oldest(&self) -> bool {
        let mut idle = self.0.idle.lock();
        let oldest = idle.kept.iter().min_by_key(|(_, (number, _))| *number).map(|(key, _)| key.clone());
        oldest.is_some_and(|key| idle.kept.remove(&key).is_some())
    }

    /// Terminates all idle programs.
    pub fn close(&self) {
        self.0.idle.lock().kept.clear();
    }
}
