//! Agent addresses: `@owner/name` for a local agent, `@owner/name@hub` for an agent of a remote hub.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Error, Name, Result};

/// Address of an agent. `hub` is a verified domain or a PeerId; `None` means this hub.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address {
    pub owner: Name,
    pub name: Name,
    pub hub: Option<String>,
}

/// Maximum length of the hub part: the 253 characters of a DNS name. A PeerId is shorter.
const HUB_MAX: usize = 253;

impl Address {
    pub const fn local(owner: Name, name: Name) -> Self {
        Self { owner, name, hub: None }
    }

    /// Parses a leading mention, as in "@plexus/calc 2+2": returns the address and the text after it.
    ///
    /// Leading white space and punctuation directly after the mention are skipped.
    pub fn split_mention(text: &str) -> Option<(Self, &str)> {
        let text = text.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let word = text[..end].trim_end_matches([',', ':', ';', '.', '?', '!']);
        let address = word.starts_with('@').then(|| word.parse().ok())??;
        Some((address, text[end..].trim_start()))
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let shape = || Error::invalid("address", "An address looks like @owner/name or @owner/name@hub.");
        let body = text.strip_prefix('@').unwrap_or(text);
        let (owner, rest) = body.split_once('/').ok_or_else(shape)?;
        let (name, hub) = match rest.split_once('@') {
            Some((name, hub)) => (name, Some(parse_hub(hub).ok_or_else(shape)?)),
            None => (rest, None),
        };
        Ok(Self { owner: owner.parse()?, name: name.parse()?, hub })
    }
}

fn parse_hub(text: &str) -> Option<String> {
    let fits = (1..=HUB_MAX).contains(&text.len());
    let clean = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'));
    (fits && clean).then(|| text.to_owned())
}

impl TryFrom<String> for Address {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}/{}", self.owner, self.name)?;
        self.hub.as_ref().map_or(Ok(()), |hub| write!(f, "@{hub}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_text() {
        for text in ["@plexus/calc", "@ada/x@hub.example", "@ada/x@12D3KooWabc"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for bad in ["", "@", "@a", "@a/", "@/b", "@a/b@", "@a/b@x y", "@a/b/c", "@a b/c"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_mention_is_the_first_word() {
        let (address, rest) = Address::split_mention(" @plexus/calc: 2 + 2").unwrap();
        assert_eq!((address.to_string().as_str(), rest), ("@plexus/calc", "2 + 2"));
        assert!(Address::split_mention("ask @plexus/calc").is_none());
        assert!(Address::split_mention("@nobody hello").is_none());
    }
}
