//! Key chain of a listing: its first key, and the rotations to the current one.

use plexus_a2a::{
    jws::{self, Jws, JwsError},
    keys::{PublicKey, SecretKey},
    listing_id::{Genesis, ListingId},
};
use serde::{Deserialize, Serialize};

use super::RecordError;

/// Maximum key rotations of a listing.
pub const MAX_ROTATIONS: usize = 8;

/// A genesis record and the key rotations since. The listing's id is the hash of the genesis, so it outlives
/// every key, and no key directory is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChain {
    genesis: Genesis,
    rotations: Vec<Rotation>,
    id: ListingId,
}

/// A rotation to the next key, signed by the previous key or by the recovery key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    key: PublicKey,
    signature: Jws,
}

/// Key that signs a rotation.
#[derive(Clone, Copy)]
pub enum RotationSigner<'a> {
    Agent(&'a SecretKey),
    Recovery(&'a SecretKey),
}

/// Signed payload of a rotation. It contains the position in the chain, so that rotations cannot be moved,
/// left out or replayed.
#[derive(Serialize)]
struct RotationStatement<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    listing: &'a ListingId,
    number: usize,
    from: PublicKey,
    to: PublicKey,
}

impl KeyChain {
    pub fn new(genesis: Genesis) -> Result<Self, RecordError> {
        Self::from_parts(genesis, Vec::new())
    }

    pub(super) fn from_parts(genesis: Genesis, rotations: Vec<Rotation>) -> Result<Self, RecordError> {
        if rotations.len() > MAX_ROTATIONS {
            return Err(RecordError::Payload(format!("a key changes at most {MAX_ROTATIONS} times")));
        }
        let id = genesis.id().map_err(unwritable)?;
        Ok(Self { genesis, rotations, id })
    }

    /// Appends a rotation to the key `to`.
    pub fn rotate(mut self, to: PublicKey, signer: RotationSigner<'_>) -> Result<Self, RecordError> {
        let statement = self.statement(self.rotations.len(), self.key(), to)?;
        let (RotationSigner::Agent(secret) | RotationSigner::Recovery(secret)) = signer;
        let signature = jws::sign(secret, &statement).map_err(unwritable)?;
        self.rotations.push(Rotation { key: to, signature });
        let chain = Self::from_parts(self.genesis, self.rotations)?;
        chain.verify().map(|()| chain)
    }

    pub const fn id(&self) -> &ListingId {
        &self.id
    }

    pub const fn genesis(&self) -> &Genesis {
        &self.genesis
    }

    pub(super) fn rotations(&self) -> &[Rotation] {
        &self.rotations
    }

    /// Returns the current signing key.
    pub fn key(&self) -> PublicKey {
        self.rotations.last().map_or(self.genesis.agent, |rotation| rotation.key)
    }

    /// Returns the number of rotations signed by the recovery key. The chain with more of them wins, so that
    /// a thief of the agent's key cannot outrank the owner.
    pub fn recoveries(&self) -> usize {
        let by_recovery =
            |rotation: &&Rotation| rotation.signature.claimed_key() == Some(self.genesis.recovery);
        self.rotations.iter().filter(by_recovery).count()
    }

    pub(super) fn verify(&self) -> Result<(), RecordError> {
        let mut from = self.genesis.agent;
        for (number, Rotation { key, signature }) in self.rotations.iter().enumerate() {
            let statement = self.statement(number, from, *key)?;
            let by = signature.claimed_key().filter(|by| [from, self.genesis.recovery].contains(by));
            let checked = by.ok_or(JwsError::Key).and_then(|by| signature.verify(&by, &statement));
            checked.map_err(|error| RecordError::Signature { who: "rotation's", error })?;
            from = *key;
        }
        Ok(())
    }

    fn statement(&self, number: usize, from: PublicKey, to: PublicKey) -> Result<Vec<u8>, RecordError> {
        let statement = RotationStatement { kind: "plexus/rotation/1", listing: &self.id, number, from, to };
        serde_json_canonicalizer::to_vec(&statement).map_err(unwritable)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn unwritable(error: serde_json::Error) -> RecordError {
    RecordError::Payload(error.to_string())
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    fn key(seed: u8) -> SecretKey {
        SecretKey::from_seed(&[seed; 32])
    }

    fn chain() -> KeyChain {
        let created = Timestamp::from_millis(1_795_132_800_123);
        let (agent, recovery) = (key(1).public(), key(2).public());
        KeyChain::new(Genesis { agent, recovery, created, nonce: [3; 16] }).unwrap()
    }

    #[test]
    fn the_id_outlives_the_keys() {
        let first = chain();
        let second = first.clone().rotate(key(4).public(), RotationSigner::Agent(&key(1))).unwrap();
        let third = second.clone().rotate(key(5).public(), RotationSigner::Recovery(&key(2))).unwrap();
        assert_eq!(first.id(), third.id());
        assert_eq!((first.key(), third.key()), (key(1).public(), key(5).public()));
        assert_eq!((second.recoveries(), third.recoveries()), (0, 1));
    }

    #[test]
    fn only_the_last_key_and_the_recovery_key_go_on() {
        let second = chain().rotate(key(4).public(), RotationSigner::Agent(&key(1))).unwrap();
        assert!(
            second.clone().rotate(key(5).public(), RotationSigner::Agent(&key(1))).is_err(),
            "the key before"
        );
        assert!(
            second.clone().rotate(key(5).public(), RotationSigner::Agent(&key(9))).is_err(),
            "a stranger's"
        );
        let third = second.rotate(key(5).public(), RotationSigner::Agent(&key(4))).unwrap();
        let [first_rotation, second_rotation] = third.rotations() else { unreachable!() };
        for moved in [
            vec![second_rotation.clone()],
            vec![second_rotation.clone(), first_rotation.clone()],
            vec![first_rotation.clone(), first_rotation.clone()],
        ] {
            assert!(KeyChain::from_parts(*third.genesis(), moved).unwrap().verify().is_err());
        }
    }

    #[test]
    fn a_chain_ends() {
        let recovery = key(2);
        let longest = (10..18).fold(chain(), |chain, seed| {
            chain.rotate(key(seed).public(), RotationSigner::Recovery(&recovery)).unwrap()
        });
        assert!(longest.rotate(key(9).public(), RotationSigner::Recovery(&recovery)).is_err());
    }
}
