//! What is answered when a program asks for leave to use a tool.

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};

/// No, this once if the program offers that.
pub(super) fn decline(asked: &RequestPermissionRequest) -> RequestPermissionResponse {
    let offered = |kind: PermissionOptionKind| {
        asked.options.iter().find(|option: &&PermissionOption| option.kind == kind)
    };
    let no =
        offered(PermissionOptionKind::RejectOnce).or_else(|| offered(PermissionOptionKind::RejectAlways));
    RequestPermissionResponse::new(no.map_or(RequestPermissionOutcome::Cancelled, |no| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(no.option_id.clone()))
    }))
}
