//! Outstanding work of the actor, in bounded tables.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    ops::Bound::{Excluded, Unbounded},
};

use libp2p::{
    PeerId,
    gossipsub::MessageId,
    request_response::{InboundRequestId, OutboundRequestId, ResponseChannel},
};

use super::{cbor::PeerReply, peer_id};
use crate::HubId;

/// Maximum gossip messages awaiting validation. Further ones are ignored.
const MAX_MESSAGES: usize = 1_024;
/// The same per peer.
const MAX_MESSAGES_OF_ONE: usize = 128;
/// Messages being validated by the hub at once. The others wait in per-peer queues.
const GIVEN: usize = 8;
/// Maximum inbound requests being processed or responded to. Further ones are refused.
const MAX_REQUESTS: usize = 256;
/// The same per peer.
const MAX_OF_ONE: usize = 4;
/// Maximum offers awaiting processing, each up to 640 KiB. Further ones are refused.
const MAX_OFFERS: usize = 64;
/// The same per peer.
const MAX_OFFERS_OF_ONE: usize = 2;
/// Maximum bytes of responses being written. A response beyond them is dropped, which refuses the request.
const MAX_WRITTEN: usize = 128 << 20;

/// Protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamProtocol {
    Sync,
    Query,
}

/// Gossipsub id and sender of a message.
#[derive(Clone, Debug)]
pub struct GossipRef {
    pub id: MessageId,
    pub from: PeerId,
}

/// An inbound request awaiting its response.
pub struct PendingRequest {
    pub from: PeerId,
    pub lane: StreamProtocol,
    pub request: InboundRequestId,
    pub channel: ResponseChannel<PeerReply>,
}

/// A response being written.
struct OutboundResponse {
    to: PeerId,
    bytes: usize,
}

/// Outstanding messages, requests and responses.
#[derive(Default)]
pub struct InFlight {
    /// Last id assigned.
    last: u64,
    /// Message queues per sender, so that a busy sender delays only itself.
    waiting: BTreeMap<PeerId, VecDeque<(GossipRef, Vec<u8>)>>,
    /// Peer served last (round-robin).
    turn: Option<PeerId>,
    /// Messages being validated by the hub.
    messages: BTreeMap<u64, GossipRef>,
    /// Retained until the hub responds, even if the requester disconnects: they use the hub's memory until
    /// then.
    questions: BTreeMap<u64, PendingRequest>,
    offers: BTreeMap<u64, PendingRequest>,
    written: HashMap<(StreamProtocol, InboundRequestId), OutboundResponse>,
    /// Outbound requests: the hub and the request id. The id is `None` for offers.
    asked: HashMap<(StreamProtocol, OutboundRequestId), (HubId, Option<u64>)>,
}

impl InFlight {
    /// Queues a message; false when there is no room.
    pub fn try_add_message(&mut self, heard: GossipRef, bytes: Vec<u8>) -> bool {
        let of_one = self.waiting.get(&heard.from).map_or(0, VecDeque::len);
        let all = self.waiting.values().map(VecDeque::len).sum::<usize>() + self.messages.len();
        let fits = of_one < MAX_MESSAGES_OF_ONE && all < MAX_MESSAGES;
        if fits {
            self.waiting.entry(heard.from).or_default().push_back((heard, bytes));
        }
        fits
    }

