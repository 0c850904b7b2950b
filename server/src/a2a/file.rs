//! Downloads of the files in a task, for callers of the agent.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_domain::Error as Refusal;
use plexus_hub::calls::{self, SignedLinkParams};
use serde::Deserialize;

use super::{auth::IncomingA2aRequest, authorize};
use crate::{
    app_state::AppState,
    web::{download, error::ApiResult},
};

/// Parameters of a signed link. It lets a remote user open a file without further authentication.
#[derive(Deserialize)]
pub struct SignedLinkQuery {
    until: Option<i64>,
    key: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    Path((owner, name, task, sha256)): Path<(String, String, String, String)>,
    Query(link): Query<SignedLinkQuery>,
    brought: IncomingA2aRequest,
) -> ApiResult<Response> {
    let caller = brought.caller?;
    if let (Some(until), Some(key)) = (link.until, link.key) {
        let (task, pass) = (task.parse().map_err(|_| gone())?, SignedLinkParams { until, key });
        let file = calls::file_by_link(&site.hub, caller.ip, task, &sha256, &pass).await?;
        return Ok(download::respond(file));
    }
    let authorized = authorize(&site, &caller, &owner, &name).await?;
    let task = task.parse().map_err(|_| gone())?;
    Ok(download::respond(calls::file(&site.hub, &authorized, task, &sha256).await?))
}

fn gone() -> Refusal {
    Refusal::not_found("Task not found.")
}
