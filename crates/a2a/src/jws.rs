//! Detached JSON Web Signatures with Ed25519 (RFC 7515 appendix F, RFC 8037).

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    bounded_json::{self, JsonLimits},
    keys::{PublicKey, SIGNATURE_BYTES, SecretKey},
};

/// Limits of a protected header; far more than one needs.
const HEADER_LIMITS: JsonLimits = JsonLimits { bytes: 4_096, depth: 8, values: 100 };

/// A detached JWS: `protected..signature`, both in base64url.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Jws {
    pub protected: String,
    pub signature: String,
}

/// The fields of the protected header that the hub reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub alg: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typ: Option<String>,
    /// URL of a key set. The hub does not fetch it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jku: Option<String>,
    /// Critical extensions. The hub supports none and rejects such signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crit: Option<Value>,
}

/// Why a JWS is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwsError {
    #[error("The signature is not a valid JWS.")]
    Malformed,
    #[error("The signature uses {0}; the hub verifies Ed25519 (EdDSA).")]
    Algorithm(String),
    #[error("The signature asks for extensions that the hub does not know.")]
    Critical,
    #[error("The signature uses another key than expected.")]
    Key,
    #[error("The signature does not match the signed content.")]
    Mismatch,
}

/// Signs `payload`. The header names the key.
///
/// # Errors
/// Only serializer errors, which do not occur with this data.
pub fn sign(key: &SecretKey, payload: &[u8]) -> serde_json::Result<Jws> {
    sign_from(key, payload, None)
}

/// Like [`sign`], with the URL of a key set that contains the key (`jku`, RFC 7515 section 4.1.2).
pub fn sign_from(key: &SecretKey, payload: &[u8], jku: Option<&str>) -> serde_json::Result<Jws> {
    let header = Header {
        alg: "EdDSA".to_owned(),
        kid: Some(key.public().key_id()),
        typ: Some("JOSE".to_owned()),
        jku: jku.map(str::to_owned),
        crit: None,
    };
    Ok(sign_under(key, &serde_json_canonicalizer::to_vec(&header)?, payload))
}

fn sign_under(key: &SecretKey, header: &[u8], payload: &[u8]) -> Jws {
    let protected = BASE64.encode(header);
    let signature = BASE64.encode(key.sign(&signing_input(&protected, payload)));
    Jws { protected, signature }
}

impl Jws {
    pub fn header(&self) -> Result<Header, JwsError> {
        let bytes = decode(&self.protected, HEADER_LIMITS.bytes)?;
        bounded_json::parse(&bytes, HEADER_LIMITS).map_err(|_| JwsError::Malformed)
    }

    /// Verifies that `key` signed `payload`.
    pub fn verify(&self, key: &PublicKey, payload: &[u8]) -> Result<(), JwsError> {
        let header = self.header()?;
        // RFC 9864 uses "Ed25519" for the same algorithm.
        if !matches!(header.alg.as_str(), "EdDSA" | "Ed25519") {
            return Err(JwsError::Algorithm(plexus_domain::sanitized_text::ellipsize(&header.alg, 20)));
        }
        if header.crit.is_some() {
            return Err(JwsError::Critical);
        }
        let signature: [u8; SIGNATURE_BYTES] =
            decode(&self.signature, SIGNATURE_BYTES)?.try_into().map_err(|_| JwsError::Malformed)?;
        let holds = key.verifies(&signing_input(&self.protected, payload), &signature);
        if holds { Ok(()) } else { Err(JwsError::Mismatch) }
    }

    /// Returns the key named by the header (unverified), if `kid` is a `did:key`.
    pub fn claimed_key(&self) -> Option<PublicKey> {
        self.header().ok()?.kid?.parse().ok()
    }

    /// Verifies that the header names `key` and that `key` signed `payload`.
    pub fn verify_named(&self, key: &PublicKey, payload: &[u8]) -> Result<(), JwsError> {
        match self.claimed_key() {
            Some(named) if named == *key => self.verify(key, payload),
            _ => Err(JwsError::Key),
        }
    }
}

impl fmt::Display for Jws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.protected, self.signature)
    }
}

impl FromStr for Jws {
    type Err = JwsError;

    fn from_str(text: &str) -> Result<Self, JwsError> {
        let (protected, signature) = text.split_once("..").ok_or(JwsError::Malformed)?;
        Ok(Self { protected: protected.to_owned(), signature: signature.to_owned() })
    }
}

