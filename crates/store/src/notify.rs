//! Postgres LISTEN/NOTIFY between the instances of a hub.
//! Delivery is not guaranteed: a notification is only a hint that the store has changed.

use sqlx::{
    PgPool,
    postgres::{PgListener, PgPoolOptions},
    query,
};

use crate::{Error, Result, Store, conn::execute};

/// Maximum bytes of one notification. Postgres accepts less than 8000.
pub const MAX_BYTES: usize = 7_900;
const CHANNEL: &str = "plexus";

/// Subscription to the notifications, on a dedicated connection.
pub struct Listener(PgListener);

impl Store {
    /// Notifies all listeners on this database, including this instance. Does nothing on SQLite, which has
    /// one instance.
    pub async fn signal(&self, words: &str) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        let mut conn = self.read().await?;
        let text = "select pg_notify($1, $2)";
        execute!(conn, query(text).bind(CHANNEL).bind(words)).map(drop)
    }

    /// Subscribes to all notifications from now on. Returns `None` on SQLite.
    pub async fn listen(&self) -> Result<Option<Listener>> {
        if !self.is_postgres() {
            return Ok(None);
        }
        let options = self.url().postgres_options().map_err(|error| Error::other(error.to_string()))?;
        let one: PgPool = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .connect_with(options)
            .await?;
        let mut listener = PgListener::connect_with(&one).await?;
        // Report lost connections instead of reconnecting silently: the caller must reconcile what it missed.
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        Ok(Some(Listener(listener)))
    }
}

impl Listener {
    /// Waits for the next notification. After an error the listener is dead: subscribe again and reconcile
    /// with the store.
    pub async fn next(&mut self) -> Result<String> {
        match self.0.try_recv().await? {
            Some(signal) => Ok(signal.payload().to_owned()),
            None => Err(Error::Unavailable(sqlx::Error::WorkerCrashed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn every_listener_hears_what_is_signalled() {
        testing::on_postgres(|store| async move {
            let mut first = store.listen().await.unwrap().expect("this is Postgres");
            let mut second = store.listen().await.unwrap().expect("this is Postgres");
            let long = "x".repeat(MAX_BYTES);
            for words in ["moved", long.as_str()] {
                store.signal(words).await.unwrap();
                assert_eq!(first.next().await.unwrap(), words);
                assert_eq!(second.next().await.unwrap(), words);
            }
        })
        .await;
    }

    #[tokio::test]
    async fn a_listener_whose_connection_is_lost_says_so() {
        testing::on_postgres(|store| async move {
            let mut listener = store.listen().await.unwrap().expect("this is Postgres");
            let mut conn = store.read().await.unwrap();
            let text = "select pg_terminate_backend(pid, 5000) from pg_stat_activity \
                        where datname = current_database() and query like 'LISTEN%'";
            assert_eq!(execute!(conn, query(text)).unwrap(), 1);
            let error = listener.next().await.unwrap_err();
            assert!(error.is_unavailable(), "{error}");
        })
        .await;
    }

    #[tokio::test]
    async fn sqlite_has_nobody_to_hear() {
        testing::on_sqlite(|store| async move {
            assert!(store.listen().await.unwrap().is_none());
            store.signal("moved").await.unwrap();
        })
        .await;
    }
}
