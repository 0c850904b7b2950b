//! Verification errors of signed requests.

/// Why a signature was rejected, worded for the operator of the signing hub.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error(
        "The signature of this request is not written as RFC 9421 says, or uses a part of it that this hub does not."
    )]
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
    #[error("The signature has to say when it was created and when it expires, at most 60 seconds later.")]
    Times,
    #[error("The signature is from the future. Set the clock of the hub that made it.")]
    Ahead,
    #[error("The signature has expired. Sign each request anew, and set the clock of the hub that made it.")]
    Expired,
    #[error("The signature has no nonce of 1 to 128 characters.")]
    Nonce,
    #[error(
        "The signature does not fit the request: something was changed on the way, or it went to another hub."
    )]
    Mismatch,
    #[error("What the request carries does not fit its Content-Digest, which has to name SHA-256.")]
    Digest,
}
