//! Live search: which hubs are queried, how many, for how long, and which responses are accepted.

use std::time::Duration;

use plexus_domain::Timestamp;
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, HubOutcome, LiveQuery, PeerRequest, PeerResponse, Provenance, SearchQuery,
        policy::{AdmissionMode, PolicyRule, RuleAction, RuleSource, RuleSubject},
    },
    record::{Listing, Tag},
};

use crate::fixtures::{DAY, START, core, gossip, head, hub, live};

const MILLIS: Duration = Duration::from_millis(1);

fn wanted(tags: &[&str], replicated: usize) -> LiveQuery {
    let tags = tags.iter().map(|tag| Tag::from_text(tag).unwrap()).collect();
    let query = SearchQuery { text: "count".into(), tags, limit: 10 };
    LiveQuery { query, whole_network: false, own: 0, replicated }
}

fn start(core: &mut Engine, wanted: LiveQuery) -> Vec<Effect> {
    core.handle(Event::Search { search: 1, wanted }, START)
}

fn asked(effects: &[Effect]) -> Vec<(HubId, u64)> {
    let find = |effect: &Effect| match effect {
        Effect::Ask { peer, id, request: PeerRequest::Find(_) } => Some((*peer, *id)),
        _ => None,
    };
    effects.iter().filter_map(find).collect()
}

fn done(effects: &[Effect]) -> Option<Provenance> {
    effects.iter().find_map(|effect| match effect {
        Effect::SearchDone { provenance, .. } => Some(provenance.clone()),
        _ => None,
    })
}

fn found(effects: &[Effect]) -> Option<(HubId, Vec<Listing>)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Found { from, listings, .. } => Some((*from, listings.clone())),
        _ => None,
    })
}

fn answer(core: &mut Engine, (from, id): (HubId, u64), records: Vec<Vec<u8>>, now: Timestamp) -> Vec<Effect> {
    core.handle(Event::Answered { from, id, answer: PeerResponse::Records(records) }, now)
}

#[test]
fn what_is_here_is_enough_when_it_is_enough() {
    let effects = start(&mut core(9, AdmissionMode::Open), wanted(&["count"], 10));
    assert_eq!(done(&effects), Some(Provenance { replicated: 10, ..Provenance::default() }));
    let mut core = core(9, AdmissionMode::Open);
    let effects = start(&mut core, LiveQuery { whole_network: true, ..wanted(&["count"], 10) });
    assert!(matches!(effects[..], [Effect::FindProviders { search: 1, .. }]), "{effects:?}");
}

#[test]
fn at_most_eight_hubs_are_asked_and_the_slow_are_not_waited_for() {
    let mut core = core(9, AdmissionMode::Open);
    start(&mut core, wanted(&["count"], 0));
    let hubs = (1..=20).map(hub).collect();
    let first = asked(&core.handle(Event::Providers { search: 1, hubs }, START));
    assert_eq!(first.len(), 5);
    assert_eq!(asked(&core.handle(Event::Tick, START + MILLIS * 399)).len(), 0);
    assert!(core.wakes().is_some_and(|at| at <= START + MILLIS * 400));
    let more = asked(&core.handle(Event::Tick, START + MILLIS * 400));
    assert_eq!(more.len(), 3, "somebody else is asked as well");
    assert_eq!(done(&answer(&mut core, first[0], Vec::new(), START + MILLIS * 500)), None);
    assert_eq!(
        done(&core.handle(Event::Failed { from: first[1].0, id: first[1].1 }, START + MILLIS * 600)),
        None
    );
    let end = START + MILLIS * 2_500;
    assert_eq!(done(&core.handle(Event::Tick, end - MILLIS)), None);
    let provenance = done(&core.handle(Event::Tick, end)).unwrap();
    let silent = provenance.asked.values().filter(|outcome| **outcome == HubOutcome::Silent).count();
    assert_eq!((provenance.asked.len(), silent), (8, 7));
    assert_eq!(answer(&mut core, first[2], vec![live(3, 3, START).encode()], end), [], "too late");
}

