//! Schedules the DHT provider records of this hub, a few at a time.

use std::collections::{BTreeSet, HashSet, VecDeque};

use libp2p::kad::{QueryId, RecordKey};

use super::{dht_keys, dht_store::MAX_OWN};
use crate::{HubId, record::Tag};

/// Maximum concurrent announcements. Each takes about forty requests.
const AT_ONCE: usize = 4;
/// With this many peers in the routing table, announcements reach the closest peers to the key.
const ENOUGH: usize = 20;

/// Queue of DHT keys to announce.
pub struct ProviderAnnouncer {
    me: HubId,
    wanted: HashSet<RecordKey>,
    waiting: VecDeque<RecordKey>,
    running: HashSet<QueryId>,
    /// Routing-table size at the last full announcement.
    known: usize,
}

impl ProviderAnnouncer {
    pub fn new(me: HubId) -> Self {
        let wanted = HashSet::from([dht_keys::hubs(dht_keys::shard_of(me))]);
        Self { me, wanted, waiting: VecDeque::new(), running: HashSet::new(), known: 0 }
    }

    /// Sets the tags of this hub's agents. Returns the keys that are no longer provided.
    pub fn set(&mut self, tags: &[Tag]) -> Vec<RecordKey> {
        let shard = dht_keys::shard_of(self.me);
        let keys = tags.iter().flat_map(|tag| [dht_keys::tag(tag), dht_keys::tag_shard(tag, shard)]);
        let wanted: HashSet<RecordKey> = keys.take(MAX_OWN - 1).chain([dht_keys::hubs(shard)]).collect();
        let gone = self.wanted.difference(&wanted).cloned().collect();
        if self.known > 0 {
            self.waiting.extend(wanted.difference(&self.wanted).cloned());
        }
        self.waiting.retain(|key| wanted.contains(key));
        self.wanted = wanted;
        gone
    }

    /// Updates the routing-table size. Returns true, and queues all keys again, when the table was too small
    /// at the last announcement and has at least doubled.
    pub fn grown(&mut self, known: usize) -> bool {
        let again = known > 0 && self.known < ENOUGH && known >= 2 * self.known;
        if again {
            self.known = known;
            let sorted: BTreeSet<Vec<u8>> = self.wanted.iter().map(RecordKey::to_vec).collect();
            self.waiting = sorted.into_iter().map(RecordKey::from).collect();
        }
        again
    }

    /// Returns the next key to announce, unless enough announcements run.
    pub fn next(&mut self) -> Option<RecordKey> {
        if self.running.len() < AT_ONCE { self.waiting.pop_front() } else { None }
    }

    pub fn began(&mut self, query: QueryId) {
        self.running.insert(query);
    }

    pub fn ended(&mut self, query: QueryId) {
        self.running.remove(&query);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(words: &[&str]) -> Vec<Tag> {
        words.iter().map(|word| Tag::from_text(word).unwrap()).collect()
    }

    #[test]
    fn nothing_is_announced_to_nobody_and_all_again_to_more() {
        let me = HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public());
        let mut announcing = ProviderAnnouncer::new(me);
        assert!(announcing.set(&tags(&["a", "b"])).is_empty());
        assert!(announcing.next().is_none() && !announcing.grown(0));
        assert!(announcing.grown(2));
        let keys: Vec<RecordKey> = std::iter::from_fn(|| announcing.next()).collect();
        assert_eq!(keys.len(), 5, "two for each tag, one for the hub");
        assert!(
            !announcing.grown(3) && announcing.grown(4) && announcing.grown(30) && !announcing.grown(100)
        );
        let gone = announcing.set(&tags(&["b", "c"]));
        assert_eq!(gone.len(), 2);
        let left: Vec<RecordKey> = std::iter::from_fn(|| announcing.next()).collect();
        assert!(left.len() == 5 && !left.contains(&gone[0]));
    }
}
