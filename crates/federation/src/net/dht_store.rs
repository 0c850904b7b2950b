//! Bounded Kademlia record store with fair sharing between providers.
//!
//! The libp2p store takes 1,024 keys from any sender, and the first 20 providers of a key. One spamming peer
//! fills it; the hub then cannot announce its own agents, and a popular tag returns the same few hubs for
//! ever. In this store:
//! - the hub's own provider records are separate and never evicted;
//! - a provider has at most [`KEYS_OF_ONE`] keys. When the store is full, the provider with the most keys
//!   loses the key farthest from this hub;
//! - of a key's providers a fair sample is stored, different on every hub: those with the smallest hash under
//!   a secret of this hub. Announcing early or repeatedly has no effect;
//! - a response contains few providers, so successive responses rotate through them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, btree_map, hash_map},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use libp2p::{
    PeerId,
    kad::{
        KBucketDistance, KBucketKey, ProviderRecord, Record, RecordKey,
        store::{Error, RecordStore, Result},
    },
};
use plexus_domain::Digest;

use super::dht_keys;
use crate::record::{HubRecord, Seq, Signed};

/// Maximum provider records of other hubs. 1,000 hubs with 200 tags produce about 8,000 per hub.
pub const MAX_ANNOUNCEMENTS: usize = 32 * 1024;
/// Maximum keys per provider.
pub const KEYS_OF_ONE: usize = 512;
/// Maximum providers per key.
pub const PROVIDERS_OF_ONE: usize = 64;
/// Maximum keys under which this hub announces itself.
pub const MAX_OWN: usize = 4 * 1024;
/// Maximum hub records.
pub const MAX_VALUES: usize = 4 * 1024;
/// Maximum bytes of a hub record.
pub const MAX_VALUE_BYTES: usize = 4 * 1024;
/// Providers that libp2p puts into one response.
const SHOWN_AT_ONCE: usize = 20;
/// Minimum extension of the expiry for a repeated provider record to have an effect.
const RENEWED_AFTER: Duration = Duration::from_secs(10 * 60);
const MAX_ADDRESSES: usize = 4;
/// Maximum total address bytes per provider record: 20 of them fit a response of 16 KiB with room for other
/// peers.
const MAX_ADDRESS_BYTES: usize = 384;

/// The store: provider records of others and of this hub, and hub records.
pub struct DhtStore {
    me: PeerId,
    local_key: KBucketKey<PeerId>,
    secret: [u8; 16],
    announced: HashMap<RecordKey, BTreeMap<Rank, ProviderRecord>>,
    held: HashMap<PeerId, ProviderKeys>,
    /// Providers by number of keys, to find the largest. Ties are ordered by a secret hash that nodes cannot
    /// choose.
    sizes: BTreeSet<(usize, Rank, PeerId)>,
    total: usize,
    own: HashMap<RecordKey, ProviderRecord>,
    values: BTreeMap<KBucketDistance, Record>,
    /// Start of the next rotated response.
    turn: AtomicUsize,
}

/// Keys of one provider, ordered by distance from this hub, farthest last.
type ProviderKeys = BTreeMap<KBucketDistance, RecordKey>;
type Rank = [u8; 32];

impl DhtStore {
    /// Creates an empty store. `secret` must be random and stay in this process.
    pub fn new(me: PeerId, secret: [u8; 16]) -> Self {
        Self {
            me,
            local_key: KBucketKey::from(me),
            secret,
            announced: HashMap::new(),
            held: HashMap::new(),
            sizes: BTreeSet::new(),
            total: 0,
            own: HashMap::new(),
            values: BTreeMap::new(),
            turn: AtomicUsize::new(0),
        }
    }

