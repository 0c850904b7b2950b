//! What the actor waits for, each kind in a table of its own with a bound.

use std::collections::{BTreeMap, HashMap, HashSet};

use libp2p::{
    PeerId,
    gossipsub::MessageId,
    request_response::{OutboundRequestId, ResponseChannel},
};

use super::{id, wire::Reply};
use crate::HubId;

/// Messages of gossip that the hub has not judged yet. One more is ignored.
const MAX_MESSAGES: usize = 1_024;
/// Requests of others that wait for their answers. One more is refused.
const MAX_REQUESTS: usize = 256;
/// Of one peer.
const MAX_OF_ONE: usize = 4;

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

pub struct Question {
    pub from: PeerId,
    pub lane: Lane,
    pub channel: ResponseChannel<Reply>,
}

#[derive(Default)]
pub struct Pending {
    /// The last number given out.
    last: u64,
    messages: BTreeMap<u64, Heard>,
    questions: BTreeMap<u64, Question>,
    /// What this hub asked: whom, and under which number. None for what it offered.
    asked: HashMap<(Lane, OutboundRequestId), (HubId, Option<u64>)>,
}

impl Pending {
    /// Messages that the hub never judged make room for new ones: gossip has forgotten them by then.
    pub fn hear(&mut self, heard: Heard) -> u64 {
        if self.messages.len() >= MAX_MESSAGES {
            self.messages.pop_first();
        }
        let number = self.next();
        self.messages.insert(number, heard);
        number
    }

    pub fn judged(&mut self, message: u64) -> Option<Heard> {
        self.messages.remove(&message)
    }

    /// The number of a request, or None when there are too many.
    pub fn question(&mut self, question: Question) -> Option<u64> {
        let of_one = self.questions.values().filter(|other| other.from == question.from).count();
        if of_one >= MAX_OF_ONE || self.questions.len() >= MAX_REQUESTS {
            return None;
        }
        let number = self.next();
        self.questions.insert(number, question);
        Some(number)
    }

    pub fn answered(&mut self, id: u64) -> Option<Question> {
        self.questions.remove(&id)
    }

    /// Whose connection is gone, or who gave up, gets no answer.
    pub fn forget_closed(&mut self) {
        self.questions.retain(|_, question| question.channel.is_open());
    }

    pub fn ask(&mut self, lane: Lane, request: OutboundRequestId, hub: HubId, id: Option<u64>) {
        self.asked.insert((lane, request), (hub, id));
    }

    pub fn came(&mut self, lane: Lane, request: OutboundRequestId) -> Option<(HubId, Option<u64>)> {
        self.asked.remove(&(lane, request))
    }

    /// Who waits for an answer, and from whom one is awaited.
    pub fn peers(&self) -> HashSet<PeerId> {
        let waiting = self.questions.values().map(|question| question.from);
        waiting.chain(self.asked.values().filter_map(|(hub, _)| id::peer_of(*hub))).collect()
    }

    const fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}
