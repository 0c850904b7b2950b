//! Connection pool. Acquiring and releasing a connection wakes no other thread.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use sqlx::error::Error;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{Connection, SqliteOptions};

#[derive(Clone)]
pub(crate) struct Pool(Arc<Shared>);

struct Shared {
    options: SqliteOptions,
    permits: Arc<Semaphore>,
    most: u32,
    idle: Mutex<Vec<Connection>>,
    patience: Duration,
}

impl Pool {
    /// Creates a pool of at most `most` connections, each opened when first needed.
    /// `patience` is the timeout of [`Self::acquire`].
    pub fn new(options: SqliteOptions, most: u32, patience: Duration) -> Self {
        let most = most.max(1);
        let permits = Arc::new(Semaphore::new(most as usize));
        Self(Arc::new(Shared { options, permits, most, idle: Mutex::default(), patience }))
    }

    pub async fn acquire(&self) -> Result<PooledConnection, Error> {
        let permit = Arc::clone(&self.0.permits).acquire_owned();
        let permit = timeout(self.0.patience, permit).await.map_err(|_| Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| Error::PoolClosed)?;
        let waiting = self.0.idle.lock().pop();
        let connection = match waiting {
            Some(connection) => connection,
            None => self.0.options.open()?,
        };
        Ok(PooledConnection { connection: Some(connection), shared: Arc::clone(&self.0), _permit: permit })
    }

    /// Returns an open, idle connection, if there is one.
    pub fn idle(&self) -> Option<PooledConnection> {
        let permit = Arc::clone(&self.0.permits).try_acquire_owned().ok()?;
        let connection = self.0.idle.lock().pop()?;
        Some(PooledConnection { connection: Some(connection), shared: Arc::clone(&self.0), _permit: permit })
    }

    /// Waits for the connections in use, rejects further callers, and closes all connections.
    pub async fn close(&self) {
        let in_use = self.0.permits.acquire_many(self.0.most).await;
        self.0.permits.close();
        drop(in_use);
        self.0.idle.lock().clear();
    }
}

/// Connection checked out of the pool. Dropping it rolls back what is uncommitted and returns it.
pub(crate) struct PooledConnection {
    connection: Option<Connection>,
    shared: Arc<Shared>,
    // Declared last, hence dropped last: the connection must be back in `idle` before its permit is released.
    _permit: OwnedSemaphorePermit,
}

impl Deref for PooledConnection {
    type Target = Connection;

    #[expect(clippy::expect_used, reason = "it is taken out when this is dropped, and not before")]
    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a connection in use")
    }
}

impl DerefMut for PooledConnection {
    #[expect(clippy::expect_used, reason = "it is taken out when this is dropped, and not before")]
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a connection in use")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        match connection.roll_back() {
            Ok(()) => self.shared.idle.lock().push(connection),
            Err(error) => tracing::warn!(%error, "database connection dropped: rollback failed"),
        }
    }
}
