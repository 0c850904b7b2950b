//! Signatures of HTTP requests with Ed25519 (RFC 9421), and digests of what they carry (RFC 9530).
//!
//! A hub signs what it asks another: the method, where it goes, what it carries and who asks. The key is named by its
//! `did:key`, so a signature is verified without asking anybody; whose key it is, the reader has to know.

mod digest;
mod error;
mod input;
#[cfg(test)]
mod tests;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use plexus_domain::Timestamp;

use self::{
    digest::check_digest,
    input::{Input, Value},
};
pub use self::{digest::content_digest, error::SignatureError};
use crate::keys::{PublicKey, SIGNATURE_BYTES, SecretKey};

pub const SIGNATURE: &str = "signature";
pub const SIGNATURE_INPUT: &str = "signature-input";
pub const CONTENT_DIGEST: &str = "content-digest";

/// How long a signature is good for.
pub const LIFE_SECONDS: i64 = 60;
/// How far the clock of the signer may be ahead.
const AHEAD_SECONDS: i64 = 30;
/// Without these a signature says too little.
const ALWAYS: [&str; 4] = ["@method", "@authority", "@path", CONTENT_DIGEST];
const ALGORITHM: &str = "ed25519";
const LABEL: &str = "plexus";
const MAX_NONCE: usize = 128;

/// A request, as far as it can be signed.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    pub method: &'a str,
    /// The host that is asked, with its port where that is not the usual one.
    pub authority: &'a str,
    pub path: &'a str,
    pub query: Option<&'a str>,
    /// Headers by their names in small letters; the lines of one that came more than once are joined by commas.
    pub fields: Vec<(String, String)>,
}

impl Request<'_> {
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim())
    }

    /// The value of a component (RFC 9421 section 2).
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

/// What a signature says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    pub key: PublicKey,
    /// Whoever takes it remembers this until then: it is good once.
    pub nonce: String,
    pub expires: Timestamp,
}

/// Signs a request with all of its fields. Answers what it is sent with: `Signature-Input` and `Signature`.
pub fn sign(key: &SecretKey, request: &Request<'_>, now: Timestamp, nonce: &str) -> (String, String) {
    let query = request.query.map(|_| "@query");
    let parts = ALWAYS[..3].iter().copied().chain(query);
    let covered = parts.map(str::to_owned).chain(request.fields.iter().map(|(name, _)| name.clone()));
    let created = now.millis().div_euclid(1_000);
    let input = Input {
        label: LABEL.to_owned(),
        covered: covered.collect(),
        params: vec![
            ("created".to_owned(), Value::Number(created)),
            ("expires".to_owned(), Value::Number(created + LIFE_SECONDS)),
            ("nonce".to_owned(), Value::Text(nonce.to_owned())),
            ("keyid".to_owned(), Value::Text(key.public().key_id())),
            ("alg".to_owned(), Value::Text(ALGORITHM.to_owned())),
        ],
    };
    // Every component is one that the request was just asked for.
    let base = base(request, &input).unwrap_or_default();
    let signature = BASE64.encode(key.sign(base.as_bytes()));
    (format!("{LABEL}={}", input.described()), format!("{LABEL}=:{signature}:"))
}

/// Whether the request is signed by the key that its signature names, now and for this reader. `required` are headers
/// that have to be signed, besides what always has to be.
pub fn verify(
    request: &Request<'_>,
    body: &[u8],
    required: &[&str],
    now: Timestamp,
) -> Result<Signed, SignatureError> {
    let input = request.field(SIGNATURE_INPUT).ok_or(SignatureError::Malformed)?;
    let input = Input::parse(input)?;
    let signature = request.field(SIGNATURE).ok_or(SignatureError::Malformed)?;
    let signature = input::signature(signature, &input.label)?;
    check_covered(request, &input, required)?;
    let signed = described(&input, now)?;
    check_signature(request, &input, &signed.key, &signature)?;
    check_digest(request.field(CONTENT_DIGEST).unwrap_or_default(), body)?;
    Ok(signed)
}

fn check_covered(request: &Request<'_>, input: &Input, required: &[&str]) -> Result<(), SignatureError> {
    let query = request.query.map(|_| "@query");
    let mut needed = ALWAYS.iter().chain(required).copied().chain(query);
    match needed.find(|name| !input.covered.iter().any(|covered| covered == name)) {
        Some(name) => Err(SignatureError::Uncovered(name.to_owned())),
        None => Ok(()),
    }
}

/// What the parameters say, if that holds now.
fn described(input: &Input, now: Timestamp) -> Result<Signed, SignatureError> {
    if input.text("alg").is_some_and(|algorithm| algorithm != ALGORITHM) {
        return Err(SignatureError::Algorithm);
    }
    let key = input.text("keyid").and_then(|key| key.parse().ok()).ok_or(SignatureError::Key)?;
    let (created, expires) = (input.number("created"), input.number("expires"));
    let (created, expires) = created.zip(expires).ok_or(SignatureError::Times)?;
    let seconds = now.millis().div_euclid(1_000);
    if expires <= created || expires - created > LIFE_SECONDS {
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
    Ok(Signed { key, nonce, expires: Timestamp::from_millis(expires * 1_000) })
}

fn check_signature(
    request: &Request<'_>,
    input: &Input,
    key: &PublicKey,
    signature: &[u8; SIGNATURE_BYTES],
) -> Result<(), SignatureError> {
    let base = base(request, input)?;
    if key.verifies(base.as_bytes(), signature) { Ok(()) } else { Err(SignatureError::Mismatch) }
}

/// What is signed (RFC 9421 section 2.5).
fn base(request: &Request<'_>, input: &Input) -> Result<String, SignatureError> {
    let mut base = String::new();
    for name in &input.covered {
        let value = request.component(name).ok_or_else(|| SignatureError::Missing(name.clone()))?;
        base.push_str(&format!("\"{name}\": {value}\n"));
    }
    Ok(format!("{base}\"@signature-params\": {}", input.described()))
}
