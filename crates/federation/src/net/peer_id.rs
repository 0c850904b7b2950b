//! Conversion between hub ids and libp2p peer ids, which hold the same key.

use libp2p::{
    PeerId,
    identity::{PublicKey, ed25519},
};
use plexus_a2a::keys;

use crate::{HubId, hub_id::PEER_ID};

/// Converts a hub id to its PeerId. Never `None` in practice: the key was validated when the id was created.
pub fn peer_of(hub: HubId) -> Option<PeerId> {
    let key = ed25519::PublicKey::try_from_bytes(hub.as_bytes()).ok()?;
    Some(PublicKey::from(key).to_peer_id())
}

/// Converts a PeerId to a hub id; `None` when the key is not Ed25519, as with other software.
pub fn hub_of(peer: &PeerId) -> Option<HubId> {
    let bytes = peer.to_bytes();
    let key = bytes.strip_prefix(&PEER_ID)?.try_into().ok()?;
    keys::PublicKey::from_bytes(key).ok().map(HubId::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_name() {
        let hub = HubId::from(keys::SecretKey::from_seed(&[3; 32]).public());
        let peer = peer_of(hub).unwrap();
        assert_eq!(peer.to_string(), hub.to_string());
        assert_eq!(hub_of(&peer), Some(hub));
        assert_eq!(hub_of(&PeerId::random()), None);
    }
}
