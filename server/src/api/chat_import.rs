//! Imports of chats that other services exported.

use axum::{
    Json,
    body::{self, Body},
    extract::State,
    http::HeaderMap,
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    caller::Scope,
    chats::{self, ImportedChats, MAX_IMPORT_BYTES},
    limits::Rate,
    quotas::in_units,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{admission::admit_body, auth::ApiCaller, error::ApiResult, json_body::body_error},
};

/// Result of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatImport)]
pub struct ChatImportJson {
    /// `chatgpt`, `claude`, `deepseek`, `open_webui`, `librechat` or `plexus`.
    format: &'static str,
    /// Number of new chats.
    imported: u64,
    /// Number of chats of an earlier import that got later messages.
    updated: u64,
    /// Number of those messages.
    new_messages: u64,
    /// Number of conversations that are chats of yours already, without anything new.
    already_there: u64,
    /// What was left out, by kind.
    left_out: Vec<LeftOutJson>,
    /// Why the remaining conversations were not imported, such as a full quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = LeftOut)]
struct LeftOutJson {
    /// Such as `images`, `files` or `tool_messages`.
    kind: &'static str,
    count: u64,
    /// In words, such as "3 images".
    description: String,
}

impl From<ImportedChats> for ChatImportJson {
    fn from(result: ImportedChats) -> Self {
        let left_out = result.omissions.iter().map(|(omission, count)| LeftOutJson {
            kind: omission.name(),
            count,
            description: omission.describe(count),
        });
        Self {
            format: result.format.name(),
            imported: result.imported,
            updated: result.updated,
            new_messages: result.new_messages,
            already_there: result.already_there,
            left_out: left_out.collect(),
            problem: result.refusal.map(|refusal| refusal.to_string()),
        }
    }
}

/// Imports chats from ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat, or another hub.
///
/// The body is the exported file, JSON or a ZIP archive. Its format is recognized by its content. Messages that a
/// conversation got since it was imported are added to its chat, and what was imported before is skipped, so the request
/// can be repeated.
#[utoipa::path(post, path = "/chats/import", operation_id = "chats.import", tag = "Chats",
    request_body(content = Vec<u8>, content_type = "application/octet-stream"), security(("token" = ["chat"])),
    responses((status = OK, description = "What was imported, and what was left out.", body = ChatImportJson)))]
pub async fn create(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<ChatImportJson>> {
    // Before the body is read: a caller that may not import sends none.
    caller.may(Scope::Chat)?;
    admit_body(&site, &caller, Rate::Imports, &headers).await?;
    let limit = MAX_IMPORT_BYTES as u64;
    let words = format!("The file is larger than {}. Export fewer chats at once.", in_units(limit));
    let too_large = Refusal::too_large(words, limit);
    let file = body::to_bytes(body, MAX_IMPORT_BYTES).await.map_err(|error| body_error(&error, too_large))?;
    Ok(Json(chats::import(&site.hub, &caller, file).await?.into()))
}
