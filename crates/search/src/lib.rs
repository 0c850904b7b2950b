//! The index over listings.
//!
//! [`Index`] keeps what is known of the listed agents in a folder and answers [`Query`] with [`Hits`]. It is a copy
//! of the store and never the truth: each commit carries the change number it is at ([`Index::last_change`]), so
//! that whoever writes can continue from there, and a folder that is damaged, or was written by another version, is
//! simply empty again.
//!
//! Matching is on words of any script, folded (case, width, accents); scripts without spaces are cut in pairs of
//! characters. All words must occur; only when hardly anything has them all, words are taken as beginnings, then as
//! misspelt, then any of them is enough.

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
