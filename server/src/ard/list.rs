//! ARD list endpoints: `GET /agents` and `GET /agents/{identifier}` (specification sections 5.3.4 and 5.3.5).

use std::{cmp::Ordering, collections::HashMap};

use axum::{
    extract::{
        Path, Query as Given, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::HeaderMap,
    response::Response,
};
use plexus_hub::{
    Caller,
    listings::{self, AirUrn, Sort},
};
use serde_json::{Value, json};

use super::{
    entry::{ArdEntry, entry, of_this},
    error::{ArdError, unknown},
    filter_expression::Expression,
    page_token::Page,
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        etag::cached,
        json_body::JSON,
    },
};

const SIZE: u64 = 20;

/// Lists the entries in a stable order, page by page.
pub async fn list(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    query: Result<Given<HashMap<String, String>>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, ArdError> {
    let Bearer(caller) = caller.map_err(unknown)?;
    let Given(query) = query.map_err(|_| ArdError::invalid("The query of the address cannot be read."))?;
    let answer = page(&site, &caller, &query).await?;
    Ok(cached(&headers, JSON, answer.to_string().into_bytes()))
}

/// Returns the page for these query parameters.
pub async fn page(
    site: &AppState,
    caller: &Caller,
    asked: &HashMap<String, String>,
) -> Result<Value, ArdError> {
    let text = |name: &str| asked.get(name).map(String::as_str);
    let size = text("pageSize").map_or(Ok(SIZE), str::parse);
    let size = size.map_err(|_| ArdError::invalid("The pageSize is a whole number."))?;
    let page = Page::new(size, text("pageToken"))?;
    let filter = Expression::read(text("filter").unwrap_or_default())?;
    let order = text("orderBy").map_or_else(|| Ok(vec![BY_NAME]), order)?;
    let (entries, total) = listed(site, caller, &filter, &order, page).await?;
    let items: Vec<Value> = entries.into_iter().map(|entry| entry.terms).collect();
    let mut answer = json!({ "items": items, "total": total });
    if let Some(next) = page.next(total) {
        answer["pageToken"] = json!(next);
    }
    Ok(answer)
}

/// Returns the entries of one page and the total number. Without a filter, only the entries of the page are
/// read from the store.
async fn listed(
    site: &AppState,
    caller: &Caller,
    filter: &Expression,
    order: &[SortKey],
    page: Page,
) -> Result<(Vec<ArdEntry>, usize), ArdError> {
    let query = listings::Query { sort: order[0].sort(), ..listings::Query::default() };
    let found = listings::matched(&site.hub, caller, query).await?;
    let publisher = listings::publisher(&site.hub).await?;
    let is_sorted = filter.is_empty() && matches!(order, [only] if only.is_natural());
    let wanted = if is_sorted { page.of(&found) } else { &found };
    let described = listings::described(&site.hub, wanted).await?;
    let mut entries: Vec<ArdEntry> = described
        .iter()
        .map(|agent| entry(&site.hub.config().public_url, &publisher, agent))
        .filter(|entry| filter.matches(entry))
        .collect();
    if is_sorted {
        return Ok((entries, found.len()));
    }
    entries.sort_by(|one, other| {
        let decided = order.iter().map(|key| key.compare(one, other)).find(|order| *order != Ordering::Equal);
        decided.unwrap_or_else(|| term(one, "identifier").cmp(term(other, "identifier")))
    });
    let total = entries.len();
    entries.drain(..page.first.min(total));
    entries.truncate(page.size);
    Ok((entries, total))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SortField {
    Name,
    Updated,
    Created,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SortKey {
    by: SortField,
    descending: bool,
}

const BY_NAME: SortKey = SortKey { by: SortField::Name, descending: false };
const MAX_KEYS: usize = 4;

/// Parses fields and directions, such as `updatedAt DESC, displayName`.
fn order(text: &str) -> Result<Vec<SortKey>, ArdError> {
    let keys: Option<Vec<SortKey>> = text.split(',').map(key).collect();
    let wrong =
        "The orderBy is a list of displayName, updatedAt and createdAt, each with ASC or DESC if wanted.";
    keys.filter(|keys| keys.len() <= MAX_KEYS).ok_or_else(|| ArdError::invalid(wrong))
}

fn key(text: &str) -> Option<SortKey> {
    let mut words = text.split_whitespace();
    let by = match words.next()? {
        "displayName" | "name" => SortField::Name,
        "updatedAt" | "updated_at" => SortField::Updated,
        "createdAt" | "created_at" => SortField::Created,
        _ => return None,
    };
    let descending = match words.next().map(str::to_ascii_uppercase).as_deref() {
        None | Some("ASC") => false,
        Some("DESC") => true,
        Some(_) => return None,
    };
    words.next().is_none().then_some(SortKey { by, descending })
}

impl SortKey {
    const fn sort(self) -> Sort {
        match self.by {
            SortField::Name => Sort::Name,
            SortField::Updated => Sort::Updated,
            SortField::Created => Sort::New,
        }
    }

    /// Returns whether this is the direction in which the hub's index sorts.
    fn is_natural(self) -> bool {
        self.descending == (self.by != SortField::Name)
    }

    fn compare(self, one: &ArdEntry, other: &ArdEntry) -> Ordering {
        let order = match self.by {
            SortField::Name => {
                term(one, "displayName").to_lowercase().cmp(&term(other, "displayName").to_lowercase())
            }
            SortField::Updated => one.updated.cmp(&other.updated),
            SortField::Created => one.created.cmp(&other.created),
        };
        if self.descending { order.reverse() } else { order }
    }
}

fn term<'a>(entry: &'a ArdEntry, name: &str) -> &'a str {
    entry.terms[name].as_str().unwrap_or_default()
}

/// Returns one entry by its exact identifier.
pub async fn show(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    identifier: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ArdError> {
    caller.map_err(unknown)?;
    let Path(identifier) = identifier.map_err(|_| malformed())?;
    let terms = one(&site, &identifier).await?;
    Ok(cached(&headers, JSON, terms.to_string().into_bytes()))
}

fn malformed() -> ArdError {
    ArdError::invalid("An identifier looks like urn:air:hub.example:owner:name, percent-encoded.")
}

/// Returns the terms of one entry.
pub async fn one(site: &AppState, identifier: &str) -> Result<Value, ArdError> {
    let named: AirUrn = identifier.parse().map_err(|_| malformed())?;
    let missing = || ArdError::Missing("Entry not found.".to_owned());
    let publisher = listings::publisher(&site.hub).await?;
    let terms = match publisher.address(&named) {
        Some(address) => {
            let found = listings::describe(&site.hub, &address).await?.ok_or_else(missing)?;
            entry(&site.hub.config().public_url, &publisher, &found).terms
        }
        None => of_this(site, &publisher),
    };
    if terms["identifier"] != json!(identifier) {
        return Err(missing());
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_lists_of_fields() {
        assert_eq!(order("displayName").unwrap(), [BY_NAME]);
        let newest = SortKey { by: SortField::Created, descending: true };
        assert_eq!(order("created_at DESC, name asc").unwrap(), [newest, BY_NAME]);
        for wrong in [
            "",
            "nothing",
            "displayName up",
            "displayName ASC DESC",
            "name,,name",
            "name,name,name,name,name",
        ] {
            assert!(order(wrong).is_err(), "{wrong}");
        }
    }
}
