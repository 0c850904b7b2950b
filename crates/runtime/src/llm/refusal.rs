//! Converts error responses of a model server to failures.

use plexus_domain::run::Failure;

use crate::outbound::{Hints, Pace, Reply, by_status, quote, retry_after, said};

/// Builds the failure from the HTTP status and the error text of the server.
pub(super) async fn read(reply: Reply, model: &str, pace: &mut Pace<'_>) -> Failure {
    let missing = format!("has no model “{}”, or no chat completions at this address.", quote(model));
    let hints = Hints {
        credentials: "did not accept the hub's key. Its owner can enter a new one.",
        missing: Some(&missing),
        moved: "Enter the address that it redirects to.",
    };
    let (class, what) = by_status(reply.status(), retry_after(&reply), &hints);
    let server = format!("The model server {}", reply.peer());
    Failure::new(class, format!("{server} {what}{}", said(&reply.beginning(pace).await)))
}
