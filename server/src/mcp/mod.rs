//! MCP servers: the hub at `/mcp` and every agent at `/mcp/{owner}/{name}`.
//!
//! Two kinds of protocol revisions are supported: up to 2025-11-25, which begin with `initialize`, and
//! 2026-07-28, where each request is self-contained. The protocol is implemented by rmcp. Both are served
//! statelessly, so any instance of a hub can serve any request, also after a restart.

mod agent;
mod ask_tool;
mod elicitation;
mod envelope;
mod error;
mod file_resource;
mod hub;
mod input_schema;
mod origin;
mod progress;
mod registry;
mod response_stream;
mod task_extension;
mod tool_result;
mod tools;

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, Request, State},
    http::{Method, StatusCode},
    middleware,
    response::Response,
};
use http_body_util::Full;
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{Caller, calls};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
        session::{SessionManager, local::LocalSessionManager, never::NeverSessionManager},
    },
};

use self::{agent::AgentServer, error::MissingPermission, hub::HubServer};
use crate::{
    app_state::AppState,
    conformance::mcp::Fixtures,
    web::{
        bearer::{Bearer, InvalidToken, lacks_scope},
        error::public_message,
        event_stream::{HEARTBEAT, accepts_event_stream},
        host_check::RequestedOrigin,
        routing::{any, get, post},
    },
};

/// Routes of the MCP registry, which any origin may read.
pub fn registry_routes() -> Router<AppState> {
    Router::new()
        .route("/v0.1/servers", get(registry::list))
        .route("/v0.1/servers/{name}/versions", get(registry::versions))
        .route("/v0.1/servers/{name}/versions/{version}", get(registry::version))
}

pub fn routes(site: &AppState) -> Router<AppState> {
    Router::new()
        .merge(at_mcp(site))
        .route("/mcp/{owner}/{name}", post(of_agent))
        .layer(origin::cors(site.clone()))
        .layer(middleware::from_fn_with_state(site.clone(), origin::check))
}

/// Returns the route of the hub's own server. In conformance mode it serves the suite's fixtures, with
/// sessions, because the suite also tests those.
fn at_mcp(site: &AppState) -> Router<AppState> {
    if site.conformance.is_none() {
        return Router::new().route("/mcp", post(of_hub));
    }
    let fixtures = Fixtures::new(site.hub.env().bytes());
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(
        move || Ok(fixtures.clone()),
        sessions,
        config(site).with_legacy_session_mode(true),
    );
    let answer =
        async move |State(site): State<AppState>, request: Request| answer(&site, &service, request).await;
    Router::new().route("/mcp", any(answer))
}

async fn of_hub(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    origin: RequestedOrigin,
    request: Request,
) -> Response {
    let caller = match caller {
        Ok(Bearer(caller)) => caller,
        Err(InvalidToken(error)) => return outside(&origin, "/mcp", error),
    };
    let lacking = MissingPermission::default();
    let server = HubServer { site: site.clone(), caller, lacking: lacking.clone() };
    let response = serve(&site, server, request).await;
    match lacking.said() {
        Some(refusal) => outside(&origin, "/mcp", refusal),
        None => response,
    }
}

async fn of_agent(
    State(site): State<AppState>,
    Path((owner, name)): Path<(String, String)>,
    caller: Result<Bearer, InvalidToken>,
    origin: RequestedOrigin,
    request: Request,
) -> Response {
    let entered = match caller {
        Ok(Bearer(caller)) => enter(&site, &caller, &owner, &name).await,
        Err(InvalidToken(error)) => Err(error),
    };
    match entered {
        Ok(server) => serve(&site, server, request).await,
        Err(error) => outside(&origin, &format!("/mcp/{owner}/{name}"), error),
    }
}

async fn enter(site: &AppState, caller: &Caller, owner: &str, name: &str) -> plexus_hub::Result<AgentServer> {
    let missing = || Refusal::not_found(format!("Agent @{owner}/{name} not found."));
    let address: Address = format!("@{owner}/{name}").parse().map_err(|_| missing())?;
    let authorized = calls::authorize(&site.hub, caller, &address).await;
    AgentServer::new(site, caller, authorized.map_err(|error| or_sign_in(error, caller, &address))?).await
}

/// Returns the error for a caller. Without an account, a missing agent requires sign-in: only a 401 makes clients
/// sign in, and it must not differ between private agents and names without one.
fn or_sign_in(error: plexus_hub::Error, caller: &Caller, address: &Address) -> plexus_hub::Error {
    match (&error, caller.person()) {
        (plexus_hub::Error::Refused(Refusal::NotFound { .. }), Err(_)) => Refusal::unauthenticated(format!(
            "There is no public agent {address}. Sign in to call a private one."
        ))
        .into(),
        _ => error,
    }
}

/// Returns the response for an error before any message, from authentication or authorisation.
fn outside(origin: &RequestedOrigin, path: &str, error: plexus_hub::Error) -> Response {
    let (status, refusal) = public_message(error);
    let mut words = refusal.to_string();
    if status == StatusCode::UNAUTHORIZED {
        // Not every client supports OAuth, and some show only this message.
        let RequestedOrigin(origin) = origin;
        words.push_str(&format!(
            " A client without OAuth sends a token, created at {origin}/settings/tokens, as \"Authorization: Bearer TOKEN\"."
        ));
    }
    let code = if status.is_server_error() { envelope::INTERNAL } else { envelope::INVALID_REQUEST };
    lacks_scope(origin, path, envelope::error(status, code, &words))
}

/// Reads the request within its limits and passes it to rmcp. The response becomes a stream if it is slow and
/// the client accepts one.
async fn serve(site: &AppState, server: impl ServerHandler + Clone, request: Request) -> Response {
    let is_stream_accepted = accepts_event_stream(request.headers());
    let request = match read(site, request).await {
        Ok(request) => request,
        Err(refused) => return refused,
    };
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config(site));
    let response = async move { service.handle(request).await.map(Body::new) };
    if is_stream_accepted { response_stream::respond(response).await } else { response.await }
}

async fn answer<S: ServerHandler, M: SessionManager>(
    site: &AppState,
    service: &StreamableHttpService<S, M>,
    request: Request,
) -> Response {
    match read(site, request).await {
        Ok(request) => service.handle(request).await.map(Body::new),
        Err(refused) => refused,
    }
}

/// Reads the body of a request within its limits.
async fn read(site: &AppState, request: Request) -> Result<axum::http::Request<Full<Bytes>>, Response> {
    let (parts, body) = request.into_parts();
    let body = if parts.method == Method::POST { envelope::read(site, body).await? } else { Bytes::new() };
    Ok(axum::http::Request::from_parts(parts, Full::new(body)))
}

/// Returns the configuration of rmcp. Host and origin have been checked by then. A result without preceding
/// progress is plain JSON.
fn config(site: &AppState) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(Some(HEARTBEAT))
        .with_sse_retry(None)
        .with_max_request_body_bytes(envelope::limits(site).bytes)
        .with_cancellation_token(site.stop.clone())
}
