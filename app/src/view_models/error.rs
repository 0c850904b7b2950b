//! View model of the error page.

use plexus_domain::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPage {
    /// HTTP status: 401, 403, 404, 405, 409, 413, 422, 429, 500 or 503; others are shown as 500.
    pub status: u16,
    /// Message for the user; `None` shows the default for the status.
    pub message: Option<String>,
    pub request_id: String,
    /// Seconds to wait before a retry, with 429 and 503.
    pub retry_after: Option<u64>,
    /// True if a quota is used up, so that waiting does not help.
    pub over_quota: bool,
}

impl ErrorPage {
    pub fn new(status: u16, request_id: impl Into<String>) -> Self {
        Self { status, message: None, request_id: request_id.into(), retry_after: None, over_quota: false }
    }

    /// Creates the page for an error, with its message and waiting time.
    pub fn of(status: u16, error: &Error, request_id: impl Into<String>) -> Self {
        let retry_after = match error {
            Error::RateLimited { retry_after_ms, .. } => Some(retry_after_ms.div_ceil(1000)),
            _ => None,
        };
        let over_quota = matches!(error, Error::OverQuota { .. });
        Self { message: Some(error.to_string()), retry_after, over_quota, ..Self::new(status, request_id) }
    }
}
