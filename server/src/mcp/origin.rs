//! Origin check: browser pages may call only from the hub's own origin or from origins configured by the
//! operator. Programs send no origin.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer, ExposeHeaders};
use url::Url;

use super::envelope;
use crate::app_state::AppState;

/// Maximum length of an origin in an error message, in characters.
const MAX_SHOWN_ORIGIN: usize = 100;

pub async fn check(State(site): State<AppState>, request: Request, next: Next) -> Response {
    match request.headers().get(header::ORIGIN) {
        Some(origin) if !is_allowed(&site, origin) => {
            let origin = ellipsize(&one_line(&String::from_utf8_lossy(origin.as_bytes())), MAX_SHOWN_ORIGIN);
            let words = format!(
                "The origin \"{origin}\" is not allowed. The operator can add it to PLEXUS_MCP_ALLOWED_ORIGINS."
            );
            envelope::error(StatusCode::FORBIDDEN, envelope::INVALID_REQUEST, &words)
        }
        _ => next.run(request).await,
    }
}

/// Answers CORS preflight requests for allowed origins.
pub fn cors(site: AppState) -> CorsLayer {
    let exposed = [header::WWW_AUTHENTICATE, header::HeaderName::from_static("mcp-session-id")];
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| is_allowed(&site, origin)))
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(ExposeHeaders::list(exposed))
}

fn is_allowed(site: &AppState, origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let config = site.hub.config();
    config.mcp_allowed_origins.iter().any(|known| is_same(known, origin))
        || origin.parse().is_ok_and(|url| config.is_own_origin(&url))
}

/// Compares two origins; a default port and a slash at the end make no difference. Origins of schemes such as
/// `vscode-webview` are opaque to `Url`, and are compared as text.
fn is_same(known: &str, given: &str) -> bool {
    let parse = |text: &str| text.parse::<Url>().ok().map(|url| url.origin());
    let is_equal = parse(known).is_some_and(|known| known.is_tuple() && Some(known) == parse(given));
    is_equal || known.eq_ignore_ascii_case(given)
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn origins_are_compared_by_their_meaning() {
        for given in ["https://app.example", "https://app.example:443", "https://APP.example"] {
            assert!(is_same("https://app.example/", given), "{given}");
        }
        assert!(is_same("vscode-webview://abc", "vscode-webview://ABC"));
        for other in
            ["http://app.example", "https://app.example:8443", "https://app.example.evil", "null", ""]
        {
            assert!(!is_same("https://app.example", other), "{other}");
        }
    }
}
