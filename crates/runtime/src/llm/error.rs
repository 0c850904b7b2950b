//! Converts error responses of a model server to failures.

use http::StatusCode;
use plexus_domain::run::{Failure, FailureClass};

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
    let (status, body) = (reply.status(), reply.beginning(pace).await);
    let class = if is_prompt_too_long(status, &body) { FailureClass::PromptTooLong } else { class };
    let said = error_message(&body);
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

/// Words with which model servers refuse a conversation that exceeds their context window: OpenAI, vLLM and Mistral;
/// llama.cpp; Anthropic and LiteLLM; Groq; Gemini.
const TOO_LONG: [&str; 9] = [
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size",
    "available context size",
    "prompt is too long",
    "prompt too long",
    "reduce the length of the messages",
    "input token count",
    "context window",
];

/// Returns whether a server refused the conversation for its length.
fn is_prompt_too_long(status: StatusCode, body: &[u8]) -> bool {
    let is_refusal = matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY
    );
    let said = String::from_utf8_lossy(body).to_lowercase();
    is_refusal && TOO_LONG.iter().any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_for_the_length_is_known_by_its_words() {
        for (status, body, expected) in [
            (400, r#"{"error":{"message":"Too many.","code":"context_length_exceeded"}}"#, true),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens."}"#,
                true,
            ),
            (400, r#"{"error":{"type":"exceed_context_size_error","n_ctx":4096}}"#, true),
            (422, r#"{"detail":"Prompt is too long"}"#, true),
            (413, "Please reduce the length of the messages or completion.", true),
            (400, r#"{"error":{"message":"Unsupported value: temperature"}}"#, false),
            (500, "maximum context length", false),
            (404, "context window", false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(is_prompt_too_long(status, body.as_bytes()), expected, "{status} {body}");
        }
    }
}