impl TryFrom<String> for Jws {
    type Error = JwsError;

    fn try_from(text: String) -> Result<Self, JwsError> {
        text.parse()
    }
}

impl From<Jws> for String {
    fn from(jws: Jws) -> Self {
        jws.to_string()
    }
}

fn signing_input(protected: &str, payload: &[u8]) -> Vec<u8> {
    format!("{protected}.{}", BASE64.encode(payload)).into_bytes()
}

fn decode(text: &str, max_bytes: usize) -> Result<Vec<u8>, JwsError> {
    let fits = text.len() <= max_bytes.div_ceil(3) * 4;
    let bytes = fits.then(|| BASE64.decode(text).ok()).flatten();
    bytes.ok_or(JwsError::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seed(text: &str) -> [u8; 32] {
        BASE64.decode(text).unwrap().try_into().unwrap()
    }

    #[test]
    fn the_example_of_rfc_8037_comes_out_the_same() {
        // RFC 8037 appendices A.1, A.2, A.4 and A.5.
        let key = SecretKey::from_seed(&seed("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"));
        assert_eq!(key.public().as_bytes(), &seed("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"));
        let payload = b"Example of Ed25519 signing";
        let jws = sign_under(&key, br#"{"alg":"EdDSA"}"#, payload);
        assert_eq!(jws.protected, "eyJhbGciOiJFZERTQSJ9");
        assert_eq!(
            jws.signature,
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        );
        assert_eq!(jws.verify(&key.public(), payload), Ok(()));
    }

    #[test]
    fn headers_that_change_what_is_verified_are_refused() {
        let key = SecretKey::from_seed(&[7; 32]);
        let error =
            |header: &str| sign_under(&key, header.as_bytes(), b"x").verify(&key.public(), b"x").unwrap_err();
        assert_eq!(error(r#"{"alg":"none"}"#), JwsError::Algorithm("none".into()));
        assert_eq!(error(r#"{"alg":"HS256"}"#), JwsError::Algorithm("HS256".into()));
        assert_eq!(error(r#"{"alg":"EdDSA","crit":["b64"],"b64":false}"#), JwsError::Critical);
        assert_eq!(error("{}"), JwsError::Malformed);
        assert_eq!(
            error(&format!("{{\"alg\":\"EdDSA\",\"x\":\"{}\"}}", "y".repeat(9_000))),
            JwsError::Malformed
        );
        assert!("a.b.c".parse::<Jws>().is_err());
        let named =
            |header: &str| sign_under(&key, header.as_bytes(), b"x").verify_named(&key.public(), b"x");
        let other = SecretKey::from_seed(&[8; 32]).public().key_id();
        assert_eq!(named(&format!(r#"{{"alg":"EdDSA","kid":"{other}"}}"#)), Err(JwsError::Key));
        assert_eq!(named(r#"{"alg":"EdDSA"}"#), Err(JwsError::Key));
        assert_eq!(sign(&key, b"x").unwrap().verify_named(&key.public(), b"x"), Ok(()));
    }

    proptest! {
        #![proptest_config(plexus_testing::cases(64))]

        #[test]
        fn a_signature_survives_text_and_no_change(seed in any::<[u8; 32]>(), payload in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
            let key = SecretKey::from_seed(&seed);
            let jws = sign(&key, &payload).unwrap();
            let kid = jws.header().unwrap().kid.unwrap();
            prop_assert_eq!(kid.parse(), Ok(key.public()));
            let text = jws.to_string();
            prop_assert_eq!(text.parse::<Jws>().unwrap().verify(&key.public(), &payload), Ok(()));
            prop_assert_eq!(jws.verify(&key.public(), &[&payload[..], b" "].concat()), Err(JwsError::Mismatch));
            let mut bent = text.into_bytes();
            let at = at.index(bent.len());
            bent[at] = if bent[at] == b'A' { b'B' } else { b'A' };
            let bent = String::from_utf8(bent).unwrap().parse::<Jws>();
            prop_assert!(bent.is_err() || bent.unwrap().verify(&key.public(), &payload).is_err());
        }

        #[test]
        fn anything_else_is_refused_without_a_panic(text in ".{0,60}\\.\\.[A-Za-z0-9_-]{0,90}") {
            let key = SecretKey::from_seed(&[7; 32]).public();
            let jws: Jws = text.parse().unwrap();
            prop_assert!(jws.verify(&key, b"x").is_err());
        }
    }
}