    /// Stores a provider record of another hub. Returns the records that it evicted, or `None` if nothing
    /// changed.
    pub fn take(&mut self, mut record: ProviderRecord) -> Option<Vec<(RecordKey, PeerId)>> {
        if !dht_keys::is_multihash(&record.key) || record.provider == self.me {
            return None;
        }
        bound_addresses(&mut record);
        let rank = self.rank(record.key.as_ref(), &record.provider);
        let mut gone = Vec::new();
        let known = self.announced.get_mut(&record.key).and_then(|there| there.get_mut(&rank));
        if let Some(known) = known {
            if !is_later(record.expires, known.expires) {
                return None;
            }
            *known = record;
        } else {
            let name = (record.key.clone(), record.provider);
            self.make_room(&record.key, &record.provider, &rank, &mut gone).then_some(())?;
            self.insert(rank, record, &mut gone);
            if gone.contains(&name) {
                return None;
            }
        }
        Some(gone)
    }

    /// Returns the number of provider records of other hubs.
    pub const fn announcements(&self) -> usize {
        self.total
    }

    /// Returns all provider records of other hubs.
    pub fn announced(&self) -> impl Iterator<Item = &ProviderRecord> {
        self.announced.values().flat_map(BTreeMap::values)
    }

    /// Removes expired provider records and hub records.
    pub fn expire(&mut self, now: Instant) {
        let over = self.announced().filter(|record| record.is_expired(now));
        let over: Vec<_> = over.map(|record| (record.key.clone(), record.provider)).collect();
        over.iter().for_each(|(key, provider)| self.remove_provider(key, provider));
        self.values.retain(|_, record| !record.is_expired(now));
    }

    fn distance(&self, key: &RecordKey) -> KBucketDistance {
        self.local_key.distance(&KBucketKey::new(key.clone()))
    }

    fn rank(&self, key: &[u8], provider: &PeerId) -> Rank {
        *Digest::of([&self.secret[..], key, &provider.to_bytes()].concat()).as_bytes()
    }

    /// Returns whether there is room under `key` for a new provider of that rank. If the key is full, the
    /// provider with the highest rank is evicted in favour of a lower one.
    fn make_room(
        &mut self,
        key: &RecordKey,
        provider: &PeerId,
        rank: &Rank,
        gone: &mut Vec<(RecordKey, PeerId)>,
    ) -> bool {
        if self.held.get(provider).is_some_and(|held| held.len() >= KEYS_OF_ONE) {
            return false;
        }
        let there = self.announced.get(key).filter(|there| there.len() >= PROVIDERS_OF_ONE);
        let Some((last, record)) = there.and_then(BTreeMap::last_key_value) else { return true };
        let (before, other) = (rank < last, record.provider);
        if before {
            self.remove_provider(key, &other);
            gone.push((key.clone(), other));
        }
        before
    }

    fn insert(&mut self, rank: Rank, record: ProviderRecord, gone: &mut Vec<(RecordKey, PeerId)>) {
        let (distance, provider) = (self.distance(&record.key), record.provider);
        self.change_held(provider, |held| _ = held.insert(distance, record.key.clone()));
        self.announced.entry(record.key.clone()).or_default().insert(rank, record);
        self.total += 1;
        if self.total > MAX_ANNOUNCEMENTS {
            gone.extend(self.shrink_largest());
        }
    }

    fn shrink_largest(&mut self) -> Option<(RecordKey, PeerId)> {
        let (_, _, provider) = *self.sizes.last()?;
        let (_, key) = self.held.get(&provider)?.last_key_value()?;
        let farthest = (key.clone(), provider);
        self.remove_provider(&farthest.0, &farthest.1);
        Some(farthest)
    }

    /// Changes the key set of a provider and updates its position in `sizes`.
    fn change_held(&mut self, provider: PeerId, change: impl FnOnce(&mut ProviderKeys)) {
        let rank = self.rank(&[], &provider);
        let held = self.held.entry(provider).or_default();
        self.sizes.remove(&(held.len(), rank, provider));
        change(held);
        if held.is_empty() {
            self.held.remove(&provider);
        } else {
            self.sizes.insert((held.len(), rank, provider));
        }
    }

    fn add_own(&mut self, record: ProviderRecord) -> Result<()> {
        if self.own.len() >= MAX_OWN && !self.own.contains_key(&record.key) {
            return Err(Error::MaxProvidedKeys);
        }
        self.own.insert(record.key.clone(), record);
        Ok(())
    }
}

