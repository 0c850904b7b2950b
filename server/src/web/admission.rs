//! Checks before a request body is read: the account, rate limits and the storage quota.

use axum::{
    extract::{FromRequestParts as _, Request, State},
    http::{HeaderMap, Method},
    middleware::Next,
    response::Response,
};
use plexus_hub::{Caller, Error, limits::Rate, quotas};

use super::{
    body_budget::{FREE_BYTES, declared_length},
    page::PageContext,
};
use crate::app_state::AppState;

const KIB: u64 = 1_024;

/// Middleware for pages whose forms only accounts may send: refuses other callers before the form is read.
pub async fn require_account(State(site): State<AppState>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let visit = match PageContext::from_request_parts(&mut parts, &site).await {
        Ok(visit) => visit,
        Err(refused) => return refused,
    };
    if let Err(refusal) = visit.caller.person() {
        return visit.refuse(refusal.into());
    }
    // The handler takes it from here, so that a request is authenticated and counted once.
    parts.extensions.insert(visit);
    next.run(Request::from_parts(parts, body)).await
}

/// Checks that the caller may send a large body now: a token of `rate` and of the rate of file bytes is left, and the
/// account's quota has room. Nothing is taken: the use case takes what the content needs.
///
/// Small bodies are not checked here. Their handlers show a refused form again as it was filled in.
pub async fn admit_body(
    site: &AppState,
    caller: &Caller,
    rate: Rate,
    headers: &HeaderMap,
) -> Result<(), Error> {
    let declared = declared_length(headers);
    if declared.is_some_and(|bytes| bytes <= FREE_BYTES) {
        return Ok(());
    }
    let bytes = declared.unwrap_or_default().saturating_sub(FREE_BYTES) as u64;
    let (limits, key) = (site.hub.limits(), caller.key());
    limits.check(rate, &key, 1)?;
    // Of an import or a PDF file, only a part is stored: a full account is refused, whatever the size is.
    let is_stored = matches!(rate, Rate::Messages | Rate::FileKib);
    if is_stored {
        limits.check(Rate::FileKib, &key, bytes.div_ceil(KIB))?;
    }
    quotas::check_room(&site.hub, caller, if is_stored { bytes } else { 1 }).await
}
