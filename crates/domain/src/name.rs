//! Names of namespaces and agents: short ASCII identifiers, compared case-insensitively.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Names that users cannot take, because pages, protocols or people would mistake them. Sorted.
const RESERVED: &[&str] = &[
    "admin",
    "administrator",
    "agent",
    "agents",
    "anonymous",
    "api",
    "everyone",
    "help",
    "here",
    "hub",
    "me",
    "models",
    "moderator",
    "null",
    "owner",
    "plexus",
    "root",
    "security",
    "settings",
    "support",
    "system",
    "team",
    "test",
    "undefined",
];

/// The name of a namespace or an agent: 1 to 39 ASCII letters, digits, and single `-` or `_` between them.
///
/// Shown as written, compared by [`Name::canonical`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    pub const MAX: usize = 39;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the canonical (lower-case) form, used for uniqueness.
    pub fn canonical(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// Returns true if only the hub itself may own this name.
    pub fn is_reserved(&self) -> bool {
        RESERVED.binary_search(&self.canonical().as_str()).is_ok()
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() || text.len() > Self::MAX {
            return Err(Error::invalid("name", "A name has 1 to 39 characters."));
        }
        let joiner = |byte: u8| byte == b'-' || byte == b'_';
        let bytes = text.as_bytes();
        if !bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || joiner(byte)) {
            return Err(Error::invalid(
                "name",
                "A name has only the letters a to z, digits, hyphens and underscores.",
            ));
        }
        let edges = [bytes[0], bytes[bytes.len() - 1]];
        if edges.into_iter().any(joiner) || bytes.windows(2).any(|pair| pair.iter().copied().all(joiner)) {
            return Err(Error::invalid(
                "name",
                "Hyphens and underscores stand alone, between letters or digits.",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Name {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Name {}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_compared_folded() {
        for good in ["a", "Ada", "ada-lovelace", "a_1", &"x".repeat(39)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "a-_b", "a b", "é", "a/b", "@a", "a.b", &"x".repeat(40)] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
        assert_eq!("Ada".parse::<Name>().unwrap(), "aDA".parse::<Name>().unwrap());
    }

    #[test]
    fn reserved_names_are_sorted_so_that_the_search_finds_them() {
        assert!(RESERVED.is_sorted());
        assert!("Plexus".parse::<Name>().unwrap().is_reserved());
        assert!(!"ada".parse::<Name>().unwrap().is_reserved());
    }
}
