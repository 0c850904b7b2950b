//! Download `/blobs/{sha}`: a file that a user or an agent sent.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_hub::blobs;

use crate::{
    app_state::AppState,
    web::{download, page::PageContext},
};

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(sha256): Path<String>) -> Response {
    match blobs::download(&site.hub, &visit.caller, &sha256).await {
        Ok(file) => download::respond(file),
        Err(error) => visit.refuse(error),
    }
}
