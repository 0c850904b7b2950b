//! What is sealed for an agent: a secret with the origin and the scheme that it was given for.

use std::sync::Arc;

use plexus_a2a::card::Origin;
use plexus_domain::{
    SecretId,
    agent::{Oauth, Scheme},
};
use plexus_runtime::{Credentials, KeyPlace as Place, Secret, Shown, oauth::Client, outbound::Outbound};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Asks, Given, asks_nothing, check};
use crate::{
    Error, Hub, Result,
    agents::tokens::{OfClient, Server},
};

/// What is sealed: whole, so that a card which changes cannot send it elsewhere or otherwise.
#[derive(Serialize, Deserialize)]
pub(in crate::agents) struct Sealed {
    pub(super) origin: String,
    pub(super) scheme: Scheme,
    user: String,
    secret: String,
}

impl Sealed {
    pub fn new(asks: &Asks, given: &Given) -> Result<Self> {
        let scheme = asks.scheme.clone().ok_or_else(asks_nothing)?;
        check(&scheme, given)?;
        let (origin, Given { user, secret }) = (asks.origin.clone(), given.clone());
        Ok(Self { origin, scheme, user, secret })
    }

    pub fn open(plain: &[u8]) -> Result<Self> {
        serde_json::from_slice(plain).map_err(Error::fault)
    }

    pub const fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Whether it may be sent to this address.
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

    /// What the agent is shown; `kept` names it where tokens are shared by all who use it.
    pub fn shown(
        self,
        hub: &Hub,
        outbound: Outbound,
        resource: Url,
        mend: String,
        kept: Option<SecretId>,
    ) -> Shown {
        match self.fixed().map_err(Oauth::clone) {
            Ok(fixed) => Shown::Fixed(fixed),
            Err(oauth) => {
                let (env, client) = (hub.env().clone(), self.client());
                let server = Server { env, outbound, oauth, client, resource, mend };
                Shown::Fetched(Arc::new(OfClient::new(hub, server, kept)))
            }
        }
    }

    /// What is shown as it is, or else where a token is got for it.
    pub fn fixed(&self) -> Result<Credentials, &Oauth> {
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
