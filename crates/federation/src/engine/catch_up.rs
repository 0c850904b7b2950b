//! Rounds out of turn: a head names listings that are missing here, so fetch them before the next periodic
//! round.
//!
//! Gossip is limited for each hub, so a burst of listings exceeds it, while the head that follows always
//! arrives. The missing listings are fetched from their hub if it is connected, otherwise from a neighbour.

use plexus_domain::Timestamp;

use super::{
    Effect, Engine,
    anti_entropy::{MAX_ROUNDS, SYNC_INTERVAL},
    known_hubs::Behind,
};
use crate::HubId;

/// Maximum running rounds beyond which none is started out of turn, so that slow hubs with false heads leave
/// room for the periodic rounds.
const MAX_RUNNING: usize = MAX_ROUNDS / 2;

impl Engine {
    /// Handles a new head of `hub`: it may name listings that are missing here.
    pub(super) fn on_head(&mut self, hub: HubId, now: Timestamp) {
        let is_behind = hub != self.local_id() && !self.is_complete(hub);
        if let Some(known) = self.hubs.get_mut(&hub) {
            known.behind = is_behind.then(|| known.behind.unwrap_or_else(|| Behind::new(now)));
        }
    }

    /// Handles a new listing of `hub`. One that was `fetched` in a round shows that rounds help, so the next
    /// one comes soon.
    pub(super) fn update_behind(&mut self, hub: HubId, fetched: bool, now: Timestamp) {
        let is_behind = self.hubs.get(&hub).is_some_and(|known| known.behind.is_some());
        if !is_behind {
            return;
        }
        let is_complete = self.is_complete(hub);
        if let Some(behind) = self.hubs.get_mut(&hub).map(|known| &mut known.behind) {
            if is_complete {
                *behind = None;
            } else if fetched {
                *behind = Some(Behind::new(now));
            }
        }
    }

    /// Handles a round with `peer` in which the sets of `hub` were equal. The hub itself has all of them, even
    /// if its head is older than its set.
    pub(super) fn note_equal(&mut self, peer: HubId, hub: HubId) {
        if let Some(known) = self.hubs.get_mut(&hub).filter(|_| peer == hub) {
            known.behind = None;
        }
    }

    /// Starts the rounds that are due: one with each connected hub that has listings missing here, and one
    /// with a neighbour for all hubs that are not connected.
    pub(super) fn catch_up_if_due(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let is_due = |behind: &Behind| behind.next <= now;
        let due: Vec<HubId> = self
            .hubs
            .iter()
            .filter(|(_, known)| !known.partial && known.behind.as_ref().is_some_and(is_due))
            .map(|(hub, _)| *hub)
            .filter(|&hub| self.replicates(hub, now))
            .collect();
        let mut is_neighbour_asked = false;
        for hub in due {
            let peer = if self.peers.contains(&hub) { Some(hub) } else { self.next_neighbour(now) };
            let Some(peer) = peer.filter(|_| self.rounds.len() < MAX_RUNNING) else { continue };
            if peer == hub || !is_neighbour_asked {
                is_neighbour_asked |= peer != hub;
                self.begin_round(peer, now, out);
            }
            if let Some(behind) = self.hubs.get_mut(&hub).and_then(|known| known.behind.as_mut()) {
                behind.next = now + behind.wait;
                behind.wait = (2 * behind.wait).min(SYNC_INTERVAL);
            }
        }
    }

    /// Returns the peer without a running round that was compared least recently. Peers whose rounds timed out
    /// are left to the periodic rounds.
    fn next_neighbour(&self, now: Timestamp) -> Option<HubId> {
        let is_free = |peer: &&HubId| {
            !self.rounds.contains_key(*peer) && self.compared.get(*peer).is_none_or(|at| *at <= now)
        };
        self.peers.iter().filter(is_free).min_by_key(|peer| self.compared.get(*peer)).copied()
    }
}
