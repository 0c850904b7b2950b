//! Whether the hub lives, and whether it can serve: for supervisors and load balancers.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use plexus_hub::listings;

use crate::state::Site;

/// `GET /healthz`: the process answers.
pub async fn live() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the store answers, searches find everything, and the hub is not about to end.
///
/// A hub that builds its index serves already; whoever has another hub to send people to should wait for it.
pub async fn ready(State(site): State<Site>) -> impl IntoResponse {
    if site.stop.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match site.hub.check_store().await {
        Ok(()) if !listings::is_whole(&site.hub) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the search index is being built\n")
        }
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(%error, "the store does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n")
        }
    }
}
