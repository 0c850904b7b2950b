//! ARD facet counts: `POST /explore` (specification section 5.3.3).

use std::{cmp::Reverse, collections::HashMap};

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
};
use plexus_hub::Caller;
use serde_json::{Map, Value, json};

use super::{
    context::Path,
    entry::ArdEntry,
    error::{ArdError, unknown},
    filter::values,
    query::{Query, only, read},
};
use crate::{
    app_state::AppState,
    web::bearer::{Bearer, InvalidToken},
};

const MAX_FACETS: usize = 16;
const LIMIT: u64 = 20;
const LARGEST_LIMIT: u64 = 1_000;

struct Facet {
    field: String,
    path: Path,
    limit: usize,
    min_count: u64,
}

pub async fn answer(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, ArdError> {
    let Bearer(caller) = caller.map_err(unknown)?;
    Ok(Json(run(&site, &caller, &read(body)?).await?))
}

/// Returns the facet counts for the members of a request.
pub async fn run(site: &AppState, caller: &Caller, asked: &Map<String, Value>) -> Result<Value, ArdError> {
    only(asked, &["query", "resultType"])?;
    let query = Query::read(asked.get("query"))?;
    let facets = facets(&query, asked.get("resultType"))?;
    let found = query.matched(site, caller).await?;
    let entries = query.entries(site, &found).await?;
    let counted: Map<String, Value> =
        facets.into_iter().map(|facet| (facet.field.clone(), facet.count(&entries))).collect();
    Ok(json!({ "resultType": "facets", "facets": counted }))
}

fn facets(query: &Query, result_type: Option<&Value>) -> Result<Vec<Facet>, ArdError> {
    let wrong =
        || ArdError::invalid("The resultType is {\"facets\": [{\"field\": …}]}, with at most 16 facets.");
    let facets = result_type.and_then(|result| result["facets"].as_array()).ok_or_else(wrong)?;
    if facets.len() > MAX_FACETS {
        return Err(wrong());
    }
    facets.iter().map(|facet| Facet::read(query, facet)).collect()
}

impl Facet {
    fn read(query: &Query, facet: &Value) -> Result<Self, ArdError> {
        let known = ["field", "limit", "minCount"];
        let members =
            facet.as_object().filter(|members| members.keys().all(|name| known.contains(&name.as_str())));
        let field = members.and_then(|members| members.get("field")?.as_str());
        let field = field
            .ok_or_else(|| ArdError::invalid("A facet has a field, and may have limit and minCount."))?;
        let number = |name: &str, default| facet.get(name).map_or(Some(default), Value::as_u64);
        let limit = number("limit", LIMIT).filter(|limit| (1..=LARGEST_LIMIT).contains(limit));
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        Ok(Self {
            path: query.path(field)?,
            field: field.to_owned(),
            limit: limit.ok_or_else(|| ArdError::invalid("The limit of a facet is 1 to 1000."))?,
            min_count: number("minCount", 1)
                .ok_or_else(|| ArdError::invalid("The minCount of a facet is a whole number."))?,
        })
    }

    /// Counts the values of a field, most frequent first.
    fn count(&self, entries: &[(ArdEntry, u8)]) -> Value {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for value in entries.iter().flat_map(|(entry, _)| values(&self.path, entry)) {
            *counts.entry(value).or_default() += 1;
        }
        let mut buckets: Vec<(String, u64)> =
            counts.into_iter().filter(|(_, count)| *count >= self.min_count).collect();
        buckets.sort_unstable_by(|(one, count), (other, more)| {
            (Reverse(count), one).cmp(&(Reverse(more), other))
        });
        let rest: u64 = buckets.iter().skip(self.limit).map(|(_, count)| count).sum();
        buckets.truncate(self.limit);
        let buckets: Vec<Value> =
            buckets.into_iter().map(|(value, count)| json!({ "value": value, "count": count })).collect();
        let mut facet = json!({ "buckets": buckets });
        if rest > 0 {
            facet["otherCount"] = json!(rest);
        }
        facet
    }
}
