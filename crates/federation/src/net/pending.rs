//! What the actor waits for, each kind in a table of its own with a bound.

use std::collections::{BTreeMap, HashMap, HashSet};

use libp2p::{
    PeerId,
    gossipsub::MessageId,
    request_response::{InboundRequestId, OutboundRequestId, ResponseChannel},
};

use super::{id, wire::Reply};
use crate::HubId;

/// Messages of gossip that the hub has not judged yet. One more is ignored.
const MAX_MESSAGES: usize = 1_024;
/// Of one peer.
const MAX_MESSAGES_OF_ONE: usize = 128;
/// Requests of others that wait for their answers, or whose answers are being written. One more is refused.
const MAX_REQUESTS: usize = 256;
/// Of one peer.
const MAX_OF_ONE: usize = 4;
/// Offers that the hub has not looked at yet, each of up to 640 KiB. One more is refused.
const MAX_OFFERS: usize = 64;
/// Of one peer.
const MAX_OFFERS_OF_ONE: usize = 2;
/// Bytes of answers that are being written. An answer beyond them is a refusal.
const MAX_WRITTEN: usize = 128 << 20;

/// Which protocol an exchange is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    Sync,
    Query,
}

/// A message of gossip, as gossip knows it.
#[derive(Clone, Debug)]
pub struct Heard {
    pub id: MessageId,
    pub from: PeerId,
}

/// What a peer waits for an answer to.
pub struct Question {
    pub from: PeerId,
    pub lane: Lane,
    pub request: InboundRequestId,
    pub channel: ResponseChannel<Reply>,
}

/// An answer on its way.
struct Written {
    to: PeerId,
    bytes: usize,
}

#[derive(Default)]
pub struct Pending {
    /// The last number given out.
    last: u64,
    messages: BTreeMap<u64, Heard>,
    /// These stay until the hub answers, even if whoever asked is gone: until then they take up its memory.
    questions: BTreeMap<u64, Question>,
    offers: BTreeMap<u64, Question>,
    written: HashMap<(Lane, InboundRequestId), Written>,
    /// What this hub asked: whom, and under which number. None for what it offered.
    asked: HashMap<(Lane, OutboundRequestId), (HubId, Option<u64>)>,
}

impl Pending {
    /// The number of a message, or None when there are too many.
    pub fn hear(&mut self, heard: Heard) -> Option<u64> {
        let of_one = self.messages.values().filter(|other| other.from == heard.from).count();
        if of_one >= MAX_MESSAGES_OF_ONE || self.messages.len() >= MAX_MESSAGES {
            return None;
        }
        let number = self.next();
        self.messages.insert(number, heard);
        Some(number)
    }

    pub fn judged(&mut self, message: u64) -> Option<Heard> {
        self.messages.remove(&message)
    }

    /// The number of a request, or None when there are too many.
    pub fn question(&mut self, question: Question) -> Option<u64> {
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

    /// The number of an offer, or None when there are too many.
    pub fn offer(&mut self, offer: Question) -> Option<u64> {
        let of_one = of(&self.offers).filter(|peer| **peer == offer.from).count();
        if of_one >= MAX_OFFERS_OF_ONE || self.offers.len() >= MAX_OFFERS {
            return None;
        }
        let number = self.next();
        self.offers.insert(number, offer);
        Some(number)
    }

    pub fn answered(&mut self, id: u64) -> Option<Question> {
        self.questions.remove(&id)
    }

    pub fn noted(&mut self, id: u64) -> Option<Question> {
        self.offers.remove(&id)
    }

    /// Whether an answer of so many bytes may be written now.
    pub fn may_write(&self, bytes: usize) -> bool {
        self.written.values().map(|written| written.bytes).sum::<usize>() + bytes <= MAX_WRITTEN
    }

    /// An answer is on its way: it counts until it has arrived, or will not.
    pub fn writes(&mut self, lane: Lane, request: InboundRequestId, to: PeerId, bytes: usize) {
        self.written.insert((lane, request), Written { to, bytes });
    }

    pub fn wrote(&mut self, lane: Lane, request: InboundRequestId) {
        self.written.remove(&(lane, request));
    }

    pub fn ask(&mut self, lane: Lane, request: OutboundRequestId, hub: HubId, id: Option<u64>) {
        self.asked.insert((lane, request), (hub, id));
    }

    pub fn came(&mut self, lane: Lane, request: OutboundRequestId) -> Option<(HubId, Option<u64>)> {
        self.asked.remove(&(lane, request))
    }

    /// From whom an answer is awaited. Who waits for one does not count: that is for anybody to do.
    pub fn peers(&self) -> HashSet<PeerId> {
        self.asked.values().filter_map(|(hub, _)| id::peer_of(*hub)).collect()
    }

    const fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn of(questions: &BTreeMap<u64, Question>) -> impl Iterator<Item = &PeerId> {
    questions.values().map(|question| &question.from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_peer_takes_up_no_more_than_its_share_of_what_is_judged() {
        let (mut pending, greedy) = (Pending::default(), PeerId::random());
        let heard = |from| Heard { id: MessageId::from(vec![1]), from };
        let taken: Vec<u64> = std::iter::from_fn(|| pending.hear(heard(greedy))).collect();
        assert_eq!(taken.len(), MAX_MESSAGES_OF_ONE);
        assert!(pending.hear(heard(PeerId::random())).is_some());
        assert!(pending.judged(taken[0]).is_some());
        assert!(pending.hear(heard(greedy)).is_some());
        while pending.messages.len() < MAX_MESSAGES {
            assert!(pending.hear(heard(PeerId::random())).is_some());
        }
        assert!(pending.hear(heard(PeerId::random())).is_none());
    }
}
