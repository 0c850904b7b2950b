//! Threads with the stack that fend needs, kept from one calculation to the next.

use std::{
    io,
    sync::{Arc, Weak, mpsc},
    thread,
};

use parking_lot::Mutex;

use super::calculator::STACK_BYTES;

/// What waits for a thread: only an idle one is given any.
const JOBS: usize = 1;

/// There are as many as ever worked at once, and they end with this. One that panics, or does not come back from what it was
/// given, is not used again.
#[derive(Default)]
pub struct Threads {
    idle: Mutex<Vec<mpsc::SyncSender<Work>>>,
}

struct Work {
    job: Box<dyn FnOnce() + Send>,
    /// The way to the thread, for whoever needs it next. Only an idle thread's is kept, so that it can end.
    thread: mpsc::SyncSender<Work>,
}

impl Threads {
    /// Fails when there is no thread to be had.
    pub fn run(self: &Arc<Self>, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let idle = self.idle.lock().pop();
        let thread = match idle {
            Some(thread) => thread,
            None => start(Arc::downgrade(self))?,
        };
        let work = Work { job: Box::new(job), thread: thread.clone() };
        thread.send(work).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn start(threads: Weak<Threads>) -> io::Result<mpsc::SyncSender<Work>> {
    let (sender, given) = mpsc::sync_channel::<Work>(JOBS);
    let work = move || {
        while let Ok(Work { job, thread }) = given.recv() {
            job();
            let Some(threads) = threads.upgrade() else { return };
            threads.idle.lock().push(thread);
        }
    };
    thread::Builder::new().name("calc".to_owned()).stack_size(STACK_BYTES).spawn(work)?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a job runs, once its thread can be used again.
    fn place(threads: &Arc<Threads>) -> thread::ThreadId {
        let (sender, receiver) = mpsc::sync_channel(JOBS);
        threads.run(move || sender.send(thread::current().id()).unwrap()).unwrap();
        let place = receiver.recv().unwrap();
        while threads.idle.lock().is_empty() {
            thread::yield_now();
        }
        place
    }

    #[test]
    fn a_thread_is_used_again_unless_it_panicked() {
        let threads = Arc::new(Threads::default());
        let first = place(&threads);
        assert_eq!(place(&threads), first);
        let (told, gone) = mpsc::sync_channel::<()>(JOBS);
        threads
            .run(move || {
                let _told = told;
                panic!("as a job may");
            })
            .unwrap();
        assert!(gone.recv().is_err(), "its job is over");
        assert_ne!(place(&threads), first);
    }
}
