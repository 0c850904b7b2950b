//! Tests that the engine's effects are stored as rows, on both databases.

use plexus_a2a::{keys::SecretKey, listing_id::Genesis};
use plexus_domain::{
    Address, AgentId, Digest, HubRowId, Timestamp,
    account::{Registration, Role},
    agent::{AgentAccess, Visibility},
};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine,
        policy::{AdmissionMode, Policy},
    },
    net::driver::EngineStore as _,
    record::{
        Content, Envelope, InventoryHead, KeyChain, LISTING_TTL, Listing, Seq, SetFingerprint, Signed,
        Status, Tag,
    },
};
use plexus_store::{
    Store, StoreUrl, agent_versions,
    agents::{self as rows, AgentState},
    cards, hubs, listings, on_both, replicated_listings,
};

use super::{engine_store::SqlEngineStore, listing_publisher, restore};
use crate::{
    Caller, ClockRng, Hub, HubConfig, accounts, agents,
    agents::AgentProfile,
    config::{Federation, Models, PrivateNetworks, Quotas, RateLimitScale, Rates, RunLimits, Secret},
};

/// Opens a hub on the database of a test, with one user.
pub(super) async fn open(store: &Store) -> (Hub, Caller, tempfile::TempDir) {
    open_in(store, AdmissionMode::Open).await
}

/// Opens a hub with this policy for unknown hubs.
pub(super) async fn open_in(store: &Store, mode: AdmissionMode) -> (Hub, Caller, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let database = match store.url() {
        StoreUrl::Postgres { url } => Some(Secret::new(url.to_string())),
        StoreUrl::Sqlite { .. } => None,
    };
    let config = HubConfig {
        hub_name: "Plexus".to_owned(),
        hub_description: None,
        public_url: "https://near.example/".parse().unwrap(),
        listen: Vec::new(),
        machine_name: None,
        dns_server: None,
        security_contact: None,
        data_dir: folder.path().into(),
        files_dir: folder.path().join("blobs"),
        database_url: database,
        database_pool_size: 4,
        durability: crate::config::Durability::Crash,
        secret_key_file: folder.path().join("secret.key"),
        backups: None,
        registration: Registration::Open,
        private_networks: PrivateNetworks::Auto,
        on_loopback: true,
        mcp_allowed_origins: Vec::new(),
        launch_goal_without_token: false,
        mail: None,
        programs: Vec::new(),
        max_programs: 4,
        allow_unsandboxed_programs: false,
        extractor_program: "plexus".into(),
        conformance: false,
        trusted_proxies: Vec::new(),
        models: Models::default(),
        federation: Some(Federation {
            listen: Vec::new(),
            bootstrap: Vec::new(),
            domains: Vec::new(),
            external: Vec::new(),
            mdns: false,
            relay: false,
            mode,
            publish_federation_rules: false,
        }),
        temporary_chat_ttl: crate::config::TEMPORARY_CHAT_TTL,
        limits: RunLimits::default(),
        quotas: Quotas::default(),
        rates: Rates::default(),
        scale: RateLimitScale(10),
    };
    let hub = Hub::open(config, ClockRng::system()).await.unwrap();
    let password = "correct horse battery staple".to_owned();
    accounts::create_by_operator(&hub, "ada", password, Role::User).await.unwrap();
    let ada = accounts::impersonate(&hub, Some("ada")).await.unwrap();
    (hub, ada, folder)
}

pub(super) fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

pub(super) fn far() -> HubId {
    key(9).public().into()
}

