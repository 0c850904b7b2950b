//! What the DHT is asked for: where a tag's hubs, all hubs, and a hub's own record are kept.
//!
//! Keys are SHA-256 multihashes, since peers of other makers derive theirs from CIDs.

use libp2p::kad::RecordKey;
use plexus_domain::Digest;

use crate::{HubId, record::Tag};

/// A tag that many hubs have does not fit one key: each hub announces itself under the tag, and under one of so many
/// shards of it.
pub const SHARDS: u8 = 16;

/// Multihash code and length of SHA-256 (<https://multiformats.io/multihash/>).
const SHA_256: [u8; 2] = [0x12, 0x20];
const HUB: &[u8] = b"/plexus/hub/";

/// Under which part of a tag, or of all hubs, `hub` announces itself.
pub fn shard_of(hub: HubId) -> u8 {
    Digest::of(hub.as_bytes()).as_bytes()[0] % SHARDS
}

/// Hubs that have agents with `tag`: some, in one place.
pub fn tag(tag: &Tag) -> RecordKey {
    multihash(&format!("plexus/v1/tag/{}", tag.as_str()))
}

/// Hubs that have agents with `tag` and belong to `shard`: all, in 16 places.
pub fn tag_shard(tag: &Tag, shard: u8) -> RecordKey {
    multihash(&format!("plexus/v1/tag/{}/{shard}", tag.as_str()))
}

/// All hubs that belong to `shard`: where a hub without friends finds others.
pub fn hubs(shard: u8) -> RecordKey {
    multihash(&format!("plexus/v1/hubs/{shard}"))
}

/// The record of a hub that was never met.
pub fn hub_record(hub: HubId) -> RecordKey {
    RecordKey::from([HUB, hub.to_string().as_bytes()].concat())
}

/// The hub whose record belongs under this key.
pub fn hub_of(key: &RecordKey) -> Option<HubId> {
    let name = key.as_ref().strip_prefix(HUB)?;
    str::from_utf8(name).ok()?.parse().ok()
}

/// Whether hubs may announce themselves under this key.
pub fn is_multihash(key: &RecordKey) -> bool {
    key.as_ref().len() == SHA_256.len() + 32 && key.as_ref().starts_with(&SHA_256)
}

fn multihash(name: &str) -> RecordKey {
    RecordKey::from([&SHA_256[..], Digest::of(name).as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_they_are_taken_for() {
        let hub = HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public());
        assert_eq!(hub_of(&hub_record(hub)), Some(hub));
        let word = Tag::from_text("count").unwrap();
        assert!([tag(&word), tag_shard(&word, 3), hubs(3)].iter().all(is_multihash));
        assert!(!is_multihash(&hub_record(hub)) && hub_of(&tag(&word)).is_none());
        assert_ne!(tag_shard(&word, 1), tag_shard(&word, 11));
        assert!(shard_of(hub) < SHARDS);
    }
}
