//! The set of one hub, here and at a peer: finding what differs, fetching it, and saying whose copy is wrong.

use std::collections::BTreeSet;

use negentropy::{Error, Id, Negentropy};
use plexus_domain::{Digest, Timestamp};

use super::{
    Core, Effect, MAX_BATCH, MAX_FRAME, Request, Row, Verdict,
    carried::HubSet,
    intake::Via,
    quota::CARRIED,
    sync::{Round, Stage},
};
use crate::{
    HubId,
    record::{self, Received},
};

/// Steps of comparing one set; 100,000 scattered differences take fewer.
const MAX_STEPS: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Comparison {
    theirs: Row,
    ours: Row,
    steps: usize,
    /// It came to its end, and nothing changed here meanwhile: what they hold is known exactly.
    complete: bool,
    /// Hashes that they lack.
    have: Vec<Id>,
    /// Hashes that we lack and have not asked for yet.
    need: Vec<Id>,
    asked: BTreeSet<Digest>,
    /// What they had, and delivered.
    served: Vec<Digest>,
}

impl Comparison {
    pub const fn new(theirs: Row, ours: Row) -> Self {
        Self {
            theirs,
            ours,
            steps: 0,
            complete: false,
            have: Vec::new(),
            need: Vec::new(),
            asked: BTreeSet::new(),
            served: Vec::new(),
        }
    }

    /// What the peer holds, going by what it sent: ours without what it lacks, with what it delivered. It counts
    /// more than what the peer says of itself.
    fn shown(&self) -> Row {
        let mut fingerprint = self.ours.fingerprint;
        self.have.iter().for_each(|id| fingerprint.remove(&digest(id)));
        self.served.iter().for_each(|hash| fingerprint.add(hash));
        let count = (self.ours.count + self.served.len() as u64).saturating_sub(self.have.len() as u64);
        Row { count, fingerprint, ..self.theirs }
    }
}

impl Core {
    pub(super) fn begin_comparison(
        &mut self,
        round: Round,
        comparison: Comparison,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let hub = comparison.theirs.hub;
        if let Ok(message) = self.negentropy(hub, |ours| ours.initiate()) {
            self.wait(round, Request::Compare { hub, message }, Stage::Compare(comparison), now, out);
        }
    }

    pub(super) fn step_came(
        &mut self,
        round: Round,
        mut comparison: Comparison,
        message: &[u8],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let hub = comparison.theirs.hub;
        let Comparison { have, need, .. } = &mut comparison;
        let step = self.negentropy(hub, |ours| {
            ours.set_initiator();
            ours.reconcile_with_ids(message, have, need)
        });
        unique(&mut comparison.have);
        unique(&mut comparison.need);
        comparison.steps += 1;
        match step {
            Ok(Some(message))
                if comparison.steps < MAX_STEPS && comparison.need.len() <= CARRIED.listings =>
            {
                self.wait(round, Request::Compare { hub, message }, Stage::Compare(comparison), now, out);
            }
            Ok(rest) => {
                comparison.complete = rest.is_none() && self.row(hub).same_set(&comparison.ours);
                self.fetch_bodies(round, comparison, now, out);
            }
            // No honest hub writes such a message: the round ends here.
            Err(_) => {}
        }
    }

    fn fetch_bodies(
        &mut self,
        round: Round,
        mut comparison: Comparison,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if comparison.need.is_empty() {
            return self.end_comparison(round, &comparison, now, out);
        }
        let batch = comparison.need.split_off(comparison.need.len().saturating_sub(MAX_BATCH));
        comparison.asked = batch.iter().map(digest).collect();
        let hashes = comparison.asked.iter().copied().collect();
        let request = Request::Bodies { hub: comparison.theirs.hub, hashes };
        self.wait(round, request, Stage::Bodies(comparison), now, out);
    }

    /// Takes what was asked for and holds; a forgery counts as not delivered.
    pub(super) fn bodies_came(
        &mut self,
        round: Round,
        mut comparison: Comparison,
        bodies: &[Vec<u8>],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let before = comparison.served.len();
        for body in bodies {
            let Ok(Received::Listing(listing)) = record::parse(body) else { continue };
            let hash = listing.hash();
            let wanted = listing.claims().hub == comparison.theirs.hub && comparison.asked.remove(&hash);
            if wanted && !matches!(self.take(body, Via::Sync, now, out), Verdict::Reject(_)) {
                comparison.served.push(hash);
            }
        }
        // A peer sends as many as fit into an answer. The rest is asked for again, as long as some come.
        if comparison.served.len() > before {
            let rest = comparison.asked.iter().map(|hash| Id::from_byte_array(*hash.as_bytes()));
            comparison.need.extend(rest);
        }
        self.fetch_bodies(round, comparison, now, out);
    }

    fn end_comparison(
        &mut self,
        round: Round,
        comparison: &Comparison,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if comparison.complete {
            let shown = comparison.shown();
            self.offer(round.peer, comparison, out);
            self.judge(round.peer, &comparison.theirs, &shown, out);
        }
        let home = comparison.theirs.hub;
        if home != round.peer && !self.is_whole(home) {
            // Neither has what was promised: ask the one who knows.
            self.begin_round(home, now, out);
        }
        self.next_hub(round, now, out);
    }

    /// Gives the peer what it lacks, the newest first. A copy that only lags is right from then on, so one that is
    /// still wrong in the next round is wrong on purpose.
    fn offer(&self, peer: HubId, comparison: &Comparison, out: &mut Vec<Effect>) {
        let (hub, lacking) = (comparison.theirs.hub, &comparison.have);
        let hashes: Vec<Digest> = lacking.iter().rev().take(MAX_BATCH).map(digest).collect();
        let newer = self.head_seq(hub) > comparison.theirs.head;
        let head = newer.then(|| self.encoded_head(hub)).flatten();
        if head.is_some() || !hashes.is_empty() {
            out.push(Effect::Offer { to: peer, hub, head, hashes });
        }
    }

    /// What a peer found missing here. Nobody asked for it, so it comes under the limits of gossip.
    pub(super) fn offered(
        &mut self,
        from: HubId,
        records: &[Vec<u8>],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if records.len() <= MAX_BATCH + 1 {
            records.iter().for_each(|record| _ = self.hear(from, record, now, out));
        }
    }

    /// Holds what a peer showed of a hub against the hub's signed head: when this hub has what the head promises, so
    /// that the peer was offered it, or when the peer says that it has. Else nobody can say who is wrong.
    pub(super) fn judge(&mut self, peer: HubId, stated: &Row, shown: &Row, out: &mut Vec<Effect>) {
        let Some(head) = self.head(shown.hub).copied() else { return };
        if stated.fits(&head) || self.is_whole(shown.hub) {
            out.extend(self.doubts.look(peer, shown, &head).map(Effect::Accuse));
        }
    }

    /// One step of the negentropy protocol over what is here of `hub`.
    pub(super) fn negentropy<T>(
        &self,
        hub: HubId,
        step: impl FnOnce(&mut Negentropy<'_, HubSet>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let nothing = HubSet::default();
        let set = self.carried.set(&hub).unwrap_or(&nothing);
        step(&mut Negentropy::borrowed(set, MAX_FRAME as u64)?)
    }
}

fn digest(id: &Id) -> Digest {
    Digest::from_bytes(id.to_bytes())
}

fn unique(ids: &mut Vec<Id>) {
    ids.sort_unstable();
    ids.dedup();
}
