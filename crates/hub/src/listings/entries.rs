//! What catalogs of other standards list: the agents that everybody may find, each with its current version.

use plexus_store::versions::{self, Version};

use super::{Place, Query, Row, find::search};
use crate::{Hub, Result};

pub struct Entries {
    pub entries: Vec<Entry>,
    /// The last row, when more follow.
    pub last: Option<Place>,
}

pub struct Entry {
    pub row: Row,
    pub version: Version,
}

pub async fn entries(hub: &Hub, query: Query) -> Result<Entries> {
    let found = search(hub, Query { here: Some(true), ..query }).await?;
    let mut conn = hub.store().snapshot().await?;
    let mut entries = Vec::with_capacity(found.rows.len());
    for row in found.rows {
        // An agent without a version is between two of them, and comes back with the next.
        if let Some(version) = versions::current(&mut conn, row.agent).await? {
            entries.push(Entry { row, version });
        }
    }
    Ok(Entries { entries, last: found.last })
}
