//! Whether the hub lives, and whether it can serve: for supervisors and load balancers.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use crate::state::Site;

/// `GET /healthz`: the process answers.
pub async fn live() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the store answers and the hub is not about to end.
pub async fn ready(State(site): State<Site>) -> impl IntoResponse {
    if site.stop.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match site.hub.check_store().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(%error, "the store does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n")
        }
    }
}
