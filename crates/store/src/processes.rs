//! Instances of the hub that share this store. A run belongs to an instance and is orphaned when that is
//! deleted.

use plexus_domain::{ProcessId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::record,
};

record! {
    pub struct Instance {
        pub id: ProcessId,
        pub started_at: Timestamp,
        /// Last heartbeat.
        pub last_heartbeat_at: Timestamp,
        /// Address at which other instances reach it.
        pub address: Option<String>,
        /// Whether it runs the federation engine.
        pub runs_federation: bool,
    }
}

pub async fn insert(tx: &mut Tx, new: &Instance) -> Result<()> {
    let text = "insert into instances (id, started_at, last_heartbeat_at, address, runs_federation) \
                values ($1, $2, $3, $4, $5)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.started_at.millis())
            .bind(new.last_heartbeat_at.millis())
            .bind(new.address.as_deref())
            .bind(new.runs_federation)
    )?;
    Ok(())
}

/// Records a heartbeat. Returns false if another instance has declared this one dead and taken over its runs.
pub async fn heartbeat(tx: &mut Tx, id: ProcessId, at: Timestamp) -> Result<bool> {
    let text = "update instances set last_heartbeat_at = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))? > 0)
}

/// Lists all instances except `id`.
pub async fn list_others(conn: &mut Conn, id: ProcessId) -> Result<Vec<Instance>> {
    let text = "select id, started_at, last_heartbeat_at, address, runs_federation from instances \
                where id <> $1 order by id";
    on!(conn, c => query_as(text).bind(id.uuid()).fetch_all(c))
}

/// Deletes an instance. Its runs become orphaned, and its last heartbeat is stored in the teams that it
/// orchestrated.
pub async fn delete(tx: &mut Tx, id: ProcessId) -> Result<bool> {
    let left = "update teams set served_until = (select last_heartbeat_at from instances where id = $1) \
                where chat in (select team from team_orchestrators where instance = $1)";
    execute!(tx, query(left).bind(id.uuid()))?;
    Ok(execute!(tx, query("delete from instances where id = $1").bind(id.uuid()))? > 0)
}
