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
//!
//! [`PassageIndex`] is another index: passages of the files of an agent, in memory. [`VectorIndex`] has their
//! embeddings, and [`fuse_ranks`] joins the results of both.

mod error;
mod facet_columns;
mod facets;
mod fuzzy_terms;
mod index;
mod index_dir;
mod listing;
mod passage_index;
mod query;
mod query_parser;
mod query_plan;
mod rank_fusion;
mod related_terms;
mod schema;
mod search;
mod skill_ranking;
mod tantivy_tokenizer;
mod vector_index;

pub use error::{Error, Result};
pub use index::{Index, match_listings};
pub use listing::{Hit, IndexChange, Listing, ScoredAgent};
pub use passage_index::PassageIndex;
pub use query::{FacetCount, Facets, Hits, PageStart, Query, RowCursor, Sort};
pub use query_parser::tags_in;
pub use rank_fusion::fuse_ranks;
pub use skill_ranking::SkillQuery;
pub use vector_index::VectorIndex;
