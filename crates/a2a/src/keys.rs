//! Ed25519 keys of agents and hubs, encoded as `did:key` (W3C CCG, "The did:key Method", section 3.1.2).

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const PREFIX: &str = "did:key:";
/// Multibase prefix of base58btc.
const BASE58: char = 'z';
/// Multicodec prefix `ed25519-pub`, as a varint.
const CODEC: [u8; 2] = [0xed, 0x01];
/// Maximum input length; longer than any Ed25519 `did:key` with fragment.
const MAX_TEXT: usize = 128;

pub const SIGNATURE_BYTES: usize = 64;

/// Secret signing key. Its seed is stored encrypted; `Debug` redacts it.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Derives the key from 32 random bytes (RFC 8032 section 5.1.5).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public())
    }
}

/// Public verification key. Displayed and stored as `did:key:z6Mk…`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(VerifyingKey);

/// Error: not a valid Ed25519 `did:key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("This is not an Ed25519 key in the form did:key:z6Mk….")]
pub struct KeyError;

impl PublicKey {
    /// Parses a raw key. Rejects invalid points and weak
    /// (small-order) keys, under which signatures can be forged.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError)?;
        if key.is_weak() { Err(KeyError) } else { Ok(Self(key)) }
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Verifies a signature strictly (`verify_strict` of ed25519-dalek).
    pub fn verifies(&self, message: &[u8], signature: &[u8; SIGNATURE_BYTES]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    /// Returns the key id within its DID document, used as `kid` of signatures.
    pub fn key_id(&self) -> String {
        format!("{self}#{}", self.multibase())
    }

    /// Returns the key as a JWK of a key set (RFC 8037 section 2).
    pub fn to_jwk(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.as_bytes());
        json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": self.key_id(), "use": "sig", "alg": "EdDSA" })
    }

    fn multibase(&self) -> String {
        let bytes: Vec<u8> = CODEC.into_iter().chain(*self.as_bytes()).collect();
        format!("{BASE58}{}", bs58::encode(bytes).into_string())
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    /// Parses a DID or a key id, which is a DID with its key repeated as fragment.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let body = text.strip_prefix(PREFIX).filter(|_| text.len() <= MAX_TEXT).ok_or(KeyError)?;
        let (key, fragment) = body.split_once('#').unwrap_or((body, body));
        if key != fragment {
            return Err(KeyError);
        }
        let encoded = key.strip_prefix(BASE58).ok_or(KeyError)?;
        let bytes = bs58::decode(encoded).into_vec().map_err(|_| KeyError)?;
        let key = bytes.strip_prefix(&CODEC).ok_or(KeyError)?;
        Self::from_bytes(key.try_into().map_err(|_| KeyError)?)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.multibase())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_known_seed_has_its_known_name() {
        // First test vector of the did:key specification, section 5.1.1.
        let key = SecretKey::from_seed(&[0; 32]).public();
        assert_eq!(key.to_string(), "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp");
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        let key = SecretKey::from_seed(&[1; 32]).public();
        let other = SecretKey::from_seed(&[2; 32]).public();
        let wrong_codec = bs58::encode([&[0xe7, 0x01][..], key.as_bytes()].concat()).into_string();
        let short = bs58::encode([&CODEC[..], &[1; 31]].concat()).into_string();
        for bad in [
            String::new(),
            "did:key:".to_owned(),
            "did:web:example.org".to_owned(),
            key.to_string().replace("did:key:z", "did:key:m"),
            format!("did:key:z{wrong_codec}"),
            format!("did:key:z{short}"),
            format!("{key}#{}", other.multibase()),
            format!("{key}{}", "1".repeat(200)),
        ] {
            assert_eq!(bad.parse::<PublicKey>(), Err(KeyError), "{bad}");
        }
        assert_eq!(PublicKey::from_bytes(&[0; 32]), Err(KeyError), "a weak key");
        assert_eq!(key.key_id().parse(), Ok(key));
        assert!(!format!("{:?}", SecretKey::from_seed(&[1; 32])).contains("010101"));
    }

    proptest! {
        #![proptest_config(plexus_testing::cases(64))]

        #[test]
        fn names_lead_back_to_their_keys(seed in any::<[u8; 32]>(), text in ".{0,80}") {
            let key = SecretKey::from_seed(&seed).public();
            prop_assert_eq!(key.to_string().parse(), Ok(key));
            prop_assert!(text.parse::<PublicKey>().is_err());
        }

        #[test]
        fn a_signature_holds_for_its_message_only(seed in any::<[u8; 32]>(), message in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
            let key = SecretKey::from_seed(&seed);
            let signature = key.sign(&message);
            prop_assert!(key.public().verifies(&message, &signature));
            let mut bent = signature;
            bent[at.index(SIGNATURE_BYTES)] ^= 1;
            prop_assert!(!key.public().verifies(&message, &bent));
            prop_assert!(!key.public().verifies(&[&message[..], b"x"].concat(), &signature));
        }
    }
}
