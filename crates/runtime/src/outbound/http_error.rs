//! Converts HTTP error responses to failures, with advice for the user.

use http::StatusCode;
use plexus_domain::run::FailureClass;

use super::error_text::words;

/// Caller-specific ends of failure texts about a server.
pub(crate) struct ErrorHints<'a> {
    /// For 401 and 403: the server requires other credentials.
    pub credentials: &'a str,
    /// For 404. `None` treats it as any other refusal.
    pub missing: Option<&'a str>,
    /// Advice for redirects.
    pub moved: &'a str,
}

/// Returns the failure class of an error status, and the end of a sentence about the server.
pub(crate) fn by_status(
    status: StatusCode,
    wait: Option<u32>,
    hints: &ErrorHints<'_>,
) -> (FailureClass, String) {
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
        Some(seconds) => format!("is busy. Try again in {seconds} s."),
        None => "is busy. Try again in a moment.".to_owned(),
    }
}

/// Returns the error text of a response body as a sentence, or an empty string.
pub(crate) fn error_message(body: &[u8]) -> String {
    words(body).map(|words| format!(" It says: {words}")).unwrap_or_default()
}
