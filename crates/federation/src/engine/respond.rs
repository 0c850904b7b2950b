//! Responses to requests of peers.

use plexus_domain::{Digest, Timestamp};

use super::{
    Effect, Engine, HubInventory, MAX_BATCH, MAX_FOUND, MAX_FRAME, PeerRequest, PeerResponse, SearchQuery,
};
use crate::{HubId, record::Signed};

impl Engine {
    /// Responds to or refuses every request of a peer. Refuses what exceeds the limits or the peer's quota,
    /// and requests about hubs that are not replicated. A blocked peer is also disconnected.
    pub(super) fn answer(
        &mut self,
        to: HubId,
        id: u64,
        request: PeerRequest,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if !self.replicates(to, now) {
            out.extend([Effect::Refuse { to, id }, Effect::Disconnect(to)]);
        } else if self.shares.try_request(to, &request, now) {
            out.push(self.answer_to(to, id, request, now));
        } else {
            out.push(Effect::Refuse { to, id });
        }
    }

    fn answer_to(&self, to: HubId, id: u64, request: PeerRequest, now: Timestamp) -> Effect {
        let reply = |answer| Effect::Reply { to, id, answer };
        let refuse = Effect::Refuse { to, id };
        match request {
            PeerRequest::Rows { root } => {
                let rows = self.inventory(now);
                reply(PeerResponse::Rows((root_of(&rows) != root).then_some(rows)))
            }
            PeerRequest::Heads { hubs } if hubs.len() <= MAX_BATCH => {
                let replicated = hubs.into_iter().filter(|&hub| self.replicates(hub, now));
                reply(PeerResponse::Records(replicated.flat_map(|hub| self.records_of(hub)).collect()))
            }
            PeerRequest::Compare { hub, message }
                if message.len() <= MAX_FRAME && self.replicates(hub, now) =>
            {
                let answered = self.negentropy(hub, |ours| ours.reconcile(&message));
                answered.map_or(refuse, |message| reply(PeerResponse::Compare { message }))
            }
            PeerRequest::Bodies { hub, hashes } if hashes.len() <= MAX_BATCH && self.replicates(hub, now) => {
                Effect::ReplyBodies { to, id, hub, hashes }
            }
            PeerRequest::Find(query) if query.text.len() <= SearchQuery::MAX_TEXT => {
                let query = SearchQuery { limit: query.limit.min(MAX_FOUND), ..query };
                // The requester may not know this hub yet: head and record prove that it exists and where.
                Effect::ReplyFound { to, id, said: self.records_of(self.local_id()).collect(), query }
            }
            _ => refuse,
        }
    }

    /// Returns the stored head and hub record of a hub, encoded.
    fn records_of(&self, hub: HubId) -> impl Iterator<Item = Vec<u8>> {
        let record = self.hubs.get(&hub).and_then(|hub| hub.record.as_ref()).map(Signed::encode);
        self.encoded_head(hub).into_iter().chain(record)
    }

    pub(super) fn encoded_head(&self, hub: HubId) -> Option<Vec<u8>> {
        self.hubs.get(&hub)?.head.as_ref().map(Signed::encode)
    }
}

/// Hashes an inventory: two hubs with equal hashes need no further comparison.
pub fn root_of(rows: &[HubInventory]) -> Digest {
    let line = |row: &HubInventory| {
        let head = row.head.map_or(0, u64::from).to_be_bytes();
        [&row.hub.as_bytes()[..], &head, &row.count.to_be_bytes(), row.fingerprint.as_bytes()].concat()
    };
    Digest::of(rows.iter().flat_map(line).collect::<Vec<u8>>())
}
