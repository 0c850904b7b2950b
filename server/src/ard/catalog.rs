//! ARD catalog documents: `/.well-known/ard.json`, and `/.well-known/ai-catalog.json`, its former name.

use axum::{
    Json,
    extract::{Query as Given, State, rejection::QueryRejection},
    http::{HeaderMap, Uri},
    response::Response,
};
use plexus_hub::listings::{self, Sort};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    entry::{CATALOG, base, entry, of_this},
    error::{ArdError, unknown},
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        etag::cached,
        json_body::JSON,
    },
};

/// Number of agents per document.
const PAGE: usize = 500;

#[derive(Deserialize)]
pub struct CatalogQuery {
    #[serde(default)]
    page: usize,
}

/// Returns one page of the catalog. The first page also has the registry's entry at its start and the URLs of
/// the other pages at its end.
pub async fn show(
    State(site): State<AppState>,
    uri: Uri,
    caller: Result<Bearer, InvalidToken>,
    query: Result<Given<CatalogQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, ArdError> {
    let Bearer(caller) = caller.map_err(unknown)?;
    let Given(CatalogQuery { page }) =
        query.map_err(|_| ArdError::invalid("The page is a number, counted from 0."))?;
    let config = site.hub.config();
    let publisher = listings::publisher(&site.hub).await?;
    let query = listings::Query { sort: Sort::Name, ..listings::Query::default() };
    let found = listings::matched(&site.hub, &caller, query).await?;
    let shown = found.chunks(PAGE).nth(page).unwrap_or_default();
    let described = listings::described(&site.hub, shown).await?;
    let mut entries: Vec<Value> =
        described.iter().map(|agent| entry(&config.public_url, &publisher, agent).terms).collect();
    if page == 0 {
        entries.insert(0, of_this(&site, &publisher));
        let path = uri.path().trim_start_matches('/');
        entries.extend((1..found.len().div_ceil(PAGE)).map(|page| {
            json!({
                "identifier": publisher.of_hub(&format!("catalog:{page}")), "type": CATALOG,
                "displayName": format!("{}: more agents", config.hub_name),
                "url": format!("{}{path}?page={page}", config.public_url),
            })
        }));
    }
    let host = json!({
        "displayName": config.hub_name, "identifier": publisher.host_id(),
        "documentationUrl": format!("{}docs", config.public_url),
    });
    let catalog = json!({ "specVersion": "1.0", "host": host, "entries": entries });
    let media_type = if uri.path().ends_with("ai-catalog.json") { CATALOG } else { JSON };
    Ok(cached(&headers, media_type, catalog.to_string().into_bytes()))
}

/// Handles `GET /ard/v1`: returns the endpoints of the registry.
pub async fn describe(State(site): State<AppState>) -> Json<Value> {
    let base = base(&site.hub.config().public_url);
    Json(json!({
        "displayName": site.hub.config().hub_name, "specVersion": "0.91",
        "endpoints": { "search": format!("{base}/search"), "explore": format!("{base}/explore"),
                       "agents": format!("{base}/agents") },
    }))
}
