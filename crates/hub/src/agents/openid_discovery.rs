//! Endpoints of authorization servers that agents name by an OpenID Connect discovery document.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use plexus_domain::{
    Error as Refusal, Timestamp,
    agent::{OauthRequirement, Scheme},
};
use plexus_runtime::{
    oauth_client::{self, DiscoveredEndpoints},
    outbound::OutboundClient,
};
use url::Url;

use super::oauth_tokens::AuthorizationServer;
use crate::{Hub, Result};

/// How long a document is kept.
const TTL: Duration = Duration::from_hours(1);
const MAX_ITEMS: usize = 1_000;

/// Endpoints by the URL of their document.
#[derive(Default)]
pub(crate) struct DiscoveryCache(Mutex<HashMap<String, (Timestamp, DiscoveredEndpoints)>>);

impl DiscoveryCache {
    fn get(&self, url: &str, now: Timestamp) -> Option<DiscoveredEndpoints> {
        let known = self.0.lock();
        known.get(url).filter(|(since, _)| now < *since + TTL).map(|(_, endpoints)| endpoints.clone())
    }

    fn put(&self, url: &str, now: Timestamp, endpoints: DiscoveredEndpoints) {
        let mut known = self.0.lock();
        if known.len() >= MAX_ITEMS {
            known.retain(|_, (since, _)| now < *since + TTL);
        }
        if known.len() < MAX_ITEMS {
            known.insert(url.to_owned(), (now, endpoints));
        }
    }
}

/// Sets the endpoints of the server, if a discovery document names them.
pub(super) async fn resolve(hub: &Hub, server: AuthorizationServer) -> Result<AuthorizationServer> {
    let oauth = with_endpoints(hub, &server.outbound, &server.oauth).await?;
    Ok(AuthorizationServer { oauth, ..server })
}

/// Sets the endpoints of a scheme for display. A document that cannot be read leaves them out; connecting tells why.
pub(super) async fn resolve_scheme(hub: &Hub, outbound: &OutboundClient, scheme: Scheme) -> Scheme {
    let Scheme::Oauth2(oauth) = scheme else { return scheme };
    let resolved = with_endpoints(hub, outbound, &oauth).await;
    Scheme::Oauth2(resolved.unwrap_or_else(|error| {
        tracing::debug!(%error, "OpenID Connect discovery failed");
        oauth
    }))
}

async fn with_endpoints(
    hub: &Hub,
    outbound: &OutboundClient,
    oauth: &OauthRequirement,
) -> Result<OauthRequirement, Refusal> {
    let Some(document) = oauth.discovery_url.as_deref() else { return Ok(oauth.clone()) };
    let now = hub.env().now();
    let endpoints = match hub.discovered().get(document, now) {
        Some(known) => known,
        None => {
            let at: Url =
                document.parse().map_err(|_| Refusal::conflict("The discovery URL is not valid."))?;
            let found = oauth_client::discover(outbound, &at).await;
            let found = found.map_err(|failure| Refusal::conflict(failure.message))?;
            hub.discovered().put(document, now, found.clone());
            found
        }
    };
    Ok(OauthRequirement {
        authorization_url: Some(endpoints.authorization.into()),
        token_url: endpoints.token.into(),
        ..oauth.clone()
    })
}
