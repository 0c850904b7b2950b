//! Serde helpers for digests as lower-case hexadecimal.

use data_encoding::HEXLOWER;
use plexus_domain::Digest;
use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub fn serialize<S: Serializer>(digest: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&HEXLOWER.encode(digest.as_bytes()))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = HEXLOWER.decode(text.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes
        .map(Digest::from_bytes)
        .ok_or_else(|| D::Error::custom("a digest is 64 hexadecimal digits in lower case"))
}
