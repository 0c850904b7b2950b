//! Lists of agents: the caller's own, and what a search finds.

use std::borrow::Cow;

use axum::{
    Json,
    extract::{RawQuery, State},
};
use plexus_app::model::query::{AgentsQuery, Facet};
use plexus_domain::{AgentId, Error as Refusal, page::PageSize};
use plexus_hub::{
    Error, Hub, agents,
    caller::Caller,
    listings::{self, FacetCount, Facets, Found, Query, Row, Start},
};
use serde_json::{Value, json};

use crate::{
    pages::agents::wanted,
    state::Site,
    web::{caller::Called, error::ApiResult, place},
};

/// `GET /agents`: the caller's own, newest first; with words or filters, what everybody may find.
pub async fn list(
    State(site): State<Site>,
    Called(caller): Called,
    RawQuery(raw): RawQuery,
) -> ApiResult<Json<Value>> {
    let asked = Asked::read(url::form_urlencoded::parse(raw.unwrap_or_default().as_bytes()))?;
    Ok(Json(match &asked.search {
        Some(search) => find(&site, search, &asked).await?,
        None => own(&site.hub, &caller, asked.after.as_deref(), asked.size).await?,
    }))
}

/// What everybody may find, by the pairs of a query string.
pub async fn search<'a>(
    site: &Site,
    pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<Value, Error> {
    let asked = Asked::read(pairs)?;
    find(site, &asked.search.clone().unwrap_or_default(), &asked).await
}

/// What the query string of a list asks for.
struct Asked {
    search: Option<AgentsQuery>,
    facets: bool,
    after: Option<String>,
    size: PageSize,
}

impl Asked {
    fn read<'a>(pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Result<Self, Refusal> {
        let mut asked = Self { search: None, facets: false, after: None, size: PageSize::DEFAULT };
        let mut search = Vec::new();
        for (name, value) in pairs {
            match name.as_ref() {
                "after" => asked.after = Some(value.into_owned()),
                "limit" => asked.size = size(&value)?,
                "facets" => asked.facets = value == "true",
                "q" | "sort" => search.push((name, value)),
                _ if Facet::parse(&name).is_some() => search.push((name, value)),
                _ => return Err(Refusal::invalid(name, "A list of agents has no such parameter.")),
            }
        }
        asked.search = (!search.is_empty() || asked.facets).then(|| AgentsQuery::from_pairs(search));
        Ok(asked)
    }
}

fn size(limit: &str) -> Result<PageSize, Refusal> {
    let size = limit.parse().ok().and_then(|rows| PageSize::new(rows).ok());
    size.ok_or_else(|| Refusal::invalid("limit", "A page has 1 to 100 rows."))
}

/// A page of the caller's own agents; `after` is the last one of the page before.
pub async fn own(hub: &Hub, caller: &Caller, after: Option<&str>, size: PageSize) -> Result<Value, Error> {
    let after = after.map(|text| text.parse().map_err(|_| place::not_a_cursor())).transpose()?;
    let (rows, next): (Vec<Row>, Option<AgentId>) = agents::own(hub, caller, after, size).await?;
    Ok(json!({ "items": rows.iter().map(item).collect::<Vec<_>>(), "next": next }))
}

async fn find(site: &Site, search: &AgentsQuery, asked: &Asked) -> Result<Value, Error> {
    let start = asked.after.as_deref().map(place::read).transpose()?.map_or(Start::Page(0), Start::After);
    let query = Query { start, size: asked.size, count_facets: asked.facets, ..wanted(site, search) };
    let found = listings::search(&site.hub, query).await?;
    Ok(found_json(&found))
}

/// What a search found, as programs read it.
pub fn found_json(found: &Found) -> Value {
    let mut answer = json!({ "items": found.rows.iter().map(item).collect::<Vec<_>>(),
                             "next": found.last.map(place::token), "total": found.total, "whole": found.whole,
                             "did_you_mean": found.did_you_mean });
    if let Some(facets) = &found.facets {
        answer["facets"] = counts(facets);
    }
    answer
}

fn item(row: &Row) -> Value {
    json!({ "address": row.address, "title": row.title, "summary": row.summary, "kind": row.kind,
            "protocol": row.protocol, "tags": row.tags, "verified": row.verified, "online": row.online })
}

fn counts(facets: &Facets) -> Value {
    let count = |counts: &[FacetCount]| -> Value {
        counts.iter().map(|counted| json!({ "value": counted.value, "count": counted.count })).collect()
    };
    json!({ "tag": count(&facets.tags), "protocol": count(&facets.protocols), "kind": count(&facets.kinds),
            "owner": count(&facets.owners) })
}
