//! Push: whom to tell when a run changes.

use plexus_domain::{PushId, RunId, SecretId};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    column::{Column, record},
    conn::{execute, on},
};

record! {
    pub struct Push {
        pub id: PushId,
        pub run: RunId,
        pub url: String,
        /// What the receiver knows the hub by.
        pub secret: Option<SecretId>,
    }
}

pub async fn insert(tx: &mut Tx, new: &Push) -> Result<()> {
    let text = "insert into push (id, run, url, secret) values ($1, $2, $3, $4)";
    execute!(
        tx,
        query(text).bind(new.id.uuid()).bind(new.run.uuid()).bind(&new.url).bind(new.secret.to_column())
    )?;
    Ok(())
}

pub async fn list_by_run(conn: &mut Conn, run: RunId) -> Result<Vec<Push>> {
    let text = "select id, run, url, secret from push where run = $1 order by id";
    on!(conn, c => query_as(text).bind(run.uuid()).fetch_all(c))
}

/// Deletes one that belongs to this run.
pub async fn delete(tx: &mut Tx, run: RunId, id: PushId) -> Result<bool> {
    let text = "delete from push where id = $1 and run = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(run.uuid()))? > 0)
}
