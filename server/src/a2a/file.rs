//! The files that a task shows, for callers of the agent.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_domain::Error as Refusal;
use plexus_hub::calls;

use super::enter;
use crate::{
    state::Site,
    web::{bearer::Bearer, download, error::ApiResult},
};

pub async fn show(
    State(site): State<Site>,
    Path((owner, name, task, sha256)): Path<(String, String, String, String)>,
    Bearer(caller): Bearer,
) -> ApiResult<Response> {
    let door = enter(&site, &caller, &owner, &name).await?;
    let gone = || Refusal::not_found("There is no such task, or it is not yours.");
    let task = task.parse().map_err(|_| gone())?;
    Ok(download::respond(calls::file(&site.hub, &door, task, &sha256).await?))
}