    /// Returns the next message for the hub, with its id and sender, round-robin over the peers.
    pub fn next_message(&mut self) -> Option<(u64, PeerId, Vec<u8>)> {
        if self.messages.len() >= GIVEN {
            return None;
        }
        let later = self.turn.and_then(|last| self.waiting.range((Excluded(last), Unbounded)).next());
        let peer = *later.or_else(|| self.waiting.iter().next())?.0;
        let queue = self.waiting.get_mut(&peer)?;
        let (heard, bytes) = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&peer);
        }
        self.turn = Some(peer);
        let number = self.next();
        self.messages.insert(number, heard);
        Some((number, peer, bytes))
    }

    /// Drops the queued messages of a peer.
    pub fn forget(&mut self, peer: &PeerId) {
        self.waiting.remove(peer);
    }

    /// Removes a message after its validation.
    pub fn resolve_message(&mut self, message: u64) -> Option<GossipRef> {
        self.messages.remove(&message)
    }

    /// Admits an inbound request; returns its id, or `None` when there are too many.
    pub fn question(&mut self, question: PendingRequest) -> Option<u64> {
        let writing = self.written.values().map(|written| &written.to);
        let open = of(&self.questions).chain(writing);
        let of_one = open.filter(|peer| **peer == question.from).count();
        if of_one >= MAX_OF_ONE || self.questions.len() + self.written.len() >= MAX_REQUESTS {
            return None;
        }
        let number = self.next();
        self.questions.insert(number, question);
        Some(number)
    }

    /// Admits an offer; returns its id, or `None` when there are too many.
    pub fn offer(&mut self, offer: PendingRequest) -> Option<u64> {
        let of_one = of(&self.offers).filter(|peer| **peer == offer.from).count();
        if of_one >= MAX_OFFERS_OF_ONE || self.offers.len() >= MAX_OFFERS {
            return None;
        }
        let number = self.next();
        self.offers.insert(number, offer);
        Some(number)
    }

    pub fn answered(&mut self, id: u64) -> Option<PendingRequest> {
        self.questions.remove(&id)
    }

    pub fn noted(&mut self, id: u64) -> Option<PendingRequest> {
        self.offers.remove(&id)
    }

    /// Returns whether a response of `bytes` bytes may be written now.
    pub fn may_write(&self, bytes: usize) -> bool {
        self.written.values().map(|written| written.bytes).sum::<usize>() + bytes <= MAX_WRITTEN
    }

    /// Counts a response until it was sent or failed.
    pub fn writes(&mut self, lane: StreamProtocol, request: InboundRequestId, to: PeerId, bytes: usize) {
        self.written.insert((lane, request), OutboundResponse { to, bytes });
    }

    pub fn wrote(&mut self, lane: StreamProtocol, request: InboundRequestId) {
        self.written.remove(&(lane, request));
    }

    pub fn ask(&mut self, lane: StreamProtocol, request: OutboundRequestId, hub: HubId, id: Option<u64>) {
        self.asked.insert((lane, request), (hub, id));
    }

    pub fn take_response(
        &mut self,
        lane: StreamProtocol,
        request: OutboundRequestId,
    ) -> Option<(HubId, Option<u64>)> {
        self.asked.remove(&(lane, request))
    }

    /// Returns the peers that owe this hub a response. Requesters do not count: any peer could protect its
    /// connection that way.
    pub fn peers(&self) -> HashSet<PeerId> {
        self.asked.values().filter_map(|(hub, _)| peer_id::peer_of(*hub)).collect()
    }

    const fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn of(questions: &BTreeMap<u64, PendingRequest>) -> impl Iterator<Item = &PeerId> {
    questions.values().map(|question| &question.from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(from: PeerId) -> GossipRef {
        GossipRef { id: MessageId::from(vec![1]), from }
    }

    #[test]
    fn one_peer_takes_up_no_more_than_its_share_of_what_is_judged() {
        let (mut pending, greedy) = (InFlight::default(), PeerId::random());
        let taken =
            (0..MAX_MESSAGES).take_while(|_| pending.try_add_message(heard(greedy), Vec::new())).count();
        assert_eq!(taken, MAX_MESSAGES_OF_ONE);
        assert!(pending.try_add_message(heard(PeerId::random()), Vec::new()));
        while pending.next_message().is_some() {}
        assert_eq!(pending.messages.len(), GIVEN);
        assert!(pending.try_add_message(heard(greedy), Vec::new()), "some of its own went on");
        let others =
            (0..2 * MAX_MESSAGES).filter(|_| pending.try_add_message(heard(PeerId::random()), Vec::new()));
        assert!(others.count() < MAX_MESSAGES);
        let waiting: usize = pending.waiting.values().map(VecDeque::len).sum();
        assert_eq!(waiting + pending.messages.len(), MAX_MESSAGES);
    }

    #[test]
    fn whoever_brings_many_messages_waits_behind_its_own() {
        let (mut pending, greedy) = (InFlight::default(), PeerId::random());
        (0..100).for_each(|_| assert!(pending.try_add_message(heard(greedy), Vec::new())));
        let first: Vec<u64> =
            std::iter::from_fn(|| pending.next_message()).map(|(number, ..)| number).collect();
        let others = [PeerId::random(), PeerId::random()];
        others.iter().for_each(|other| assert!(pending.try_add_message(heard(*other), Vec::new())));
        let mut next = Vec::new();
        for number in first {
            assert!(pending.resolve_message(number).is_some_and(|heard| heard.from == greedy));
            next.extend(pending.next_message().map(|(_, from, _)| from));
        }
        let turns: Vec<usize> =
            others.iter().filter_map(|other| next.iter().position(|from| from == other)).collect();
        assert!(turns.len() == 2 && turns.iter().all(|turn| *turn < 3), "{turns:?}");
        pending.forget(&greedy);
        assert!(pending.waiting.is_empty());
    }
}
