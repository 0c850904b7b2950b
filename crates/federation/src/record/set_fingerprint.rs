//! Order-independent fingerprint of a set of listings.

use std::fmt;

use plexus_domain::Digest;
use serde::{Deserialize, Serialize};

use super::hex;

/// Additive set hash: the sum of the listing hashes modulo 2^256. Adding or removing one costs one addition.
///
/// A party that chooses many of the summands can construct a collision. A hub chooses only those of its own
/// set, so it cannot forge the fingerprint of another hub.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SetFingerprint(#[serde(with = "hex")] Digest);

impl SetFingerprint {
    /// Fingerprint of the empty set.
    pub const EMPTY: Self = Self(Digest::from_bytes([0; 32]));

    pub fn add(&mut self, hash: &Digest) {
        self.0 = sum(&self.0, hash.as_bytes(), 0);
    }

    /// Removes a hash that was added before.
    pub fn remove(&mut self, hash: &Digest) {
        // a - b = a + !b + 1 in two's complement.
        self.0 = sum(&self.0, &hash.as_bytes().map(|byte| !byte), 1);
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Digest::from_bytes(bytes))
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl Default for SetFingerprint {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Adds two 256-bit little-endian numbers and a carry.
fn sum(a: &Digest, b: &[u8; 32], mut carry: u16) -> Digest {
    Digest::from_bytes(std::array::from_fn(|at| {
        let total = u16::from(a.as_bytes()[at]) + u16::from(b[at]) + carry;
        carry = total >> 8;
        total.to_le_bytes()[0]
    }))
}

impl<'a> FromIterator<&'a Digest> for SetFingerprint {
    fn from_iter<I: IntoIterator<Item = &'a Digest>>(hashes: I) -> Self {
        let mut whole = Self::default();
        hashes.into_iter().for_each(|hash| whole.add(hash));
        whole
    }
}

impl fmt::Debug for SetFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn order_does_not_count_and_what_is_removed_is_gone(
            hashes in proptest::collection::vec(any::<[u8; 32]>(), 1..9),
            other in any::<[u8; 32]>(),
        ) {
            let hashes: Vec<Digest> = hashes.into_iter().map(Digest::from_bytes).collect();
            let forward: SetFingerprint = hashes.iter().collect();
            let mut backward: SetFingerprint = hashes.iter().rev().collect();
            prop_assert_eq!(forward, backward);
            let other = Digest::from_bytes(other);
            backward.add(&other);
            backward.remove(&other);
            prop_assert_eq!(forward, backward);
            hashes.iter().for_each(|hash| backward.remove(hash));
            prop_assert_eq!(backward, SetFingerprint::default());
        }
    }
}
