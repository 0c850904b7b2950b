//! Listings: public descriptions of agents, and the search index over them.
//!
//! A listing is written in the transaction that changes its agent, with the next change number. A worker
//! applies changes to the index. The index stores the number of its last change, so it resumes there after a
//! crash. The hub serves searches before the index is complete; results then carry a flag.

mod catalog;
mod index_state;
mod index_worker;
mod publish;
mod summary;
mod urn;
mod use_counter;

pub use catalog::{CatalogAgentInfo, CatalogMatch, describe, described, matched};
pub(crate) use catalog::{matching, shares};
pub use index_state::{is_index_ready, last_change, online_since, wait_index_ready};
pub(crate) use index_worker::{index_document, run_index_worker};
pub use plexus_search::{FacetCount, Facets, PageStart, Query, RowCursor, Sort};
pub(crate) use publish::{mark_offline, mark_online, publish, read_summary};
pub use summary::ListingSummary;
pub(crate) use summary::ONLINE;
pub use urn::{AirUrn, UrnPublisher, publisher};
pub(crate) use use_counter::{count_uses, run_use_counter};

use std::{path::Path, sync::Arc};

use anyhow::Context as _;
use plexus_store::permissions;

use crate::{Error, Hub, Result};

/// Search index, shared by searches and the worker.
pub type Index = Arc<plexus_search::Index>;

pub(crate) fn open(data_dir: &Path) -> anyhow::Result<Index> {
    let folder = data_dir.join("index");
    permissions::create_closed_folder(&folder)
        .with_context(|| format!("making the folder of the index {}", folder.display()))?;
    Ok(Arc::new(plexus_search::Index::open(folder)?))
}

/// Removes the text of removed listings from the files of the index. Returns how many listings those were.
pub(crate) async fn purge_index(hub: &Hub) -> Result<u64> {
    let index = hub.index().clone();
    let purged = tokio::task::spawn_blocking(move || index.purge_removed()).await;
    purged.map_err(Error::fault)?.map_err(Error::fault)
}
