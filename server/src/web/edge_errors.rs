//! Errors of the protocol endpoints for what no handler sees: an unknown path, another method, or a request that a library
//! refused. A client reads them in the format of its protocol, never as a page or an empty body.

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use plexus_domain::sanitized_text;
use serde_json::{Value, json};

use super::error::{FAULT, plain_error};
use crate::{
    anthropic::error::{AnthropicError, is_anthropic},
    openai::error::OpenAiError,
};

/// Maximum size of an error body written by a library: one line is expected.
const MAX_ERROR_BYTES: usize = 4 << 10;
const MAX_ERROR_CHARS: usize = 300;

/// The protocol of a path, which decides the format of its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// JSON-RPC of A2A, MCP or the hub.
    JsonRpc,
    /// The HTTP+JSON binding of A2A.
    A2aRest,
    /// The MCP registry API.
    McpRegistry,
    OpenAi,
    Anthropic,
    Ard,
    OAuth,
    /// `/api/v1`, and files below `/.well-known`.
    Api,
}

impl Edge {
    /// Returns the edge of a path, or `None` for a page. Doubled slashes are ignored.
    fn of(path: &str, headers: &HeaderMap) -> Option<Self> {
        let mut steps = path.split('/').filter(|step| !step.is_empty());
        Some(match steps.next()? {
            "a2a" if steps.nth(2) == Some("rest") => Self::A2aRest,
            "a2a" | "mcp" | "rpc" => Self::JsonRpc,
            "v0.1" => Self::McpRegistry,
            "v1" if is_anthropic(headers) => Self::Anthropic,
            "v1" => Self::OpenAi,
            "ard" => Self::Ard,
            "oauth" => Self::OAuth,
            "api" => Self::Api,
            ".well-known" => match steps.next() {
                Some(name) if name.starts_with("oauth-") || name.starts_with("openid-") => Self::OAuth,
                _ => Self::Api,
            },
            _ => return None,
        })
    }

    fn respond(self, status: StatusCode, words: &str) -> Response {
        match self {
            Self::OpenAi => OpenAiError::of_status(status, words).into_response(),
            Self::Anthropic => AnthropicError::from(OpenAiError::of_status(status, words)).into_response(),
            Self::Api => plain_error(status, api_code(status), words.to_owned()).into_response(),
            Self::OAuth => {
                // RFC 6749 section 5.2 has one status for all invalid requests.
                let is_unread =
                    matches!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::UNPROCESSABLE_ENTITY);
                let status = if is_unread { StatusCode::BAD_REQUEST } else { status };
                (status, Json(self.body(status, words))).into_response()
            }
            _ => (status, Json(self.body(status, words))).into_response(),
        }
    }

    fn body(self, status: StatusCode, words: &str) -> Value {
        match self {
            Self::A2aRest => json!({ "error": { "code": status.as_u16(), "status": grpc_name(status),
                                                "message": words, "details": [] } }),
            Self::McpRegistry => json!({ "error": words }),
            Self::Ard => json!({ "errorCode": ard_code(status), "message": words }),
            Self::OAuth => {
                let code = if status.is_server_error() { "server_error" } else { "invalid_request" };
                json!({ "error": code, "error_description": words })
            }
            _ => {
                let code = if status.is_server_error() { -32_603 } else { -32_600 };
                json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": words } })
            }
        }
    }
}

/// Returns the error for an unknown path of an edge, or `None` for the path of a page.
pub fn unknown_path(request: &Request) -> Option<Response> {
    let edge = Edge::of(request.uri().path(), request.headers())?;
    let mut response =
        edge.respond(StatusCode::NOT_FOUND, "Not found. /docs/api lists the paths of this hub.");
    // As on the paths that exist: a client in a browser reads that there is nothing.
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Some(response)
}

/// Formats errors of an edge that are neither JSON nor a page.
pub async fn edge_error_layer(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // The API has a layer of its own, which translates.
    let is_api = path == "/api/v1" || path.starts_with("/api/v1/");
    let edge = if is_api { None } else { Edge::of(path, request.headers()) };
    let response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    match edge {
        Some(edge) if is_error && !is_readable(&response) => formatted(edge, response).await,
        _ => response,
    }
}

/// Returns whether a response is JSON or a page.
fn is_readable(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.contains("json") || kind.starts_with("text/html"))
}

async fn formatted(edge: Edge, response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let said = read_error_text(body).await;
    let words = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => {
            "This path does not have this method. The Allow header lists those that it has.".to_owned()
        }
        status if status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE => FAULT.to_owned(),
        status if said.is_empty() => {
            format!("{}.", status.canonical_reason().unwrap_or("The request cannot be read"))
        }
        _ => said,
    };
    let (fresh, body) = edge.respond(parts.status, &words).into_parts();
    parts.status = fresh.status;
    parts.headers.remove(header::CONTENT_LENGTH);
    for (name, value) in &fresh.headers {
        parts.headers.insert(name, value.clone());
    }
    Response::from_parts(parts, Body::new(body))
}

/// Returns the text of an error that a library wrote, as one line.
pub async fn read_error_text(body: Body) -> String {
    let bytes = to_bytes(body, MAX_ERROR_BYTES).await.unwrap_or_default();
    sanitized_text::ellipsize(&sanitized_text::one_line(&String::from_utf8_lossy(&bytes)), MAX_ERROR_CHARS)
}

/// Returns the code of an error of the API for a status.
pub const fn api_code(status: StatusCode) -> &'static str {
    match status {
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
        StatusCode::MISDIRECTED_REQUEST => "misdirected",
        _ if status.as_u16() < 500 => "invalid",
        _ => "internal",
    }
}

/// Returns the canonical gRPC code (google.rpc.Code) of a status.
const fn grpc_name(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::METHOD_NOT_ALLOWED => "UNIMPLEMENTED",
        StatusCode::FORBIDDEN => "PERMISSION_DENIED",
        StatusCode::SERVICE_UNAVAILABLE => "UNAVAILABLE",
        _ if status.as_u16() < 500 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    }
}

const fn ard_code(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::FORBIDDEN => "PERMISSION_DENIED",
        _ if status.as_u16() < 500 => "INVALID_ARGUMENT",
        _ => "INTERNAL_ERROR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_a_path_is_known_by_its_beginning() {
        let none = HeaderMap::new();
        for (path, edge) in [
            ("/a2a", Some(Edge::JsonRpc)),
            ("//a2a//ada/x", Some(Edge::JsonRpc)),
            ("/a2a/ada/x/rest/tasks", Some(Edge::A2aRest)),
            ("/a2a/ada/x/rests", Some(Edge::JsonRpc)),
            ("/mcp/", Some(Edge::JsonRpc)),
            ("/v0.1", Some(Edge::McpRegistry)),
            ("/v1/x", Some(Edge::OpenAi)),
            ("/.well-known/oauth-authorization-server/x", Some(Edge::OAuth)),
            ("/.well-known/x", Some(Edge::Api)),
            ("/api/v2", Some(Edge::Api)),
            ("/", None),
            ("/agents", None),
            ("/apis", None),
        ] {
            assert_eq!(Edge::of(path, &none), edge, "{path}");
        }
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        assert_eq!(Edge::of("/v1/x", &headers), Some(Edge::Anthropic));
    }
}
