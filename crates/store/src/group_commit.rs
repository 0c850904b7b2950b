//! SQLite writer with group commit.
//!
//! The cost of a commit is mostly in pages: each commit rewrites the index pages that every message touches.
//! A transaction is therefore not committed alone while other writers wait behind it.
//! The next one continues in the same SQLite transaction behind a savepoint, and one commit covers all of
//! them.
//! Each caller is notified after that commit, not before.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::oneshot,
};

use crate::{
    Durability, Error, Result,
    sqlite_driver::{Connection, Pool, PooledConnection},
    wal_checkpoint::WalCheckpointer,
    write_queue::{WritePermit, WriteQueue},
};

/// Maximum transactions per commit. Bounds the latency: the first one waits for the last.
const MAX_ITEMS: usize = 16;

/// Writer with one connection, a write queue and background checkpoints.
pub(crate) struct GroupCommitWriter {
    pool: Pool,
    durability: Durability,
    gate: WriteQueue,
    checkpoints: WalCheckpointer,
    /// The uncommitted group, while none of its transactions is running.
    open: Mutex<Option<CommitGroup>>,
    #[cfg(test)]
    commits: std::sync::atomic::AtomicU32,
}

/// An open SQLite transaction and the callers that wait for its commit.
struct CommitGroup {
    connection: PooledConnection,
    kept: Vec<oneshot::Sender<Result<(), String>>>,
}

impl GroupCommitWriter {
    pub fn new(pool: Pool, checkpoints: WalCheckpointer, durability: Durability) -> Arc<Self> {
        Arc::new(Self {
            pool,
            durability,
            gate: WriteQueue::new(),
            checkpoints,
            open: Mutex::default(),
            #[cfg(test)]
            commits: std::sync::atomic::AtomicU32::default(),
        })
    }

    /// Begins an interactive transaction.
    pub async fn begin_interactive(self: &Arc<Self>) -> Result<WriteTx> {
        let turn = self.gate.acquire_interactive().await?;
        self.begin(turn).await
    }

    /// Begins a background transaction; interactive ones are served first.
    pub async fn begin_background(self: &Arc<Self>) -> Result<WriteTx> {
        let turn = self.gate.acquire_background().await?;
        self.begin(turn).await
    }

    /// Returns the connection for reading if no transaction runs and everything is committed.
    /// An uncommitted group keeps the connection out of the pool.
    pub fn read_idle(&self) -> Option<IdleWriterRead> {
        let turn = self.gate.try_acquire_idle()?;
        Some(IdleWriterRead { connection: self.pool.idle()?, _turn: turn })
    }

    async fn begin(self: &Arc<Self>, turn: WritePermit) -> Result<WriteTx> {
        let open = self.open.lock().take();
        let Some(group) = open else {
            let connection = self.pool.acquire().await?;
            connection.begin()?;
            let group = CommitGroup { connection, kept: Vec::new() };
            return Ok(WriteTx { group: Some(group), writer: Arc::clone(self), _turn: turn });
        };
        let writing = WriteTx { group: Some(group), writer: Arc::clone(self), _turn: turn };
        writing.execute_cached("savepoint one")?;
        Ok(writing)
    }

    /// Commits a group and notifies its callers. The caller of this function holds the permit.
    fn commit(&self, group: CommitGroup) -> Result<()> {
        let done = self.wait_for_disk(|| group.connection.commit());
        #[cfg(test)]
        self.commits.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let transactions = u32::try_from(group.kept.len().max(1)).unwrap_or(u32::MAX);
        for kept in group.kept {
            // The receiver may be gone: its caller gave up waiting.
            let _ = kept.send(done.as_ref().map(drop).map_err(ToString::to_string));
        }
        self.checkpoints.after_commit(transactions, &group.connection);
        Ok(done?)
    }

    /// Runs a commit. A commit that syncs blocks its thread for as long as the disk takes.
    /// On a multi-threaded runtime, other tasks move to another thread in the meantime.
    fn wait_for_disk<T>(&self, commit: impl FnOnce() -> T) -> T {
        let is_multi_thread =
            Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
        if self.durability == Durability::PowerCut && is_multi_thread {
            tokio::task::block_in_place(commit)
        } else {
            commit()
        }
    }

    /// Truncates the WAL.
    pub async fn truncate_log(&self) {
        self.checkpoints.truncate().await;
    }

