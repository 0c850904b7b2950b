//! Maps errors to JSON-RPC errors (specification section 5.1): protocol errors, and errors of the hub from
//! -32000 downwards.

use jsonrpsee::types::{ErrorCode, ErrorObjectOwned};
use plexus_domain::{Error as Refusal, sanitized_text};
use serde_json::json;

use crate::web::error::{ApiError, public_message};

pub const PARSE_ERROR: i32 = ErrorCode::ParseError.code();
pub const INVALID_REQUEST: i32 = ErrorCode::InvalidRequest.code();
pub const METHOD_NOT_FOUND: i32 = ErrorCode::MethodNotFound.code();
/// Maximum length of a parser's error message, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

#[derive(Debug)]
pub struct RpcError(ErrorObjectOwned);

impl RpcError {
    pub fn of_protocol(code: i32, words: impl Into<String>) -> Self {
        Self(ErrorObjectOwned::owned(code, words, None::<()>))
    }

    /// Returns the error for invalid method parameters.
    pub fn params(detail: impl std::fmt::Display) -> Self {
        let detail =
            sanitized_text::ellipsize(&sanitized_text::one_line(&detail.to_string()), MAX_MESSAGE_CHARS);
        let words = format!("Invalid parameters: {detail}.");
        Self::of_protocol(ErrorCode::InvalidParams.code(), words)
    }
}

impl From<plexus_hub::Error> for RpcError {
    fn from(error: plexus_hub::Error) -> Self {
        let is_fault = matches!(error, plexus_hub::Error::Fault(_));
        let (_, refusal) = public_message(error);
        let number = match &refusal {
            _ if is_fault => ErrorCode::InternalError.code(),
            Refusal::Invalid { .. } => ErrorCode::InvalidParams.code(),
            Refusal::Unauthenticated { .. } => -32_001,
            Refusal::Forbidden { .. } => -32_003,
            Refusal::NotFound { .. } => -32_004,
            Refusal::Conflict { .. } => -32_009,
            Refusal::TooLarge { .. } => -32_013,
            // A timeout concerns the message as a whole, before any method was read.
            Refusal::Timeout { .. } => INVALID_REQUEST,
            Refusal::RateLimited { .. } => -32_029,
            Refusal::OverQuota { .. } => -32_030,
            Refusal::Unavailable { .. } => -32_053,
        };
        let code = if is_fault { "internal" } else { refusal.code() };
        let mut data = json!({ "code": code });
        if let Some(field) = refusal.field() {
            data["field"] = json!(field);
        }
        if let Refusal::RateLimited { retry_after_ms, .. } = &refusal {
            data["retry_after_ms"] = json!(retry_after_ms);
        }
        if let Refusal::OverQuota { quota, used, limit, .. } = &refusal {
            data["quota"] = json!(quota);
            data["used"] = json!(used);
            data["limit"] = json!(limit);
        }
        Self(ErrorObjectOwned::owned(number, refusal.to_string(), Some(data)))
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        plexus_hub::Error::from(refusal).into()
    }
}

impl From<ApiError> for RpcError {
    fn from(ApiError(error): ApiError) -> Self {
        error.into()
    }
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(RpcError(error): RpcError) -> Self {
        error
    }
}
