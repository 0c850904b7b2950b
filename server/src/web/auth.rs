//! Authentication of API requests: by session cookie or by bearer token. If a token is present, the cookie is
//! ignored. Requests over the admin socket act for the operator.

use std::{convert::Infallible, net::IpAddr};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Caller,
    accounts::{self, TOKEN_PREFIX},
};

use super::{body_budget::BodyCharge, client_address::client_ip, error::ApiError};
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
        admit(parts, site, &caller)?;
        if let Err(refusal) = caller.person() {
            parts.extensions.insert(WithoutAccount(refusal));
        }
        Ok(Self(caller))
    }
}

/// Counts a request of an authenticated caller against its general rate limit, and charges its body to the caller.
pub fn admit(parts: &Parts, site: &AppState, caller: &Caller) -> Result<(), Refusal> {
    site.hub.limits().admit(caller)?;
    match parts.extensions.get::<BodyCharge>() {
        Some(charge) => charge.charge_to(caller),
        None => Ok(()),
    }
}

/// Extension of a request whose caller has no account. All bodies in JSON are for accounts, so
/// [`super::json_body::JsonBody`] refuses one before it is read.
#[derive(Clone)]
pub struct WithoutAccount(pub Refusal);

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

/// Returns the bearer token of a request; the scheme is compared without case (RFC 9110 section 11.1).
///
/// Other schemes are ignored: browsers repeat the `Basic` or `Digest` credentials of a proxy in front of the
/// hub. A token without a scheme is returned as an empty one, which is refused with the right form.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get_all(header::AUTHORIZATION).iter().find_map(|line| {
        let value = line.as_bytes().trim_ascii();
        let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
        let (scheme, token) = value.split_at(end);
        if scheme.starts_with(TOKEN_PREFIX.as_bytes()) {
            return Some("");
        }
        let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer");
        is_bearer.then(|| std::str::from_utf8(token).unwrap_or_default().trim())
    })
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

    #[test]
    fn only_the_bearer_scheme_carries_a_token() {
        let read = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(line));
            }
            bearer(&headers).map(str::to_owned)
        };
        for line in ["Bearer plx_x", "bearer plx_x", "BEARER plx_x", "bEaReR   plx_x ", " Bearer\tplx_x"] {
            assert_eq!(read(&[line]).as_deref(), Some("plx_x"), "{line}");
        }
        for line in
            ["Basic YWRhOng=", "Digest username=\"ada\"", "Negotiate YII", "BearerX plx_x", "", "token plx_x"]
        {
            assert_eq!(read(&[line]), None, "{line}");
        }
        assert_eq!(read(&["Basic YWRhOng=", "Bearer plx_x"]).as_deref(), Some("plx_x"));
        for line in ["Bearer", "Bearer ", "plx_x"] {
            assert_eq!(read(&[line]).as_deref(), Some(""), "{line}");
        }
    }
}
