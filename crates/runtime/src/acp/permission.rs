//! Answers permission requests of an ACP program (`session/request_permission`).

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};
use plexus_domain::part::ApprovalDecision;
use serde_json::value::RawValue;

use super::jsonrpc_lines;

/// Parses the parameters of a permission request. Returns `None` for any other method.
pub(super) fn asked(method: &str, params: Option<&RawValue>) -> Option<RequestPermissionRequest> {
    params.filter(|_| method == "session/request_permission").and_then(jsonrpc_lines::parse)
}

/// Converts a decision to a response. Approval selects "allow once", even if the program offers more. Any
/// other decision, or none, rejects.
pub(super) fn answer(
    asked: &RequestPermissionRequest,
    decision: Option<ApprovalDecision>,
) -> RequestPermissionResponse {
    use PermissionOptionKind::{AllowOnce, RejectAlways, RejectOnce};
    let offered = |kind: PermissionOptionKind| {
        asked.options.iter().find(|option: &&PermissionOption| option.kind == kind)
    };
    let chosen = match decision {
        Some(ApprovalDecision::Allowed) => offered(AllowOnce),
        _ => offered(RejectOnce).or_else(|| offered(RejectAlways)),
    };
    RequestPermissionResponse::new(chosen.map_or(RequestPermissionOutcome::Cancelled, |chosen| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(chosen.option_id.clone()))
    }))
}

pub(super) fn cancel() -> RequestPermissionResponse {
    RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)
}
