//! Listings: public descriptions of agents, and the search index over them.
//!
//! A listing is written in the transaction that changes its agent, with the next change number. A worker
//! applies changes to the index. The index stores the number of its last change, so it resumes there after a
//! crash. The hub serves searches before the index is complete; results then carry a flag.

mod described;
mod entries;
mod find;
mod publish;
mod publisher;
mod summary;
mod sync;

pub use described::{Described, Matched, describe, described, matched};
pub(crate) use described::{matching, shares};
pub use entries::{Entries, Entry, entries};
pub use find::{
    Found, Lists, Row, finder, is_whole, last_change, lists, online_since, search_for, until_whole,
};
pub(crate) use find::{fitting, search};
pub use plexus_search::{FacetCount, Facets, Place, Query, Sort, Start};
pub(crate) use publish::{publish, read_summary, seen_alive, seen_gone};
pub use publisher::{Identifier, Publisher, publisher};
pub use summary::Summary;
pub(crate) use sync::{entry_of, index_until};

use std::{path::Path, sync::Arc};

use anyhow::Context as _;
use plexus_store::permissions;

/// Search index, shared by searches and the worker.
pub type Index = Arc<plexus_search::Index>;

pub(crate) fn open(data_dir: &Path) -> anyhow::Result<Index> {
    let folder = data_dir.join("index");
    permissions::create_closed_folder(&folder)
        .with_context(|| format!("making the folder of the index {}", folder.display()))?;
    Ok(Arc::new(plexus_search::Index::open(folder)?))
}
