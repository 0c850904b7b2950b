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
        MissingListings = "missing_listings",
        ExtraListings = "extra_listings",
        WrongVersions = "wrong_versions",
        StaleHead = "stale_head",
        ListingEquivocation = "listing_equivocation",
        RecordEquivocation = "record_equivocation",
    }
}

record! {
    /// Violations of one kind by one hub.
    pub struct HubViolationRow {
        pub hub: HubRowId,
        pub kind: HubViolation,
        /// Key of the hub whose listings the latest violation concerned.
        pub about_hub: String,
        pub first_at: Timestamp,
        pub last_at: Timestamp,
        pub count: u64,
    }
}

/// Records a violation. There is one row per hub and kind; repeats update it and increment its count.
pub async fn note(
    tx: &mut Tx,
    hub: HubRowId,
    kind: HubViolation,
    about_hub: &str,
    at: Timestamp,
) -> Result<()> {
    let text = "insert into hub_violations (hub, kind, about_hub, first_at, last_at, count) \
                values ($1, $2, $3, $4, $4, 1) \
                on conflict (hub, kind) do update set about_hub = excluded.about_hub, last_at = excluded.last_at, \
                count = hub_violations.count + 1";
    execute!(tx, query(text).bind(hub.uuid()).bind(kind.as_str()).bind(about_hub).bind(at.millis()))?;
    Ok(())
}

/// Lists the violations of a hub, latest first.
pub async fn list(conn: &mut Conn, hub: HubRowId) -> Result<Vec<HubViolationRow>> {
    let text = "select hub, kind, about_hub, first_at, last_at, count from hub_violations where hub = $1 \
                order by last_at desc, kind";
    on!(conn, c => query_as(text).bind(hub.uuid()).fetch_all(c))
}
