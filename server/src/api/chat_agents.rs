//! Agents of a chat, and the limits that its owner sets for them.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    chat::{DailyLimit, DailyLimitUnit},
};
use plexus_hub::{
    Caller, Error, Hub,
    chats::{self, ChatAgent},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// The agents of a chat, in the order in which they joined: the first 100.
#[derive(Serialize, ToSchema)]
pub struct ChatAgents {
    items: Vec<ChatAgentJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ChatAgent)]
pub struct ChatAgentJson {
    address: Address,
    title: String,
    /// Null if the owner of the chat set none.
    #[schema(required)]
    limit: Option<DailyLimitJson>,
    /// Answers that began today (UTC).
    answers_today: u64,
    /// Tokens of the answers that began today, as far as the agent reports them.
    tokens_today: u64,
}

/// How much an agent may answer in a chat in one day (UTC).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DailyLimit)]
pub struct DailyLimitJson {
    pub unit: DailyLimitUnit,
    #[schema(minimum = 1, maximum = 1_000_000_000)]
    pub amount: u64,
}

impl DailyLimitJson {
    pub fn checked(&self) -> Result<DailyLimit, Refusal> {
        DailyLimit::new(self.unit, self.amount)
    }
}

impl From<ChatAgent> for ChatAgentJson {
    fn from(agent: ChatAgent) -> Self {
        let limit = agent.limit.map(|it| DailyLimitJson { unit: it.unit(), amount: it.amount() });
        Self {
            address: agent.address,
            title: agent.name,
            limit,
            answers_today: agent.answers,
            tokens_today: agent.tokens,
        }
    }
}

/// A chat, and the address of an agent.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ChatAgentPath {
    #[param(value_type = ChatId)]
    chat: String,
    /// The namespace, with or without `@`.
    owner: String,
    /// The agent's name. For an agent of a remote hub, append `@` and the hub.
    name: String,
}

impl ChatAgentPath {
    fn parse(&self) -> ApiResult<(ChatId, Address)> {
        let owner = self.owner.strip_prefix('@').unwrap_or(&self.owner);
        let address = format!("@{owner}/{}", self.name).parse();
        let address = address.map_err(|_| Refusal::not_found("Agent not found."))?;
        Ok((id(&self.chat)?, address))
    }
}

/// Lists the agents of a chat, with their limits and what they used today.
#[utoipa::path(get, path = "/chats/{chat}/agents", operation_id = "chats.agents", tag = "Rooms",
    params(("chat" = ChatId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "The agents.", body = ChatAgents)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<Json<ChatAgents>> {
    Ok(Json(of(&site.hub, &caller, id(&chat)?).await?))
}

/// Returns the agents of a chat of the caller.
pub async fn of(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<ChatAgents, Error> {
    let agents = chats::list_agents(hub, caller, chat).await?;
    Ok(ChatAgents { items: agents.into_iter().map(Into::into).collect(), next: None })
}

/// Limits how much an agent answers in your chat in one day (UTC).
///
/// A message to the agent is refused once the limit is reached. Answers count when they begin, and tokens when answers
/// end, so that answers in progress may exceed a limit of tokens.
#[utoipa::path(put, path = "/chats/{chat}/agents/{owner}/{name}/limit", operation_id = "chats.set_agent_limit",
    tag = "Rooms", params(ChatAgentPath), request_body = DailyLimitJson, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The limit is set.")))]
pub async fn set_limit(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<ChatAgentPath>,
    JsonBody(body): JsonBody<DailyLimitJson>,
) -> ApiResult<StatusCode> {
    let (chat, agent) = at.parse()?;
    chats::set_agent_limit(&site.hub, &caller, chat, &agent, Some(body.checked()?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the limit of an agent in your chat.
#[utoipa::path(delete, path = "/chats/{chat}/agents/{owner}/{name}/limit", operation_id = "chats.remove_agent_limit",
    tag = "Rooms", params(ChatAgentPath), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The limit is removed.")))]
pub async fn remove_limit(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<ChatAgentPath>,
) -> ApiResult<StatusCode> {
    let (chat, agent) = at.parse()?;
    chats::set_agent_limit(&site.hub, &caller, chat, &agent, None).await?;
    Ok(StatusCode::NO_CONTENT)
}
