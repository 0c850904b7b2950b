//! HTTP message signatures with Ed25519 (RFC 9421) and content digests (RFC 9530).
//!
//! A hub signs its requests to other hubs: method, target, body and caller. The key id is a `did:key`, so a
//! signature is verified without a key lookup. The verifier must know to which hub the key belongs.

mod digest;
mod error;
mod structured_fields;
#[cfg(test)]
mod tests;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use plexus_domain::Timestamp;

use self::{
    digest::check_digest,
    structured_fields::{ParamValue, SignatureInput},
};
pub use self::{digest::content_digest, error::SignatureError};
use crate::keys::{PublicKey, SIGNATURE_BYTES, SecretKey};

pub const SIGNATURE: &str = "signature";
pub const SIGNATURE_INPUT: &str = "signature-input";
pub const CONTENT_DIGEST: &str = "content-digest";

/// Validity of a signature in seconds.
pub const TTL_SECONDS: i64 = 60;
/// Tolerated clock skew: how far the signer's clock may be ahead, in seconds.
const AHEAD_SECONDS: i64 = 30;
/// Components that every signature must cover.
const ALWAYS: [&str; 4] = ["@method", "@authority", "@path", CONTENT_DIGEST];
const ALGORITHM: &str = "ed25519";
const LABEL: &str = "plexus";
const MAX_NONCE: usize = 128;

/// The parts of an HTTP request that a signature can cover.
#[derive(Clone, Debug, Default)]
pub struct SignableRequest<'a> {
    pub method: &'a str,
    /// Target host, with its port unless it is the default port.
    pub authority: &'a str,
    pub path: &'a str,
    pub query: Option<&'a str>,
    /// Headers by lower-case name. Repeated lines of one header are joined by commas.
    pub fields: Vec<(String, String)>,
}

impl SignableRequest<'_> {
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim())
    }

    /// Returns the value of a component (RFC 9421 section 2).
    fn component(&self, name: &str) -> Option<String> {
        Some(match name {
            "@method" => self.method.to_owned(),
            "@authority" => self.authority.to_ascii_lowercase(),
            "@path" if self.path.is_empty() => "/".to_owned(),
            "@path" => self.path.to_owned(),
            "@query" => format!("?{}", self.query.unwrap_or_default()),
            _ => self.field(name)?.to_owned(),
        })
    }
}

/// A verified signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedSignature {
    pub key: PublicKey,
    /// Must be stored by the verifier until `expires`, to reject replays.
    pub nonce: String,
    pub expires: Timestamp,
}

/// Signs a request with all its fields. Returns the values of `Signature-Input` and `Signature`.
pub fn sign(key: &SecretKey, request: &SignableRequest<'_>, now: Timestamp, nonce: &str) -> (String, String) {
    let query = request.query.map(|_| "@query");
    let parts = ALWAYS[..3].iter().copied().chain(query);
    let covered = parts.map(str::to_owned).chain(request.fields.iter().map(|(name, _)| name.clone()));
    let created = now.millis().div_euclid(1_000);
    let input = SignatureInput {
        label: LABEL.to_owned(),
        covered: covered.collect(),
        params: vec![
            ("created".to_owned(), ParamValue::Number(created)),
            ("expires".to_owned(), ParamValue::Number(created + TTL_SECONDS)),
            ("nonce".to_owned(), ParamValue::Text(nonce.to_owned())),
            ("keyid".to_owned(), ParamValue::Text(key.public().key_id())),
            ("alg".to_owned(), ParamValue::Text(ALGORITHM.to_owned())),
        ],
    };
    // Cannot fail: all covered components are present in the request.
    let base = base(request, &input).unwrap_or_default();
    let signature = BASE64.encode(key.sign(base.as_bytes()));
    (format!("{LABEL}={}", input.described()), format!("{LABEL}=:{signature}:"))
}

/// Verifies the signature of a request: coverage, times, key and body digest.
///
/// `required` are headers that must be covered besides the
/// mandatory components. Does not check the nonce for reuse.
pub fn verify(
    request: &SignableRequest<'_>,
    body: &[u8],
    required: &[&str],
    now: Timestamp,
) -> Result<VerifiedSignature, SignatureError> {
    let input = request.field(SIGNATURE_INPUT).ok_or(SignatureError::Malformed)?;
    let input = SignatureInput::parse(input)?;
    let signature = request.field(SIGNATURE).ok_or(SignatureError::Malformed)?;
    let signature = structured_fields::signature(signature, &input.label)?;
    check_covered(request, &input, required)?;
    let signed = described(&input, now)?;
    check_signature(request, &input, &signed.key, &signature)?;
    check_digest(request.field(CONTENT_DIGEST).unwrap_or_default(), body)?;
    Ok(signed)
}

fn check_covered(
    request: &SignableRequest<'_>,
    input: &SignatureInput,
    required: &[&str],
) -> Result<(), SignatureError> {
    let query = request.query.map(|_| "@query");
    let mut needed = ALWAYS.iter().chain(required).copied().chain(query);
    match needed.find(|name| !input.covered.iter().any(|covered| covered == name)) {
        Some(name) => Err(SignatureError::Uncovered(name.to_owned())),
        None => Ok(()),
    }
}

/// Validates the signature parameters against the current time.
fn described(input: &SignatureInput, now: Timestamp) -> Result<VerifiedSignature, SignatureError> {
    if input.text("alg").is_some_and(|algorithm| algorithm != ALGORITHM) {
        return Err(SignatureError::Algorithm);
    }
    let key = input.text("keyid").and_then(|key| key.parse().ok()).ok_or(SignatureError::Key)?;
    let (created, expires) = (input.number("created"), input.number("expires"));
    let (created, expires) = created.zip(expires).ok_or(SignatureError::Times)?;
    let seconds = now.millis().div_euclid(1_000);
    if expires <= created || expires - created > TTL_SECONDS {
        return Err(SignatureError::Times);
    }
    if created > seconds + AHEAD_SECONDS {
        return Err(SignatureError::Ahead);
    }
    if expires <= seconds {
        return Err(SignatureError::Expired);
    }
    let nonce = input.text("nonce").filter(|nonce| (1..=MAX_NONCE).contains(&nonce.len()));
    let nonce = nonce.ok_or(SignatureError::Nonce)?.to_owned();
    Ok(VerifiedSignature { key, nonce, expires: Timestamp::from_millis(expires * 1_000) })
}

fn check_signature(
    request: &SignableRequest<'_>,
    input: &SignatureInput,
    key: &PublicKey,
    signature: &[u8; SIGNATURE_BYTES],
) -> Result<(), SignatureError> {
    let base = base(request, input)?;
    if key.verifies(base.as_bytes(), signature) { Ok(()) } else { Err(SignatureError::Mismatch) }
}

/// Returns the signature base (RFC 9421 section 2.5).
fn base(request: &SignableRequest<'_>, input: &SignatureInput) -> Result<String, SignatureError> {
    let mut base = String::new();
    for name in &input.covered {
        let value = request.component(name).ok_or_else(|| SignatureError::Missing(name.clone()))?;
        base.push_str(&format!("\"{name}\": {value}\n"));
    }
    Ok(format!("{base}\"@signature-params\": {}", input.described()))
}
