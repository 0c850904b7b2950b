//! Listing ids: the hash of a listing's genesis document. Keys can be replaced; the id never changes.

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use data_encoding::BASE32_NOPAD;
use plexus_domain::{Digest, Error, Timestamp};
use serde::{Deserialize, Serialize};

use crate::keys::PublicKey;

const PREFIX: &str = "pl1";
/// Length of 32 bytes in base32 without padding.
const HASH_CHARS: usize = 52;

/// Genesis document of a listing, created when its agent is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "GenesisDocument", into = "GenesisDocument")]
pub struct Genesis {
    pub agent: PublicKey,
    /// Recovery key: may replace the agent's key, even if that key is lost.
    pub recovery: PublicKey,
    pub created: Timestamp,
    /// Random bytes.
    pub nonce: [u8; 16],
}

/// Serialized form of [`Genesis`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GenesisDocument {
    agent: PublicKey,
    /// Milliseconds since 1970.
    created: Timestamp,
    /// 16 bytes in base64url.
    nonce: String,
    recovery: PublicKey,
}

impl Genesis {
    /// Returns the canonical JSON form (RFC 8785).
    ///
    /// # Errors
    /// Only serializer errors, which do not occur with this data.
    pub fn canonical(&self) -> serde_json::Result<Vec<u8>> {
        serde_json_canonicalizer::to_vec(self)
    }

    /// Returns the listing's id.
    ///
    /// # Errors
    /// As for [`Genesis::canonical`].
    pub fn id(&self) -> serde_json::Result<ListingId> {
        let hash = Digest::of(self.canonical()?);
        Ok(ListingId(format!("{PREFIX}{}", BASE32_NOPAD.encode(hash.as_bytes()).to_ascii_lowercase())))
    }
}

impl From<Genesis> for GenesisDocument {
    fn from(genesis: Genesis) -> Self {
        let Genesis { agent, recovery, created, nonce } = genesis;
        Self { agent, created, nonce: BASE64.encode(nonce), recovery }
    }
}

impl TryFrom<GenesisDocument> for Genesis {
    type Error = Error;

    fn try_from(document: GenesisDocument) -> Result<Self, Error> {
        let GenesisDocument { agent, created, nonce, recovery } = document;
        let bytes = BASE64.decode(nonce).ok().and_then(|bytes| bytes.try_into().ok());
        let nonce = bytes.ok_or_else(|| Error::invalid("nonce", "A nonce is 16 bytes in base64url."))?;
        Ok(Self { agent, recovery, created, nonce })
    }
}

/// Listing id: `pl1` and a SHA-256 digest in lower-case base32 without padding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ListingId(String);

impl ListingId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ListingId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let hash = text.strip_prefix(PREFIX).filter(|hash| hash.len() == HASH_CHARS);
        let hash = hash.filter(|hash| !hash.bytes().any(|byte| byte.is_ascii_uppercase()));
        let bytes = hash.and_then(|hash| BASE32_NOPAD.decode(hash.to_ascii_uppercase().as_bytes()).ok());
        match bytes {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err(Error::invalid("listing", "A listing id is pl1 and 52 letters or digits.")),
        }
    }
}

impl TryFrom<String> for ListingId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<ListingId> for String {
    fn from(id: ListingId) -> Self {
        id.0
    }
}

impl fmt::Display for ListingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SecretKey;

    fn genesis() -> Genesis {
        let key = |seed| SecretKey::from_seed(&[seed; 32]).public();
        Genesis {
            agent: key(0),
            recovery: key(1),
            created: Timestamp::from_millis(1_795_132_800_123),
            nonce: [0xff; 16],
        }
    }

    #[test]
    fn the_id_is_the_hash_of_the_canonical_document() {
        let text = String::from_utf8(genesis().canonical().unwrap()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"agent":"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp","created":1795132800123,"#,
                r#""nonce":"_____________________w","recovery":"did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX"}"#
            )
        );
        assert_eq!(serde_json::from_str::<Genesis>(&text).unwrap(), genesis());
        assert!(serde_json::from_str::<Genesis>(&text.replace("_w\"", "\"")).is_err());
        let id = genesis().id().unwrap();
        assert_eq!(id.as_str().len(), 55);
        assert_eq!(id.as_str().parse::<ListingId>().unwrap(), id);
    }

    #[test]
    fn every_fact_counts() {
        let key = SecretKey::from_seed(&[9; 32]).public();
        let base = genesis();
        let others = [
            Genesis { agent: key, ..base },
            Genesis { recovery: key, ..base },
            Genesis { created: Timestamp::from_millis(1), ..base },
            Genesis { nonce: [0; 16], ..base },
        ];
        for other in others {
            assert_ne!(other.id().unwrap(), base.id().unwrap());
        }
    }

    #[test]
    fn ids_have_one_spelling() {
        let id = genesis().id().unwrap().to_string();
        for bad in [
            "",
            "pl1",
            &id[..54],
            &id.to_uppercase(),
            &id.replace("pl1", "pl2"),
            &format!("pl1{}", "1".repeat(52)),
        ] {
            assert!(bad.parse::<ListingId>().is_err(), "{bad}");
        }
    }
}
