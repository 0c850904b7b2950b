//! Identifiers of this hub's agents in other registries (URNs).

use std::{fmt, net::IpAddr, str::FromStr};

use plexus_a2a::keys::PublicKey;
use plexus_domain::{Address, Error as Refusal};
use url::Host;

use crate::{Hub, Result, keys};

/// Publisher in an identifier: a domain (Agentic Resource Discovery, appendix C), or for a hub without a
/// domain its public key, in a project-specific URN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrnPublisher {
    Domain(String),
    Key(String),
}

/// Namespace of the hub's own identifiers. They have more parts than those of agents, so they cannot collide.
const OF_HUB: &str = "hub";
const AIR: &str = "urn:air:";
const OWN: &str = "urn:plexus:";
const MAX_BYTES: usize = 512;

/// Returns this hub's publisher: its domain. A hub on a loopback address is `localhost`.
pub async fn publisher(hub: &Hub) -> Result<UrnPublisher> {
    match hub.config().public_url.host() {
        Some(Host::Domain(domain)) => Ok(UrnPublisher::Domain(domain.to_owned())),
        Some(Host::Ipv4(ip)) if IpAddr::V4(ip).is_loopback() => {
            Ok(UrnPublisher::Domain("localhost".to_owned()))
        }
        Some(Host::Ipv6(ip)) if ip.is_loopback() => Ok(UrnPublisher::Domain("localhost".to_owned())),
        _ => Ok(UrnPublisher::of_key(&keys::hub_key(&mut hub.store().read().await?).await?)),
    }
}

impl fmt::Display for UrnPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Domain(name) | Self::Key(name)) = self;
        f.write_str(name)
    }
}

impl UrnPublisher {
    pub fn of_key(key: &PublicKey) -> Self {
        Self::Key(key.to_string().replace(':', "."))
    }

    pub fn identifier(&self, address: &Address) -> String {
        format!("{}{self}:{}:{}", self.scheme(), address.owner, address.name)
    }

    /// Returns the identifier of something that belongs to the hub and is not an agent.
    pub fn of_hub(&self, name: &str) -> String {
        format!("{}{self}:{OF_HUB}:{name}", self.scheme())
    }

    /// Returns the verifiable identifier of the hub itself.
    pub fn host_id(&self) -> String {
        match self {
            Self::Domain(domain) => format!("did:web:{domain}"),
            Self::Key(_) => format!("{OWN}{self}"),
        }
    }

    /// Returns the address of the agent, if the identifier belongs to this publisher.
    pub fn address(&self, identifier: &AirUrn) -> Option<Address> {
        let rest = identifier.0.strip_prefix(self.scheme())?.strip_prefix(&self.to_string())?;
        let (owner, name) = rest.strip_prefix(':')?.split_once(':')?;
        Some(Address::local(owner.parse().ok()?, name.parse().ok()?))
    }

    const fn scheme(&self) -> &'static str {
        match self {
            Self::Domain(_) => AIR,
            Self::Key(_) => OWN,
        }
    }
}

/// Valid identifier: `urn:air:` or `urn:plexus:`, a publisher, and at least one more part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirUrn(String);

impl FromStr for AirUrn {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let wrong =
            || Refusal::invalid("identifier", "An identifier looks like urn:air:hub.example:owner:name.");
        let rest = text.strip_prefix(AIR).or_else(|| text.strip_prefix(OWN)).ok_or_else(wrong)?;
        let mut names = rest.split(':');
        let domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let fits = |name: &str, fits: &dyn Fn(u8) -> bool| !name.is_empty() && name.bytes().all(fits);
        let publisher = names.next().is_some_and(|name| fits(name, &domain));
        let rest: Vec<bool> = names.map(|name| fits(name, &|byte| domain(byte) || byte == b'_')).collect();
        let whole = publisher && !rest.is_empty() && rest.iter().all(|fits| *fits);
        if whole && text.len() <= MAX_BYTES { Ok(Self(text.to_owned())) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_leads_back_to_its_agent() {
        let address: Address = "@ada/Wea_ther".parse().unwrap();
        for publisher in
            [UrnPublisher::Domain("hub.example".to_owned()), UrnPublisher::Key("ed25519.x-y".to_owned())]
        {
            let identifier = publisher.identifier(&address);
            assert_eq!(
                publisher.address(&identifier.parse().unwrap()),
                Some(address.clone()),
                "{identifier}"
            );
            assert_eq!(publisher.address(&publisher.of_hub("registry:ard").parse().unwrap()), None);
        }
        let other: AirUrn = "urn:air:other.example:ada:weather".parse().unwrap();
        assert_eq!(UrnPublisher::Domain("hub.example".to_owned()).address(&other), None);
    }

    #[test]
    fn other_texts_are_none() {
        for wrong in [
            "",
            "not-a-valid-ard-urn",
            "urn:air:",
            "urn:air:a",
            "urn:air:a:",
            "urn:air::b",
            "urn:air:a:b c",
            "urn:air:a:b%20",
        ] {
            assert!(wrong.parse::<AirUrn>().is_err(), "{wrong}");
        }
        assert!("urn:air:a:b".parse::<AirUrn>().is_ok());
    }
}
