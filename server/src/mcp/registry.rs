//! MCP sub-registry: the read-only part of the registry API (OpenAPI of 2025-12-01), so that registry clients
//! find the agents. Each publicly listed agent is a server, and so is the hub.

use std::{collections::HashMap, net::IpAddr};

use axum::{
    Json,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use plexus_domain::{
    Address, Error as Refusal, Name, Timestamp, agent::AgentAccess, page::PageSize, sanitized_text,
};
use plexus_hub::{
    Caller,
    agents::{self, AgentView, Version},
    directory::{self, CatalogEntry, CatalogPage},
    limits::Rate,
    listings::{self, PageStart},
};
use serde_json::{Value, json};

use crate::{
    app_state::AppState,
    web::{
        auth::ClientIp,
        error::{public_message, retry_after},
        search_cursor,
    },
};

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
const PAGE: u16 = 30;
/// Name of the hub itself. It cannot collide with an agent: their names have a dot.
const HUB: &str = "hub";
/// Maximum length of a title and of a description, in characters.
const TEXT_MAX: usize = 100;

/// Error response `{"error": "…"}`, the format of the registry API.
pub struct Error(plexus_hub::Error);

impl<E: Into<plexus_hub::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, refusal) = public_message(self.0);
        let status =
            if status == StatusCode::UNPROCESSABLE_ENTITY { StatusCode::BAD_REQUEST } else { status };
        let mut response = (status, Json(json!({ "error": refusal.to_string() }))).into_response();
        if let Some(seconds) = retry_after(&refusal) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

type Answer = Result<Json<Value>, Error>;

/// Handles `GET /v0.1/servers`: lists the latest version of each agent, with the hub last.
pub async fn list(
    State(site): State<AppState>,
    ClientIp(ip): ClientIp,
    Query(query): Query<HashMap<String, String>>,
) -> Answer {
    let caller = admit(&site, ip)?;
    let asked = RegistryQuery::read(&query)?;
    let mut servers = Vec::new();
    let mut next = None;
    if let Some(start) = asked.start {
        let query = listings::Query { start, size: asked.size, ..listings::Query::text(&asked.search) };
        let CatalogPage { entries, last } = directory::entries(&site.hub, query).await?;
        servers.extend(
            entries
                .iter()
                .filter(|entry| asked.wants(entry.version.created_at))
                .map(|entry| of_entry(&site, entry)),
        );
        next = last.map(search_cursor::token);
    }
    if next.is_none() && asked.search.is_empty() {
        if servers.len() < usize::from(asked.size.rows()) {
            servers.extend(
                of_hub(&site, &caller)
                    .await?
                    .filter(|(since, _)| asked.wants(*since))
                    .map(|(_, server)| server),
            );
        } else {
            next = Some(HUB.to_owned());
        }
    }
    let count = servers.len();
    Ok(Json(json!({ "servers": servers, "metadata": { "nextCursor": next, "count": count } })))
}

/// Handles `GET /v0.1/servers/{name}/versions`: lists all versions of an agent, newest first.
pub async fn versions(
    State(site): State<AppState>,
    ClientIp(ip): ClientIp,
    Path(name): Path<String>,
) -> Answer {
    let servers = every_version(&site, &admit(&site, ip)?, &name).await?;
    let count = servers.len();
    Ok(Json(json!({ "servers": servers, "metadata": { "count": count } })))
}

/// Handles `GET /v0.1/servers/{name}/versions/{version}`: returns that version, or the one marked `latest`.
pub async fn version(
    State(site): State<AppState>,
    ClientIp(ip): ClientIp,
    Path((name, version)): Path<(String, String)>,
) -> Answer {
    let is_wanted = |server: &Value| {
        if version == "latest" {
            server["_meta"][OFFICIAL]["isLatest"] == json!(true)
        } else {
            server["server"]["version"] == json!(version)
        }
    };
    let found = every_version(&site, &admit(&site, ip)?, &name).await?.into_iter().find(is_wanted);
    Ok(Json(found.ok_or_else(missing)?))
}

/// Parsed query of a list.
struct RegistryQuery {
    /// Position among the agents; `None` is the position after all agents, where the hub is listed.
    start: Option<PageStart>,
    size: PageSize,
    search: String,
    since: Option<Timestamp>,
}

impl RegistryQuery {
    fn read(query: &HashMap<String, String>) -> Result<Self, Refusal> {
        let text = |name: &str| query.get(name).map(String::as_str).filter(|text| !text.is_empty());
        let start = match text("cursor") {
            None => Some(PageStart::Page(0)),
            Some(HUB) => None,
            Some(cursor) => Some(PageStart::After(search_cursor::read(cursor)?)),
        };
        let rows = text("limit").map_or(Ok(PAGE), |limit| limit.parse());
        let size = rows.ok().and_then(|rows| PageSize::new(rows).ok());
        let since = text("updated_since").map(Timestamp::from_rfc3339);
        if since == Some(None) {
            return Err(Refusal::invalid("updated_since", "A time is written as 2026-11-20T10:00:00Z."));
        }
        Ok(Self {
            start,
            size: size.ok_or_else(|| Refusal::invalid("limit", "A page has 1 to 100 servers."))?,
            search: text("search").unwrap_or_default().to_owned(),
            since: since.flatten(),
        })
    }

