//! Directory: searches for agents, and the lists of the home page.

mod entries;
mod featured;
mod search;

pub use entries::{CatalogEntry, CatalogPage, entries};
pub use featured::{FeaturedAgent, MAX_FEATURED};
pub use search::{HomePageLists, SearchResults, finder, lists, search_for};
pub(crate) use search::{rank_agents, search};
