//! Agents that are suggested for a new chat.

use axum::{Json, extract::State};
use plexus_domain::Address;
use plexus_hub::{
    Caller, Error, Hub,
    chats::{self, ChatRecipient},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Lists agents for a new chat: yours, those that you used or starred, and the hub's own. Each is in one list only.
#[utoipa::path(get, path = "/agents/suggested", operation_id = "agents.suggested", tag = "Agents",
    security(("token" = ["read"])), responses((status = OK, description = "The lists.", body = SuggestedAgents)))]
pub async fn suggested(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<SuggestedAgents>> {
    Ok(Json(lists(&site.hub, &caller).await?))
}

pub async fn lists(hub: &Hub, caller: &Caller) -> Result<SuggestedAgents, Error> {
    let found = chats::suggested(hub, caller).await?;
    let items = |agents: Vec<ChatRecipient>| agents.into_iter().map(SuggestedAgent::from).collect();
    Ok(SuggestedAgents {
        own: items(found.own),
        recent: items(found.recent),
        starred: items(found.starred),
        hub: items(found.builtin),
    })
}

#[derive(Serialize, ToSchema)]
pub struct SuggestedAgents {
    /// Newest first.
    own: Vec<SuggestedAgent>,
    /// Latest use first.
    recent: Vec<SuggestedAgent>,
    /// Newest star first.
    starred: Vec<SuggestedAgent>,
    /// Agents of the hub itself.
    hub: Vec<SuggestedAgent>,
}

#[derive(Serialize, ToSchema)]
struct SuggestedAgent {
    address: Address,
    title: String,
    summary: String,
}

impl From<ChatRecipient> for SuggestedAgent {
    fn from(agent: ChatRecipient) -> Self {
        Self { address: agent.address, title: agent.name, summary: agent.summary }
    }
}
