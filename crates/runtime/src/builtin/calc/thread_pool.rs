//! Pool of large-stack threads, reused between calculations.

use std::{
    io,
    sync::{Arc, Weak, mpsc},
    thread,
};

use parking_lot::Mutex;

use super::calculator::STACK_BYTES;

/// Capacity of a thread's job queue. Only idle threads receive a job, so one is enough.
const JOBS: usize = 1;

/// Pool of idle threads. It grows to the maximum number of concurrent jobs, and its threads end when it is
/// dropped. A thread whose job panics or never returns is not reused.
#[derive(Default)]
pub struct Threads {
    idle: Mutex<Vec<mpsc::SyncSender<Work>>>,
}

struct Work {
    job: Box<dyn FnOnce() + Send>,
    /// Sender to the thread, returned to the pool after the job. Only idle threads' senders are stored, so
    /// that a thread ends when its sender is dropped.
    thread: mpsc::SyncSender<Work>,
}

impl Threads {
    /// Runs `job` on an idle or new thread. Fails if no thread can be started.
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

    /// Returns the id of the thread that runs a job, once that thread is idle again.
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
