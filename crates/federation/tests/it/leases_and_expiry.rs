//! Leases, expiry and signing of heads.

use plexus_a2a::keys::SecretKey;
use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{
        Effect, Engine, Event, GossipVerdict,
        lease::{HIDDEN_AFTER, STALE_AFTER, VisibilityLease},
        policy::AdmissionMode,
    },
    record::{Listing, ParsedRecord, Status, parse},
};

use crate::fixtures::{DAY, MINUTE, SECOND, START, content, core, envelope, gossip, head, hub, live, sign};

fn carrying(listing: &Listing) -> Engine {
    let mut core = core(9, AdmissionMode::Open);
    gossip(&mut core, &listing.encode(), START);
    assert!(!core.is_shown(listing.envelope().id()), "a hub without a head is not shown");
    gossip(&mut core, &head(1, START, &[listing]).encode(), START);
    core
}

fn tick(core: &mut Engine, now: Timestamp) -> Vec<Effect> {
    core.handle(Event::Tick, now)
}

#[test]
fn a_silent_hub_is_stale_then_hidden_and_back_with_its_next_head() {
    let listing = live(1, 1, START);
    let mut core = carrying(&listing);
    let id = listing.envelope().id().clone();
    tick(&mut core, START + STALE_AFTER - SECOND);
    assert_eq!(core.lease(hub(1), START + STALE_AFTER - SECOND), VisibilityLease::Fresh);
    let effects = tick(&mut core, START + STALE_AFTER + MINUTE);
    assert!(
        effects.contains(&Effect::Lease { hub: hub(1), lease: VisibilityLease::Stale }) && core.is_shown(&id)
    );
    let effects = tick(&mut core, START + HIDDEN_AFTER);
    assert!(effects.contains(&Effect::Hide(vec![id.clone()])), "{effects:?}");
    let later = START + DAY * 10;
    let (verdict, _) = gossip(&mut core, &head(1, START, &[&listing]).encode(), later);
    assert!(verdict != GossipVerdict::Accept && !core.is_shown(&id), "an old head prolongs nothing");
    let (_, effects) = gossip(&mut core, &head(1, later, &[&listing]).encode(), later);
    assert!(effects.contains(&Effect::Show(vec![id])), "{effects:?}");
}

#[test]
fn a_listing_is_shown_until_it_expires_whatever_its_hub_says() {
    let long = live(1, 1, START);
    let mut content = content(long.card(), long.envelope().seq, &[]);
    content.expires = START + DAY;
    let short = sign(envelope(1, 1, long.envelope().seq, Status::Live(content)), long.card().to_vec(), 1, 1);
    let mut core = carrying(&short);
    let id = short.envelope().id();
    gossip(&mut core, &head(1, START + DAY - MINUTE, &[&short]).encode(), START + DAY - MINUTE);
    tick(&mut core, START + DAY - SECOND);
    assert!(core.is_shown(id));
    tick(&mut core, START + DAY + MINUTE);
    assert!(!core.is_shown(id) && core.contains(id), "kept, so that no older version takes its place");
}

fn heads(effects: &[Effect]) -> Vec<(u64, Timestamp)> {
    let announced = effects.iter().filter_map(|effect| match effect {
        Effect::Announce(bytes) => parse(bytes).ok(),
        _ => None,
    });
    let head = |received| match received {
        ParsedRecord::Head(head) => Some((head.claims().count, head.claims().seq.issued())),
        _ => None,
    };
    announced.filter_map(head).collect()
}

#[test]
fn a_hub_signs_heads_by_the_clock_and_after_changes() {
    let mut core = core(1, AdmissionMode::Open);
    assert_eq!(heads(&tick(&mut core, START)), [(0, START)]);
    assert_eq!(heads(&tick(&mut core, START + MINUTE * 9)), []);
    assert_eq!(heads(&tick(&mut core, START + MINUTE * 10)), [(0, START + MINUTE * 10)]);
    let now = START + MINUTE * 11;
    for agent in 0..3 {
        core.handle(Event::Published(Box::new(live(agent, 1, now))), now);
    }
    assert_eq!(heads(&tick(&mut core, now + SECOND)), []);
    assert_eq!(heads(&tick(&mut core, now + SECOND * 2)), [(3, now + SECOND * 2)]);
    assert_eq!(heads(&tick(&mut core, now + SECOND * 3)), []);
}

#[test]
fn a_hub_of_which_nothing_is_here_is_forgotten_and_one_with_listings_is_not() {
    let mut core = carrying(&live(1, 1, START));
    gossip(&mut core, &head(2, START, &[]).encode(), START);
    let later = START + HIDDEN_AFTER;
    tick(&mut core, later - MINUTE);
    assert_eq!(core.inventory(later).len(), 3);
    assert!(tick(&mut core, later).contains(&Effect::ForgetHubs(vec![hub(2)])));
    assert_eq!(core.inventory(later).len(), 2);
}

#[test]
fn only_the_hubs_own_listings_are_published() {
    let key: SecretKey = crate::fixtures::key(1);
    assert_eq!(core(1, AdmissionMode::Open).local_id(), key.public().into());
    let effects = core(1, AdmissionMode::Open).handle(Event::Published(Box::new(live(1, 2, START))), START);
    assert_eq!(effects, []);
}
