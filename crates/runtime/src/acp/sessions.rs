//! Sessions that wait for the next message of their conversation, and how many programs run.

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

use super::session::Session;
use crate::{
    Output,
    outbound::{Halt, Interrupted, Pace},
};

/// How long a program waits for the next message of its conversation.
const IDLE: Duration = Duration::from_mins(10);

/// The sessions of one hub. Cheap to clone.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

struct Shared {
    places: Arc<Semaphore>,
    most: usize,
    /// Conversations that have no place yet.
    waiting: AtomicUsize,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    last: u64,
    kept: HashMap<Key, (u64, Held)>,
}

/// Whose session it is, and of which conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub scope: String,
    pub context: String,
}

/// A session and its place among the programs that run.
pub(super) struct Held {
    pub session: Session,
    _place: OwnedSemaphorePermit,
}

impl Held {
    pub const fn new(session: Session, place: OwnedSemaphorePermit) -> Self {
        Self { session, _place: place }
    }
}

/// Counts as waiting while it lives.
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

impl Sessions {
    /// At most so many programs run at once, those that wait for a message included.
    pub fn new(most: usize) -> Self {
        let places = Arc::new(Semaphore::new(most));
        Self(Arc::new(Shared { places, most, waiting: AtomicUsize::new(0), idle: Mutex::default() }))
    }

    /// The session of a conversation, if it still waits. Whoever has it keeps it or lets it end.
    pub(super) fn take(&self, key: &Key) -> Option<Held> {
        self.0.idle.lock().kept.remove(key).map(|(_, held)| held)
    }

    /// Keeps a session for the next message, unless another conversation waits for its place.
    pub(super) fn keep(&self, key: Key, held: Held) {
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

    /// A place for one more program. The session that has waited longest gives up its own; where all are at work, this
    /// waits.
    pub(super) async fn place(
        &self,
        output: &mut dyn Output,
        pace: &mut Pace<'_>,
    ) -> Result<OwnedSemaphorePermit, Halt> {
        // From here on nobody keeps a place for later, so either one is found or somebody gives one back.
        let _waits = Waits::at(&self.0.waiting);
        loop {
            if let Ok(place) = Arc::clone(&self.0.places).try_acquire_owned() {
                return Ok(place);
            }
            if !self.end_oldest() {
                break;
            }
        }
        output.status(&format!("Waiting: {} programs are at work, the most at once", self.0.most));
        let place = pace.wait(Arc::clone(&self.0.places).acquire_owned()).await;
        match place {
            Ok(Ok(place)) => Ok(place),
            // It is never closed.
            Ok(Err(_)) | Err(Interrupted::Stopped) => Err(Halt::Stopped),
            Err(Interrupted::Late(_)) => {
                let words = format!(
                    "{} programs are at work on this hub, the most at once. Try again later.",
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

    /// Ends every program that waits.
    pub fn close(&self) {
        self.0.idle.lock().kept.clear();
    }
}
