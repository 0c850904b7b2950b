//! What is answered when a program asks for leave to use a tool.

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};
use plexus_domain::part::Decision;
use serde_json::value::RawValue;

use super::wire;

/// The request, if that is what was asked.
pub(super) fn asked(method: &str, params: Option<&RawValue>) -> Option<RequestPermissionRequest> {
    params.filter(|_| method == "session/request_permission").and_then(wire::parse)
}

/// Yes means this once, whatever else the program offers; everything else, and nobody's answer, is a no.
pub(super) fn answer(
    asked: &RequestPermissionRequest,
    decision: Option<Decision>,
) -> RequestPermissionResponse {
    use PermissionOptionKind::{AllowOnce, RejectAlways, RejectOnce};
    let offered = |kind: PermissionOptionKind| {
        asked.options.iter().find(|option: &&PermissionOption| option.kind == kind)
    };
    let chosen = match decision {
        Some(Decision::Allowed) => offered(AllowOnce),
        _ => offered(RejectOnce).or_else(|| offered(RejectAlways)),
    };
    RequestPermissionResponse::new(chosen.map_or(RequestPermissionOutcome::Cancelled, |chosen| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(chosen.option_id.clone()))
    }))
}

pub(super) fn cancel() -> RequestPermissionResponse {
    RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)
}
