//! Slow peers do not block the sync rounds of others.

use std::{collections::BTreeMap, time::Duration};

use plexus_domain::Timestamp;
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, HubInventory, PeerRequest, PeerResponse, SYNC_INTERVAL, policy::AdmissionMode,
    },
    record::{Seq, SetFingerprint},
};

use crate::fixtures::{SECOND, START, core, gossip, head, hub, live};

const HONEST: u16 = 500;
const SLOW: u16 = 40;
/// Response time of the slow peers, below the request timeout of ten seconds.
const SLOWLY: Duration = Duration::from_secs(9);

/// Response of a slow peer: it states hundreds of hubs with newer heads, and then delivers nothing.
fn nothing_much(request: &PeerRequest, now: Timestamp) -> PeerResponse {
    let (count, fingerprint) = (1, SetFingerprint::default());
    let row = |n| HubInventory {
        hub: hub(n),
        head: Some(Seq::next(None, now)),
        count,
        fingerprint,
        partial: false,
    };
    match request {
        PeerRequest::Rows { .. } => PeerResponse::Rows(Some((1_000..1_600).map(row).collect())),
        _ => PeerResponse::Records(Vec::new()),
    }
}

/// Outstanding requests, keyed by the time of their response.
struct Waiting(BTreeMap<(Timestamp, u64), (HubId, PeerRequest)>);

impl Waiting {
    fn note(&mut self, effects: Vec<Effect>, now: Timestamp) {
        for effect in effects {
            if let Effect::Ask { peer, id, request } = effect {
                let at = if peer == hub(HONEST) { now } else { now + SLOWLY };
                self.0.insert((at, id), (peer, request));
            }
        }
    }

    fn answer(&mut self, observer: &mut Engine, honest: &mut Engine, listing: &[u8], now: Timestamp) {
        while let Some(entry) = self.0.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((_, id), (from, request)) = entry.remove_entry();
            let answer = if from == hub(HONEST) {
                match honest.handle(Event::Asked { from: observer.local_id(), id, request }, now).pop() {
                    Some(Effect::Reply { answer, .. }) => answer,
                    _ => PeerResponse::Records(vec![listing.to_vec()]),
                }
            } else {
                nothing_much(&request, now)
            };
            let effects = observer.handle(Event::Answered { from, id, answer }, now);
            self.note(effects, now);
        }
    }
}

#[test]
fn slow_peers_keep_nobody_from_comparing_for_longer_than_two_rounds() {
    let (mut observer, mut honest) = (core(9, AdmissionMode::Open), core(HONEST, AdmissionMode::Open));
    let listing = live(1, 1, START);
    for bytes in [head(1, START, &[&listing]).encode(), listing.encode()] {
        gossip(&mut honest, &bytes, START);
    }
    let (mut waiting, mut now) = (Waiting(BTreeMap::new()), START);
    for n in 0..SLOW {
        waiting.note(observer.handle(Event::Connected(hub(1 + n)), now), now);
    }
    now = now + SECOND;
    waiting.note(observer.handle(Event::Connected(hub(HONEST)), now), now);
    while !observer.contains(listing.envelope().id()) {
        now = now + SECOND;
        assert!(now.since(START) <= SYNC_INTERVAL * 3, "nothing of an honest peer after three minutes");
        waiting.note(observer.handle(Event::Tick, now), now);
        waiting.answer(&mut observer, &mut honest, &listing.encode(), now);
    }
}
