//! Job queue: deferred work, enqueued in the transaction that decides on it.
//!
//! A worker leases a job and works on it outside of any transaction. If the lease expires, another worker may
//! retry.

use plexus_domain::{JobId, Timestamp};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{DriverConn, execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct Job {
        pub id: JobId,
        pub name: String,
        pub key: Option<String>,
        pub payload: Value,
        pub due: Timestamp,
        pub locked_until: Option<Timestamp>,
        /// Number of attempts. Also the fencing token of a lease: its worker owns the job until another
        /// attempt begins.
        pub tries: i64,
        pub error: Option<String>,
        pub failed: bool,
    }
}

/// A job to be enqueued.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    pub id: JobId,
    pub name: &'a str,
    /// Deduplication key: at most one job with this key is queued at a time.
    pub key: Option<&'a str>,
    pub payload: &'a Value,
    pub due: Timestamp,
}

macro_rules! lease {
    ($lock:literal) => {
        concat!(
            "update jobs set locked_until = $2, tries = tries + 1 where id in (select id from jobs \
             where not failed and due <= $1 and (locked_until is null or locked_until <= $1) \
             order by due, id limit $3 ",
            $lock,
            ") returning id, name, key, payload, due, locked_until, tries, error, failed"
        )
    };
}

/// Enqueues a job. Returns false if a job with its key is queued already.
pub async fn insert(tx: &mut Tx, new: &NewJob<'_>) -> Result<bool> {
    let text = "insert into jobs (id, name, key, payload, due, tries, failed) values ($1, $2, $3, $4, $5, 0, $6) \
                on conflict (key) do nothing";
    let changed = execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.name)
            .bind(new.key)
            .bind(new.payload.to_column())
            .bind(new.due.millis())
            .bind(false)
    )?;
    Ok(changed > 0)
}

/// Leases at most `limit` due jobs until `until`. Commit before working on them.
pub async fn lease(tx: &mut Tx, now: Timestamp, until: Timestamp, limit: i64) -> Result<Vec<Job>> {
    let (now, until) = (now.millis(), until.millis());
    let result = match tx.raw() {
        // SQLite has a single writer, so no row lock is needed.
        DriverConn::Sqlite(c) => query_as(lease!("")).bind(now).bind(until).bind(limit).fetch_all(c).await,
        DriverConn::Postgres(c) => {
            query_as(lease!("for update skip locked")).bind(now).bind(until).bind(limit).fetch_all(c).await
        }
    };
    tx.note(result)
}

/// Deletes a completed job. Returns false if the lease expired and another worker began the job.
pub async fn delete(tx: &mut Tx, job: &Job) -> Result<bool> {
    let text = "delete from jobs where id = $1 and tries = $2";
    Ok(execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries))? > 0)
}

/// Schedules a retry of a failed job at `due`.
pub async fn retry(tx: &mut Tx, job: &Job, due: Timestamp, error: &str) -> Result<bool> {
    let text = "update jobs set due = $3, locked_until = null, error = $4 where id = $1 and tries = $2";
    let changed =
        execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries).bind(due.millis()).bind(clean(error)))?;
    Ok(changed > 0)
}

/// Marks a job as failed for good. The row stays for inspection by an administrator; its key becomes free.
pub async fn fail(tx: &mut Tx, job: &Job, error: &str) -> Result<bool> {
    let text = "update jobs set failed = $3, key = null, locked_until = null, error = $4 \
                where id = $1 and tries = $2";
    Ok(execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries).bind(true).bind(clean(error)))? > 0)
}

/// Returns when the next job can be leased, hence how long a worker may sleep.
pub async fn next_due(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let text = "select min(case when locked_until is null or locked_until < due then due else locked_until end) \
                from jobs where not failed";
    let due: Option<i64> = on!(conn, c => query_scalar(text).fetch_one(c))?;
    Ok(due.map(Timestamp::from_millis))
}

/// Lists jobs that failed for good, newest first.
pub async fn list_failed(conn: &mut Conn, limit: i64) -> Result<Vec<Job>> {
    let text = "select id, name, key, payload, due, locked_until, tries, error, failed from jobs \
                where failed order by id desc limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}