#[test]
fn only_verified_listings_of_the_hub_that_answers_are_shown() {
    let mut core = core(9, AdmissionMode::Open);
    start(&mut core, wanted(&["count"], 0));
    let asked = asked(&core.handle(Event::Providers { search: 1, hubs: vec![hub(1)] }, START));
    let good = live(1, 1, START);
    let mut forged = live(2, 1, START).encode();
    *forged.last_mut().unwrap() ^= 1;
    let records = vec![b"junk".to_vec(), forged, live(3, 2, START).encode(), good.encode(), good.encode()];
    let effects = answer(&mut core, asked[0], records, START);
    assert_eq!(found(&effects), Some((hub(1), vec![good.clone()])));
    assert_eq!(done(&effects), None, "the DHT may still name others");
    let effects = core.handle(Event::Tick, START + MILLIS * 1_000);
    let asked = [(hub(1), HubOutcome::Answered { wrong: 2 })].into();
    assert_eq!(done(&effects), Some(Provenance { asked, ..Provenance::default() }));
    assert!(core.contains(good.envelope().id()), "what was found is carried from now on");
}

/// The response of an unknown hub includes its head, which makes the hub visible.
#[test]
fn what_a_new_hub_answers_is_shown_at_once() {
    let mut core = core(9, AdmissionMode::Open);
    start(&mut core, wanted(&["count"], 0));
    let asked = asked(&core.handle(Event::Providers { search: 1, hubs: vec![hub(1)] }, START));
    let listing = live(1, 1, START);
    let records = vec![head(1, START, &[&listing]).encode(), listing.encode()];
    let effects = answer(&mut core, asked[0], records, START);
    assert_eq!(found(&effects), Some((hub(1), vec![listing.clone()])));
    assert!(core.is_shown(listing.envelope().id()));
}

#[test]
fn what_came_another_way_meanwhile_is_found_as_well() {
    let mut core = core(9, AdmissionMode::Open);
    start(&mut core, wanted(&["count"], 0));
    let asked = asked(&core.handle(Event::Providers { search: 1, hubs: vec![hub(1)] }, START));
    let listing = live(1, 1, START);
    gossip(&mut core, &listing.encode(), START);
    let effects = answer(&mut core, asked[0], vec![listing.encode()], START);
    assert_eq!(found(&effects), Some((hub(1), vec![listing])));
}

#[test]
fn rules_hold_for_who_is_asked_and_what_is_found() {
    let mut core = core(9, AdmissionMode::Open);
    let block = |core: &mut Engine, subject| {
        let (reason, author) = (String::new(), String::new());
        let rule = PolicyRule { action: RuleAction::Block, reason, author, expires: None };
        core.handle(Event::RuleSet { source: RuleSource::Local, subject, rule }, START);
    };
    block(&mut core, RuleSubject::Hub(hub(2)));
    block(&mut core, RuleSubject::Agent(live(1, 1, START).envelope().id().clone()));
    start(&mut core, wanted(&["count"], 0));
    let asked = asked(&core.handle(Event::Providers { search: 1, hubs: vec![hub(1), hub(2)] }, START));
    assert_eq!(asked.iter().map(|(hub, _)| *hub).collect::<Vec<_>>(), [hub(1)]);
    let (hidden, other) = (live(1, 1, START), live(2, 1, START));
    let effects = answer(&mut core, asked[0], vec![hidden.encode(), other.encode()], START);
    assert_eq!(found(&effects), Some((hub(1), vec![other])));
}

/// Such hubs are free to create (Sybil), so they must neither come first nor fill the results.
#[test]
fn hubs_on_probation_are_asked_last_and_heard_for_less() {
    let mut core = core(9, AdmissionMode::Probation);
    gossip(&mut core, &head(1, START, &[&live(1, 1, START)]).encode(), START);
    let now = START + DAY;
    core.handle(Event::DomainProved { hub: hub(1), domain: "one.example".into() }, now);
    let query = SearchQuery { limit: 40, ..wanted(&["count"], 0).query };
    core.handle(Event::Search { search: 1, wanted: LiveQuery { query, ..wanted(&[], 0) } }, now);
    let hubs = (1..=8).rev().map(hub).collect();
    let asked = asked(&core.handle(Event::Providers { search: 1, hubs }, now));
    assert_eq!(asked[0].0, hub(1));
    let records = |home| (0..40).map(|agent| live(home * 100 + agent, home, now).encode()).collect();
    let effects = answer(&mut core, asked[0], records(1), now);
    assert_eq!(found(&effects).map(|(_, listings)| listings.len()), Some(40));
    let effects = answer(&mut core, asked[1], records(8), now);
    assert_eq!(found(&effects).map(|(from, listings)| (from, listings.len() < 40)), Some((hub(8), true)));
}

