//! Administration pages below `/admin`.

pub mod agents;
pub mod audit;
pub mod invites;
pub mod network;
pub mod origins;
pub mod overview;
pub mod users;

use serde::Deserialize;

/// Query of a table: search words and page number.
#[derive(Deserialize)]
pub struct TableQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    page: u32,
}

/// Returns the search words, shortened to what the page's field accepts.
fn words(query: &TableQuery) -> String {
    shown(&query.q)
}

/// Returns a query parameter as one line, shortened to what a field accepts.
fn shown(word: &str) -> String {
    plexus_domain::sanitized_text::ellipsize(&plexus_domain::sanitized_text::one_line(word), 200)
}
