//! Converts error responses of a model server to failures.

use plexus_domain::run::Failure;

use super::{KeyOwner, ModelEndpoint};
use crate::{
    Redact,
    outbound::{
        ErrorHints, HttpResponse, WaitTimer, by_status, error_message, quote_foreign_text, retry_after,
    },
};

/// Builds the failure from the HTTP status and the error text of the server. `server` names it as the subject of a sentence.
pub(super) async fn read(
    reply: HttpResponse,
    server: &str,
    model: &ModelEndpoint,
    redact: &Redact,
    pace: &mut WaitTimer<'_>,
) -> Failure {
    let missing = format!(
        "has no model “{}”, or no chat completions at this address.",
        quote_foreign_text(&model.name)
    );
    let hints = ErrorHints {
        credentials: credentials_hint(model),
        missing: Some(&missing),
        moved: "Enter the address that it redirects to.",
    };
    let is_unauthorized = matches!(reply.status().as_u16(), 401 | 403);
    let (class, what) = by_status(reply.status(), retry_after(&reply), &hints);
    let said = error_message(&reply.beginning(pace).await);
    let said = if is_unauthorized { redact.unauthorized(&said) } else { redact.error(&said) };
    Failure::new(class, format!("{server} {what}{said}"))
}

const fn credentials_hint(model: &ModelEndpoint) -> &'static str {
    match (&model.key, model.key_owner) {
        (None, _) => "requires an API key, and none is stored. An administrator can enter one.",
        (Some(_), KeyOwner::Hub) => "did not accept the hub's key. An administrator can enter a new one.",
        (Some(_), KeyOwner::Requester) => {
            "did not accept the API key of the user who asked. The user can enter a new one under Settings, Model keys \
             (/settings/model-keys)."
        }
    }
}
