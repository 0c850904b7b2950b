//! Liveness and readiness checks for supervisors and load balancers.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use crate::app_state::AppState;

/// Handles `GET /healthz`: the process responds.
pub async fn live() -> &'static str {
    "ok\n"
}

/// Handles `GET /readyz`: the store reads and writes, the disk has room, the search index is complete, every
/// worker runs, and the hub is not shutting down.
///
/// A hub already serves requests while it builds its index. A load balancer that has another instance should
/// wait for readiness.
pub async fn ready(State(site): State<AppState>) -> impl IntoResponse {
    if site.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned());
    }
    match site.hub.check_ready().await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}