    fn wants(&self, updated: Timestamp) -> bool {
        self.since.is_none_or(|since| updated >= since)
    }
}

async fn every_version(site: &AppState, caller: &Caller, name: &str) -> Result<Vec<Value>, Error> {
    let local =
        name.strip_prefix(&namespace(site)).and_then(|rest| rest.strip_prefix('/')).ok_or_else(missing)?;
    if local == HUB {
        return Ok(of_hub(site, caller).await?.map(|(_, server)| vec![server]).unwrap_or_default());
    }
    let (owner, name) = local.split_once('.').ok_or_else(missing)?;
    let address: Address = format!("@{owner}/{name}").parse().map_err(|_| missing())?;
    let view = agents::get(&site.hub, caller, &address).await?;
    let view = view.filter(|view| view.agent.is_listed()).ok_or_else(missing)?;
    Ok(view.versions.iter().map(|version| of_version(site, &view, version)).collect())
}

fn missing() -> Refusal {
    Refusal::not_found("Server not found.")
}

/// Applies the rate limit and returns an anonymous caller with the client's IP address.
fn admit(site: &AppState, ip: IpAddr) -> Result<Caller, Refusal> {
    let caller = Caller::anonymous(ip);
    site.hub.limits().take(Rate::Catalogs, &caller.key())?;
    Ok(caller)
}

fn of_entry(site: &AppState, CatalogEntry { row, version }: &CatalogEntry) -> Value {
    let shown = RegistryEntry {
        address: &row.address,
        title: &row.title,
        summary: &row.summary,
        is_open: row.is_open,
    };
    registry_entry(&shown.server(site, version), version.created_at, "active", None, true)
}

fn of_version(site: &AppState, view: &AgentView, version: &Version) -> Value {
    let is_open = view.agent.access == AgentAccess::Open;
    let shown = RegistryEntry {
        address: &view.address,
        title: &view.summary.title,
        summary: &view.summary.summary,
        is_open,
    };
    let latest = view.versions.iter().find(|version| version.yanked_reason.is_none());
    let is_latest = latest.is_some_and(|latest| latest.id == version.id);
    let status = if version.yanked_reason.is_some() { "deprecated" } else { "active" };
    registry_entry(
        &shown.server(site, version),
        version.created_at,
        status,
        version.yanked_reason.as_deref(),
        is_latest,
    )
}

/// Returns the hub's entry and its publication time, which is the age of the hub's own namespace.
async fn of_hub(site: &AppState, caller: &Caller) -> plexus_hub::Result<Option<(Timestamp, Value)>> {
    let own: Name = "plexus".parse()?;
    let Some(owner) = agents::get_namespace(&site.hub, caller, &own).await? else { return Ok(None) };
    let config = site.hub.config();
    let server = json!({
        "$schema": SCHEMA, "name": format!("{}/{HUB}", namespace(site)), "title": sanitized_text::ellipsize(&config.hub_name, TEXT_MAX),
        "description": "Find and speak to every agent of this hub.", "version": env!("CARGO_PKG_VERSION"),
        "websiteUrl": config.public_url.as_str(), "remotes": [remote(&format!("{}mcp", config.public_url), true)],
    });
    Ok(Some((owner.since, registry_entry(&server, owner.since, "active", None, true))))
}

fn registry_entry(
    server: &Value,
    at: Timestamp,
    status: &str,
    message: Option<&str>,
    is_latest: bool,
) -> Value {
    let at = at.to_rfc3339();
    let mut official = json!({ "status": status, "statusChangedAt": at, "publishedAt": at, "updatedAt": at, "isLatest": is_latest });
    if let Some(message) = message {
        official["statusMessage"] = json!(message);
    }
    json!({ "server": server, "_meta": { OFFICIAL: official } })
}

/// The fields of an agent that are the same for all versions.
struct RegistryEntry<'a> {
    address: &'a Address,
    title: &'a str,
    summary: &'a str,
    is_open: bool,
}

impl RegistryEntry<'_> {
    fn server(&self, site: &AppState, version: &Version) -> Value {
        let Address { owner, name, .. } = self.address;
        let public = &site.hub.config().public_url;
        let described =
            [self.summary, self.title].into_iter().find(|text| !text.is_empty()).unwrap_or("An agent.");
        json!({
            "$schema": SCHEMA, "name": format!("{}/{owner}.{name}", namespace(site)),
            "title": sanitized_text::ellipsize(self.title, TEXT_MAX), "description": sanitized_text::ellipsize(described, TEXT_MAX),
            "version": version.semver, "websiteUrl": format!("{public}@{owner}/{name}"),
            "remotes": [remote(&format!("{public}mcp/{owner}/{name}"), self.is_open)],
        })
    }
}

fn remote(url: &str, is_open: bool) -> Value {
    let mut remote = json!({ "type": "streamable-http", "url": url });
    if !is_open {
        remote["headers"] = json!([{ "name": "Authorization", "description": "Bearer and a token of this hub.",
                                     "isRequired": true, "isSecret": true }]);
    }
    remote
}

/// Returns the registry namespace: the hub's host name in reverse order, such as `org.example.hub`.
fn namespace(site: &AppState) -> String {
    let host = site.hub.config().public_url.host_str().unwrap_or("localhost");
    let plain: String = host
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' })
        .collect();
    plain.trim_matches('-').rsplit('.').collect::<Vec<_>>().join(".")
}
