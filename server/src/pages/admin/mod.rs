//! `/admin`: for those who run the hub.

pub mod agents;
pub mod audit;
pub mod invites;
pub mod network;
pub mod origins;
pub mod overview;
pub mod users;

use serde::Deserialize;

/// Words that a table is narrowed by, and one of its pages.
#[derive(Deserialize)]
pub struct TableQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    page: u32,
}

/// What is searched for: as much of it as the field of the page takes.
fn words(query: &TableQuery) -> String {
    shown(&query.q)
}

/// A word of the address, as much of it as a field takes.
fn shown(word: &str) -> String {
    plexus_domain::text::shorten(&plexus_domain::text::one_line(word), 200)
}