    /// Commits the open group, behind the writers that wait now.
    async fn commit_open(self: Arc<Self>) {
        let turn = loop {
            if let Ok(turn) = self.gate.acquire().await {
                break turn;
            }
        };
        let open = self.open.lock().take();
        if let Some(group) = open
            && let Err(error) = self.commit(group)
        {
            tracing::warn!(%error, "group commit failed");
        }
        drop(turn);
    }

    pub async fn close(self: &Arc<Self>) {
        Arc::clone(self).commit_open().await;
        self.checkpoints.end().await;
        self.pool.close().await;
    }
}

/// Read access to the connection of the writer; blocks writers while it lives.
pub(crate) struct IdleWriterRead {
    pub connection: PooledConnection,
    // Declared last, hence dropped last: the connection must be back in the pool before the next writer
    // starts.
    _turn: WritePermit,
}

/// Write transaction. Rolled back if dropped without a commit.
pub(crate) struct WriteTx {
    /// `None` once the transaction is committed or waits for the commit of its group.
    group: Option<CommitGroup>,
    writer: Arc<GroupCommitWriter>,
    // Declared last, hence dropped last: the next writer must start after everything else has ended.
    _turn: WritePermit,
}

impl WriteTx {
    pub async fn commit(mut self) -> Result<()> {
        if self.follows_others() {
            self.execute_cached("release one")?;
        }
        let Some(mut group) = self.group.take() else { return Err(over()) };
        if group.kept.len() + 1 >= MAX_ITEMS || self.writer.gate.waiting() == 0 {
            return self.writer.commit(group);
        }
        let (kept, told) = oneshot::channel();
        let is_first = group.kept.is_empty();
        group.kept.push(kept);
        *self.writer.open.lock() = Some(group);
        if is_first {
            tokio::spawn(Arc::clone(&self.writer).commit_open());
        }
        drop(self);
        match told.await {
            Ok(done) => done.map_err(unavailable),
            Err(_) => Err(unavailable("the hub is being stopped".to_owned())),
        }
    }

    /// Returns whether earlier transactions of the group share the SQLite transaction, before the savepoint
    /// of this one.
    fn follows_others(&self) -> bool {
        self.group.as_ref().is_some_and(|group| !group.kept.is_empty())
    }
}

impl Drop for WriteTx {
    fn drop(&mut self) {
        let Some(group) = self.group.take().filter(|group| !group.kept.is_empty()) else { return };
        // SQLite rolls back the whole transaction on its own when the disk is full.
        let undone = match group.connection.is_writing() {
            true => group.connection.run("rollback to one; release one").map_err(|error| error.to_string()),
            false => Err("the group commit failed".to_owned()),
        };
        match undone {
            // The caller may act on rows of the group that it has read, so they must be committed now.
            Ok(()) => drop(self.writer.commit(group)),
            Err(words) => group.kept.into_iter().for_each(|kept| drop(kept.send(Err(words.clone())))),
        }
    }
}

impl Deref for WriteTx {
    type Target = Connection;

    #[expect(clippy::expect_used, reason = "it is taken out by what consumes this")]
    fn deref(&self) -> &Connection {
        &self.group.as_ref().expect("a transaction that goes on").connection
    }
}

impl DerefMut for WriteTx {
    #[expect(clippy::expect_used, reason = "it is taken out by what consumes this")]
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.group.as_mut().expect("a transaction that goes on").connection
    }
}

fn over() -> Error {
    Error::other("this transaction is over")
}

fn unavailable(words: String) -> Error {
    Error::Unavailable(sqlx::Error::Io(std::io::Error::other(words)))
}

#[cfg(test)]
mod tests {
    use std::{path::Path, pin::pin};

    use futures::poll;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::sqlite_driver::SqliteOptions;

    fn options(folder: &Path) -> SqliteOptions {
        SqliteOptions { file: folder.join("test"), read_only: false, pragmas: "pragma journal_mode = wal" }
    }

    fn writer(folder: &Path) -> Arc<GroupCommitWriter> {
        let options = options(folder);
        options.open().unwrap().run("create table numbers (number integer primary key)").unwrap();
        let pool = Pool::new(options.clone(), 1, std::time::Duration::from_secs(10));
        GroupCommitWriter::new(pool, WalCheckpointer::new(options), Durability::PowerCut)
    }

