//! Hub identity: an Ed25519 public key, written as a libp2p PeerId.

use std::{fmt, str::FromStr};

use plexus_a2a::keys::{KeyError, PublicKey};
use serde::{Deserialize, Serialize};

/// Prefix of a libp2p PeerId for an Ed25519 key: an identity multihash (00, length 24) of a protobuf with the
/// key type (08 01) and the length of its 32 bytes (12 20). Source: libp2p specification "Peer Ids and Keys".
pub const PEER_ID: [u8; 6] = [0x00, 0x24, 0x08, 0x01, 0x12, 0x20];
/// Upper bound of the text length; a PeerId of this kind has 52 characters.
const MAX_TEXT: usize = 64;

/// Id of a hub: its Ed25519 key, displayed as its libp2p PeerId `12D3KooW…`. The hub's `did:key` is the same
/// key.
///
/// Stored as 32 bytes, validated on creation, since every listing holds one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HubId([u8; 32]);

impl HubId {
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the key that the hub signs with.
    ///
    /// # Errors
    /// Never for an id created by this type, which validates the key.
    pub fn key(&self) -> Result<PublicKey, KeyError> {
        PublicKey::from_bytes(&self.0)
    }
}

impl From<PublicKey> for HubId {
    fn from(key: PublicKey) -> Self {
        Self(*key.as_bytes())
    }
}

impl FromStr for HubId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let short = Some(text).filter(|text| text.len() <= MAX_TEXT).ok_or(KeyError)?;
        let bytes = bs58::decode(short).into_vec().map_err(|_| KeyError)?;
        let key = bytes.strip_prefix(&PEER_ID).ok_or(KeyError)?;
        PublicKey::from_bytes(key.try_into().map_err(|_| KeyError)?).map(Self::from)
    }
}

impl fmt::Display for HubId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = PEER_ID.into_iter().chain(self.0).collect();
        f.write_str(&bs58::encode(bytes).into_string())
    }
}

impl fmt::Debug for HubId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for HubId {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<HubId> for String {
    fn from(id: HubId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_peer_id_and_its_did_are_one_key() {
        // Key from the first Ed25519 test vector of libp2p's "Peer Ids and Keys".
        let public = "1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e";
        let bytes = data_encoding::HEXLOWER.decode(public.as_bytes()).unwrap();
        let key = PublicKey::from_bytes(&bytes.try_into().unwrap()).unwrap();
        let hub = HubId::from(key);
        assert!(hub.to_string().starts_with("12D3KooW"), "{hub}");
        assert_eq!(hub.to_string().parse(), Ok(hub));
        assert_eq!(hub.key(), Ok(key));
    }

    #[test]
    fn what_names_no_hub_is_refused() {
        let did = plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public().to_string();
        for bad in ["", "12D3KooW", "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", &did, &"1".repeat(65)] {
            assert_eq!(bad.parse::<HubId>(), Err(KeyError), "{bad}");
        }
    }
}
