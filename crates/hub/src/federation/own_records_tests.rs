//! Tests of a hub that meets records of its own key: its database is an older copy, its data folder is in use
//! twice, or its clock was wrong.

use std::time::Duration;

use plexus_domain::{
    Address, AgentId, Digest,
    agent::{AgentAccess, Visibility},
};
use plexus_federation::{
    engine::{
        Effect, Engine,
        policy::{AdmissionMode, Policy},
    },
    net::driver::EngineStore as _,
    record::{Content, Envelope, KeyChain, LISTING_TTL, Listing, MAX_SKEW, Seq, Status},
};
use plexus_store::{
    agents::{self as rows, AgentState},
    on_both, replicated_listings,
};

use super::{engine_store::SqlEngineStore, listing_publisher, restore, tests::open};
use crate::{Caller, Hub, agents, agents::AgentProfile, calls, federation, keys};

/// Registers an agent that is public everywhere, and publishes it.
async fn published(hub: &Hub, ada: &Caller, name: &str) -> (Address, AgentId) {
    let about = AgentProfile { title: "Clerk".into(), summary: "Answers.".into(), ..AgentProfile::default() };
    let draft = agents::attached::describe(hub, ada, name, &about).await.unwrap();
    let at = agents::publish(hub, ada, draft, Visibility::Federated, AgentAccess::Open).await.unwrap();
    let id = rows::at(&mut hub.store().read().await.unwrap(), &at).await.unwrap().unwrap().id;
    listing_publisher::publish(hub, id).await.unwrap();
    (at, id)
}

async fn signed(hub: &Hub, agent: AgentId) -> Listing {
    let bytes =
        replicated_listings::find(&mut hub.store().read().await.unwrap(), agent).await.unwrap().unwrap();
    Listing::parse(&bytes).unwrap().verify().unwrap()
}

async fn row(hub: &Hub, agent: AgentId) -> rows::Agent {
    rows::find(&mut hub.store().read().await.unwrap(), agent).await.unwrap().unwrap()
}

/// Signs a listing of an agent of this hub, as the hub did before its database was replaced by an older copy:
/// the agent is not in the database. Its card is that of `like`.
async fn lost(hub: &Hub, like: AgentId, name: &str, seq: Seq) -> Listing {
    let mut conn = hub.store().read().await.unwrap();
    let template = rows::find(&mut conn, like).await.unwrap().unwrap();
    let card = calls::public_card(hub, &mut conn, &template).await.unwrap();
    let (_, hub_key) = keys::hub_seed(hub, &mut conn).await.unwrap();
    let identity = keys::AgentIdentity::derive(hub, &mut conn, seq.issued()).await.unwrap();
    let (genesis, key) = identity.signer();
    let content = Content {
        card: Digest::of(&card),
        expires: seq.issued() + LISTING_TTL,
        tags: Vec::new(),
        langs: Vec::new(),
    };
    let envelope = Envelope {
        chain: KeyChain::new(genesis).unwrap(),
        seq,
        hub: hub_key.public().into(),
        owner: template.owner,
        name: name.parse().unwrap(),
        status: Status::Live(content),
    };
    Listing::sign(envelope, card, key, &hub_key).unwrap()
}

/// Signs the next version of a listing, as the hub did before its database was replaced by an older copy.
async fn next(hub: &Hub, agent: AgentId, status: fn(Content) -> Status) -> Listing {
    let before = signed(hub, agent).await;
    let mut conn = hub.store().read().await.unwrap();
    let (_, hub_key) = keys::hub_seed(hub, &mut conn).await.unwrap();
    let signer = keys::signer(hub, &mut conn, agent).await.unwrap().unwrap();
    let seq = Seq::next(Some(before.envelope().seq), hub.env().now());
    let status = status(before.envelope().content().unwrap().clone());
    let card = if status == Status::Deleted { Vec::new() } else { before.card().to_vec() };
    let envelope = Envelope { seq, status, ..before.envelope().clone() };
    Listing::sign(envelope, card, &signer.key, &hub_key).unwrap()
}

/// Passes records of the own key from other hubs to the store.
async fn hears(hub: &Hub, listings: &[&Listing], since_start: bool) {
    let effects = listings.iter().flat_map(|listing| {
        let signed = listing.envelope().seq.issued();
        [Effect::OwnKeyUsed { signed, since_start }, Effect::StoreListing(Box::new((*listing).clone()))]
    });
    SqlEngineStore::new(hub.clone()).perform(effects.collect()).await.unwrap();
}

