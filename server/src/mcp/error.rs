//! Maps errors of the hub to MCP errors.

use std::sync::Arc;

use parking_lot::Mutex;
use plexus_domain::Error as Refusal;
use plexus_hub::Error as HubError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode},
};

use serde_json::json;

use crate::web::error::public_message;

/// Returns an error as a tool result: models read it and may correct their call.
pub fn tool_error(error: HubError) -> CallToolResult {
    let (_, refusal) = public_message(error);
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

/// Returns an error as a JSON-RPC error of a method.
pub fn method_error(error: HubError) -> ErrorData {
    let (_, refusal) = public_message(error);
    let message = refusal.to_string();
    match refusal {
        Refusal::NotFound { .. } => ErrorData::resource_not_found(message, None),
        Refusal::RateLimited { .. } | Refusal::OverQuota { .. } | Refusal::Unavailable { .. } => {
            ErrorData::internal_error(message, None)
        }
        _ => ErrorData::invalid_params(message, None),
    }
}

/// Returns an error of a method on a task. An unknown task is an invalid parameter (SEP-2663).
pub fn task_error(error: HubError) -> ErrorData {
    let mut error = method_error(error);
    if error.code == ErrorCode::RESOURCE_NOT_FOUND {
        error.code = ErrorCode::INVALID_PARAMS;
    }
    error
}

/// Returns an error of reading a resource. A missing one is named.
pub fn resource_error(error: HubError, uri: &str) -> ErrorData {
    let mut error = method_error(error);
    if error.code == ErrorCode::RESOURCE_NOT_FOUND {
        error.data = Some(json!({ "uri": uri }));
    }
    error
}

/// An account or scope that turned out to be missing while a message was processed. It is reported by the
/// HTTP status, because only that makes clients sign in.
#[derive(Clone, Default)]
pub struct MissingPermission(Arc<Mutex<Option<Refusal>>>);

impl MissingPermission {
    /// Records an error that another token would fix. Every error is also returned as the tool result.
    pub fn or_result(&self, error: HubError, lacks_scope: bool) -> CallToolResult {
        self.record(&error, lacks_scope);
        tool_error(error)
    }

    /// Records an error of a method on a task in the same way.
    pub fn or_task_error(&self, error: HubError, lacks_scope: bool) -> ErrorData {
        self.record(&error, lacks_scope);
        task_error(error)
    }

    fn record(&self, error: &HubError, lacks_scope: bool) {
        match error {
            HubError::Refused(refusal @ Refusal::Unauthenticated { .. }) => {
                *self.0.lock() = Some(refusal.clone());
            }
            HubError::Refused(refusal @ Refusal::Forbidden { .. }) if lacks_scope => {
                *self.0.lock() = Some(refusal.clone());
            }
            _ => {}
        }
    }

    pub fn said(&self) -> Option<HubError> {
        self.0.lock().take().map(HubError::Refused)
    }
}
