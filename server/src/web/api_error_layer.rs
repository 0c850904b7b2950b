//! Uniform JSON errors under `/api/v1` (`docs/adr/0002`), also for requests rejected before a handler runs,
//! such as an invalid query or an unsupported method. Messages that a page shows are in its language.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use plexus_app::{locales, view_models::Locale};

use super::{
    edge_errors::{api_code, read_error_text},
    error::{FAULT, plain_error},
    language,
};

const API: &str = "/api/v1";
/// Maximum size of an error of the API.
const MAX_JSON_BYTES: usize = 64 << 10;

pub async fn api_error_layer(request: Request, next: Next) -> Response {
    let rest = request.uri().path().strip_prefix(API);
    let is_api = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let locale = language::of_request(request.headers());
    let response = next.run(request).await;
    let status = response.status();
    if !is_api || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let response = if is_json(&response) { response } else { shaped(response).await };
    if locale == Locale::En { response } else { translated(response, locale).await }
}

/// Translates the message of an error. One without a translation stays English.
async fn translated(response: Response, locale: Locale) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, MAX_JSON_BYTES).await else {
        return plain_error(parts.status, api_code(parts.status), FAULT.to_owned()).into_response();
    };
    let Some(translated) = translated_body(&body, locale) else {
        return Response::from_parts(parts, Body::from(body));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
    Response::from_parts(parts, Body::from(translated))
}

fn translated_body(body: &[u8], locale: Locale) -> Option<String> {
    let mut json: serde_json::Value = serde_json::from_slice(body).ok()?;
    let message = json.pointer_mut("/error/message")?;
    *message = locales::translate(locale, message.as_str()?)?.into();
    Some(json.to_string())
}

fn is_json(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"))
}

async fn shaped(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let said = read_error_text(body).await;
    let answer = plain_error(parts.status, api_code(parts.status), words(parts.status, said)).into_response();
    let (fresh, body) = answer.into_parts();
    parts.headers.extend(fresh.headers);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

fn words(status: StatusCode, said: String) -> String {
    let fixed = match status {
        StatusCode::METHOD_NOT_ALLOWED => "Method not allowed. The Allow header lists the supported methods.",
        StatusCode::FORBIDDEN => {
            "A request with a cookie must come from a page of this hub. Programs must send a token instead."
        }
        _ if status.is_server_error() => FAULT,
        _ if said.is_empty() => status.canonical_reason().unwrap_or("The request cannot be read."),
        _ => return said,
    };
    fixed.to_owned()
}
