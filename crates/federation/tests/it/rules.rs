//! Policy rules: the effect of each kind, and that removing a rule undoes it at once.

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{
        Effect, Engine, Event, GossipVerdict, IgnoreReason, PeerRequest,
        policy::{AdmissionMode, PolicyRule, RuleAction, RuleSource, RuleSubject},
    },
    record::Tag,
};

use crate::fixtures::{
    MINUTE, START, agent_key, chain, core, gossip, head, hub, live, record, stores, tagged,
};

fn set(
    core: &mut Engine,
    subject: &RuleSubject,
    action: RuleAction,
    expires: Option<Timestamp>,
) -> Vec<Effect> {
    let rule = PolicyRule { action, reason: "spam".into(), author: "ada".into(), expires };
    core.handle(Event::RuleSet { source: RuleSource::Local, subject: subject.clone(), rule }, START)
}

fn remove(core: &mut Engine, subject: &RuleSubject) -> Vec<Effect> {
    core.handle(Event::RuleRemoved { source: RuleSource::Local, subject: subject.clone() }, START)
}

/// Builds an engine that shows agents 1 and 2 of hub 1.
fn carrying(mode: AdmissionMode) -> Engine {
    let mut core = core(9, mode);
    for bytes in
        [live(1, 1, START).encode(), tagged(2, 1, START, &["poems"]).encode(), head(1, START, &[]).encode()]
    {
        gossip(&mut core, &bytes, START);
    }
    core
}

fn id(agent: u16) -> ListingId {
    chain(agent).id().clone()
}

fn ids(agents: [u16; 2]) -> Vec<ListingId> {
    let mut ids = agents.map(id).to_vec();
    ids.sort();
    ids
}

#[test]
fn a_blocked_hub_is_not_dealt_with() {
    let mut core = carrying(AdmissionMode::Open);
    core.handle(Event::Connected(hub(1)), START);
    let rule = RuleSubject::Hub(hub(1));
    let effects = set(&mut core, &rule, RuleAction::Block, None);
    assert_eq!(effects, [Effect::Disconnect(hub(1)), Effect::Hide(ids([1, 2]))]);
    let ignored = GossipVerdict::Ignore(IgnoreReason::Blocked);
    assert_eq!(gossip(&mut core, &live(3, 1, START).encode(), START).0, ignored, "its listings");
    assert_eq!(
        gossip(&mut core, &head(1, START + MINUTE, &[]).encode(), START + MINUTE).0,
        ignored,
        "its heads"
    );
    assert!(core.inventory(START).iter().all(|row| row.hub != hub(1)), "comparing");
    assert_eq!(core.handle(Event::Connected(hub(1)), START), [Effect::Disconnect(hub(1))], "connecting");
    let request = PeerRequest::Heads { hubs: vec![hub(9)] };
    let effects = core.handle(Event::Asked { from: hub(1), id: 1, request }, START);
    assert_eq!(effects, [Effect::Refuse { to: hub(1), id: 1 }, Effect::Disconnect(hub(1))], "asking");
    assert_eq!(remove(&mut core, &rule), [Effect::Show(ids([1, 2]))], "undone at once");
}

#[test]
fn a_blocked_domain_takes_its_proved_subdomains_along() {
    let mut core = carrying(AdmissionMode::Open);
    let rule = RuleSubject::Domain("example.org".into());
    set(&mut core, &rule, RuleAction::Block, None);
    let (_, effects) =
        gossip(&mut core, &record(1, START, Some("hub.example.org"), Vec::new()).encode(), START);
    assert!(effects.contains(&Effect::ProveDomain { hub: hub(1), domain: "hub.example.org".into() }));
    assert!(core.is_shown(&id(1)), "a claim is no proof");
    let proved = Event::DomainProved { hub: hub(1), domain: "hub.example.org".into() };
    assert_eq!(core.handle(proved, START), [Effect::Hide(ids([1, 2]))]);
    assert_eq!(remove(&mut core, &rule), [Effect::Show(ids([1, 2]))]);
}

#[test]
fn authors_agents_and_tags_are_hidden_and_kept() {
    let author = RuleSubject::from(agent_key(2).public());
    let tag = RuleSubject::Tag(Tag::from_text("Poems").unwrap());
    for rule in [author, RuleSubject::Agent(id(2)), tag] {
        let mut core = carrying(AdmissionMode::Open);
        assert_eq!(set(&mut core, &rule, RuleAction::Block, None), [Effect::Hide(vec![id(2)])], "{rule:?}");
        let newer = tagged(2, 1, START + MINUTE, &["poems"]).encode();
        let (verdict, effects) = gossip(&mut core, &newer, START + MINUTE);
        assert_eq!(verdict, GossipVerdict::Ignore(IgnoreReason::Blocked), "not passed on");
        assert!(stores(&effects), "kept, so that undoing it is whole");
        assert_eq!(remove(&mut core, &rule), [Effect::Show(vec![id(2)])], "{rule:?}");
    }
}

#[test]
fn a_rule_runs_out_by_itself() {
    let mut core = carrying(AdmissionMode::Open);
    set(&mut core, &RuleSubject::Hub(hub(1)), RuleAction::Block, Some(START + MINUTE));
    assert!(!core.is_shown(&id(1)));
    let effects = core.handle(Event::Tick, START + MINUTE);
    assert!(effects.contains(&Effect::Show(ids([1, 2]))), "{effects:?}");
}

#[test]
fn an_allowlist_lets_in_whom_it_names() {
    let mut core = carrying(AdmissionMode::Allowlist);
    assert!(!core.contains(&id(1)));
    set(&mut core, &RuleSubject::Hub(hub(1)), RuleAction::Allow, None);
    let from_outside = gossip(&mut core, &live(1, 1, START).encode(), START).0;
    assert_eq!(
        from_outside,
        GossipVerdict::Ignore(IgnoreReason::Blocked),
        "the peer that passes it on is not on the list"
    );
    let event = Event::Gossip { from: hub(1), message: 1, bytes: live(1, 1, START).encode() };
    let effects = core.handle(event, START);
    assert!(effects.contains(&Effect::Judge { message: 1, verdict: GossipVerdict::Accept }));
    let effects = core.handle(Event::ModeSet(AdmissionMode::Open), START);
    assert_eq!(effects, [], "nothing is hidden or shown by a wider mode");
}
