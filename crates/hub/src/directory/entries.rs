//! Catalog entries for other standards: the publicly listed agents with their current versions.

use plexus_store::agent_versions::{self, Version};

use plexus_search::{Query, RowCursor};

use super::search::search;
use crate::{Hub, Result, views::AgentListRow};

pub struct CatalogPage {
    pub entries: Vec<CatalogEntry>,
    /// Cursor of the next page, if there is one.
    pub last: Option<RowCursor>,
}

pub struct CatalogEntry {
    pub row: AgentListRow,
    pub version: Version,
}

pub async fn entries(hub: &Hub, query: Query) -> Result<CatalogPage> {
    let found = search(hub, Query { here: Some(true), ..query }).await?;
    let mut conn = hub.store().snapshot().await?;
    let mut entries = Vec::with_capacity(found.rows.len());
    for row in found.rows {
        // Skip agents without a current version (all yanked); they reappear with the next version.
        if let Some(version) = agent_versions::current(&mut conn, row.agent).await? {
            entries.push(CatalogEntry { row, version });
        }
    }
    Ok(CatalogPage { entries, last: found.last })
}
