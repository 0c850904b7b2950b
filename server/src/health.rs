//! Whether the hub lives, and whether it can serve: for supervisors and load balancers.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use plexus_hub::listings;

use crate::state::Site;

/// `GET /healthz`: the process answers.
pub async fn live() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the store answers, searches find everything, every worker runs, and the hub is not about to end.
///
/// A hub that builds its index serves already; whoever has another hub to send people to should wait for it.
pub async fn ready(State(site): State<Site>) -> impl IntoResponse {
    let not_ready = |reason: String| (StatusCode::SERVICE_UNAVAILABLE, reason);
    if site.stop.is_cancelled() {
        return not_ready("stopping\n".to_owned());
    }
    if let Err(error) = site.hub.check_store().await {
        tracing::warn!(%error, "the store does not answer");
        return not_ready("the store does not answer\n".to_owned());
    }
    if !listings::is_whole(&site.hub) {
        return not_ready("the search index is being built\n".to_owned());
    }
    // The cause is for the log: this answer is public.
    let down: Vec<&str> = site.hub.workers_down().into_iter().map(|(worker, _)| worker).collect();
    if !down.is_empty() {
        return not_ready(format!("waiting to restart: {}\n", down.join(", ")));
    }
    (StatusCode::OK, "ready\n".to_owned())
}
