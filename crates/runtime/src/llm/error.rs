//! Converts error responses of a model server to failures.

use plexus_domain::run::Failure;

use crate::outbound::{
    ErrorHints, HttpResponse, WaitTimer, by_status, error_message, quote_foreign_text, retry_after,
};

/// Builds the failure from the HTTP status and the error text of the server.
pub(super) async fn read(reply: HttpResponse, model: &str, pace: &mut WaitTimer<'_>) -> Failure {
    let missing =
        format!("has no model “{}”, or no chat completions at this address.", quote_foreign_text(model));
    let hints = ErrorHints {
        credentials: "did not accept the hub's key. Its owner can enter a new one.",
        missing: Some(&missing),
        moved: "Enter the address that it redirects to.",
    };
    let (class, what) = by_status(reply.status(), retry_after(&reply), &hints);
    let server = format!("The model server {}", reply.peer());
    Failure::new(class, format!("{server} {what}{}", error_message(&reply.beginning(pace).await)))
}
