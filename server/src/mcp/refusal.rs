//! Maps errors of the hub to MCP errors.

use std::sync::Arc;

use parking_lot::Mutex;
use plexus_domain::Error as Refusal;
use plexus_hub::Error as HubError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};

use crate::web::error::say;

/// Returns an error as a tool result: models read it and may correct their call.
pub fn of_tool(error: HubError) -> CallToolResult {
    let (_, refusal) = say(error);
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

/// Returns an error as a JSON-RPC error of a method.
pub fn of_method(error: HubError) -> ErrorData {
    let (_, refusal) = say(error);
    let message = refusal.to_string();
    match refusal {
        Refusal::NotFound { .. } => ErrorData::resource_not_found(message, None),
        Refusal::Limited { .. } | Refusal::OverQuota { .. } | Refusal::Unavailable { .. } => {
            ErrorData::internal_error(message, None)
        }
        _ => ErrorData::invalid_params(message, None),
    }
}

/// An account or scope that turned out to be missing while a message was processed. It is reported by the
/// HTTP status, because only that makes clients sign in.
#[derive(Clone, Default)]
pub struct Lacking(Arc<Mutex<Option<Refusal>>>);

impl Lacking {
    /// Records an error that another token would fix. Every error is also returned as the tool result.
    pub fn or_result(&self, error: HubError, lacks_scope: bool) -> CallToolResult {
        match &error {
            HubError::Refused(refusal @ Refusal::Unauthenticated { .. }) => {
                *self.0.lock() = Some(refusal.clone());
            }
            HubError::Refused(refusal @ Refusal::Forbidden { .. }) if lacks_scope => {
                *self.0.lock() = Some(refusal.clone());
            }
            _ => {}
        }
        of_tool(error)
    }

    pub fn said(&self) -> Option<HubError> {
        self.0.lock().take().map(HubError::Refused)
    }
}
