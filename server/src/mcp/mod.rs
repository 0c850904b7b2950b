//! MCP: the hub at `/mcp`, every agent of it at `/mcp/{owner}/{name}`, in both revisions that are spoken: 2025-11-25 and
//! its forerunners, which begin with `initialize`, and 2026-07-28, where each request says all there is to know.
//!
//! The protocol is rmcp's. Nothing is kept between requests in either revision, so a hub of several processes and a hub
//! that was just started answer alike.

mod agent;
mod ask;
mod envelope;
mod hub;
mod origin;
mod outcome;
mod refusal;
mod registry;
mod tools;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State},
    middleware,
    response::Response,
    routing::{get, post},
};
use http_body_util::Full;
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{Caller, calls};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

use self::{agent::AgentServer, hub::HubServer, refusal::Lacking};
use crate::{
    state::Site,
    web::{
        bearer::{Bearer, Unknown, challenged},
        error::say,
        event_stream::HEARTBEAT,
    },
};

/// What the registry tells may be read from anywhere.
pub fn registry_routes() -> Router<Site> {
    Router::new()
        .route("/v0.1/servers", get(registry::list))
        .route("/v0.1/servers/{name}/versions", get(registry::versions))
        .route("/v0.1/servers/{name}/versions/{version}", get(registry::version))
}

pub fn routes(site: &Site) -> Router<Site> {
    Router::new()
        .route("/mcp", post(of_hub))
        .route("/mcp/{owner}/{name}", post(of_agent))
        .layer(origin::cors(site.clone()))
        .layer(middleware::from_fn_with_state(site.clone(), origin::check))
}

async fn of_hub(State(site): State<Site>, caller: Result<Bearer, Unknown>, request: Request) -> Response {
    let caller = match caller {
        Ok(Bearer(caller)) => caller,
        Err(Unknown(error)) => return outside(error),
    };
    let lacking = Lacking::default();
    let server = HubServer { site: site.clone(), caller, lacking: lacking.clone() };
    let response = serve(&site, server, request).await;
    lacking.said().map_or(response, outside)
}

async fn of_agent(
    State(site): State<Site>,
    Path((owner, name)): Path<(String, String)>,
    caller: Result<Bearer, Unknown>,
    request: Request,
) -> Response {
    let entered = match caller {
        Ok(Bearer(caller)) => enter(&site, &caller, &owner, &name).await,
        Err(Unknown(error)) => Err(error),
    };
    match entered {
        Ok(server) => serve(&site, server, request).await,
        Err(error) => outside(error),
    }
}

async fn enter(site: &Site, caller: &Caller, owner: &str, name: &str) -> plexus_hub::Result<AgentServer> {
    let missing = || Refusal::not_found(format!("There is no agent @{owner}/{name} here."));
    let address: Address = format!("@{owner}/{name}").parse().map_err(|_| missing())?;
    let door = calls::enter(&site.hub, caller, &address).await?;
    AgentServer::new(site, caller, door).await
}

/// A refusal before any message: who calls, or at whose door.
fn outside(error: plexus_hub::Error) -> Response {
    let (status, refusal) = say(error);
    let code = if status.is_server_error() { envelope::INTERNAL } else { envelope::INVALID_REQUEST };
    challenged(status, envelope::error(status, code, &refusal.to_string()))
}

/// Reads the request within its limits and lets rmcp answer it.
async fn serve(site: &Site, server: impl ServerHandler + Clone, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match envelope::read(site, body).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config(site),
    );
    let answer = service.handle(Request::from_parts(parts, Full::new(body))).await;
    answer.map(Body::new)
}

/// The host and the origin of a request were looked at before it came here. An answer without any progress before it is
/// plain JSON.
fn config(site: &Site) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(Some(HEARTBEAT))
        .with_sse_retry(None)
        .with_max_request_body_bytes(envelope::limits(site).bytes)
        .with_cancellation_token(site.stop.clone())
}
