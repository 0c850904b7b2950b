//! The network of hubs, and the rules about it.

use axum::{Json, extract::State, http::StatusCode};
use plexus_hub::federation::{self, Ruled};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

/// This hub and those that it knows.
#[derive(Serialize, ToSchema)]
pub struct Network {
    this: This,
    /// How hubs are treated that no rule names: `open`, `probation` or `allowlist`; null while this hub takes no part.
    mode: Option<String>,
    items: Vec<OtherHub>,
}

/// This hub, as others know it.
#[derive(Serialize, ToSchema)]
struct This {
    /// Its key, as a libp2p PeerId.
    id: String,
    name: String,
    /// Multiaddresses.
    addresses: Vec<String>,
    /// Those that others may carry.
    agents: u64,
}

#[derive(Serialize, ToSchema)]
struct OtherHub {
    /// Its key, as a libp2p PeerId.
    id: String,
    /// What it calls itself.
    name: Option<String>,
    /// Proved.
    domain: Option<String>,
    software: Option<String>,
    /// `fresh`, `stale` (silent for half an hour), `silent` (for two days: its agents are not found) or `blocked`.
    state: String,
    connected: bool,
    /// Those that are found here.
    agents: u64,
    /// When it was last heard, in milliseconds since 1970.
    seen: i64,
}

/// The hubs that this one knows: alive ones first.
#[utoipa::path(get, path = "/hubs", operation_id = "hubs.list", tag = "Network", security(("token" = ["read"])),
    responses((status = OK, description = "The hubs.", body = Network)))]
pub async fn list(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Network>> {
    caller.may(plexus_hub::caller::Scope::Read)?;
    let found = federation::overview(&site.hub).await?;
    let row = |row: federation::HubRow| OtherHub {
        id: row.id,
        name: row.name,
        domain: row.domain,
        software: row.software,
        state: row.standing.as_str().to_owned(),
        connected: row.connected,
        agents: row.agents,
        seen: row.seen.millis(),
    };
    let federation::Itself { id, name, addresses, agents } = found.itself;
    Ok(Json(Network {
        this: This { id, name, addresses, agents },
        mode: found.mode.map(str::to_owned),
        items: found.hubs.into_iter().map(row).collect(),
    }))
}

#[derive(Serialize, ToSchema)]
pub struct Rules {
    items: Vec<Rule>,
}

#[derive(Serialize, ToSchema)]
struct Rule {
    /// A kind and a name: `hub:12D3KooW…`, `domain:example.org`, `agent:pl1…`, `tag:word`.
    subject: String,
    /// `block` or `allow`.
    action: String,
    reason: String,
    author: String,
    /// In milliseconds since 1970.
    since: i64,
}

/// The rules about other hubs, the newest first.
#[utoipa::path(get, path = "/hubs/rules", operation_id = "hubs.rules", tag = "Network", security(("token" = ["admin"])),
    responses((status = OK, description = "The rules.", body = Rules)))]
pub async fn rules(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Rules>> {
    let rule = |row: federation::RuleRow| Rule {
        subject: row.subject,
        action: if row.does == Ruled::Allow { "allow" } else { "block" }.to_owned(),
        reason: row.reason,
        author: row.author,
        since: row.since.millis(),
    };
    let items = federation::list_rules(&site.hub, &caller).await?.into_iter().map(rule).collect();
    Ok(Json(Rules { items }))
}

/// What a rule does.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Does {
    Allow,
    Block,
    /// Takes the rule back.
    Remove,
}

/// A rule to make, or to take back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// A hub by its id or its domain, an agent by its address, or a subject as rules name it.
    subject: String,
    action: Does,
    /// Not needed to take a rule back.
    #[serde(default)]
    reason: String,
}

/// Blocks or allows a hub, an agent or a tag, or takes that back; at once.
#[utoipa::path(post, path = "/hubs/rules", operation_id = "hubs.rule", tag = "Network", request_body = NewRule,
    security(("token" = ["admin"])), responses((status = NO_CONTENT, description = "It holds.")))]
pub async fn rule(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(new): JsonBody<NewRule>,
) -> ApiResult<StatusCode> {
    let does = match new.action {
        Does::Allow => Some(Ruled::Allow),
        Does::Block => Some(Ruled::Block),
        Does::Remove => None,
    };
    match does {
        Some(does) => federation::block(&site.hub, &caller, &new.subject, does, &new.reason, "").await?,
        None => federation::unblock(&site.hub, &caller, &new.subject, "").await?,
    };
    Ok(StatusCode::NO_CONTENT)
}
