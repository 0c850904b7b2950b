//! DHT keys of a tag's hubs, of all hubs, and of hub records.
//!
//! Provider keys are SHA-256 multihashes, since other implementations derive provider keys from CIDs.

use libp2p::kad::RecordKey;
use plexus_domain::Digest;

use crate::{HubId, record::Tag};

/// Number of shards per tag. One key cannot hold all hubs of a popular tag. Each hub therefore announces
/// itself under the tag and under its own shard of the tag.
pub const SHARDS: u8 = 16;

/// Multihash code and length of SHA-256 (<https://multiformats.io/multihash/>).
const SHA_256: [u8; 2] = [0x12, 0x20];
const HUB: &[u8] = b"/plexus/hub/";

/// Returns the shard of `hub`, for tags and for the list of all hubs.
pub fn shard_of(hub: HubId) -> u8 {
    Digest::of(hub.as_bytes()).as_bytes()[0] % SHARDS
}

/// Key of the hubs that have agents with `tag`: a sample, at one key.
pub fn tag(tag: &Tag) -> RecordKey {
    multihash(&format!("plexus/v1/tag/{}", tag.as_str()))
}

/// Key of the hubs of `shard` that have agents with `tag`. The 16 shards together list all of them.
pub fn tag_shard(tag: &Tag, shard: u8) -> RecordKey {
    multihash(&format!("plexus/v1/tag/{}/{shard}", tag.as_str()))
}

/// Key of all hubs of `shard`: where a hub without connections discovers others.
pub fn hubs(shard: u8) -> RecordKey {
    multihash(&format!("plexus/v1/hubs/{shard}"))
}

/// Key of a hub's record, to locate an unknown hub.
pub fn hub_record(hub: HubId) -> RecordKey {
    RecordKey::from([HUB, hub.to_string().as_bytes()].concat())
}

/// Returns the hub whose record belongs under this key.
pub fn hub_of(key: &RecordKey) -> Option<HubId> {
    let name = key.as_ref().strip_prefix(HUB)?;
    str::from_utf8(name).ok()?.parse().ok()
}

/// Returns whether the key is a valid provider key.
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
