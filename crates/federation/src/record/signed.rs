//! Records signed by a hub alone, and the type-state from parsed to verified records.

use plexus_a2a::{
    jws::{self, Jws, JwsError},
    keys::SecretKey,
};
use plexus_domain::Digest;

use super::{
    MAX_BYTES, RecordError, Seq,
    line_format::{self, Payload, RecordLines},
};
use crate::HubId;

/// A parsed record whose signatures are not verified. Its claims serve to decide whether verification is
/// worthwhile.
#[derive(Clone, Debug)]
pub struct Unverified<R>(R);

/// A record with claims that can be verified.
pub trait Record: Sized {
    type Claims;

    fn claims(&self) -> &Self::Claims;
    /// Returns the record's identifier: the SHA-256 of its payload.
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

    /// Verifies the signatures and returns the record. The only costly step: about 50 µs per signature.
    pub fn verify(self) -> Result<R, RecordError> {
        self.0.check().map(|()| self.0)
    }
}

/// Payload that a hub signs alone.
pub trait HubPayload: Payload {
    /// Maximum bytes of a record of this kind.
    const LIMIT: usize = MAX_BYTES;

    fn hub(&self) -> HubId;
    fn seq(&self) -> Seq;
}

/// A payload signed by the hub that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed<T> {
    body: T,
    payload: Vec<u8>,
    signature: Jws,
    hash: Digest,
}

impl<T: HubPayload> Signed<T> {
    /// Signs a payload.
    ///
    /// # Errors
    /// When `body` violates a rule of its kind, or `key` does not belong to its hub.
    pub fn sign(body: T, key: &SecretKey) -> Result<Self, RecordError> {
        let payload = line_format::write(&body)?;
        let signature = jws::sign(key, &payload).map_err(|error| RecordError::Payload(error.to_string()))?;
        let record = Self { hash: Digest::of(&payload), body, payload, signature };
        let bytes = record.encode().len();
        if bytes > T::LIMIT {
            return Err(RecordError::TooLarge { bytes, limit: T::LIMIT });
        }
        record.check().map(|()| record)
    }

    pub fn parse(bytes: &[u8]) -> Result<Unverified<Self>, RecordError> {
        let RecordLines { payload, signatures: [signature], rest } = line_format::split(bytes, T::LIMIT)?;
        if !rest.is_empty() {
            return Err(RecordError::Lines);
        }
        let body = line_format::read(payload)?;
        let (payload, hash) = (payload.to_vec(), Digest::of(payload));
        Ok(Unverified::new(Self { body, payload, signature, hash }))
    }

    pub fn encode(&self) -> Vec<u8> {
        line_format::join(&self.payload, [&self.signature], &[])
    }

    pub const fn body(&self) -> &T {
        &self.body
    }

    pub const fn hash(&self) -> Digest {
        self.hash
    }

    /// Returns the version order of records of one hub: sequence number, then hash.
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