fn card(says: &str) -> Vec<u8> {
    let card = serde_json::json!({
        "name": "Tide clerk", "description": says, "version": "1.0.0",
        "supportedInterfaces": [
            { "url": "https://far.example/a2a/bob/tides/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "tides", "name": "Tides", "description": "Knows them.", "tags": ["sea"] }]
    });
    serde_json::to_vec(&card).unwrap()
}

/// Returns version `n` of the listing of the remote hub's agent `seed`.
fn listing(hub: &Hub, seed: u8, n: u64, card: Option<&[u8]>) -> Listing {
    let genesis = Genesis {
        agent: key(seed).public(),
        recovery: key(seed + 100).public(),
        created: Timestamp::from_millis(0),
        nonce: [seed; 16],
    };
    let seq = Seq::next(None, hub.env().now() - std::time::Duration::from_secs(60));
    let seq = Seq::try_from(seq.get() + n).unwrap();
    let status = card.map_or(Status::Deleted, |card| {
        Status::Live(Content {
            card: Digest::of(card),
            expires: seq.issued() + LISTING_TTL,
            tags: vec![Tag::from_text("sea").unwrap()],
            langs: Vec::new(),
        })
    });
    let envelope = Envelope {
        chain: KeyChain::new(genesis).unwrap(),
        seq,
        hub: far(),
        owner: "bob".parse().unwrap(),
        name: "tides".parse().unwrap(),
        status,
    };
    Listing::sign(envelope, card.unwrap_or_default().to_vec(), &key(seed), &key(9)).unwrap()
}

fn address() -> Address {
    format!("@bob/tides@{}", far()).parse().unwrap()
}

async fn seen(hub: &Hub, caller: &Caller) -> Option<String> {
    let found = agents::get(hub, caller, &address()).await.unwrap();
    found.map(|view| view.summary.description)
}

async fn core(hub: &Hub) -> Engine {
    let mut core = Engine::new(key(1), Policy::new(AdmissionMode::Open), hub.env().now());
    restore::restore(hub, &mut core).await.unwrap();
    core
}

on_both! {
    async fn a_carried_agent_is_there_while_the_core_shows_it(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let mut home = SqlEngineStore::new(hub.clone());
        let (first, id) = (listing(&hub, 1, 0, Some(&card("First."))), listing(&hub, 1, 0, None));
        let id = id.envelope().id().clone();
        home.perform(vec![Effect::StoreListing(Box::new(first.clone()))]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await, None, "nobody said that it may be shown");
        home.perform(vec![Effect::Show(vec![id.clone()])]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await.as_deref(), Some("First."));

        // A new version retains the shown state of the previous one, whose card is deleted.
        let second = listing(&hub, 1, 1, Some(&card("Second.")));
        home.perform(vec![Effect::StoreListing(Box::new(second.clone()))]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await.as_deref(), Some("Second."));
        let mut conn = hub.store().read().await.unwrap();
        assert_eq!(cards::find(&mut conn, &Digest::of(card("First."))).await.unwrap(), None);
        let row = rows::at(&mut conn, &address()).await.unwrap().unwrap();
        assert_eq!(agent_versions::list_by_agent(&mut conn, row.id).await.unwrap().len(), 1);
        drop(conn);
        let bodies = home.bodies(far(), vec![first.hash(), second.hash()], 1 << 20).await.unwrap();
        assert_eq!(bodies, [second.encode()]);
        assert!(home.bodies(far(), vec![second.hash()], 10).await.unwrap().is_empty(), "it does not fit");

        let again = core(&hub).await;
        assert!(again.contains(&id) && again.is_shown(&id));
        home.perform(vec![Effect::Hide(vec![id.clone()])]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await, None);
        assert!(!core(&hub).await.is_shown(&id));

        let gone = listing(&hub, 1, 2, None);
        home.perform(vec![Effect::StoreListing(Box::new(gone)), Effect::Show(Vec::new())]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await, None);
        let back = listing(&hub, 1, 3, Some(&card("Back.")));
        let effects = vec![Effect::StoreListing(Box::new(back)), Effect::Show(vec![id.clone()])];
        home.perform(effects).await.unwrap();
        assert_eq!(seen(&hub, &ada).await.as_deref(), Some("Back."));

        home.perform(vec![Effect::Hide(vec![id.clone()]), Effect::Forget(vec![id.clone()])]).await.unwrap();
        assert_eq!(seen(&hub, &ada).await, None);
        let mut conn = hub.store().read().await.unwrap();
        assert_eq!(rows::find(&mut conn, row.id).await.unwrap(), None);
        drop(conn);
        assert!(!core(&hub).await.contains(&id));
        hub.close().await;
    }

    async fn two_agents_with_one_address_do_not_stop_the_hub(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let mut home = SqlEngineStore::new(hub.clone());
        let (one, other) = (listing(&hub, 1, 0, Some(&card("One."))), listing(&hub, 2, 0, Some(&card("Other."))));
        let ids = [&one, &other].map(|listing| listing.envelope().id().clone());
        let effects = vec![
            Effect::StoreListing(Box::new(one)),
            Effect::StoreListing(Box::new(other)),
            Effect::Show(ids.to_vec()),
        ];
        home.perform(effects).await.unwrap();
        assert_eq!(seen(&hub, &ada).await.as_deref(), Some("One."), "the address belongs to the first");
        let core = core(&hub).await;
        assert!(ids.iter().all(|id| core.contains(id)), "both are kept, as the other hub has them");
        hub.close().await;
    }

    async fn a_tombstone_of_what_was_never_known_is_kept(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let gone = listing(&hub, 1, 0, None);
        let id = gone.envelope().id().clone();
        SqlEngineStore::new(hub.clone()).perform(vec![Effect::StoreListing(Box::new(gone))]).await.unwrap();
        assert!(core(&hub).await.contains(&id));
        assert_eq!(seen(&hub, &ada).await, None);
        hub.close().await;
    }

    async fn hubs_are_remembered_and_forgotten(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        let mut home = SqlEngineStore::new(hub.clone());
        let seq = Seq::next(None, hub.env().now());
        let head = InventoryHead { hub: far(), seq, count: 0, fingerprint: SetFingerprint::default() };
        let head = Signed::sign(head, &key(9)).unwrap();
        home.perform(vec![Effect::StoreHead(Box::new(head))]).await.unwrap();
        let known = core(&hub).await;
        assert_eq!(known.lease(far(), hub.env().now()), plexus_federation::engine::lease::VisibilityLease::Fresh);
        let found = crate::federation::overview(&hub).await.unwrap();
        assert_eq!(found.hubs.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), [far().to_string()]);
        home.perform(vec![Effect::ForgetHubs(vec![far()])]).await.unwrap();
        assert!(crate::federation::overview(&hub).await.unwrap().hubs.is_empty());
        let mut conn = hub.store().read().await.unwrap();
        assert!(hubs::by_key(&mut conn, &far().to_string()).await.unwrap().is_none());
        assert!(hubs::find(&mut conn, HubRowId::SELF).await.unwrap().is_some());
        drop(conn);
        hub.close().await;
    }

    async fn what_is_said_of_an_own_agent_follows_it(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let about = AgentProfile { title: "Clerk".into(), summary: "Answers.".into(), ..AgentProfile::default() };
        let draft = agents::attached::describe(&hub, &ada, "clerk", &about).await.unwrap();
        let at = agents::publish(&hub, &ada, draft, Visibility::Public, AgentAccess::Open).await.unwrap();
        let mut conn = hub.store().read().await.unwrap();
        let id = rows::at(&mut conn, &at).await.unwrap().unwrap().id;
        drop(conn);
        listing_publisher::publish(&hub, id).await.unwrap();
        assert_eq!(said(&hub, id).await, None, "its owner keeps it here");

        agents::manage::set_visibility_and_access(&hub, &ada, &at, Some(Visibility::Federated), None).await.unwrap();
        assert!(listing_publisher::publish(&hub, id).await.unwrap().is_some());
        let first = said(&hub, id).await.unwrap();
        assert!(matches!(first.envelope().status, Status::Live(_)));
        listing_publisher::publish(&hub, id).await.unwrap();
        assert_eq!(said(&hub, id).await.unwrap(), first, "what is right is not signed again");

        agents::manage::set_paused(&hub, &ada, &at, true).await.unwrap();
        listing_publisher::publish(&hub, id).await.unwrap();
        let second = said(&hub, id).await.unwrap();
        assert!(matches!(second.envelope().status, Status::Paused(_)));
        assert!(second.envelope().seq > first.envelope().seq);

        // The last listing signed with its key is the tombstone.
        agents::manage::delete(&hub, &ada, &at).await.unwrap();
        listing_publisher::publish(&hub, id).await.unwrap();
        let last = said(&hub, id).await.unwrap();
        assert_eq!(last.envelope().status, Status::Deleted);
        assert_eq!(last.envelope().id(), first.envelope().id());
        let mut conn = hub.store().read().await.unwrap();
        let row = rows::find(&mut conn, id).await.unwrap().unwrap();
        assert_eq!(row.state, AgentState::Deleted);
        assert!(listings::find(&mut conn, id).await.unwrap().unwrap().hash.is_some());
        drop(conn);
        hub.close().await;
    }
}

async fn said(hub: &Hub, agent: AgentId) -> Option<Listing> {
    let mut conn = hub.store().read().await.unwrap();
    let bytes = replicated_listings::find(&mut conn, agent).await.unwrap()?;
    Some(Listing::parse(&bytes).unwrap().verify().unwrap())
}
