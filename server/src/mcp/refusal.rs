//! Refusals of the hub in the words of MCP.

use std::sync::Arc;

use parking_lot::Mutex;
use plexus_domain::Error as Refusal;
use plexus_hub::Error as HubError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};

use crate::web::error::say;

/// What a tool could not do, as its result: models read this, and may do better the second time.
pub fn of_tool(error: HubError) -> CallToolResult {
    let (_, refusal) = say(error);
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

/// What a method could not do.
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

/// What a caller lacked in the middle of a message: an account, or a scope. It is told by the status of the answer, since
/// that is what makes clients sign in.
#[derive(Clone, Default)]
pub struct Lacking(Arc<Mutex<Option<Refusal>>>);

impl Lacking {
    /// Keeps a refusal that another token would change; all others are the result of the tool.
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
