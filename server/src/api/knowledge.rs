//! Files that model agents answer from.

use axum::{
    Json,
    body::{self, Body},
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use plexus_domain::{Address, Error as Refusal, Timestamp};
use plexus_hub::{
    agents::knowledge::{self, FileList, KnowledgeFile, MAX_PDF_BYTES, VectorCoverage},
    limits::Rate,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::agent::AgentPath;
use crate::{
    app_state::AppState,
    web::{admission::admit_body, auth::ApiCaller, error::ApiResult, json_body::body_error},
};

/// Maximum size of a request body in bytes.
pub const MAX_BODY: usize = MAX_PDF_BYTES;

/// The files of an agent, ordered by name.
#[derive(Serialize, ToSchema)]
pub struct AgentFiles {
    items: Vec<AgentFile>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
    /// How many passages of the files have vectors, which find them by meaning. Null if the hub has no embeddings model.
    vectors: Option<PassageVectors>,
}

#[derive(Serialize, ToSchema)]
pub struct PassageVectors {
    /// Passages of all files.
    passages: u64,
    /// Passages that have a vector.
    vectors: u64,
}

#[derive(Serialize, ToSchema)]
pub struct AgentFile {
    name: String,
    /// Size in bytes. For a PDF file, that of its text.
    bytes: u64,
    added_at: Timestamp,
}

impl From<KnowledgeFile> for AgentFile {
    fn from(file: KnowledgeFile) -> Self {
        Self { name: file.name, bytes: file.bytes, added_at: file.added_at }
    }
}

/// Path of a file of an agent.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct AgentFilePath {
    owner: String,
    name: String,
    /// Name of the file, as in `guide.md`.
    file: String,
}

impl AgentFilePath {
    fn address(&self) -> Result<Address, Refusal> {
        AgentPath { owner: self.owner.clone(), name: self.name.clone() }.address()
    }
}

/// Lists the files that your agent answers from.
#[utoipa::path(get, path = "/agents/{owner}/{name}/files", operation_id = "agents.files", tag = "Agents",
    params(AgentPath), security(("token" = ["agents"])),
    responses((status = OK, description = "The files.", body = AgentFiles)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<AgentFiles>> {
    let FileList { files, vectors } = knowledge::list(&site.hub, &caller, &at.address()?).await?;
    let vectors = vectors.map(|VectorCoverage { passages, vectors }| PassageVectors { passages, vectors });
    Ok(Json(AgentFiles { items: files.into_iter().map(Into::into).collect(), next: None, vectors }))
}

/// Adds a file that your agent answers from, or replaces the one with this name.
///
/// The body is the file: UTF-8 text of at most 2 MiB, whose name ends with `.csv`, `.json`, `.log`, `.markdown`, `.md`,
/// `.tsv` or `.txt`, or a PDF file of at most 16 MiB, 2,000 pages and 2 MiB of text, whose name ends with `.pdf`. A PDF
/// file with a password, without text or with a damaged page is refused. The agent must have instructions and a model of this hub. It gets the passages that fit a message,
/// and its answer lists those that it cites.
#[utoipa::path(put, path = "/agents/{owner}/{name}/files/{file}", operation_id = "agents.put_file", tag = "Agents",
    params(AgentFilePath), security(("token" = ["agents"])),
    request_body(content((String = "text/plain"), (Vec<u8> = "application/pdf"))),
    responses((status = OK, description = "The file is used from the next answer on.", body = AgentFile)))]
pub async fn put(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentFilePath>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<AgentFile>> {
    let address = at.address()?;
    // Before the body is read: a caller that may not add files to this agent sends none.
    knowledge::list(&site.hub, &caller, &address).await?;
    admit_body(&site, &caller, Rate::PdfFiles, &headers).await?;
    let body = body::to_bytes(body, MAX_PDF_BYTES).await.map_err(|error| {
        let words = "The file is larger than 16 MiB. Split it.";
        body_error(&error, Refusal::too_large(words, MAX_PDF_BYTES as u64))
    })?;
    let file = knowledge::add(&site.hub, &caller, &address, &at.file, &body).await?;
    Ok(Json(file.into()))
}

/// Removes a file from your agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/files/{file}", operation_id = "agents.remove_file",
    tag = "Agents", params(AgentFilePath), security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "The file is removed.")))]
pub async fn remove(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentFilePath>,
) -> ApiResult<StatusCode> {
    knowledge::remove(&site.hub, &caller, &at.address()?, &at.file).await?;
    Ok(StatusCode::NO_CONTENT)
}
