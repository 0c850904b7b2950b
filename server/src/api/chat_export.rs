//! Exports of chats.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_domain::ChatId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::id;
use crate::{
    app_state::AppState,
    chat_export::{self, ExportFormat},
    web::{auth::ApiCaller, error::ApiResult},
};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChatExportQuery {
    /// Default: `json`.
    #[param(inline)]
    format: Option<ExportFormat>,
}

/// Exports a chat with every message of each branch, as JSON or as Markdown.
#[utoipa::path(get, path = "/chats/{chat}/export", operation_id = "chats.export", tag = "Chats",
    params(("chat" = ChatId, Path), ChatExportQuery), security(("token" = ["read"])),
    responses((status = OK, description = "The chat.", content_type = "*/*")))]
pub async fn one(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
    Query(query): Query<ChatExportQuery>,
) -> ApiResult<Response> {
    Ok(chat_export::one(&site, &caller, id(&chat)?, query.format.unwrap_or_default()).await?)
}

/// Exports all of your chats as JSON lines: each line is a chat as the export of one chat returns it.
#[utoipa::path(get, path = "/chats/export", operation_id = "chats.export_all", tag = "Chats",
    security(("token" = ["read"])),
    responses((status = OK, description = "The chats, most recently active first.", content_type = "*/*")))]
pub async fn all(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Response> {
    Ok(chat_export::all(&site, &caller).await?)
}
