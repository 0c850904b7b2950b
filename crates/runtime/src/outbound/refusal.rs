//! Why somebody did not answer, in words that say what to do.

use http::StatusCode;
use plexus_domain::run::FailureClass;
use serde_json::Value;

use super::quote;

/// The ends of sentences about whoever was called, for what only the caller knows.
pub(crate) struct Hints<'a> {
    /// Whoever it is wants other credentials.
    pub credentials: &'a str,
    /// There is nothing at the address; none where that is no more than a refusal.
    pub missing: Option<&'a str>,
    /// What to do where it redirects.
    pub moved: &'a str,
}

/// The class of a refusal, and the end of a sentence about whoever refused.
pub(crate) fn by_status(status: StatusCode, wait: Option<u32>, hints: &Hints<'_>) -> (FailureClass, String) {
    let refused = |words: String| (FailureClass::Refused, words);
    match (status, hints.missing) {
        (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => refused(hints.credentials.to_owned()),
        (StatusCode::NOT_FOUND, Some(missing)) => refused(missing.to_owned()),
        (StatusCode::TOO_MANY_REQUESTS, _) => refused(busy(wait)),
        _ if status.is_server_error() => {
            (FailureClass::Unreachable, format!("failed ({status}). Try again later."))
        }
        _ if status.is_redirection() => refused(format!("redirects ({status}). {}", hints.moved)),
        _ => refused(format!("refused the request ({status}).")),
    }
}

fn busy(wait: Option<u32>) -> String {
    match wait {
        Some(seconds) => format!("is busy and asks to wait {seconds} s."),
        None => "is busy. Try again in a moment.".to_owned(),
    }
}

/// What the body of an error adds to a sentence about it; often nothing.
pub(crate) fn said(body: &[u8]) -> String {
    words(body).map(|words| format!(" It says: {words}")).unwrap_or_default()
}

/// The words of an error body, in the shapes that servers use: `{"error": {"message"}}`, `{"error": "…"}`,
/// `{"message"}`, `{"detail"}`.
pub(crate) fn words(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places
        .into_iter()
        .find_map(|place| body.pointer(place)?.as_str().map(quote))
        .filter(|words| !words.is_empty())
}
