//! Records that a hub signs alone, and the step from what a record claims to what is known.

use plexus_a2a::{
    jws::{self, Jws, JwsError},
    keys::SecretKey,
};
use plexus_domain::Digest;

use super::{
    MAX_BYTES, RecordError, Seq,
    frame::{self, Frame, Payload},
};
use crate::HubId;

/// A record that is well formed, and no more. Its claims serve to decide whether it is worth a signature check.
#[derive(Clone, Debug)]
pub struct Unverified<R>(R);

/// What can be claimed, and checked.
pub trait Record: Sized {
    type Claims;

    fn claims(&self) -> &Self::Claims;
    /// What names this record: the SHA-256 of its payload.
    fn hash(&self) -> Digest;
    fn check(&self) -> Result<(), RecordError>;
}

impl<R: Record> Unverified<R> {
    pub(super) const fn new(record: R) -> Self {
        Self(record)
    }

    pub fn claims(&self) -> &R::Claims {
        self.0.claims()
    }

    pub fn hash(&self) -> Digest {
        self.0.hash()
    }

    /// The record, if its signatures hold. The only costly step: some 50 µs for each.
    pub fn verify(self) -> Result<R, RecordError> {
        self.0.check().map(|()| self.0)
    }
}

/// What a hub says of itself.
pub trait HubPayload: Payload {
    /// The largest record of this kind, in bytes.
    const LIMIT: usize = MAX_BYTES;

    fn hub(&self) -> HubId;
    fn seq(&self) -> Seq;
}

/// A payload with the signature of the hub that it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed<T> {
    body: T,
    payload: Vec<u8>,
    signature: Jws,
    hash: Digest,
}

impl<T: HubPayload> Signed<T> {
    /// # Errors
    /// When `body` breaks a rule of its kind, or `key` is not its hub's.
    pub fn sign(body: T, key: &SecretKey) -> Result<Self, RecordError> {
        let payload = frame::write(&body)?;
        let signature = jws::sign(key, &payload).map_err(|error| RecordError::Payload(error.to_string()))?;
        let record = Self { hash: Digest::of(&payload), body, payload, signature };
        let bytes = record.encode().len();
        if bytes > T::LIMIT {
            return Err(RecordError::TooLarge { bytes, limit: T::LIMIT });
        }
        record.check().map(|()| record)
    }

    pub fn parse(bytes: &[u8]) -> Result<Unverified<Self>, RecordError> {
        let Frame { payload, signatures: [signature], rest } = frame::split(bytes, T::LIMIT)?;
        if !rest.is_empty() {
            return Err(RecordError::Lines);
        }
        let body = frame::read(payload)?;
        let (payload, hash) = (payload.to_vec(), Digest::of(payload));
        Ok(Unverified::new(Self { body, payload, signature, hash }))
    }

    pub fn encode(&self) -> Vec<u8> {
        frame::join(&self.payload, [&self.signature], &[])
    }

    pub const fn body(&self) -> &T {
        &self.body
    }

    pub const fn hash(&self) -> Digest {
        self.hash
    }

    /// What decides between two of one hub.
    pub fn rank(&self) -> (Seq, Digest) {
        (self.body.seq(), self.hash)
    }
}

impl<T: HubPayload> Record for Signed<T> {
    type Claims = T;

    fn claims(&self) -> &T {
        &self.body
    }

    fn hash(&self) -> Digest {
        self.hash
    }

    fn check(&self) -> Result<(), RecordError> {
        let key = self.body.hub().key().map_err(|_| JwsError::Key);
        let held = key.and_then(|key| self.signature.verify_named(&key, &self.payload));
        held.map_err(|error| RecordError::Signature { who: "hub's", error })
    }
}
