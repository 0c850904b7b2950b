//! `Content-Digest` header (RFC 9530) with SHA-256.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use plexus_domain::Digest;

use super::SignatureError;

const START: &str = "sha-256=:";
/// Maximum header length; leaves room for digests of other algorithms, which are ignored.
const MAX_BYTES: usize = 1_024;

/// Returns the `Content-Digest` header value for `body`.
pub fn content_digest(body: &[u8]) -> String {
    format!("{START}{}:", BASE64.encode(Digest::of(body).as_bytes()))
}

pub(super) fn check_digest(header: &str, body: &[u8]) -> Result<(), SignatureError> {
    if header.len() > MAX_BYTES {
        return Err(SignatureError::Digest);
    }
    let mut said = header.split(',').map(str::trim).filter(|member| member.starts_with(START));
    let (one, other) = (said.next(), said.next());
    let fits = other.is_none() && one == Some(content_digest(body).as_str());
    if fits { Ok(()) } else { Err(SignatureError::Digest) }
}