impl RecordStore for DhtStore {
    type RecordsIter<'a> =
        std::iter::Map<btree_map::Values<'a, KBucketDistance, Record>, fn(&'a Record) -> Cow<'a, Record>>;
    type ProvidedIter<'a> = std::iter::Map<
        hash_map::Values<'a, RecordKey, ProviderRecord>,
        fn(&'a ProviderRecord) -> Cow<'a, ProviderRecord>,
    >;

    fn get(&self, key: &RecordKey) -> Option<Cow<'_, Record>> {
        self.values.get(&self.distance(key)).map(Cow::Borrowed)
    }

    /// Stores a hub record. When the store is full, the records closest to this hub stay. An older record
    /// never replaces a newer one (replay): it is still signed, and would direct peers to an outdated
    /// address. The caller verifies signatures.
    fn put(&mut self, record: Record) -> Result<()> {
        if record.value.len() > MAX_VALUE_BYTES || dht_keys::hub_of(&record.key).is_none() {
            return Err(Error::ValueTooLarge);
        }
        let distance = self.distance(&record.key);
        let known = self.values.get(&distance);
        if known.is_some_and(|known| known.value != record.value && seq(known) >= seq(&record)) {
            return Err(Error::MaxRecords);
        }
        self.values.insert(distance, record);
        if self.values.len() > MAX_VALUES {
            self.values.pop_last();
        }
        if self.values.contains_key(&distance) { Ok(()) } else { Err(Error::MaxRecords) }
    }

    fn remove(&mut self, key: &RecordKey) {
        self.values.remove(&self.distance(key));
    }

    fn records(&self) -> Self::RecordsIter<'_> {
        self.values.values().map(Cow::Borrowed)
    }

    fn add_provider(&mut self, record: ProviderRecord) -> Result<()> {
        if record.provider == self.me {
            return self.add_own(record);
        }
        self.take(record);
        Ok(())
    }

    fn providers(&self, key: &RecordKey) -> Vec<ProviderRecord> {
        let there = self.announced.get(key);
        let mut others: Vec<_> = there.map(|there| there.values().cloned().collect()).unwrap_or_default();
        if !others.is_empty() {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed);
            let by = turn.wrapping_mul(SHOWN_AT_ONCE) % others.len();
            others.rotate_left(by);
        }
        self.own.get(key).cloned().into_iter().chain(others).collect()
    }

    fn provided(&self) -> Self::ProvidedIter<'_> {
        self.own.values().map(Cow::Borrowed)
    }

    fn remove_provider(&mut self, key: &RecordKey, provider: &PeerId) {
        if *provider == self.me {
            self.own.remove(key);
            return;
        }
        let rank = self.rank(key.as_ref(), provider);
        let Some(there) = self.announced.get_mut(key) else { return };
        if there.remove(&rank).is_none() {
            return;
        }
        if there.is_empty() {
            self.announced.remove(key);
        }
        self.total -= 1;
        let distance = self.distance(key);
        self.change_held(*provider, |held| _ = held.remove(&distance));
    }
}

/// Returns whether a repeated record extends the expiry enough to be worth persisting.
fn is_later(new: Option<Instant>, known: Option<Instant>) -> bool {
    match (new, known) {
        (Some(new), Some(known)) => new.saturating_duration_since(known) >= RENEWED_AFTER,
        _ => new != known,
    }
}

/// Returns the sequence number of a hub record.
fn seq(record: &Record) -> Option<Seq> {
    Signed::<HubRecord>::parse(&record.value).ok().map(|record| record.claims().seq)
}

