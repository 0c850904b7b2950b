//! Violations of the federation protocol by remote hubs.

use plexus_domain::{HubRowId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{record, word_enum},
};

word_enum! {
    /// Kind of violation.
    pub enum HubViolation {
        Withholds = "withholds",
        Pads = "pads",
        Swaps = "swaps",
        StaleHead = "stale_head",
        Contradicts = "contradicts",
        ContradictsItself = "contradicts_itself",
    }
}

record! {
    /// Violations of one kind by one hub.
    pub struct HubViolationRow {
        pub hub: HubRowId,
        pub fault: HubViolation,
        /// Key of the hub whose listings the latest violation concerned.
        pub about: String,
        pub first_at: Timestamp,
        pub last_at: Timestamp,
        pub times: u64,
    }
}

/// Records a violation. There is one row per hub and kind; repeats update it and increment its count.
pub async fn note(tx: &mut Tx, hub: HubRowId, fault: HubViolation, about: &str, at: Timestamp) -> Result<()> {
    let text = "insert into hub_faults (hub, fault, about, first_at, last_at, times) values ($1, $2, $3, $4, $4, 1) \
                on conflict (hub, fault) do update set about = excluded.about, last_at = excluded.last_at, \
                times = hub_faults.times + 1";
    execute!(tx, query(text).bind(hub.uuid()).bind(fault.as_str()).bind(about).bind(at.millis()))?;
    Ok(())
}

/// Lists the violations of a hub, latest first.
pub async fn list(conn: &mut Conn, hub: HubRowId) -> Result<Vec<HubViolationRow>> {
    let text = "select hub, fault, about, first_at, last_at, times from hub_faults where hub = $1 \
                order by last_at desc, fault";
    on!(conn, c => query_as(text).bind(hub.uuid()).fetch_all(c))
}
