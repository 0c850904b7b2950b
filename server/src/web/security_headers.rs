//! Security headers of every page: Content-Security-Policy, HSTS and related headers.

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

use crate::app_state::AppState;

/// The CSP nonce that allows this response's own scripts (CSP level 3).
#[derive(Clone, Debug)]
pub struct Nonce(pub String);

/// Response extension: an additional `form-action` source. Browsers also check the redirect target of a form
/// submission against it.
#[derive(Clone, Debug)]
pub struct FormTarget(pub String);

const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), \
     magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

/// Middleware: adds a nonce to the request and the security headers to the response.
pub async fn security_headers(State(site): State<AppState>, mut request: Request, next: Next) -> Response {
    let nonce = Nonce(STANDARD_NO_PAD.encode(site.hub.env().bytes::<16>()));
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let policy = content_security_policy(&nonce, response.extensions().get());
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        // Downloads of untrusted files set a stricter policy themselves.
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    }
    if site.is_https() {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response
}

fn content_security_policy(Nonce(nonce): &Nonce, target: Option<&FormTarget>) -> String {
    let target = target.map(|FormTarget(target)| format!(" {target}")).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; media-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
         base-uri 'none'; object-src 'none'; form-action 'self'{target}; frame-ancestors 'none'"
    )
}
