//! Replication status for the UI.

use std::collections::BTreeMap;

use plexus_domain::Digest;
use plexus_federation::core::{
    Answer, Core, Effect, Event, Fetching, Terms,
    policy::{Action, Mode, Rule, Source, Subject},
    quota::PROBATION_TIME,
};

use crate::make::{START, core, gossip, head, hub, live};

/// More listings than fit into one response.
const MANY: u16 = 300;

#[test]
fn a_catch_up_says_how_far_it_is_and_how_long_it_took() {
    let (mut here, mut home) = (core(9, Mode::Open), core(1, Mode::Open));
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
        let later = START + crate::make::SECOND;
        let answer = answer(&mut home, request, &bodies);
        effects = here.handle(Event::Answered { from: hub(1), id, answer }, later);
    };
    let wanted = u64::from(MANY);
    assert_eq!(steps.first(), Some(&Fetching { from: hub(1), got: 0, wanted }));
    assert_eq!(steps.last(), Some(&Fetching { from: hub(1), got: 256, wanted }));
    assert_eq!((fetched, took), (wanted, crate::make::SECOND));
    let report = here.report(hub(1), START).unwrap();
    assert_eq!((report.here, report.promised, report.fetching), (wanted, Some(wanted), None));
}

/// Returns the response of the home hub.
fn answer(
    home: &mut Core,
    request: plexus_federation::core::Request,
    bodies: &BTreeMap<Digest, Vec<u8>>,
) -> Answer {
    let effects = home.handle(Event::Asked { from: hub(9), id: 1, request }, START);
    let answer = effects.into_iter().find_map(|effect| match effect {
        Effect::Reply { answer, .. } => Some(answer),
        Effect::ReplyBodies { hashes, .. } => {
            Some(Answer::Records(hashes.iter().map(|hash| bodies[hash].clone()).collect()))
        }
        _ => None,
    });
    answer.unwrap()
}

#[test]
fn the_terms_are_those_that_hold_now() {
    let mut core = core(9, Mode::Probation);
    gossip(&mut core, &head(1, START, &[]).encode(), START);
    let terms = |core: &Core, now| core.report(hub(1), now).unwrap().terms;
    let until = START + PROBATION_TIME;
    assert_eq!(terms(&core, START), Terms::Probation { until });
    assert_eq!(terms(&core, until), Terms::Full);
    core.handle(Event::DomainProved { hub: hub(1), domain: "hub.example".into() }, START);
    assert_eq!(terms(&core, START), Terms::Full);
    let rule =
        Rule { action: Action::Block, reason: "spam".into(), author: "ada".into(), expires: Some(until) };
    let subject = Subject::Domain("hub.example".into());
    core.handle(Event::RuleSet { source: Source::Local, subject, rule }, START);
    assert_eq!(terms(&core, START), Terms::Refused);
    assert_eq!(terms(&core, until), Terms::Full, "the rule has run out");
    assert_eq!(core.report(hub(2), START), None);
}
