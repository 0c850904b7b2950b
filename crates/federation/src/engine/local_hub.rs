//! Records of this hub itself: its listings, its hub record and its inventory heads.

use std::time::Duration;

use plexus_a2a::keys::SecretKey;
use plexus_domain::Timestamp;

use super::{
    Effect, Engine,
    inventory::{ListingEntry, ListingSelector},
};
use crate::{
    HubId,
    record::{HubRecord, InventoryHead, Listing, Seq, Signed},
};

/// Maximum interval between heads. A hub that misses three is marked as stale.
pub const HEAD_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Debounce: changes within this time share one head.
const DEBOUNCE: Duration = Duration::from_secs(2);

/// This hub's key, and when it signs the next head.
#[derive(Clone, Debug)]
pub struct LocalHub {
    key: SecretKey,
    id: HubId,
    /// When the next head is due.
    due: Timestamp,
}

impl LocalHub {
    pub fn new(key: SecretKey, now: Timestamp) -> Self {
        Self { id: key.public().into(), key, due: now }
    }

    pub const fn id(&self) -> HubId {
        self.id
    }
}

impl Engine {
    /// Announces a listing of this hub. Ignores listings of other hubs and outdated versions. A listing
    /// beyond the gossip rate limit enters the inventory but is not announced: peers would drop it, and find
    /// it by anti-entropy.
    pub(super) fn publish(&mut self, listing: &Listing, now: Timestamp, out: &mut Vec<Effect>) {
        let (envelope, bytes) = (listing.envelope(), listing.encode());
        let entry = ListingEntry::new(envelope, listing.hash(), bytes.len());
        if envelope.hub != self.local_id() || !self.listings.put(envelope.id(), entry) {
            return;
        }
        self.own_set_changed(envelope.hub, now);
        self.update_visibility(ListingSelector::One(envelope.id()), now, out);
        if let Some(me) = self.hubs.get_mut(&envelope.hub)
            && me.bucket.take_one(now)
        {
            out.push(Effect::Announce(bytes));
        }
    }

    /// Announces this hub's own hub record.
    pub(super) fn describe(&mut self, record: Signed<HubRecord>, out: &mut Vec<Effect>) {
        let me = self.local_id();
        if record.body().hub != me {
            return;
        }
        out.push(Effect::Announce(record.encode()));
        if let Some(hub) = self.hubs.get_mut(&me) {
            hub.record = Some(record);
        }
    }

    /// Schedules a new head if `hub` is this hub. Called when its set changed, or when peers have a newer
    /// head than it (restore from an old backup).
    pub(super) fn own_set_changed(&mut self, hub: HubId, now: Timestamp) {
        if hub == self.local_id() {
            self.own.due = self.own.due.min(now + DEBOUNCE);
        }
    }

    /// Reports a record of `hub` from the network if this hub's key signed it: this hub did not.
    pub(super) fn note_own_key(&self, hub: HubId, seq: Seq, out: &mut Vec<Effect>) {
        if hub == self.local_id() {
            let signed = seq.issued();
            out.push(Effect::OwnKeyUsed { signed, since_start: signed > self.started });
        }
    }

    /// Signs, stores and announces the inventory head when it is due.
    pub(super) fn sign_head_if_due(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        if now < self.own.due {
            return;
        }
        let row = self.row(self.local_id());
        let seq = Seq::next(row.head, now);
        let head = InventoryHead { hub: row.hub, seq, count: row.count, fingerprint: row.fingerprint };
        self.own.due = now + HEAD_INTERVAL;
        // Signing cannot fail: the key belongs to the hub named in the head.
        let Ok(head) = Signed::sign(head, &self.own.key) else { return };
        out.push(Effect::Announce(head.encode()));
        out.push(Effect::StoreHead(Box::new(head.clone())));
        if let Some(hub) = self.hubs.get_mut(&row.hub) {
            hub.head = Some(head);
        }
    }
}
