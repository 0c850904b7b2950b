//! Encrypted credentials of an agent, bound to origin and scheme.

use std::sync::Arc;

use plexus_a2a::card::Origin;
use plexus_domain::{
    SecretId,
    agent::{OauthRequirement, Scheme},
};
use plexus_runtime::{
    CredentialSource, Credentials, KeyPlace as Place, Secret, oauth_client::Client, outbound::OutboundClient,
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{CredentialInput, CredentialRequirement, asks_nothing, check};
use crate::{
    Error, Hub, Result,
    agents::oauth_tokens::{AuthorizationServer, ClientTokens},
};

/// Content of the encrypted credentials. Origin and scheme are included, so that a changed card cannot
/// redirect them to another origin or send them in another way.
#[derive(Serialize, Deserialize)]
pub(in crate::agents) struct SealedCredentials {
    pub(super) origin: String,
    pub(super) scheme: Scheme,
    user: String,
    secret: String,
}

impl SealedCredentials {
    pub fn new(asks: &CredentialRequirement, given: &CredentialInput) -> Result<Self> {
        let scheme = asks.scheme.clone().ok_or_else(asks_nothing)?;
        check(&scheme, given)?;
        let (origin, CredentialInput { user, secret }) = (asks.origin.clone(), given.clone());
        Ok(Self { origin, scheme, user, secret })
    }

    pub fn open(plain: &[u8]) -> Result<Self> {
        serde_json::from_slice(plain).map_err(Error::fault)
    }

    pub const fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Returns whether the credentials may be sent to this URL.
    pub fn is_for(&self, url: &Url) -> bool {
        Origin::of(url).is_some_and(|origin| origin.to_string() == self.origin)
    }

    pub fn origin(&self) -> Result<Url> {
        Url::parse(&self.origin).map_err(Error::fault)
    }

    pub(super) fn client(self) -> Client {
        let secret = Some(self.secret).filter(|secret| !secret.is_empty()).map(Secret::new);
        Client { id: self.user, secret }
    }

    /// Returns the credentials for requests. With a secret id, the fetched tokens
    /// are cached and shared under it.
    pub fn shown(
        self,
        hub: &Hub,
        outbound: OutboundClient,
        resource: Url,
        mend: String,
        kept: Option<SecretId>,
    ) -> CredentialSource {
        match self.fixed().map_err(OauthRequirement::clone) {
            Ok(fixed) => CredentialSource::Fixed(fixed),
            Err(oauth) => {
                let (env, client) = (hub.env().clone(), self.client());
                let server = AuthorizationServer { env, outbound, oauth, client, resource, mend };
                CredentialSource::Fetched(Arc::new(ClientTokens::new(hub, server, kept)))
            }
        }
    }

    /// Returns static credentials, or the OAuth configuration if a token must be fetched.
    pub fn fixed(&self) -> Result<Credentials, &OauthRequirement> {
        let value = Secret::new(&self.secret);
        match &self.scheme {
            Scheme::Bearer => Ok(Credentials::Bearer(value)),
            Scheme::Basic => Ok(Credentials::Basic { user: self.user.clone(), password: value }),
            Scheme::ApiKey { name, in_query } => {
                let place = if *in_query { Place::Query } else { Place::Header };
                Ok(Credentials::ApiKey { place, name: name.clone(), value })
            }
            Scheme::Oauth2(oauth) => Err(oauth),
        }
    }
}
