//! Administration pages below `/admin`.

pub mod agents;
pub mod audit;
pub mod invites;
pub mod model_settings;
pub mod models;
pub mod network;
pub mod origins;
pub mod overview;
pub mod setup;
pub mod usage;
pub mod users;

use plexus_app::view_models::agent_query::percent_encode;
use serde::Deserialize;

use crate::web::form::Fields;

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

/// Returns the URL of the table that a form was posted from, with its search words and page.
fn table_href(path: &str, fields: &Fields) -> String {
    let page = fields.get("page").parse::<u32>().unwrap_or(1).max(1);
    let mut href = format!("{path}?page={page}");
    let words = shown(fields.get("q"));
    if !words.is_empty() {
        href.push_str("&q=");
        percent_encode(&words, &mut href);
    }
    href
}

/// Returns a query parameter as one line, shortened to what a field accepts.
fn shown(word: &str) -> String {
    plexus_domain::sanitized_text::ellipsize(&plexus_domain::sanitized_text::one_line(word), 200)
}
