//! Catalog entries for other standards: the publicly listed agents with their current versions.

use plexus_store::versions::{self, Version};

use super::{Place, Query, Row, find::search};
use crate::{Hub, Result};

pub struct Entries {
    pub entries: Vec<Entry>,
    /// Cursor of the next page, if there is one.
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
        // Skip agents without a current version (all yanked); they reappear with the next version.
        if let Some(version) = versions::current(&mut conn, row.agent).await? {
            entries.push(Entry { row, version });
        }
    }
    Ok(Entries { entries, last: found.last })
}
