//! A single agent: read, update, delete, refresh, and origin verification.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{
    Address, Error as Refusal,
    agent::{AgentAccess, Visibility},
};
use plexus_hub::{
    Error, Hub,
    agents::{
        self, AgentState, AgentView,
        manage::{self, CardRefresh},
        origin_verification::{OriginVerification, VerificationStatus},
    },
    caller::{Caller, Scope},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// The address of an agent in the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct AgentPath {
    /// The namespace, with or without `@`.
    pub(super) owner: String,
    /// The agent's name. For an agent of a remote hub, append `@` and the hub.
    pub(super) name: String,
}

impl AgentPath {
    pub fn address(&self) -> Result<Address, Refusal> {
        let owner = self.owner.strip_prefix('@').unwrap_or(&self.owner);
        format!("@{owner}/{}", self.name).parse().map_err(|_| missing())
    }
}

fn missing() -> Refusal {
    Refusal::not_found("Agent not found.")
}

#[derive(Serialize, ToSchema)]
pub struct Agent {
    address: Address,
    /// Name that the agent's hub gives itself, which is not verified; null for agents of this hub.
    #[schema(required)]
    hub_name: Option<String>,
    /// Listing id by which remote hubs know the agent; null unless it is federated.
    #[schema(required)]
    listing_id: Option<String>,
    title: String,
    summary: String,
    /// `a2a`, `llm`, `http`, `process`, `attached` or `builtin`.
    kind: String,
    /// Protocol by which the agent is called, such as "A2A 1.0".
    protocol: String,
    #[schema(required)]
    version: Option<String>,
    tags: Vec<String>,
    visibility: Visibility,
    access: AgentAccess,
    state: AgentStateJson,
    /// Every origin that the hub calls is verified or trusted.
    verified: bool,
    online: bool,
    /// Number of accounts that starred the agent.
    stars: u64,
    /// Whether you starred the agent.
    starred: bool,
    /// Whether users who may use the agent may copy it.
    allows_copies: bool,
    /// Origins of the agent with the state of their verification. Only for those who may manage it, with a
    /// token of scope `agents`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    origins: Option<Vec<Origin>>,
    /// Only in the answer to a registration: tools of its MCP servers that are left out because models cannot use
    /// them, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) omitted_tools: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = AgentState)]
enum AgentStateJson {
    Active,
    /// The agent accepts no new work.
    Paused,
    /// Hidden by a moderator.
    Hidden,
    Deleted,
}

impl From<AgentState> for AgentStateJson {
    fn from(state: AgentState) -> Self {
        match state {
            AgentState::Active => Self::Active,
            AgentState::Paused => Self::Paused,
            AgentState::Hidden => Self::Hidden,
            AgentState::Deleted => Self::Deleted,
        }
    }
}

/// An origin that the hub calls, and how to verify it: by a file or a TXT record that contains the token.
#[derive(Serialize, ToSchema)]
pub struct Origin {
    origin: String,
    status: VerificationStatus,
    file_url: String,
    token: String,
    /// Name of the TXT record; null if the origin is an IP address.
    #[schema(required)]
    dns_record: Option<String>,
}

impl From<OriginVerification> for Origin {
    fn from(proof: OriginVerification) -> Self {
        let OriginVerification { origin, status, file_url, token, dns_record } = proof;
        Self { origin, status, file_url, token, dns_record }
    }
}

impl From<AgentView> for Agent {
    fn from(view: AgentView) -> Self {
        let version = view.versions.into_iter().find(|version| version.yanked_reason.is_none());
        Self {
            address: view.address,
            hub_name: view.hub_name,
            listing_id: view.agent.listing_id,
            title: view.summary.title,
            summary: view.summary.summary,
            kind: view.summary.kind,
            protocol: view.summary.protocol,
            version: version.map(|version| version.semver),
            tags: view.summary.tags,
            visibility: view.agent.visibility,
            access: view.agent.access,
            state: view.agent.state.into(),
            verified: view.summary.verified,
            online: view.is_online,
            stars: view.stars,
            starred: view.starred.unwrap_or_default(),
            allows_copies: view.allows_copies,
            origins: None,
            omitted_tools: Vec::new(),
        }
    }
}

/// Returns one agent.
#[utoipa::path(get, path = "/agents/{owner}/{name}", operation_id = "agents.get", tag = "Agents", params(AgentPath),
    security(("token" = ["read"])), responses((status = OK, description = "The agent.", body = Agent)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<Agent>> {
    Ok(Json(one(&site.hub, &caller, &at.address()?).await?))
}

/// Returns one agent; callers that may manage it also get its origins.
pub async fn one(hub: &Hub, caller: &Caller, address: &Address) -> Result<Agent, Error> {
    caller.may(Scope::Read)?;
    let view = agents::get(hub, caller, address).await?.ok_or_else(missing)?;
    let can_manage = view.can_manage && caller.may(Scope::Agents).is_ok();
    let mut shown = Agent::from(view);
    if can_manage {
        let managed = manage::managed(hub, caller, address).await?;
        shown.origins = Some(managed.origins.into_iter().map(Origin::from).collect());
    }
    Ok(shown)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentUpdate {
    pub visibility: Option<Visibility>,
    pub access: Option<AgentAccess>,
    pub state: Option<DesiredState>,
    /// Whether users who may use the agent may copy it, with its instructions and knowledge files. Only for an agent with
    /// instructions.
    pub allows_copies: Option<bool>,
}

/// The desired state: whether the agent accepts new work.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DesiredState {
    Active,
    Paused,
}

/// Updates an agent; omitted fields stay unchanged.
#[utoipa::path(patch, path = "/agents/{owner}/{name}", operation_id = "agents.update", tag = "Agents", params(AgentPath),
    request_body = AgentUpdate, security(("token" = ["read", "agents"])),
    responses((status = OK, description = "The updated agent.", body = Agent)))]
