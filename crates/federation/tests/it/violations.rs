//! Wrong copies, and signers that contradict themselves, are reported within two rounds.

use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{
        Effect, Engine, Event, GossipVerdict, HubInventory, PeerRequest, PeerResponse, SYNC_INTERVAL,
        Violation, ViolationReport, policy::AdmissionMode,
    },
    record::{Listing, Seq, Status},
};

use crate::{
    fixtures::{MINUTE, START, card, content, core, deleted, envelope, gossip, head, hub, live, sign},
    network::{Blind, Network},
};

const HOME: u16 = 1;
const MIRROR: u16 = 2;
const OBSERVER: u16 = 3;

/// Duration of two rounds with each of two peers.
const TWO_ROUNDS: u64 = 4 * SYNC_INTERVAL.as_secs() + 30;

/// Returns the violations that an honest hub reports of a mirror that ignores some records, after `happens`.
fn accusations(blind: Blind, happens: impl Fn(&mut Network)) -> Vec<ViolationReport> {
    let mut network = Network::full(3, 8);
    (1..6).for_each(|agent| network.publish(&live(agent, HOME, START)));
    network.run(5);
    network.blind.insert(hub(MIRROR), blind);
    happens(&mut network);
    network.run(TWO_ROUNDS);
    network.node(OBSERVER).accusations.clone()
}

fn accused(accusations: &[ViolationReport], about: u16, fault: &Violation) {
    let expected = ViolationReport { accused: hub(MIRROR), about: hub(about), fault: fault.clone() };
    assert!(accusations.contains(&expected), "{accusations:?}");
    assert!(accusations.iter().all(|accusation| accusation.accused == hub(MIRROR)), "{accusations:?}");
}

#[test]
fn a_mirror_that_withholds() {
    let blind = |record: &str| record.contains("agent-7") || record.contains("agent-8");
    let found = accusations(blind, |network| {
        network.publish(&live(7, HOME, network.now));
        network.publish(&live(8, HOME, network.now));
    });
    accused(&found, HOME, &Violation::MissingListings { missing: 2 });
}

#[test]
fn a_mirror_that_pads() {
    // The agent moved to the observer's hub; the mirror still lists it at its old home.
    let blind = |record: &str| record.contains("agent-2");
    let found = accusations(blind, |network| network.publish(&live(2, OBSERVER, network.now)));
    accused(&found, HOME, &Violation::ExtraListings { extra: 1 });
    accused(&found, OBSERVER, &Violation::MissingListings { missing: 1 });
}

#[test]
fn a_mirror_that_suppresses_a_tombstone() {
    let blind = |record: &str| record.contains("\"status\":\"deleted\"");
    let found = accusations(blind, |network| network.publish(&deleted(2, HOME, network.now)));
    accused(&found, HOME, &Violation::WrongVersions);
}

#[test]
fn a_mirror_that_replays_an_old_head() {
    let found = accusations(|_| true, |network| network.publish(&live(7, HOME, network.now)));
    accused(&found, HOME, &Violation::StaleHead);
}

/// Runs two rounds of an observer whose only peer is a mirror that states more than it delivers. `delivers`
/// overrides the mirror's responses.
fn rounds_with(
    delivers: impl Fn(&mut Engine, &PeerRequest, Timestamp) -> Option<PeerResponse>,
) -> Vec<ViolationReport> {
    let listings: Vec<Listing> = (1..6).map(|agent| live(agent, HOME, START)).collect();
    let promise = head(HOME, START, &listings.iter().collect::<Vec<_>>());
    let (mut observer, mut whole) = (core(OBSERVER, AdmissionMode::Open), core(MIRROR, AdmissionMode::Open));
    listings.iter().for_each(|listing| _ = gossip(&mut whole, &listing.encode(), START));
    for core in [&mut observer, &mut whole] {
        gossip(core, &promise.encode(), START);
    }
    let mut found = Vec::new();
    let mut now = START;
    let mut queue = observer.handle(Event::Connected(hub(MIRROR)), now);
    for round in 1..=2 {
        while let Some(effect) = queue.pop() {
            match effect {
                Effect::Ask { peer, id, request } => {
                    let answer = delivers(&mut whole, &request, now);
                    let answer = answer.unwrap_or_else(|| honest(&mut whole, &request, now));
                    queue.extend(observer.handle(Event::Answered { from: peer, id, answer }, now));
                }
                Effect::Accuse(accusation) => found.push(accusation),
                _ => {}
            }
        }
        assert!(round == 2 || found.is_empty(), "once is no proof: {found:?}");
        now = now + SYNC_INTERVAL;
        queue = observer.handle(Event::Tick, now);
    }
    found
}

fn honest(mirror: &mut Engine, request: &PeerRequest, now: Timestamp) -> PeerResponse {
    let event = Event::Asked { from: hub(OBSERVER), id: 1, request: request.clone() };
    match mirror.handle(event, now).pop() {
        Some(Effect::Reply { answer, .. }) => answer,
        _ => PeerResponse::Records(Vec::new()),
    }
}

#[test]
fn a_mirror_that_names_listings_and_does_not_deliver_them() {
    let found = rounds_with(|_, _, _| None);
    accused(&found, HOME, &Violation::MissingListings { missing: 5 });
}

#[test]
fn a_mirror_that_says_it_has_all_and_shows_nothing() {
    let found = rounds_with(|_, request, now| {
        let empty = &mut core(MIRROR, AdmissionMode::Open);
        matches!(request, PeerRequest::Compare { .. }).then(|| honest(empty, request, now))
    });
    accused(&found, HOME, &Violation::MissingListings { missing: 5 });
}

#[test]
fn a_hub_that_says_it_carries_a_part_is_believed() {
    let found = rounds_with(|mirror, request, now| {
        let part = |row: HubInventory| HubInventory { partial: true, ..row };
        let rows = || mirror.inventory(now).into_iter().map(part).collect();
        matches!(request, PeerRequest::Rows { .. }).then(|| PeerResponse::Rows(Some(rows())))
    });
    assert_eq!(found, []);
}

#[test]
fn two_versions_with_one_number_by_one_key() {
    let mut core = core(9, AdmissionMode::Open);
    let twin = |words: &str| {
        let (seq, card) = (Seq::next(None, START), card(words));
        sign(envelope(1, HOME, seq, Status::Live(content(&card, seq, &[]))), card, 1, HOME)
    };
    let (one, other) = (twin("one"), twin("other"));
    gossip(&mut core, &one.encode(), START);
    let (_, effects) = gossip(&mut core, &other.encode(), START);
    let fault = Violation::ListingEquivocation(one.envelope().id().clone());
    let accusation = ViolationReport { accused: hub(HOME), about: hub(HOME), fault };
    assert!(effects.contains(&Effect::Accuse(accusation)), "{effects:?}");
}

#[test]
fn two_heads_with_one_number() {
    let mut core = core(9, AdmissionMode::Open);
    let heads = [head(HOME, START, &[]), head(HOME, START, &[&live(1, HOME, START)])];
    let heard = heads.map(|head| gossip(&mut core, &head.encode(), START + MINUTE));
    let accusation =
        ViolationReport { accused: hub(HOME), about: hub(HOME), fault: Violation::RecordEquivocation };
    assert_eq!(heard[0].0, GossipVerdict::Accept);
    assert!(heard[1].1.contains(&Effect::Accuse(accusation)), "{heard:?}");
}