/// Truncates the address list. A provider with more addresses is reached by the first ones, or looked up.
fn bound_addresses(record: &mut ProviderRecord) {
    let mut left = MAX_ADDRESS_BYTES;
    record.addresses.truncate(MAX_ADDRESSES);
    record.addresses.retain(|address| {
        let fits = address.len() <= left;
        left -= if fits { address.len() } else { 0 };
        fits
    });
    record.addresses.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use plexus_a2a::keys::SecretKey;
    use plexus_domain::Timestamp;

    use super::*;
    use crate::{HubId, net::peer_id, record::HUB_RECORD_TTL};

    fn peer(n: u32) -> PeerId {
        let mut seed = [9; 32];
        seed[..4].copy_from_slice(&n.to_le_bytes());
        peer_id::peer_of(HubId::from(SecretKey::from_seed(&seed).public())).unwrap()
    }

    fn key_of(n: u32) -> RecordKey {
        RecordKey::from([&[0x12, 0x20][..], Digest::of(n.to_le_bytes()).as_bytes()].concat())
    }

    fn announcement(key: u32, provider: PeerId) -> ProviderRecord {
        ProviderRecord::new(key_of(key), provider, Vec::new())
    }

    fn store() -> DhtStore {
        DhtStore::new(peer(0), [1; 16])
    }

    #[test]
    fn junk_of_others_does_not_keep_this_hub_from_announcing() {
        let mut store = store();
        (0..3_000).for_each(|n| store.add_provider(announcement(n, peer(1 + n % 2))).unwrap());
        assert_eq!(store.announcements(), 2 * KEYS_OF_ONE);
        store.add_provider(announcement(5_000, peer(0))).unwrap();
        assert_eq!(store.provided().count(), 1);
        assert_eq!(store.providers(&key_of(5_000))[0].provider, peer(0));
    }

    #[test]
    fn whoever_has_most_gives_way() {
        let mut store = store();
        let few: Vec<u32> = (1_000_000..1_000_010).collect();
        few.iter().for_each(|&n| store.add_provider(announcement(n, peer(1))).unwrap());
        // One provider more than fits, each with the maximum number of keys.
        let greedy = u32::try_from(MAX_ANNOUNCEMENTS / KEYS_OF_ONE + 1).unwrap();
        for provider in 0..greedy {
            let (name, keys) = (peer(100 + provider), u32::try_from(KEYS_OF_ONE).unwrap());
            (0..keys).for_each(|n| store.add_provider(announcement(provider * keys + n, name)).unwrap());
        }
        assert_eq!(store.announcements(), MAX_ANNOUNCEMENTS);
        assert!(few.iter().all(|&n| store.providers(&key_of(n)).len() == 1), "the small one lost nothing");
        let sizes: Vec<usize> = store.held.values().map(BTreeMap::len).filter(|&len| len > 10).collect();
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert!(most - least <= 1, "{least} to {most}");
    }

    #[test]
    fn a_popular_key_keeps_a_sample_that_haste_does_not_change() {
        let (mut early, mut late) = (store(), store());
        let providers: Vec<PeerId> = (1..=300).map(peer).collect();
        providers.iter().for_each(|&peer| early.add_provider(announcement(1, peer)).unwrap());
        for _ in 0..3 {
            providers.iter().rev().for_each(|&peer| late.add_provider(announcement(1, peer)).unwrap());
        }
        let sample = |store: &DhtStore| -> BTreeSet<PeerId> {
            store.providers(&key_of(1)).into_iter().map(|record| record.provider).collect()
        };
        assert_eq!(sample(&early).len(), PROVIDERS_OF_ONE);
        assert_eq!(sample(&early), sample(&late));
        let mut other = DhtStore::new(peer(0), [2; 16]);
        providers.iter().for_each(|&peer| other.add_provider(announcement(1, peer)).unwrap());
        assert_ne!(sample(&early), sample(&other), "every hub keeps another one");
    }

    #[test]
    fn answers_show_all_in_turn() {
        let mut store = store();
        (1..=50).for_each(|n| store.add_provider(announcement(1, peer(n))).unwrap());
        let first = || store.providers(&key_of(1)).into_iter().take(SHOWN_AT_ONCE).map(|it| it.provider);
        let shown: BTreeSet<PeerId> = (0..5).flat_map(|_| first().collect::<Vec<_>>()).collect();
        assert_eq!(shown.len(), 50);
    }

    #[test]
    fn what_was_announced_runs_out_and_can_be_taken_back() {
        let (mut store, now) = (store(), Instant::now());
        let mut record = announcement(1, peer(1));
        record.expires = Some(now + Duration::from_secs(1));
        store.add_provider(record).unwrap();
        store.add_provider(announcement(2, peer(1))).unwrap();
        store.expire(now);
        assert_eq!(store.announcements(), 2);
        store.expire(now + Duration::from_secs(1));
        assert_eq!(store.announcements(), 1);
        store.remove_provider(&key_of(2), &peer(1));
        assert_eq!((store.announcements(), store.held.len(), store.sizes.len()), (0, 0, 0));
    }

    #[test]
    fn records_belong_under_the_key_of_a_hub_and_the_closest_stay() {
        let mut store = store();
        assert!(store.put(Record::new(key_of(1), vec![1])).is_err());
        let keys: Vec<RecordKey> = (1..=u32::try_from(MAX_VALUES).unwrap() + 10)
            .map(|n| dht_keys::hub_record(peer_id::hub_of(&peer(n)).unwrap()))
            .collect();
        assert!(store.put(Record::new(keys[0].clone(), vec![0; MAX_VALUE_BYTES + 1])).is_err());
        keys.iter().for_each(|key| _ = store.put(Record::new(key.clone(), vec![1])));
        assert_eq!(store.records().count(), MAX_VALUES);
        let farthest_kept = store.values.last_key_value().map(|(distance, _)| *distance);
        let gone = keys.iter().filter(|key| store.get(key).is_none()).map(|key| Some(store.distance(key)));
        assert!(gone.min() > Some(farthest_kept));
    }

    #[test]
    fn addresses_are_few_and_short() {
        let mut record = announcement(1, peer(1));
        let long = format!("/dns4/{}/tcp/1", "a".repeat(300));
        record.addresses = [long.as_str(), &long, "/ip4/192.0.2.1/tcp/1", &long, "/ip4/192.0.2.2/tcp/1"]
            .map(|address| address.parse().unwrap())
            .to_vec();
        bound_addresses(&mut record);
        assert_eq!(record.addresses.len(), 2);
    }

    #[test]
    fn an_announcement_that_is_repeated_at_once_changes_nothing() {
        let (mut store, now) = (store(), Instant::now());
        let mut record = announcement(1, peer(1));
        record.expires = Some(now);
        assert!(store.take(record.clone()).is_some());
        record.expires = Some(now + RENEWED_AFTER / 2);
        record.addresses = vec!["/ip4/192.0.2.1/tcp/1".parse().unwrap()];
        assert!(store.take(record.clone()).is_none());
        record.expires = Some(now + RENEWED_AFTER);
        assert!(store.take(record).is_some());
        assert_eq!(store.announced().next().unwrap().addresses.len(), 1);
    }

    #[test]
    fn an_older_record_of_a_hub_replaces_no_newer_one() {
        let (mut store, secret) = (store(), SecretKey::from_seed(&[4; 32]));
        let hub = HubId::from(secret.public());
        let record = |millis: i64| {
            let at = Timestamp::from_millis(millis);
            let body = HubRecord {
                hub,
                seq: Seq::next(None, at),
                expires: at + HUB_RECORD_TTL,
                name: "A hub".into(),
                software: "plexus/0".into(),
                domain: None,
                api: None,
                policy: None,
                addresses: Vec::new(),
                relay: false,
            };
            Record::new(dht_keys::hub_record(hub), Signed::sign(body, &secret).unwrap().encode())
        };
        let (old, new) = (record(1_000), record(2_000));
        let key = dht_keys::hub_record(hub);
        store.put(old.clone()).unwrap();
        store.put(new.clone()).unwrap();
        assert!(store.put(old).is_err() && store.put(Record::new(key.clone(), vec![1])).is_err());
        assert_eq!(store.get(&key).unwrap().value, new.value);
        let later = Instant::now() + Duration::from_secs(60);
        store.put(Record { expires: Some(later), ..new }).unwrap();
        assert_eq!(store.get(&key).unwrap().expires, Some(later), "the same one lasts longer");
    }
}
