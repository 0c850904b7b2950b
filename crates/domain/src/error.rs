//! Errors shown to users and API clients. Internal details are never part of them: the server logs those.

use serde::{Deserialize, Serialize};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A user-facing error: a stable code and a message for people. `field` names the invalid input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Error {
    /// One input is invalid.
    #[error("{message}")]
    Invalid { field: String, message: String },
    /// The caller is not authenticated, or the credentials are wrong.
    #[error("{message}")]
    Unauthenticated { message: String },
    /// The caller is authenticated but not permitted to do this.
    #[error("{message}")]
    Forbidden { message: String },
    /// It does not exist or is hidden from the caller. Both look the same, to prevent enumeration.
    #[error("{message}")]
    NotFound { message: String },
    /// It conflicts with the current state (a taken name, a finished run).
    #[error("{message}")]
    Conflict { message: String },
    /// Rate or concurrency limit exceeded. A retry may succeed after `retry_after_ms`.
    #[error("{message}")]
    RateLimited { message: String, retry_after_ms: u64 },
    /// Storage quota of the account or the hub exceeded. Retrying does not help; deleting data does.
    #[error("{message}")]
    OverQuota { message: String, quota: String, used: u64, limit: u64 },
    /// Larger than this hub accepts (`limit`).
    #[error("{message}")]
    TooLarge { message: String, limit: u64 },
    /// The request did not arrive in time.
    #[error("{message}")]
    Timeout { message: String },
    /// A dependency of the hub is unavailable (full disk, lost database).
    #[error("{message}")]
    Unavailable { message: String },
}

impl Error {
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), message: message.into() }
    }

    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::Unauthenticated { message: message.into() }
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::Forbidden { message: message.into() }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::NotFound { message: message.into() }
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict { message: message.into() }
    }

    pub fn too_large(message: impl Into<String>, limit: u64) -> Self {
        Self::TooLarge { message: message.into(), limit }
    }

    pub fn timeout(message: impl Into<String>) -> Self {
        Self::Timeout { message: message.into() }
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::Unavailable { message: message.into() }
    }

    /// Returns the machine-readable code, equal to `code` in JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "invalid",
            Self::Unauthenticated { .. } => "unauthenticated",
            Self::Forbidden { .. } => "forbidden",
            Self::NotFound { .. } => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::RateLimited { .. } => "rate_limited",
            Self::OverQuota { .. } => "over_quota",
            Self::TooLarge { .. } => "too_large",
            Self::Timeout { .. } => "timeout",
            Self::Unavailable { .. } => "unavailable",
        }
    }

    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Invalid { field, .. } => Some(field),
            _ => None,
        }
    }
}
