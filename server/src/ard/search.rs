//! ARD search: `POST /search` (specification section 5.3.2).

use std::cmp::Reverse;

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
};
use plexus_domain::page::PageSize;
use plexus_hub::{
    Caller,
    federation::{self, RemoteRegistry},
    listings,
};
use serde_json::{Map, Value, json};

use super::{
    entry::{ArdEntry, base, entry, of_registry},
    error::{ArdError, unknown},
    page_token::Page,
    query::{Query, only, read},
};
use crate::{
    app_state::AppState,
    web::bearer::{Bearer, InvalidToken},
};

const SIZE: u64 = 10;

pub async fn answer(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, ArdError> {
    let Bearer(caller) = caller.map_err(unknown)?;
    Ok(Json(run(&site, &caller, &read(body)?).await?))
}

/// Returns the search results for the members of a request.
pub async fn run(site: &AppState, caller: &Caller, asked: &Map<String, Value>) -> Result<Value, ArdError> {
    only(asked, &["query", "federation", "pageSize", "pageToken"])?;
    let query = asked.get("query").ok_or_else(|| ArdError::invalid("Send a query with a text."))?;
    let query = Query::read(Some(query))?;
    if query.text.is_empty() {
        return Err(ArdError::invalid("Set query.text to the search text."));
    }
    let federation = Federation::read(asked.get("federation"))?;
    let page = read_page(asked)?;
    let (entries, total) = found(site, caller, &query, page).await?;
    let source = base(&site.hub.config().public_url);
    let mut results: Vec<Value> =
        entries.into_iter().map(|(entry, score)| result(entry, score, &source)).collect();
    if federation == Federation::Auto && page.first == 0 && total < page.size {
        results.extend(elsewhere(site, caller, &query, page, total).await?);
        results.sort_by_key(|result| Reverse(result["score"].as_u64()));
        results.truncate(page.size);
    }
    let mut answer = json!({ "results": results });
    match federation {
        Federation::Auto => answer["referrals"] = json!([]),
        Federation::Referrals => answer["referrals"] = referrals(site, &query).await?,
        Federation::None => {}
    }
    if let Some(next) = page.next(total) {
        answer["pageToken"] = json!(next);
    }
    Ok(answer)
}

fn read_page(asked: &Map<String, Value>) -> Result<Page, ArdError> {
    let size = asked.get("pageSize").map_or(Some(SIZE), Value::as_u64);
    let size = size.ok_or_else(|| ArdError::invalid("The pageSize is a whole number."))?;
    let token = match asked.get("pageToken") {
        None => None,
        Some(Value::String(token)) => Some(token.as_str()),
        Some(_) => return Err(ArdError::invalid("The pageToken is a text.")),
    };
    Page::new(size, token)
}

/// Returns the entries of one page and the total number. Without a filter, only the entries of the page are
/// read from the store.
async fn found(
    site: &AppState,
    caller: &Caller,
    query: &Query,
    page: Page,
) -> Result<(Vec<(ArdEntry, u8)>, usize), ArdError> {
    let matched = query.matched(site, caller).await?;
    if query.filter.is_empty() {
        return Ok((query.entries(site, page.of(&matched)).await?, matched.len()));
    }
    let mut entries = query.entries(site, &matched).await?;
    let total = entries.len();
    entries.drain(..page.first.min(total));
    entries.truncate(page.size);
    Ok((entries, total))
}

/// Role of remote hubs in a search (section 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Federation {
    /// Search remote hubs if there are few local results.
    Auto,
    /// Return the registries of remote hubs.
    Referrals,
    None,
}

impl Federation {
    fn read(given: Option<&Value>) -> Result<Self, ArdError> {
        match given.map(Value::as_str) {
            None | Some(Some("auto")) => Ok(Self::Auto),
            Some(Some("referrals")) => Ok(Self::Referrals),
            Some(Some("none")) => Ok(Self::None),
            Some(_) => Err(ArdError::invalid("The federation is auto, referrals or none.")),
        }
    }
}

/// Returns results from remote hubs: replicated agents, and answers of a live search.
async fn elsewhere(
    site: &AppState,
    caller: &Caller,
    query: &Query,
    page: Page,
    own: usize,
) -> Result<Vec<Value>, ArdError> {
    let size = u16::try_from(page.size).ok().and_then(|rows| PageSize::new(rows).ok());
    let words =
        listings::Query { size: size.unwrap_or(PageSize::DEFAULT), ..listings::Query::text(&query.text) };
    let found = federation::elsewhere(&site.hub, caller, words, own).await?;
    let entries = found.iter().map(|(agent, home)| (entry(&home.url, &home.publisher, agent), agent, home));
    let fitting = entries.filter(|(entry, ..)| query.filter.matches(entry));
    Ok(fitting.map(|(entry, agent, home)| result(entry, agent.score, &base(&home.url))).collect())
}

async fn referrals(site: &AppState, query: &Query) -> Result<Value, ArdError> {
    let hubs = federation::referrals(&site.hub, listings::Query::text(&query.text)).await?;
    let entry = |hub: &RemoteRegistry| of_registry(&hub.name, &hub.url, &hub.publisher);
    Ok(hubs.iter().map(entry).collect())
}

fn result(entry: ArdEntry, score: u8, source: &str) -> Value {
    let mut terms = entry.terms;
    terms["score"] = json!(score);
    terms["source"] = json!(source);
    terms
}
