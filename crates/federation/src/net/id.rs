//! A hub's id and its libp2p name: the same key in two spellings.

use libp2p::{
    PeerId,
    identity::{PublicKey, ed25519},
};
use plexus_a2a::keys;

use crate::{HubId, hub_id::PEER_ID};

/// How libp2p names a hub. None for no hub: an id was checked when it was made.
pub fn peer_of(hub: HubId) -> Option<PeerId> {
    let key = ed25519::PublicKey::try_from_bytes(hub.as_bytes()).ok()?;
    Some(PublicKey::from(key).to_peer_id())
}

/// The hub that a peer is. None when its key is not Ed25519, as with other programs.
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
