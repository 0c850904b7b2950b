//! Authentication of API requests: by session cookie or by bearer token. If a token is present, the cookie is
//! ignored. Requests over the admin socket act for the operator.

use std::{convert::Infallible, net::IpAddr};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use plexus_hub::{Caller, accounts};

use super::{client_address::client_ip, error::ApiError};
use crate::{admin_socket::OperatorRequest, app_state::AppState};

/// The resource that a token must be valid for.
const API: &str = "/api/v1";

/// Extractor: the authenticated caller of a request to `/api/v1`, after rate limiting.
pub struct ApiCaller(pub Caller);

impl FromRequestParts<AppState> for ApiCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, ApiError> {
        if let Some(operator) = parts.extensions.get::<OperatorRequest>() {
            return Ok(Self(accounts::impersonate(&site.hub, operator.owner.as_deref()).await?));
        }
        let ip = client_ip(parts, site);
        let caller = match bearer(&parts.headers) {
            Some(token) => accounts::authenticate_token(&site.hub, token, API, ip).await?,
            None => by_cookie(site, &parts.headers, ip).await?,
        };
        site.hub.limits().admit(&caller)?;
        Ok(Self(caller))
    }
}

/// Extractor: the client's IP address, for handlers that need nothing else about the caller.
pub struct ClientIp(pub IpAddr);

impl FromRequestParts<AppState> for ClientIp {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, Infallible> {
        Ok(Self(client_ip(parts, site)))
    }
}

pub async fn by_cookie(site: &AppState, headers: &HeaderMap, ip: IpAddr) -> plexus_hub::Result<Caller> {
    match cookie(headers, session_cookie(site)) {
        Some(value) => accounts::authenticate(&site.hub, value, ip).await,
        None => Ok(Caller::anonymous(ip)),
    }
}

/// Returns the name of the session cookie. With the `__Host-` prefix, browsers accept it only over https and
/// only from this exact host.
pub fn session_cookie(site: &AppState) -> &'static str {
    if site.is_https() { "__Host-plexus" } else { "plexus_session" }
}

/// Returns the value of a cookie, or `None` if the request has none of that name.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    Some(value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")).unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn cookies_are_found_by_their_whole_name() {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static("theme=dark; xplexus=1; plexus=two"));
        assert_eq!(cookie(&headers, "plexus"), Some("two"));
        assert_eq!(cookie(&headers, "lexus"), None);
    }
}
