//! What a model server says when it does not answer.

use http::StatusCode;
use plexus_domain::run::{Failure, FailureClass};
use serde_json::Value;

use crate::outbound::{Pace, Reply, busy, quote, retry_after};

/// Why the server refused, by its status and its own words.
pub(super) async fn read(reply: Reply, model: &str, pace: &mut Pace<'_>) -> Failure {
    let status = reply.status();
    let server = format!("The model server {}", reply.peer());
    let wait = retry_after(&reply);
    let said =
        words(&reply.beginning(pace).await).map(|words| format!(" It says: {words}")).unwrap_or_default();
    let (class, what) = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            (FailureClass::Refused, "did not accept the hub's key. Its owner can enter a new one.".to_owned())
        }
        StatusCode::NOT_FOUND => (
            FailureClass::Refused,
            format!("has no model “{}”, or no chat completions at this address.", quote(model)),
        ),
        StatusCode::TOO_MANY_REQUESTS => (FailureClass::Refused, busy(wait)),
        status if status.is_server_error() => {
            (FailureClass::Unreachable, format!("failed ({status}). Try again later."))
        }
        status if status.is_redirection() => {
            (FailureClass::Refused, format!("redirects ({status}). Enter the address that it redirects to."))
        }
        status => (FailureClass::Refused, format!("refused the request ({status}).")),
    };
    Failure::new(class, format!("{server} {what}{said}"))
}

/// The words of an error body, in the shapes that servers use: `{"error": {"message"}}`, `{"error": "…"}`,
/// `{"message"}`, `{"detail"}`.
pub(super) fn words(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places
        .into_iter()
        .find_map(|place| body.pointer(place)?.as_str().map(quote))
        .filter(|words| !words.is_empty())
}
