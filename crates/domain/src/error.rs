//! What a person or a program may be told. Internal detail never enters this type: it is logged at the edge.

use serde::{Deserialize, Serialize};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal that names what is wrong in words for people. `field` names the input that caused it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Error {
    /// One input is not acceptable as it is.
    #[error("{message}")]
    Invalid { field: String, message: String },
    /// Nobody is signed in, or the credentials are wrong.
    #[error("{message}")]
    Unauthenticated { message: String },
    /// The caller is known and may not do this.
    #[error("{message}")]
    Forbidden { message: String },
    /// It does not exist, or the caller may not know that it does: the two look the same.
    #[error("{message}")]
    NotFound { message: String },
    /// It contradicts what is already there (a taken name, a finished run).
    #[error("{message}")]
    Conflict { message: String },
    /// Too often or too much at once; the same call works after `retry_after_ms`.
    #[error("{message}")]
    Limited { message: String, retry_after_ms: u64 },
    /// As much is stored as may be, for one account or for the hub. Waiting does not help, deleting does.
    #[error("{message}")]
    OverQuota { message: String, quota: String, used: u64, limit: u64 },
    /// Larger than this hub accepts.
    #[error("{message}")]
    TooLarge { message: String, limit: u64 },
    /// It did not come in time.
    #[error("{message}")]
    Timeout { message: String },
    /// Something the hub depends on does not answer now (a full disk, a lost database).
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

    /// The machine-readable name, the same as `code` in JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "invalid",
            Self::Unauthenticated { .. } => "unauthenticated",
            Self::Forbidden { .. } => "forbidden",
            Self::NotFound { .. } => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::Limited { .. } => "limited",
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