#[test]
fn hubs_of_which_all_is_here_are_not_asked() {
    let mut core = core(9, AdmissionMode::Open);
    let listing = live(1, 1, START);
    gossip(&mut core, &listing.encode(), START);
    gossip(&mut core, &head(1, START, &[&listing]).encode(), START);
    gossip(&mut core, &head(2, START, &[&live(2, 2, START)]).encode(), START);
    let known = asked(&start(&mut core, wanted(&["count"], 1)));
    assert_eq!(known.iter().map(|(hub, _)| *hub).collect::<Vec<_>>(), [hub(2)], "before the DHT names any");
    let hubs = vec![hub(1), hub(2), hub(3), hub(9)];
    let named = asked(&core.handle(Event::Providers { search: 1, hubs }, START));
    assert_eq!(named.iter().map(|(hub, _)| *hub).collect::<Vec<_>>(), [hub(3)]);
}

/// The peers closest to a DHT key may withhold its providers (eclipse attack).
#[test]
fn an_alarm_sounds_when_the_dht_names_none_of_the_hubs_that_are_here() {
    let end = START + MILLIS * 1_000;
    let looked = |named: Vec<HubId>| {
        let mut core = core(9, AdmissionMode::Open);
        for n in 1..=5 {
            let listing = live(n, n, START);
            gossip(&mut core, &listing.encode(), START);
            gossip(&mut core, &head(n, START, &[&listing]).encode(), START);
        }
        start(&mut core, wanted(&["count"], 5));
        core.handle(Event::Providers { search: 1, hubs: named }, START);
        let effects = core.handle(Event::Tick, end);
        effects.into_iter().find(|effect| matches!(effect, Effect::Unnamed { .. }))
    };
    let alarm = Some(Effect::Unnamed { tag: Tag::from_text("count").unwrap(), hubs: 5 });
    assert_eq!(looked(vec![hub(300), hub(9)]), alarm, "strangers, and the hub itself");
    assert_eq!(looked(vec![hub(300), hub(3)]), None);
}

#[test]
fn hubs_that_are_known_are_asked_before_names_that_are_not() {
    let mut core = core(9, AdmissionMode::Open);
    for n in 1..=9 {
        gossip(&mut core, &head(n, START, &[&live(n, n, START)]).encode(), START);
    }
    let mut known = asked(&start(&mut core, wanted(&["count"], 0)));
    let hubs = (100..150).chain(1..=9).map(hub).collect();
    known.extend(asked(&core.handle(Event::Providers { search: 1, hubs }, START)));
    assert!(
        known.len() >= 5 && known.iter().all(|(asked, _)| (1..=9).any(|n| hub(n) == *asked)),
        "{known:?}"
    );
}

#[test]
fn free_text_goes_to_a_sample_of_living_hubs() {
    let mut core = core(9, AdmissionMode::Open);
    for n in 1..=20 {
        gossip(&mut core, &head(n, START, &[&live(n, n, START)]).encode(), START);
    }
    let effects = start(&mut core, wanted(&[], 0));
    assert_eq!(asked(&effects).len(), 3);
    let other = core.handle(Event::Search { search: 2, wanted: wanted(&[], 0) }, START);
    let hubs = |effects: &[Effect]| asked(effects).into_iter().map(|(hub, _)| hub).collect::<Vec<_>>();
    assert_ne!(hubs(&effects), hubs(&other), "others are asked the next time");
    for (from, id) in asked(&effects) {
        core.handle(Event::Failed { from, id }, START);
    }
    assert!(core.wakes().is_some(), "the other search goes on");
}
