//! Routes whose URL contains a credential, in its path or in its query.
//!
//! Logs name the template of a route and never the URL. Responses of these routes are not cached, and browsers send no
//! referrer from them.

use axum::{
    extract::MatchedPath,
    http::{Extensions, HeaderMap, HeaderValue, header},
};

pub const SECRET_ROUTES: &[&str] = &[
    "/a2a/{owner}/{name}/files/{task}/{sha256}",
    "/email",
    "/join/{token}",
    "/login",
    "/oauth/authorize",
    "/oauth/callback",
    "/reset",
    "/s/{word}",
    "/s/{word}/files/{sha256}",
    "/s/{word}/replay",
    "/share/{id}",
    "/share/{id}/continue",
    "/share/{id}/files/{sha256}",
    "/share/{id}/picture.png",
    "/signup",
];

/// Name in logs of requests that no route matches. Their path may be a mistyped secret.
const NO_ROUTE: &str = "(none)";

/// Returns the template of the route that a request matched.
pub fn route(extensions: &Extensions) -> &str {
    extensions.get::<MatchedPath>().map_or(NO_ROUTE, MatchedPath::as_str)
}

/// Returns whether the URL of a request to this route may contain a credential.
pub fn may_contain_secret(route: &str) -> bool {
    route == NO_ROUTE || SECRET_ROUTES.contains(&route)
}

/// Adds headers that protect the URL of the request.
pub fn protect(headers: &mut HeaderMap) {
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let is_stored = |value: &HeaderValue| !value.to_str().is_ok_and(|value| value.contains("no-store"));
    if headers.get(header::CACHE_CONTROL).is_none_or(is_stored) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that define routes outside of `/api/v1`.
    const SOURCES: &[&str] = &[
        include_str!("../router.rs"),
        include_str!("../oauth/mod.rs"),
        include_str!("../a2a/mod.rs"),
        include_str!("../ard/mod.rs"),
        include_str!("../mcp/mod.rs"),
        include_str!("../openai/mod.rs"),
        include_str!("../anthropic/mod.rs"),
    ];

    /// Parameters that are no secret wherever they occur outside of a route in [`SECRET_ROUTES`].
    const PUBLIC_PARAMETERS: &[&str] = &[
        "agent",
        "draft",
        "hub",
        "id",
        "identifier",
        "name",
        "owner",
        "page",
        "path",
        "provider",
        "rest",
        "sha256",
        "task",
        "version",
    ];

    fn routes() -> Vec<&'static str> {
        let literals = SOURCES.iter().flat_map(|source| source.split('"').skip(1).step_by(2));
        literals.filter(|text| text.starts_with('/') && !text.contains(' ')).collect()
    }

    #[test]
    fn each_route_with_a_parameter_is_known_to_be_secret_or_public() {
        let routes = routes();
        assert!(routes.len() > 100, "{routes:?}");
        for route in &routes {
            let is_shared = ["/share/", "/s/", "/join/"].iter().any(|start| route.starts_with(start));
            assert!(!is_shared || SECRET_ROUTES.contains(route), "{route} has a secret");
            if SECRET_ROUTES.contains(route) {
                continue;
            }
            for parameter in route.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                let parameter = parameter.trim_start_matches('*');
                assert!(PUBLIC_PARAMETERS.contains(&parameter), "{route}: is {parameter} a secret?");
            }
        }
        for route in SECRET_ROUTES {
            assert!(routes.contains(route), "{route} is no route");
        }
    }
}
