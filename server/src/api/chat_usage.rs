//! Usage of a chat.

use axum::{
    Json,
    extract::{Path, State},
};
use plexus_domain::ChatId;
use plexus_hub::chats;
use serde::Serialize;
use utoipa::ToSchema;

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Sums over the answers of a chat that have ended, in all branches.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatUsage)]
pub struct ChatUsageJson {
    answers: u64,
    tokens_in: u64,
    tokens_out: u64,
    /// Cost in millionths of the currency unit that the models are priced in.
    cost_micro: u64,
    /// Milliseconds from the request to the end, of the completed answers.
    took_ms: u64,
}

/// Returns tokens, cost and time of a chat: the sums over its answers.
#[utoipa::path(get, path = "/chats/{chat}/usage", operation_id = "chats.usage", tag = "Chats",
    params(("chat" = ChatId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "The sums.", body = ChatUsageJson)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<Json<ChatUsageJson>> {
    let usage = chats::usage(&site.hub, &caller, id(&chat)?).await?;
    Ok(Json(ChatUsageJson {
        answers: usage.runs,
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        cost_micro: usage.cost_micro,
        took_ms: usage.took_ms,
    }))
}