pub async fn update(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<AgentUpdate>,
) -> ApiResult<Json<Agent>> {
    Ok(Json(apply(&site.hub, &caller, &at.address()?, body).await?))
}

pub async fn apply(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    change: AgentUpdate,
) -> Result<Agent, Error> {
    // The response shows the agent.
    caller.may(Scope::Read)?;
    if change.visibility.is_some() || change.access.is_some() {
        manage::set_visibility_and_access(hub, caller, address, change.visibility, change.access).await?;
    }
    if let Some(state) = change.state {
        manage::set_paused(hub, caller, address, state == DesiredState::Paused).await?;
    }
    if let Some(allowed) = change.allows_copies {
        agents::set_allows_copies(hub, caller, address, allowed).await?;
    }
    one(hub, caller, address).await
}

/// Deletes an agent permanently.
#[utoipa::path(delete, path = "/agents/{owner}/{name}", operation_id = "agents.delete", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "Deleted.")))]
pub async fn delete(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<StatusCode> {
    manage::delete(&site.hub, &caller, &at.address()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Fetches the agent's card again.
#[utoipa::path(post, path = "/agents/{owner}/{name}/refresh", operation_id = "agents.refresh", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = OK, description = "The result of the card \
        refresh.", body = RefreshResult)))]
pub async fn refresh(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<RefreshResult>> {
    Ok(Json(renew(&site.hub, &caller, &at.address()?).await?))
}

#[derive(Serialize, ToSchema)]
pub struct RefreshResult {
    /// Whether the card has changed, which made a new version.
    changed: bool,
}

pub async fn renew(hub: &Hub, caller: &Caller, address: &Address) -> Result<RefreshResult, Error> {
    let refreshed = manage::refresh(hub, caller, address).await?;
    Ok(RefreshResult { changed: refreshed == CardRefresh::NewVersion })
}

/// Verifies each origin of an agent.
#[utoipa::path(post, path = "/agents/{owner}/{name}/verify", operation_id = "agents.verify", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = OK, description = "The origins and their \
        verification status.", body = Origins)))]
pub async fn verify(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<Origins>> {
    Ok(Json(prove(&site.hub, &caller, &at.address()?).await?))
}

#[derive(Serialize, ToSchema)]
pub struct Origins {
    origins: Vec<Origin>,
}

pub async fn prove(hub: &Hub, caller: &Caller, address: &Address) -> Result<Origins, Error> {
    let found = manage::verify_origins(hub, caller, address).await?;
    Ok(Origins { origins: found.into_iter().map(Origin::from).collect() })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustOrigin {
    origin: String,
}

/// Marks an origin of an agent as trusted, without verification. Administrators only.
#[utoipa::path(post, path = "/agents/{owner}/{name}/trust-origin", operation_id = "agents.trust_origin", tag = "Agents",
    params(AgentPath), request_body = TrustOrigin, security(("token" = ["admin"])),
    responses((status = NO_CONTENT, description = "The origin is trusted.")))]
pub async fn trust_origin(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<TrustOrigin>,
) -> ApiResult<StatusCode> {
    manage::trust_origin(&site.hub, &caller, &at.address()?, &body.origin).await?;
    Ok(StatusCode::NO_CONTENT)
}
