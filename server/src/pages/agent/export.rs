//! Download `/@{owner}/{agent}/export`: the agent as one file.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_hub::{Error, agents};

use crate::{
    app_state::AppState,
    pages::agent_manage::address,
    web::{download, page::PageContext},
};

pub async fn save(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): Path<(String, String)>,
) -> Response {
    let exported = async {
        let export = agents::export_agent(&site.hub, &visit.caller, &address(&at)?).await?;
        download::agent(&export).map_err(Error::fault)
    };
    match exported.await {
        Ok(response) => response,
        Err(error) => visit.refuse(error),
    }
}
