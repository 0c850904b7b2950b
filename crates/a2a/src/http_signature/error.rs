//! Verification errors of signed requests.

/// Why a signature was rejected, worded for the operator of the signing hub.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("The signature does not conform to RFC 9421, or uses an unsupported part of it.")]
    Malformed,
    #[error("The request has more than one signature. Send one.")]
    Several,
    #[error("The signature does not cover {0}.")]
    Uncovered(String),
    #[error("The signature covers {0}, which the request does not have.")]
    Missing(String),
    #[error("The signature is not made with Ed25519.")]
    Algorithm,
    #[error("The signature names no key. Its keyid is a did:key.")]
    Key,
    #[error("The signature must have created and expires, at most 60 seconds apart.")]
    Times,
    #[error("The signature is from the future. Check the clock of the signing hub.")]
    Ahead,
    #[error("The signature has expired. Sign each request again, and check the clock of the signing hub.")]
    Expired,
    #[error("The signature has no nonce of 1 to 128 characters.")]
    Nonce,
    #[error("The signature does not match the request: it was changed in transit or sent to another hub.")]
    Mismatch,
    #[error("The body does not match its Content-Digest, which must use SHA-256.")]
    Digest,
}
