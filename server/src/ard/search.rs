//! `POST /search` (specification section 5.3.2).

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
};
use plexus_hub::Caller;
use serde_json::{Map, Value, json};

use super::{
    entry::{Entry, base},
    failure::{Failure, unknown},
    page::Page,
    query::{Query, only, read},
};
use crate::{
    state::Site,
    web::bearer::{Bearer, Unknown},
};

const SIZE: u64 = 10;

pub async fn answer(
    State(site): State<Site>,
    caller: Result<Bearer, Unknown>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, Failure> {
    let Bearer(caller) = caller.map_err(unknown)?;
    Ok(Json(run(&site, &caller, &read(body)?).await?))
}

/// What is found for the members of a request.
pub async fn run(site: &Site, caller: &Caller, asked: &Map<String, Value>) -> Result<Value, Failure> {
    only(asked, &["query", "federation", "pageSize", "pageToken"])?;
    let query = asked.get("query").ok_or_else(|| Failure::invalid("Send a query with a text."))?;
    let query = Query::read(Some(query))?;
    if query.text.is_empty() {
        return Err(Failure::invalid("Say in query.text what is looked for."));
    }
    let refers = refers(asked.get("federation"))?;
    let size = asked.get("pageSize").map_or(Some(SIZE), Value::as_u64);
    let size = size.ok_or_else(|| Failure::invalid("The pageSize is a whole number."))?;
    let token = match asked.get("pageToken") {
        None => None,
        Some(Value::String(token)) => Some(token.as_str()),
        Some(_) => return Err(Failure::invalid("The pageToken is a text.")),
    };
    let page = Page::new(size, token)?;
    let (entries, total) = found(site, caller, &query, page).await?;
    let results: Vec<Value> = entries.into_iter().map(|(entry, score)| result(site, entry, score)).collect();
    let mut answer = json!({ "results": results });
    if refers {
        answer["referrals"] = json!([]);
    }
    if let Some(next) = page.next(total) {
        answer["pageToken"] = json!(next);
    }
    Ok(answer)
}

/// The entries of one page, and how many there are. Without a filter only those of the page are read.
async fn found(
    site: &Site,
    caller: &Caller,
    query: &Query,
    page: Page,
) -> Result<(Vec<(Entry, u8)>, usize), Failure> {
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

/// Whether the answer names other registries; there are none to name yet.
fn refers(federation: Option<&Value>) -> Result<bool, Failure> {
    match federation.map(Value::as_str) {
        None | Some(Some("auto" | "referrals")) => Ok(true),
        Some(Some("none")) => Ok(false),
        Some(_) => Err(Failure::invalid("The federation is auto, referrals or none.")),
    }
}

fn result(site: &Site, entry: Entry, score: u8) -> Value {
    let mut terms = entry.terms;
    terms["score"] = json!(score);
    terms["source"] = json!(base(site));
    terms
}
