//! Full-text search index of agent listings.
//!
//! [`Index`] stores searchable listings in a directory and answers a [`Query`] with [`Hits`]. It is derived
//! from the database and can always be rebuilt. Each commit stores its change number
//! ([`Index::last_change`]), from which the writer resumes. A damaged directory, or one of another version,
//! is treated as empty.
//!
//! Matching works on words of any script, normalized for case, width and accents. Scripts without spaces are
//! indexed as pairs of characters (bigrams). All words must match. If there are few results, words match as
//! prefixes, then by edit distance, and finally any one word suffices.

mod alike;
mod error;
mod expand;
mod facets;
mod fitting;
mod folder;
mod index;
mod listing;
mod parse;
mod plan;
mod query;
mod schema;
mod search;
mod text;
mod tokenizer;
mod values;

pub use error::{Error, Result};
pub use fitting::Needs;
pub use index::{Index, matching_among};
pub use listing::{Change, Hit, Listing, Scored};
pub use parse::tags_in;
pub use query::{FacetCount, Facets, Hits, Place, Query, Sort, Start};
