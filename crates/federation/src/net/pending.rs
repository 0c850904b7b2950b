//! What the actor waits for, each kind in a table of its own with a bound.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    ops::Bound::{Excluded, Unbounded},
};

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
/// Of them, those that the hub was given. The others wait for their peer's turn.
const GIVEN: usize = 8;
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
    /// Messages by who brought them: whoever brings many waits behind its own.
    waiting: BTreeMap<PeerId, VecDeque<(Heard, Vec<u8>)>>,
    /// Whose turn was last.
    turn: Option<PeerId>,
    /// Messages that the hub was given.
    messages: BTreeMap<u64, Heard>,
    /// These stay until the hub answers, even if whoever asked is gone: until then they take up its memory.
    questions: BTreeMap<u64, Question>,
    offers: BTreeMap<u64, Question>,
    written: HashMap<(Lane, InboundRequestId), Written>,
    /// What this hub asked: whom, and under which number. None for what it offered.
    asked: HashMap<(Lane, OutboundRequestId), (HubId, Option<u64>)>,
}

impl Pending {
    /// Whether there is room for a message.
    pub fn hear(&mut self, heard: Heard, bytes: Vec<u8>) -> bool {
        let of_one = self.waiting.get(&heard.from).map_or(0, VecDeque::len);
        let all = self.waiting.values().map(VecDeque::len).sum::<usize>() + self.messages.len();
        let fits = of_one < MAX_MESSAGES_OF_ONE && all < MAX_MESSAGES;
        if fits {
            self.waiting.entry(heard.from).or_default().push_back((heard, bytes));
        }
        fits
    }

    /// The message that the hub is to be given next, with its number and who brought it: peer after peer has a turn.
    pub fn give(&mut self) -> Option<(u64, PeerId, Vec<u8>)> {
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

    /// What a peer said is of no interest any more.
    pub fn forget(&mut self, peer: &PeerId) {
        self.waiting.remove(peer);
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

    fn heard(from: PeerId) -> Heard {
        Heard { id: MessageId::from(vec![1]), from }
    }

    #[test]
    fn one_peer_takes_up_no_more_than_its_share_of_what_is_judged() {
        let (mut pending, greedy) = (Pending::default(), PeerId::random());
        let taken = (0..MAX_MESSAGES).take_while(|_| pending.hear(heard(greedy), Vec::new())).count();
        assert_eq!(taken, MAX_MESSAGES_OF_ONE);
        assert!(pending.hear(heard(PeerId::random()), Vec::new()));
        while pending.give().is_some() {}
        assert_eq!(pending.messages.len(), GIVEN);
        assert!(pending.hear(heard(greedy), Vec::new()), "some of its own went on");
        let others = (0..2 * MAX_MESSAGES).filter(|_| pending.hear(heard(PeerId::random()), Vec::new()));
        assert!(others.count() < MAX_MESSAGES);
        let waiting: usize = pending.waiting.values().map(VecDeque::len).sum();
        assert_eq!(waiting + pending.messages.len(), MAX_MESSAGES);
    }

    #[test]
    fn whoever_brings_many_messages_waits_behind_its_own() {
        let (mut pending, greedy) = (Pending::default(), PeerId::random());
        (0..100).for_each(|_| assert!(pending.hear(heard(greedy), Vec::new())));
        let first: Vec<u64> = std::iter::from_fn(|| pending.give()).map(|(number, ..)| number).collect();
        let others = [PeerId::random(), PeerId::random()];
        others.iter().for_each(|other| assert!(pending.hear(heard(*other), Vec::new())));
        let mut next = Vec::new();
        for number in first {
            assert!(pending.judged(number).is_some_and(|heard| heard.from == greedy));
            next.extend(pending.give().map(|(_, from, _)| from));
        }
        let turns: Vec<usize> =
            others.iter().filter_map(|other| next.iter().position(|from| from == other)).collect();
        assert!(turns.len() == 2 && turns.iter().all(|turn| *turn < 3), "{turns:?}");
        pending.forget(&greedy);
        assert!(pending.waiting.is_empty());
    }
}