on_both! {
    async fn an_agent_that_comes_back_after_a_restore_has_its_owner_and_can_be_deleted(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let (_, like) = published(&hub, &ada, "clerk").await;
        let seq = Seq::next(None, hub.env().now());
        let listing = lost(&hub, like, "newer", seq).await;
        hears(&hub, &[&listing], false).await;
        let at: Address = "@ada/newer".parse().unwrap();
        let agent = rows::at(&mut hub.store().read().await.unwrap(), &at).await.unwrap().unwrap();
        assert_eq!(agent.state, AgentState::Paused, "its connection is lost");
        assert!(agent.namespace.is_some() && agent.visibility == Visibility::Federated);
        let found = federation::warnings(&hub).await;
        let [warning] = &found[..] else { panic!("{found:?}") };
        assert!(warning.contains("older copy") && warning.contains("@ada/newer"), "{warning}");

        listing_publisher::publish(&hub, agent.id).await.unwrap();
        assert!(matches!(signed(&hub, agent.id).await.envelope().status, Status::Paused(_)));
        agents::manage::delete(&hub, &ada, &at).await.unwrap();
        listing_publisher::publish(&hub, agent.id).await.unwrap();
        let last = signed(&hub, agent.id).await;
        assert_eq!((last.envelope().id(), &last.envelope().status), (listing.envelope().id(), &Status::Deleted));
        assert!(last.envelope().seq > listing.envelope().seq, "other hubs take it");
        hub.close().await;
    }

    async fn an_agent_that_comes_back_beside_a_new_one_of_its_name_is_deleted(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let (at, like) = published(&hub, &ada, "clerk").await;
        let listing = lost(&hub, like, "clerk", Seq::next(None, hub.env().now())).await;
        hears(&hub, &[&listing], false).await;
        let mut conn = hub.store().read().await.unwrap();
        assert_eq!(rows::at(&mut conn, &at).await.unwrap().unwrap().id, like, "the address is that of the new one");
        let old = rows::by_listing_id(&mut conn, &listing.envelope().id().to_string()).await.unwrap().unwrap();
        drop(conn);
        listing_publisher::publish(&hub, old.id).await.unwrap();
        assert_eq!(signed(&hub, old.id).await.envelope().status, Status::Deleted);
        hub.close().await;
    }

    async fn what_was_deleted_or_paused_after_the_copy_stays_so(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let ((_, deleted), (_, paused)) = (published(&hub, &ada, "one").await, published(&hub, &ada, "two").await);
        let (gone, rests) = (next(&hub, deleted, |_| Status::Deleted).await, next(&hub, paused, Status::Paused).await);
        hears(&hub, &[&gone, &rests], false).await;
        assert_eq!(row(&hub, deleted).await.visibility, Visibility::Public, "its owner decides what it is here");
        assert_eq!(row(&hub, paused).await.state, AgentState::Paused);
        for (agent, last) in [(deleted, &gone), (paused, &rests)] {
            listing_publisher::publish(&hub, agent).await.unwrap();
            assert_eq!(signed(&hub, agent).await.hash(), last.hash(), "nothing rises again");
        }
        hub.close().await;
    }

    async fn a_data_folder_in_use_twice_is_reported_and_nothing_is_restored(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let (_, like) = published(&hub, &ada, "clerk").await;
        assert!(federation::warnings(&hub).await.is_empty());
        let listing = lost(&hub, like, "twin", Seq::next(None, hub.env().now())).await;
        let rests = next(&hub, like, Status::Paused).await;
        hears(&hub, &[&listing, &rests], true).await;
        let found = rows::at(&mut hub.store().read().await.unwrap(), &"@ada/twin".parse().unwrap()).await.unwrap();
        assert!(found.is_none(), "it runs elsewhere");
        assert_eq!(row(&hub, like).await.state, AgentState::Active);
        let found = federation::warnings(&hub).await;
        let [warning] = &found[..] else { panic!("{found:?}") };
        assert!(warning.contains("in use twice"), "{warning}");
        hub.close().await;
    }

    async fn records_that_were_signed_with_a_wrong_clock_are_signed_again(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let ((_, live), (_, gone)) = (published(&hub, &ada, "one").await, published(&hub, &ada, "two").await);
        // Both were signed while the clock was two hours ahead.
        let ahead = Seq::next(None, hub.env().now() + Duration::from_secs(7_200));
        for (agent, deletes) in [(live, false), (gone, true)] {
            let mut version = next(&hub, agent, if deletes { |_| Status::Deleted } else { Status::Live }).await;
            let mut conn = hub.store().read().await.unwrap();
            let (_, hub_key) = keys::hub_seed(&hub, &mut conn).await.unwrap();
            let signer = keys::signer(&hub, &mut conn, agent).await.unwrap().unwrap();
            drop(conn);
            let envelope = Envelope { seq: ahead, ..version.envelope().clone() };
            version = Listing::sign(envelope, version.card().to_vec(), &signer.key, &hub_key).unwrap();
            let mut tx = hub.store().write().await.unwrap();
            replicated_listings::set_own(&mut tx, agent, &version.encode(), &version.hash(), None).await.unwrap();
            if deletes {
                rows::set_visibility(&mut tx, agent, Visibility::Public).await.unwrap();
            }
            tx.commit().await.unwrap();
        }
        let own = federation::own_id(&hub).await.unwrap();
        let mut conn = hub.store().read().await.unwrap();
        let (_, hub_key) = keys::hub_seed(&hub, &mut conn).await.unwrap();
        drop(conn);
        let mut core = Engine::new(hub_key, Policy::new(AdmissionMode::Open), hub.env().now());
        restore::restore(&hub, &mut core).await.unwrap();
        let counted = core.inventory(hub.env().now()).into_iter().find(|row| row.hub == own).unwrap().count;
        assert_eq!(counted, 0, "other hubs refuse both");
        for (agent, is_deleted) in [(live, false), (gone, true)] {
            listing_publisher::publish(&hub, agent).await.unwrap();
            let last = signed(&hub, agent).await;
            assert!(last.envelope().seq.issued() <= hub.env().now() + MAX_SKEW);
            assert_eq!(last.envelope().status == Status::Deleted, is_deleted, "a tombstone stays one");
        }
        hub.close().await;
    }
}
