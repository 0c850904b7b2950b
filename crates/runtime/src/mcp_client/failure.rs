//! Failures of calls to MCP servers, in words for people.

use std::sync::Arc;

use http::StatusCode;
use parking_lot::Mutex;
use plexus_domain::run::{Failure, FailureClass};
use rmcp::{
    ErrorData,
    service::{ClientInitializeError, ServiceError},
};
use serde_json::Value;

use crate::{
    outbound::{ErrorHints, by_status, error_message, quote_foreign_text},
    rpc_error::error_text,
};

/// What to check about a URL that is not that of an MCP server.
const CHECK_URL: &str = "Check its URL, which often ends in /mcp.";
/// Maximum versions of a server that are named.
const MAX_VERSIONS: usize = 5;

/// Why the last message was not accepted, and `None` if it was. The errors of rmcp tell it in words for developers.
#[derive(Clone, Default)]
pub(super) struct LastRefusal(Arc<Mutex<Option<Refusal>>>);

impl LastRefusal {
    pub fn set(&self, refusal: Option<Refusal>) {
        *self.0.lock() = refusal;
    }

    pub fn get(&self) -> Option<Refusal> {
        self.0.lock().clone()
    }
}

/// Reason why a message was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server rejected the credentials (401 or 403).
    Credentials,
    /// No connection: a whole sentence.
    Connection(Failure),
    /// Rest of a sentence about the server.
    Answer(FailureClass, String),
}

impl Refusal {
    pub fn answer(words: impl Into<String>) -> Self {
        Self::Answer(FailureClass::Refused, words.into())
    }

    /// Returns the refusal for an error status. `wait`: seconds of the `Retry-After` header. `target`: where a
    /// redirect leads.
    pub fn of_status(status: StatusCode, wait: Option<u32>, target: Option<&str>, body: &[u8]) -> Self {
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Self::Credentials;
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            return Self::answer(only_sse(&format!("accepts no messages at this URL ({status}).")));
        }
        let missing = format!("has nothing at this URL ({status}). {CHECK_URL}");
        let moved = match target {
            Some(target) => format!("Enter the URL to which it redirects: {target}"),
            None => "Enter the URL to which it redirects.".to_owned(),
        };
        let hints = ErrorHints { credentials: "", missing: Some(&missing), moved: &moved };
        let (class, words) = by_status(status, wait, &hints);
        Self::Answer(class, words + &error_message(body))
    }

    /// Returns the refusal for a successful response without a message.
    pub fn without_answer(status: StatusCode) -> Self {
        Self::answer(only_sse(&format!("sent no answer ({status}).")))
    }

    /// Returns the refusal for content that is no message.
    pub fn of_content(media_type: &str, body: &[u8]) -> Self {
        let start = body.trim_ascii_start();
        Self::answer(match start.first() {
            None => format!("sent an empty answer. {CHECK_URL}"),
            Some(b'<') => format!("answered with a web page or XML, so it is no MCP server. {CHECK_URL}"),
            Some(_) => {
                let kind = quote_foreign_text(media_type);
                let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
                format!("answered with something that is not JSON-RPC{kind}. {CHECK_URL}")
            }
        })
    }
}

fn only_sse(beginning: &str) -> String {
    format!(
        "{beginning} It may have only the older HTTP+SSE transport, which this hub does not use. \
         Enter the URL of its streamable HTTP transport, which often ends in /mcp."
    )
}

/// Error of rmcp that can be told as the rest of a sentence about the server.
pub(super) trait Explain {
    fn explain(&self) -> String;
}

impl Explain for ServiceError {
    fn explain(&self) -> String {
        match self {
            Self::McpError(error) => rpc_error(error),
            Self::TransportSend(_) | Self::TransportClosed => {
                "ended the connection before it answered, or sent more than this hub accepts in one run. Try again later."
                    .to_owned()
            }
            Self::Cancelled { .. } => "cancelled the call.".to_owned(),
            Self::InputRequiredRoundsExceeded { .. } => "asked too many questions during one call.".to_owned(),
            _ => "sent an answer that does not belong to the request. Tell its operator.".to_owned(),
        }
    }
}

impl Explain for ClientInitializeError {
    fn explain(&self) -> String {
        match self {
            Self::JsonRpcError(error) => rpc_error(error),
            Self::NoCompatibleProtocolVersion { server_supported, .. } => {
                let versions: Vec<String> = server_supported.iter().map(ToString::to_string).collect();
                unsupported_version(&versions)
            }
            Self::ConnectionClosed(_) => "ended before it answered the first message.".to_owned(),
            Self::ExpectedInitResult(_) | Self::ExpectedInitResponse(_) => {
                format!("did not answer the first message as an MCP server does. {CHECK_URL}")
            }
            Self::TransportError { .. } => {
                "ended the connection before it answered. Try again later.".to_owned()
            }
            _ => format!("did not answer as an MCP server. {CHECK_URL}"),
        }
    }
}

/// Returns the words for a JSON-RPC error: its text, the details in its data, and its code.
fn rpc_error(error: &ErrorData) -> String {
    let versions = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    if let Some(versions) = versions {
        let versions: Vec<_> = versions.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        return unsupported_version(&versions);
    }
    let said = error_text(&error.message, error.data.as_ref());
    format!("answered with an error: {said} ({})", error.code.0)
}

fn unsupported_version(supported: &[String]) -> String {
    let versions = supported.iter().take(MAX_VERSIONS).map(|version| quote_foreign_text(version));
    let versions: Vec<String> = versions.collect();
    format!(
        "refuses the MCP versions of this hub. It supports: {}. Update the server, or use another version of it.",
        versions.join(", ")
    )
}
