//! Jobs: work to be done later, written in the transaction that decides on it.
//!
//! A worker leases a job for a while and works outside of any transaction; a lease that runs out lets another try.

use plexus_domain::{JobId, Timestamp};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    column::{Column, clean, record},
    conn::{Raw, execute, on},
};

record! {
    pub struct Job {
        pub id: JobId,
        pub name: String,
        pub key: Option<String>,
        pub payload: Value,
        pub due: Timestamp,
        pub locked_until: Option<Timestamp>,
        /// How often it was begun; a worker owns it as long as nobody else begins.
        pub tries: i64,
        pub error: Option<String>,
        pub failed: bool,
    }
}

/// A job to be queued.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    pub id: JobId,
    pub name: &'a str,
    /// Of jobs with the same key one is queued at a time.
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

/// False when a job with this key is queued already.
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

/// Takes at most `limit` jobs that are due, until `until`. Commit before working on them.
pub async fn lease(tx: &mut Tx, now: Timestamp, until: Timestamp, limit: i64) -> Result<Vec<Job>> {
    let (now, until) = (now.millis(), until.millis());
    let result = match tx.raw() {
        // The writer is alone.
        Raw::Sqlite(c) => query_as(lease!("")).bind(now).bind(until).bind(limit).fetch_all(c).await,
        Raw::Postgres(c) => {
            query_as(lease!("for update skip locked")).bind(now).bind(until).bind(limit).fetch_all(c).await
        }
    };
    tx.note(result)
}

/// It is done. False when the lease ran out and somebody else began it.
pub async fn delete(tx: &mut Tx, job: &Job) -> Result<bool> {
    let text = "delete from jobs where id = $1 and tries = $2";
    Ok(execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries))? > 0)
}

/// It did not work, and is tried again at `due`.
pub async fn retry(tx: &mut Tx, job: &Job, due: Timestamp, error: &str) -> Result<bool> {
    let text = "update jobs set due = $3, locked_until = null, error = $4 where id = $1 and tries = $2";
    let changed =
        execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries).bind(due.millis()).bind(clean(error)))?;
    Ok(changed > 0)
}

/// It is given up. The row stays for an administrator to look at; its key is free again.
pub async fn fail(tx: &mut Tx, job: &Job, error: &str) -> Result<bool> {
    let text = "update jobs set failed = $3, key = null, locked_until = null, error = $4 \
                where id = $1 and tries = $2";
    Ok(execute!(tx, query(text).bind(job.id.uuid()).bind(job.tries).bind(true).bind(clean(error)))? > 0)
}

/// When the next job can be begun: how long a worker may sleep.
pub async fn next_due(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let text = "select min(case when locked_until is null or locked_until < due then due else locked_until end) \
                from jobs where not failed";
    let due: Option<i64> = on!(conn, c => query_scalar(text).fetch_one(c))?;
    Ok(due.map(Timestamp::from_millis))
}

/// Those given up, newest first.
pub async fn list_failed(conn: &mut Conn, limit: i64) -> Result<Vec<Job>> {
    let text = "select id, name, key, payload, due, locked_until, tries, error, failed from jobs \
                where failed order by id desc limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}
