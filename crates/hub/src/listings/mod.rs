//! Listings: what everybody may read about an agent, and the index that finds it.
//!
//! A listing is written in the transaction that changes its agent, with the next change number. A worker brings the
//! index up to the last change; the index keeps the number of the last change that it holds, so a hub that died in
//! between goes on where it was. A hub serves before its index is whole: searches answer with what is there, and say
//! so.

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

/// The index, shared by searches and the worker.
pub type Index = Arc<plexus_search::Index>;

pub(crate) fn open(data_dir: &Path) -> anyhow::Result<Index> {
    let folder = data_dir.join("index");
    permissions::create_closed_folder(&folder)
        .with_context(|| format!("making the folder of the index {}", folder.display()))?;
    Ok(Arc::new(plexus_search::Index::open(folder)?))
}
