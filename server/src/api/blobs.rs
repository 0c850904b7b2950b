//! Downloads of files that users and agents sent.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_hub::blobs;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, download, error::ApiResult},
};

/// Returns the bytes of a `file` part, once its message is finished.
#[utoipa::path(get, path = "/blobs/{sha256}", operation_id = "files.get", tag = "Chats",
    params(("sha256" = String, Path, description = "SHA-256 digest in hexadecimal \
        digits.")), security(("token" = ["read"])),
    responses((status = OK, description = "The content, with the media type that the agent \
        declared.", content_type = "*/*")))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(sha256): Path<String>,
) -> ApiResult<Response> {
    Ok(download::respond(blobs::download(&site.hub, &caller, &sha256).await?))
}
