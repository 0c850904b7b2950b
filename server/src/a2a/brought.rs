//! A request to an agent: who asks, and what they bring. Who asks is told by a bearer token, or by another hub that signs
//! the request or brings it itself.

use std::convert::Infallible;

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts as _, OriginalUri, Request, rejection::BytesRejection},
    http::{HeaderMap, Uri, header, request::Parts},
};
use plexus_a2a::http_signature::Request as Signed;
use plexus_domain::Error as Refusal;
use plexus_hub::{Caller, Error, federation};

use super::{limits, untaken};
use crate::{
    state::Site,
    web::{
        bearer::{Bearer, Unknown},
        client_address::client_ip,
    },
};

/// In the extensions of a request that came over the network of hubs: who asks.
#[derive(Clone)]
pub struct OverNetwork(pub Caller);

pub struct Brought {
    pub caller: Result<Caller, Error>,
    pub body: Result<Bytes, BytesRejection>,
}

impl FromRequest<Site> for Brought {
    type Rejection = Infallible;

    async fn from_request(request: Request, site: &Site) -> Result<Self, Infallible> {
        let (mut parts, body) = request.into_parts();
        if let Some(OverNetwork(caller)) = parts.extensions.remove() {
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
            Some(Err(Unknown(error))) => Err(error),
            // The signature is one of the whole body.
            None => match &body {
                Ok(body) => by_signature(&parts, body, site).await,
                Err(rejection) => Err(untaken(rejection, limits(site)).into()),
            },
        };
        Ok(Self { caller, body })
    }
}

async fn by_signature(parts: &Parts, body: &[u8], site: &Site) -> plexus_hub::Result<Caller> {
    if parts.headers.contains_key(header::AUTHORIZATION) {
        let words = "Send the token of an account here, or the signature of your hub, and not both.";
        return Err(Refusal::unauthenticated(words).into());
    }
    federation::admit(&site.hub, &as_sent(parts, site), body, client_ip(parts, site)).await
}

/// The request as its sender signed it. It is one to this hub: what was signed for another does not fit.
fn as_sent<'a>(parts: &'a Parts, site: &'a Site) -> Signed<'a> {
    // In a nested router the request itself has lost the beginning of its path.
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
