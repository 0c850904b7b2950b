//! Replication status for the UI.

use std::collections::BTreeMap;

use plexus_domain::Digest;
use plexus_federation::engine::{
    Effect, Engine, Event, FetchProgress, PeerResponse, ReplicationTier,
    policy::{AdmissionMode, PolicyRule, RuleAction, RuleSource, RuleSubject},
    quota::PROBATION_TIME,
};

use crate::fixtures::{START, core, gossip, head, hub, live};

/// More listings than fit into one response.
const MANY: u16 = 300;

#[test]
fn a_catch_up_says_how_far_it_is_and_how_long_it_took() {
    let (mut here, mut home) = (core(9, AdmissionMode::Open), core(1, AdmissionMode::Open));
    let listings: Vec<_> = (0..MANY).map(|agent| live(agent, 1, START)).collect();
    let bodies: BTreeMap<Digest, Vec<u8>> =
        listings.iter().map(|listing| (listing.hash(), listing.encode())).collect();
    for listing in &listings {
        home.handle(Event::Published(Box::new(listing.clone())), START);
    }
    gossip(&mut here, &head(1, START, &listings.iter().collect::<Vec<_>>()).encode(), START);
    let mut effects = here.handle(Event::Connected(hub(1)), START);
    let mut steps = Vec::new();
    let (fetched, took) = loop {
        let ended = effects.iter().find_map(|effect| match effect {
            Effect::Compared { fetched, took, .. } => Some((*fetched, *took)),
            _ => None,
        });
        if let Some(ended) = ended {
            break ended;
        }
        let asked = effects.into_iter().find_map(|effect| match effect {
            Effect::Ask { id, request, .. } => Some((id, request)),
            _ => None,
        });
        let (id, request) = asked.unwrap();
        steps.extend(here.report(hub(1), START).unwrap().fetching);
        let later = START + crate::fixtures::SECOND;
        let answer = answer(&mut home, request, &bodies);
        effects = here.handle(Event::Answered { from: hub(1), id, answer }, later);
    };
    let total = u64::from(MANY);
    assert_eq!(steps.first(), Some(&FetchProgress { from: hub(1), fetched: 0, total }));
    assert_eq!(steps.last(), Some(&FetchProgress { from: hub(1), fetched: 256, total }));
    assert_eq!((fetched, took), (total, crate::fixtures::SECOND));
    let report = here.report(hub(1), START).unwrap();
    assert_eq!((report.replicated, report.announced, report.fetching), (total, Some(total), None));
}

/// Returns the response of the home hub.
fn answer(
    home: &mut Engine,
    request: plexus_federation::engine::PeerRequest,
    bodies: &BTreeMap<Digest, Vec<u8>>,
) -> PeerResponse {
    let effects = home.handle(Event::Asked { from: hub(9), id: 1, request }, START);
    let answer = effects.into_iter().find_map(|effect| match effect {
        Effect::Reply { answer, .. } => Some(answer),
        Effect::ReplyBodies { hashes, .. } => {
            Some(PeerResponse::Records(hashes.iter().map(|hash| bodies[hash].clone()).collect()))
        }
        _ => None,
    });
    answer.unwrap()
}

#[test]
fn the_tier_is_the_one_that_holds_now() {
    let mut core = core(9, AdmissionMode::Probation);
    gossip(&mut core, &head(1, START, &[]).encode(), START);
    let tier = |core: &Engine, now| core.report(hub(1), now).unwrap().tier;
    let until = START + PROBATION_TIME;
    assert_eq!(tier(&core, START), ReplicationTier::Probation { until });
    assert_eq!(tier(&core, until), ReplicationTier::Full);
    core.handle(Event::DomainProved { hub: hub(1), domain: "hub.example".into() }, START);
    assert_eq!(tier(&core, START), ReplicationTier::Full);
    let rule = PolicyRule {
        action: RuleAction::Block,
        reason: "spam".into(),
        author: "ada".into(),
        expires: Some(until),
    };
    let subject = RuleSubject::Domain("hub.example".into());
    core.handle(Event::RuleSet { source: RuleSource::Local, subject, rule }, START);
    assert_eq!(tier(&core, START), ReplicationTier::Refused);
    assert_eq!(tier(&core, until), ReplicationTier::Full, "the rule has run out");
    assert_eq!(core.report(hub(2), START), None);
}
