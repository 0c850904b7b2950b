//! Extractor for A2A requests: authenticates by bearer token, by HTTP message signature of another hub, or by
//! libp2p connection.

use std::convert::Infallible;

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts as _, OriginalUri, Request, rejection::BytesRejection},
    http::{HeaderMap, Uri, header, request::Parts},
};
use plexus_a2a::http_signature::SignableRequest as Signed;
use plexus_domain::Error as Refusal;
use plexus_hub::{Caller, Error, federation};

use super::{body_error, limits};
use crate::{
    app_state::AppState,
    web::{
        auth::bearer,
        bearer::{Bearer, InvalidToken},
        client_address::client_ip,
    },
};

/// Request extension: the caller of a request that arrived over libp2p.
#[derive(Clone)]
pub struct P2pOrigin(pub Caller);

pub struct IncomingA2aRequest {
    pub caller: Result<Caller, Error>,
    pub body: Result<Bytes, BytesRejection>,
}

impl FromRequest<AppState> for IncomingA2aRequest {
    type Rejection = Infallible;

    async fn from_request(request: Request, site: &AppState) -> Result<Self, Infallible> {
        let (mut parts, body) = request.into_parts();
        if let Some(P2pOrigin(caller)) = parts.extensions.remove() {
            let body = Bytes::from_request(Request::from_parts(parts, body), site).await;
            return Ok(Self { caller: Ok(caller), body });
        }
        let is_signed = federation::is_signed(&as_sent(&parts, site));
        let caller = match is_signed {
            true => None,
            false => Some(Bearer::from_request_parts(&mut parts, site).await),
        };
        let body = Bytes::from_request(Request::from_parts(parts.clone(), body), site).await;
        let caller = match caller {
            Some(Ok(Bearer(caller))) => Ok(caller),
            Some(Err(InvalidToken(error))) => Err(error),
            // The signature covers the whole body.
            None => match &body {
                Ok(body) => by_signature(&parts, body, site).await,
                Err(rejection) => Err(body_error(rejection, limits(site)).into()),
            },
        };
        Ok(Self { caller, body })
    }
}

async fn by_signature(parts: &Parts, body: &[u8], site: &AppState) -> plexus_hub::Result<Caller> {
    if bearer(&parts.headers).is_some() {
        let words = "Send the token of an account here, or the signature of your hub, and not both.";
        return Err(Refusal::unauthenticated(words).into());
    }
    federation::authenticate(&site.hub, &as_sent(parts, site), body, client_ip(parts, site)).await
}

/// Returns the request as its sender signed it. The authority is always this hub's, so a signature made for
/// another hub is invalid (replay protection).
fn as_sent<'a>(parts: &'a Parts, site: &'a AppState) -> Signed<'a> {
    // A nested router removes the prefix from the request's path; `OriginalUri` has all of it.
    let uri: &Uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
    Signed {
        method: parts.method.as_str(),
        authority: site.hub.config().public_url.authority(),
        path: uri.path(),
        query: uri.query(),
        fields: fields(&parts.headers),
    }
}

fn fields(headers: &HeaderMap) -> Vec<(String, String)> {
    let joined = |name: &header::HeaderName| {
        let lines: Result<Vec<&str>, _> = headers.get_all(name).iter().map(|line| line.to_str()).collect();
        Some((name.as_str().to_owned(), lines.ok()?.join(", ")))
    };
    headers.keys().filter_map(joined).collect()
}
