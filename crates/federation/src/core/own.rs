//! What this hub itself says: its listings, its record, its heads.

use std::time::Duration;

use plexus_a2a::keys::SecretKey;
use plexus_domain::Timestamp;

use super::{
    Core, Effect,
    carried::{Entry, Which},
};
use crate::{
    HubId,
    record::{Head, HubRecord, Listing, Seq, Signed},
};

/// A head is signed at least so often; three missed ones make a hub stale.
pub const HEAD_EVERY: Duration = Duration::from_secs(10 * 60);
/// Changes within so short a time share a head.
const DEBOUNCE: Duration = Duration::from_secs(2);

/// This hub's key and what it signed.
#[derive(Clone, Debug)]
pub struct Own {
    key: SecretKey,
    id: HubId,
    /// When the next head is due.
    due: Timestamp,
}

impl Own {
    pub fn new(key: SecretKey, now: Timestamp) -> Self {
        Self { id: key.public().into(), key, due: now }
    }

    pub const fn id(&self) -> HubId {
        self.id
    }
}

impl Core {
    /// A listing of this hub's own. One of another hub, or an old one, is not announced, nor is one that others would not hear
    /// since it comes too fast: they find it when they compare.
    pub(super) fn publish(&mut self, listing: &Listing, now: Timestamp, out: &mut Vec<Effect>) {
        let (envelope, bytes) = (listing.envelope(), listing.encode());
        let entry = Entry::new(envelope, listing.hash(), bytes.len());
        if envelope.hub != self.me() || !self.carried.put(envelope.id(), entry) {
            return;
        }
        self.own_set_changed(envelope.hub, now);
        self.refresh(Which::One(envelope.id()), now, out);
        if let Some(me) = self.hubs.get_mut(&envelope.hub)
            && me.bucket.take_one(now)
        {
            out.push(Effect::Announce(bytes));
        }
    }

    pub(super) fn describe(&mut self, record: Signed<HubRecord>, out: &mut Vec<Effect>) {
        let me = self.me();
        if record.body().hub != me {
            return;
        }
        out.push(Effect::Announce(record.encode()));
        if let Some(hub) = self.hubs.get_mut(&me) {
            hub.record = Some(record);
        }
    }

    /// Asks for a new head if `hub` is this one: its set changed, or the network remembers a head that it does not,
    /// since it came back from an old backup.
    pub(super) fn own_set_changed(&mut self, hub: HubId, now: Timestamp) {
        if hub == self.me() {
            self.own.due = self.own.due.min(now + DEBOUNCE);
        }
    }

    pub(super) fn sign_head_if_due(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        if now < self.own.due {
            return;
        }
        let row = self.row(self.me());
        let seq = Seq::next(row.head, now);
        let head = Head { hub: row.hub, seq, count: row.count, fingerprint: row.fingerprint };
        self.own.due = now + HEAD_EVERY;
        // This key is that hub's, so signing cannot fail.
        let Ok(head) = Signed::sign(head, &self.own.key) else { return };
        out.push(Effect::Announce(head.encode()));
        out.push(Effect::StoreHead(Box::new(head.clone())));
        if let Some(hub) = self.hubs.get_mut(&row.hub) {
            hub.head = Some(head);
        }
    }
}
