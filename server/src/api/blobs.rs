//! Files that agents sent, for programs.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_hub::blobs;

use crate::{
    state::Site,
    web::{caller::Called, download, error::ApiResult},
};

/// `GET /blobs/{sha}`: the bytes.
pub async fn show(
    State(site): State<Site>,
    Called(caller): Called,
    Path(sha256): Path<String>,
) -> ApiResult<Response> {
    Ok(download::respond(blobs::download(&site.hub, &caller, &sha256).await?))
}
