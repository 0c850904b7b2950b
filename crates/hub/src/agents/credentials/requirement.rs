//! Credential requirement of an agent: what its card or its HTTP endpoint asks for.

use plexus_a2a::{
    Card,
    card::{Credential, KeyPlace, Origin, SecurityRequirements},
};
use plexus_domain::{
    Error as Refusal,
    agent::{Connector, OauthRequirement, Scheme, http_endpoint::EndpointTemplate},
};
use url::Url;

use crate::Result;

/// Credential requirement of an agent: scheme and the origin that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) struct CredentialRequirement {
    pub(super) scheme: Option<Scheme>,
    pub origin: String,
}

impl CredentialRequirement {
    /// Returns the requirement; `None` if the agent needs no credentials.
    pub fn of(connector: &Connector, card: &Card) -> Option<Self> {
        let asks = match connector {
            Connector::Http { request } => Self::of_template(request).ok()?,
            _ => Self::of_card(card)?,
        };
        asks.scheme.is_some().then_some(asks)
    }

    pub fn of_card(card: &Card) -> Option<Self> {
        let origin = Origin::of(&card.best_interface()?.url)?.to_string();
        Some(Self { scheme: scheme(card), origin })
    }

    pub fn of_template(template: &EndpointTemplate) -> Result<Self> {
        let request = template.request();
        let url: Url = request.url.parse().map_err(|_| unusable())?;
        let origin = Origin::of(&url).ok_or_else(unusable)?.to_string();
        Ok(Self { scheme: request.auth.clone(), origin })
    }

    /// Requirement of an MCP server, with the scheme that the agent's owner entered.
    pub fn of_server(url: &Url, scheme: Scheme) -> Result<Self> {
        let origin = Origin::of(url).ok_or_else(unusable)?.to_string();
        Ok(Self { scheme: Some(scheme), origin })
    }

    /// Returns the OAuth configuration and origin if each user must authorize the hub; otherwise `None`.
    pub fn by_person(&self) -> Option<(&OauthRequirement, &str)> {
        match &self.scheme {
            Some(Scheme::Oauth2(oauth)) if oauth.is_by_user() => Some((oauth, &self.origin)),
            _ => None,
        }
    }

    /// Returns `None` if no credentials are required.
    pub fn some(&self) -> Option<&Self> {
        self.scheme.is_some().then_some(self)
    }
}

/// Returns the scheme that the card requires; `None` if it requires none that the hub supports.
pub fn scheme(card: &Card) -> Option<Scheme> {
    let SecurityRequirements::OneOf(ways) = &card.security else { return None };
    let single = ways.iter().find(|way| way.len() == 1).and_then(|way| way.values().next())?;
    Some(match single {
        Credential::Bearer => Scheme::Bearer,
        Credential::Basic => Scheme::Basic,
        Credential::ApiKey { place, name } => {
            Scheme::ApiKey { name: name.clone(), in_query: *place == KeyPlace::Query }
        }
        Credential::Oauth(oauth) => Scheme::Oauth2(oauth.clone()),
    })
}

/// Returns the agent's URL as resource indicator for its tokens (RFC 8707).
pub(super) fn resource(connector: &Connector, card: &Card) -> Result<Url> {
    if let Connector::Http { request } = connector {
        return template_resource(request);
    }
    let interface = card.best_interface().ok_or_else(unusable)?;
    let mut url = interface.url.clone();
    url.set_fragment(None);
    Ok(url)
}

/// Returns the resource indicator of an HTTP endpoint, without the placeholders that each message fills.
pub(in crate::agents) fn template_resource(template: &EndpointTemplate) -> Result<Url> {
    let url = &template.request().url;
    let fixed = url.split("{{").next().unwrap_or_default();
    let mut url: Url = fixed.parse().map_err(|_| unusable())?;
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

pub(super) fn unusable() -> Refusal {
    Refusal::invalid("url", "This address cannot be used.")
}