    /// Inserts a number in a transaction of its own, and commits if `keeps` is set.
    fn write(writer: &Arc<GroupCommitWriter>, number: u32, keeps: bool) -> JoinHandle<Result<()>> {
        let writer = Arc::clone(writer);
        tokio::spawn(async move {
            let writing = writer.begin_interactive().await?;
            writing.run(&format!("insert into numbers values ({number})"))?;
            if keeps { writing.commit().await } else { Ok(()) }
        })
    }

    /// Queues writers behind one that holds the permit, then lets it commit and awaits all of them.
    async fn behind(
        writer: &Arc<GroupCommitWriter>,
        others: impl FnOnce() -> Vec<JoinHandle<Result<()>>>,
    ) -> Vec<Result<()>> {
        let first = writer.begin_interactive().await.unwrap();
        let others = others();
        while writer.gate.waiting() < others.len() {
            tokio::task::yield_now().await;
        }
        first.commit().await.unwrap();
        let mut ended = Vec::new();
        for other in others {
            ended.push(other.await.unwrap());
        }
        ended
    }

    async fn numbers(writer: &Arc<GroupCommitWriter>) -> Vec<u32> {
        let writing = writer.begin_interactive().await.unwrap();
        (0..100)
            .filter(|number| writing.run(&format!("insert into numbers values ({number})")).is_err())
            .collect()
    }

    #[tokio::test]
    async fn those_who_wait_for_each_other_are_kept_by_one_commit() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path());
        let ended = behind(&writer, || (0..40).map(|number| write(&writer, number, true)).collect()).await;
        assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        assert_eq!(numbers(&writer).await, (0..40).collect::<Vec<_>>());
        let commits = writer.commits.load(std::sync::atomic::Ordering::Relaxed);
        assert!((3..=8).contains(&commits), "{commits} commits");
        writer.close().await;
    }

    #[tokio::test]
    async fn a_glance_keeps_writers_waiting_and_sees_no_transaction() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path());
        let writing = writer.begin_interactive().await.unwrap();
        assert!(writer.read_idle().is_none(), "somebody writes");
        writing.run("insert into numbers values (1)").unwrap();
        writing.commit().await.unwrap();

        let glance = writer.read_idle().unwrap();
        assert!(glance.connection.run("select * from numbers").is_ok() && writer.read_idle().is_none());
        let mut waiting = pin!(writer.begin_interactive());
        assert!(poll!(&mut waiting).is_pending());
        drop(glance);
        let last = waiting.await.unwrap();
        last.run("insert into numbers values (2)").unwrap();
        // It does not commit itself, because another writer waits behind it.
        let behind = write(&writer, 3, true);
        while writer.gate.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let mut commit = pin!(last.commit());
        assert!(poll!(&mut commit).is_pending());
        assert!(writer.read_idle().is_none(), "what is there is not committed");
        commit.await.unwrap();
        behind.await.unwrap().unwrap();
        writer.close().await;
        assert!(writer.read_idle().is_none(), "it is closed");
    }

    #[tokio::test]
    async fn one_that_is_dropped_or_refused_leaves_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path());
        let ended = behind(&writer, || {
            vec![
                write(&writer, 1, true),
                write(&writer, 2, false),
                write(&writer, 1, true),
                write(&writer, 3, true),
            ]
        });
        let ended: Vec<bool> = ended.await.iter().map(Result::is_ok).collect();
        assert_eq!(ended, [true, true, false, true]);
        assert_eq!(numbers(&writer).await, [1, 3]);
        writer.close().await;
    }

    #[tokio::test]
    async fn what_a_dropped_one_saw_is_there_once_it_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path());
        let other = options(folder.path()).open().unwrap();
        let ended = behind(&writer, || {
            let before = write(&writer, 1, true);
            let sees = Arc::clone(&writer);
            let sees = tokio::spawn(async move {
                let writing = sees.begin_interactive().await?;
                assert!(writing.run("insert into numbers values (1)").is_err(), "it sees what came before");
                drop(writing);
                assert!(other.run("insert into numbers values (1)").is_err(), "and so does everybody else");
                Ok(())
            });
            vec![before, sees, write(&writer, 2, true)]
        });
        assert!(ended.await.iter().all(Result::is_ok));
        writer.close().await;
    }

    #[tokio::test]
    async fn nobody_waits_for_ever_when_others_give_up() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path());
        let ended = behind(&writer, || {
            let waiting = write(&writer, 2, true);
            waiting.abort();
            vec![write(&writer, 1, true)]
        });
        assert!(ended.await.iter().all(Result::is_ok));
        assert_eq!(numbers(&writer).await, [1]);
        writer.close().await;
    }
}
