//! Liveness and readiness checks for supervisors and load balancers.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use plexus_hub::listings;

use crate::app_state::AppState;

/// Handles `GET /healthz`: the process responds.
pub async fn live() -> &'static str {
    "ok\n"
}

/// Handles `GET /readyz`: the store responds, the search index is complete, every worker runs, and the hub is
/// not shutting down.
///
/// A hub already serves requests while it builds its index. A load balancer that has another instance should
/// wait for readiness.
pub async fn ready(State(site): State<AppState>) -> impl IntoResponse {
    let not_ready = |reason: String| (StatusCode::SERVICE_UNAVAILABLE, reason);
    if site.stop.is_cancelled() {
        return not_ready("stopping\n".to_owned());
    }
    if let Err(error) = site.hub.check_store().await {
        tracing::warn!(%error, "health check: store unavailable");
        return not_ready("store unavailable\n".to_owned());
    }
    if !listings::is_index_ready(&site.hub) {
        return not_ready("the search index is being built\n".to_owned());
    }
    // This endpoint is public: the cause is only logged.
    let down: Vec<&str> = site.hub.workers_down().into_iter().map(|(worker, _)| worker).collect();
    if !down.is_empty() {
        return not_ready(format!("waiting to restart: {}\n", down.join(", ")));
    }
    (StatusCode::OK, "ready\n".to_owned())
}
