//! Administration and moderation: permissions, effects and audit entries.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use plexus_a2a::card::LocalCard;
use plexus_domain::{
    AccountId, AgentId, Error as Refusal, HubRowId, ProofId, Timestamp, VersionId,
    account::{Registration, Role},
    agent::{A2aProtocol, AgentAccess, Connector, Visibility},
    page::PageSize,
};
use plexus_hub::{
    Caller, ClockRng, Error, FixedClock, Hub, HubConfig,
    accounts::{self, ClientInfo, SignUp},
    admin::{self, AccountModeration, AccountState, AgentModeration},
    agents,
    config::{Models, PrivateNetworks, Quotas, RateLimitScale, Rates, RunLimits, TEMPORARY_CHAT_TTL},
};
use plexus_store::{
    Store, StoreConfig, Tx,
    agent_versions::Version,
    agents::{Agent, AgentState},
    audit,
    origin_verifications::{Proof, ProofMethod},
    testing::prepare_sqlite,
};
use tempfile::TempDir;

const IP: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "four quiet lanterns glow";
const ORIGIN: &str = "https://agents.example";

struct World {
    folder: TempDir,
    hub: Hub,
    clock: FixedClock,
    registration: Registration,
    opened: u64,
}

impl World {
    async fn new(registration: Registration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (hub, clock) = open(&folder, registration, 1).await;
        Self { folder, hub, clock, registration, opened: 1 }
    }

    async fn person(&self, name: &str, role: Role) -> (AccountId, Caller) {
        let id = accounts::create_by_operator(&self.hub, name, PASSWORD.to_owned(), role).await.unwrap();
        (id, self.sign_in(name).await.unwrap())
    }

    async fn sign_in(&self, name: &str) -> Result<Caller, Error> {
        let signed_in = accounts::sign_in(&self.hub, name, PASSWORD.to_owned(), &device()).await?;
        accounts::authenticate(&self.hub, &signed_in.cookie, IP).await
    }

    async fn sign_up(&self, name: &str, invite: Option<&str>) -> Result<bool, Error> {
        let form = SignUp {
            name: name.to_owned(),
            password: PASSWORD.to_owned(),
            email: None,
            reason: Some(" I know\nthe tides ".to_owned()),
            invite: invite.map(str::to_owned),
            first_administrator: None,
        };
        Ok(accounts::sign_up(self.later(), form, &device()).await?.is_some())
    }

    /// Advances the clock by a second, so that audit entries have a defined order.
    fn later(&self) -> &Hub {
        self.clock.advance(Duration::from_secs(1));
        &self.hub
    }

    /// Works on the database while the hub is closed, then opens the hub again.
    async fn between(mut self, work: impl AsyncFnOnce(&mut Tx)) -> Self {
        self.hub.close().await;
        let store = Store::open(&StoreConfig::parse(None, self.folder.path()).unwrap()).await.unwrap();
        let mut tx = store.write().await.unwrap();
        work(&mut tx).await;
        tx.commit().await.unwrap();
        store.close().await;
        drop(store);
        self.opened += 1;
        (self.hub, self.clock) = open(&self.folder, self.registration, self.opened).await;
        self
    }

    /// Closes the hub and returns all audit entries, the oldest first: action, change, request.
    async fn audit(self) -> Vec<(String, String, String)> {
        let mut found = Vec::new();
        let read = async |tx: &mut Tx| {
            for entry in audit::list(tx, None, PageSize::DEFAULT).await.unwrap() {
                // The accounts of the tests are created from the command line, and some fail to sign in.
                if matches!(entry.action.as_str(), "account.create" | "account.sign_in_failed") {
                    continue;
                }
                assert!(entry.actor.starts_with("account:"));
                found.insert(0, (entry.action, entry.change.to_string(), entry.request));
            }
        };
        let world = self.between(read).await;
        world.hub.close().await;
        found
    }
}

async fn open(folder: &TempDir, registration: Registration, seed: u64) -> (Hub, FixedClock) {
    let config = HubConfig {
        hub_name: "Plexus".to_owned(),
        hub_description: None,
        public_url: "http://127.0.0.1:3000".parse().unwrap(),
        listen: Vec::new(),
        machine_name: None,
        dns_server: None,
        security_contact: None,
        data_dir: folder.path().to_owned(),
        files_dir: folder.path().join("blobs"),
        database_url: None,
        database_pool_size: 2,
        durability: plexus_hub::config::Durability::Crash,
        secret_key_file: folder.path().join("secret.key"),
        backups: None,
        registration,
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
        federation: None,
        temporary_chat_ttl: TEMPORARY_CHAT_TTL,
        limits: RunLimits::default(),
        quotas: Quotas::default(),
        rates: Rates::default(),
        scale: RateLimitScale(100),
    };
    let start = Timestamp::from_millis(1_795_132_800_000);
    let (env, clock) = ClockRng::fixed(start, seed << 32);
    prepare_sqlite(&config.data_dir).await;
    (Hub::open(config, env).await.unwrap(), clock)
}

fn device() -> ClientInfo {
    ClientInfo { ip: IP, agent: String::new() }
}

/// Inserts an agent of `ada` at [`ORIGIN`], which is unverified.
async fn remote_agent(tx: &mut Tx) -> AgentId {
    let created = Timestamp::from_millis(1_795_132_800_000);
    let owner = plexus_store::namespaces::by_name(tx, &"ada".parse().unwrap()).await.unwrap().unwrap();
    let url = format!("{ORIGIN}/tide/");
    let own = LocalCard {
        name: "Tide clerk".to_owned(),
        description: "Knows the tides.".to_owned(),
        version: "1.0.0".to_owned(),
        base: url.parse().unwrap(),
        provider: None,
        documentation_url: None,
        skills: Vec::new(),
    };
    let card = serde_json::to_vec(&own.build()).unwrap();
    let card = plexus_store::cards::insert(tx, &card).await.unwrap();
    let agent = AgentId::new(created, &[7; 10]);
    let row = Agent {
        home: None,
        id: agent,
        hub: HubRowId::SELF,
        owner: owner.name,
        name: "tide".parse().unwrap(),
        listing_id: None,
        namespace: Some(owner.id),
        visibility: Visibility::Public,
        access: AgentAccess::Accounts,
        state: AgentState::Active,
        created_at: created,
    };
    plexus_store::agents::insert(tx, &row).await.unwrap();
    let connector = Connector::A2a { url: url.clone(), card_url: url, protocol: A2aProtocol::V1 };
    let version = Version {
        id: VersionId::new(created, &[7; 10]),
        agent,
        semver: "1.0.0".to_owned(),
        card,
        connector,
        secret: None,
        created_at: created,
        yanked_reason: None,
    };
    plexus_store::agent_versions::insert(tx, &version).await.unwrap();
    let id = ProofId::new(created, &[7; 10]);
    let (origin, method) = (ORIGIN.to_owned(), ProofMethod::WellKnown);
    let proof = Proof { id, agent, origin, method, verified_at: None, failed_at: None };
    plexus_store::origin_verifications::put(tx, &proof).await.unwrap();
    agent
}

fn refusal<T>(result: Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "nothing refused",
        Err(Error::Refused(refusal)) => refusal.code(),
        Err(Error::Fault(_)) => "fault",
    }
}

#[tokio::test]
async fn only_those_who_run_the_hub_get_in() {
    let world = World::new(Registration::Open).await;
    let hub = &world.hub;
    let (id, user) = world.person("ada", Role::User).await;
    let (_, moderator) = world.person("mo", Role::Moderator).await;
    let calc = agents::get(hub, &user, &"@plexus/calc".parse().unwrap()).await.unwrap().unwrap().agent.id;
    for (caller, code) in [(&user, "forbidden"), (&Caller::anonymous(IP), "unauthenticated")] {
        assert_eq!(refusal(admin::overview(hub, caller).await), code);
        assert_eq!(refusal(admin::list_people(hub, caller, "", 1).await), code);
        assert_eq!(refusal(admin::list_agents(hub, caller, "", 1).await), code);
        assert_eq!(refusal(admin::list_origins(hub, caller).await), code);
        assert_eq!(refusal(admin::list_invites(hub, caller).await), code);
        assert_eq!(refusal(admin::create_invite(hub, caller, 1, "").await), code);
        assert_eq!(refusal(admin::revoke_invite(hub, caller, "", "").await), code);
        assert_eq!(refusal(admin::trust_origin(hub, caller, ORIGIN, "", "").await), code);
        assert_eq!(refusal(admin::untrust_origin(hub, caller, ORIGIN, "").await), code);
        let role = AccountModeration::SetRole(Role::Admin);
        assert_eq!(refusal(admin::act_on_person(hub, caller, id, role, "").await), code);
        assert_eq!(
            refusal(admin::act_on_agent(hub, caller, calc, AgentModeration::Pause, "x", "").await),
            code
        );
    }
    let people = admin::list_people(hub, &moderator, "", 1).await.unwrap();
    assert!(people.total == 2 && people.rows.iter().all(|row| !row.can_change));
    let agents = admin::list_agents(hub, &moderator, "calc", 1).await.unwrap();
    assert!(agents.total == 1 && !agents.rows[0].can_withdraw && agents.rows[0].proved);
    admin::act_on_agent(hub, &moderator, calc, AgentModeration::Pause, "wrong", "").await.unwrap();
    assert_eq!(refusal(admin::overview(hub, &moderator).await), "forbidden");
    let suspend = AccountModeration::Suspend;
    assert_eq!(refusal(admin::act_on_person(hub, &moderator, id, suspend, "").await), "forbidden");
    for act in [AgentModeration::Unlist, AgentModeration::Withdraw] {
        assert_eq!(refusal(admin::act_on_agent(hub, &moderator, calc, act, "x", "").await), "forbidden");
    }
    world.hub.close().await;
}

#[tokio::test]
async fn somebody_waits_is_let_in_and_suspended() {
    let world = World::new(Registration::Approval).await;
    let (_, grace) = world.person("grace", Role::Admin).await;
    assert!(!world.sign_up("ada", None).await.unwrap());
    assert_eq!(refusal(world.sign_in("ada").await), "forbidden");
    let overview = admin::overview(&world.hub, &grace).await.unwrap();
    assert_eq!((overview.counts.accounts, overview.counts.waiting, overview.counts.agents), (2, 1, 4));
    assert!(
        overview.warnings.iter().any(|warning| warning.contains("pending approval")),
        "{:?}",
        overview.warnings
    );

    let waiting = admin::list_people(&world.hub, &grace, "@AD", 1).await.unwrap().rows.remove(0);
    assert_eq!((waiting.state, waiting.reason.as_deref()), (AccountState::Pending, Some("I know the tides")));
    let act = async |act| admin::act_on_person(world.later(), &grace, waiting.id, act, "r-1").await;
    assert_eq!(refusal(act(AccountModeration::Suspend).await), "conflict");
    act(AccountModeration::Approve).await.unwrap();
    assert_eq!(refusal(act(AccountModeration::Approve).await), "conflict");
    let signed_in = accounts::sign_in(&world.hub, "ada", PASSWORD.to_owned(), &device()).await.unwrap();
    act(AccountModeration::Suspend).await.unwrap();
    act(AccountModeration::Restore).await.unwrap();
    let ada = accounts::authenticate(&world.hub, &signed_in.cookie, IP).await.unwrap();
    assert!(ada.person.is_none(), "the session of before the suspension does not come back");
    assert!(world.sign_in("ada").await.is_ok());
    let actions: Vec<String> = world.audit().await.into_iter().map(|(action, _, _)| action).collect();
    assert_eq!(actions, ["account.approve", "account.suspend", "account.restore"]);
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let world = World::new(Registration::Open).await;
    let (grace_id, grace) = world.person("grace", Role::Admin).await;
    let (noor_id, noor) = world.person("noor", Role::Admin).await;
    let act =
        async |caller: &Caller, id, act| admin::act_on_person(world.later(), caller, id, act, "r-2").await;
    assert_eq!(refusal(act(&grace, grace_id, AccountModeration::SetRole(Role::User)).await), "conflict");
    act(&grace, noor_id, AccountModeration::SetRole(Role::User)).await.unwrap();
    // `noor` still holds a caller from before her role was removed.
    assert_eq!(refusal(act(&noor, grace_id, AccountModeration::SetRole(Role::User)).await), "conflict");
    assert_eq!(refusal(act(&noor, grace_id, AccountModeration::Suspend).await), "conflict");
    assert!(admin::overview(&world.hub, &world.sign_in("grace").await.unwrap()).await.is_ok());
    let wanted = ("account.role".to_owned(), r#"{"from":"admin","to":"user"}"#.to_owned(), "r-2".to_owned());
    assert_eq!(world.audit().await, [wanted]);
}

#[tokio::test]
async fn somebodys_agent_is_paused_unlisted_and_withdrawn_for_a_reason() {
    let world = World::new(Registration::Open).await;
    world.person("ada", Role::User).await;
    let mut agent = None;
    let world = world.between(async |tx| agent = Some(remote_agent(tx).await)).await;
    let (_, grace) = world.person("grace", Role::Admin).await;
    let id = agent.unwrap();
    let act = async |act, reason| admin::act_on_agent(world.later(), &grace, id, act, reason, "r-3").await;
    let found = async || admin::list_agents(&world.hub, &grace, "@ada/", 1).await.unwrap().rows.pop();
    assert!(!found().await.unwrap().proved);
    assert_eq!(refusal(act(AgentModeration::Pause, " \u{200b} ").await), "invalid");
    assert_eq!(refusal(act(AgentModeration::Resume, "").await), "conflict");
    act(AgentModeration::Pause, "It answers nonsense").await.unwrap();
    assert_eq!(refusal(act(AgentModeration::Pause, "again").await), "conflict");
    assert!(found().await.unwrap().paused);
    let ada = world.sign_in("ada").await.unwrap();
    let address = "@ada/tide".parse().unwrap();
    let set_paused = async |paused| agents::manage::set_paused(&world.hub, &ada, &address, paused).await;
    assert_eq!(refusal(set_paused(false).await), "forbidden", "the owner does not undo it");
    act(AgentModeration::Resume, "").await.unwrap();
    set_paused(true).await.unwrap();
    set_paused(false).await.unwrap();
    act(AgentModeration::Unlist, "It is a test").await.unwrap();
    assert_eq!(found().await.unwrap().visibility, Visibility::Unlisted);
    assert_eq!(refusal(act(AgentModeration::Unlist, "again").await), "conflict");
    act(AgentModeration::Withdraw, "It harms people").await.unwrap();
    assert!(found().await.is_none());
    assert_eq!(refusal(act(AgentModeration::Resume, "").await), "not_found");
    let built_in = admin::list_agents(&world.hub, &grace, "calc", 1).await.unwrap().rows.remove(0).id;
    let delete = admin::act_on_agent(&world.hub, &grace, built_in, AgentModeration::Withdraw, "no", "").await;
    assert_eq!(refusal(delete), "conflict");
    let written = world.audit().await;
    let actions: Vec<&str> = written.iter().map(|(action, _, _)| action.as_str()).collect();
    assert_eq!(actions, ["agent.pause", "agent.resume", "agent.unlist", "agent.withdraw"]);
    assert_eq!(written[3].1, r#"{"reason":"It harms people"}"#);
}

#[tokio::test]
async fn an_administrator_answers_for_an_origin_and_takes_it_back() {
    let world = World::new(Registration::Open).await;
    world.person("ada", Role::User).await;
    let world = world
        .between(async |tx| {
            remote_agent(tx).await;
        })
        .await;
    let (_, grace) = world.person("grace", Role::Admin).await;
    let verified = async || {
        let view = agents::get(&world.hub, &grace, &"@ada/tide".parse().unwrap()).await.unwrap().unwrap();
        (view.summary.verified, view.proofs[0].holds())
    };
    for wrong in ["", "agents.example", "https://agents.example/tide"] {
        let trusted = admin::trust_origin(&world.hub, &grace, wrong, "", "").await;
        assert!(matches!(trusted, Err(Error::Refused(Refusal::Invalid { .. }))), "{wrong}");
    }
    assert_eq!(
        admin::trust_origin(&world.hub, &grace, ORIGIN, " Our own\nmachine ", "r-4").await.unwrap(),
        1
    );
    assert_eq!(verified().await, (true, true));
    assert_eq!(refusal(admin::trust_origin(&world.hub, &grace, ORIGIN, "", "").await), "invalid");
    let listed = admin::list_origins(&world.hub, &grace).await.unwrap();
    assert_eq!((listed.len(), listed[0].agents), (1, 1));
    assert_eq!((listed[0].by.as_str(), listed[0].note.as_str()), ("grace", "Our own machine"));
    admin::untrust_origin(world.later(), &grace, ORIGIN, "r-5").await.unwrap();
    assert_eq!(verified().await, (false, false));
    assert!(admin::list_origins(&world.hub, &grace).await.unwrap().is_empty());
    let address = "@ada/tide".parse().unwrap();
    agents::manage::trust_origin(world.later(), &grace, &address, ORIGIN).await.unwrap();
    let again = admin::list_origins(&world.hub, &grace).await.unwrap();
    assert_eq!((again[0].by.as_str(), again[0].note.as_str()), ("grace", ""));
    admin::untrust_origin(world.later(), &grace, ORIGIN, "").await.unwrap();
    assert_eq!(refusal(admin::untrust_origin(&world.hub, &grace, ORIGIN, "").await), "not_found");
    let written = world.audit().await;
    let change: serde_json::Value = serde_json::from_str(&written[0].1).unwrap();
    assert_eq!(change, serde_json::json!({ "agents": 1, "note": "Our own machine" }));
    assert_eq!((written[1].0.as_str(), written[1].2.as_str()), ("origin.withdraw", "r-5"));
}

#[tokio::test]
async fn an_invitation_lets_one_person_in() {
    let world = World::new(Registration::Invite).await;
    let (_, grace) = world.person("grace", Role::Admin).await;
    for days in [0, 31] {
        assert_eq!(refusal(admin::create_invite(&world.hub, &grace, days, "").await), "invalid");
    }
    let mut words = Vec::new();
    for _ in 0..2 {
        let made = admin::create_invite(world.later(), &grace, 7, "r-6").await.unwrap();
        words.push(made.link.strip_prefix("http://127.0.0.1:3000/signup?invite=").unwrap().to_owned());
    }
    assert!(world.sign_up("ada", Some(&words[0])).await.unwrap());
    assert_eq!(refusal(world.sign_up("eve", Some(&words[0])).await), "invalid");
    let listed = admin::list_invites(&world.hub, &grace).await.unwrap();
    let used = listed.iter().find(|row| row.used.is_some()).unwrap();
    assert_eq!((used.used_by.as_deref(), used.by.as_str()), (Some("ada"), "grace"));
    let open = listed.iter().find(|row| row.used.is_none()).unwrap();
    assert!(!words.contains(&open.id), "the list does not let anybody in");
    assert_eq!(refusal(admin::revoke_invite(&world.hub, &grace, &used.id, "").await), "not_found");
    admin::revoke_invite(world.later(), &grace, &open.id, "r-7").await.unwrap();
    assert_eq!(refusal(world.sign_up("eve", Some(&words[1])).await), "invalid");
    assert_eq!(admin::list_invites(&world.hub, &grace).await.unwrap().len(), 1);
    let actions: Vec<String> = world.audit().await.into_iter().map(|(action, _, _)| action).collect();
    assert_eq!(actions, ["invite.create", "invite.create", "invite.use", "invite.revoke"]);
}

#[tokio::test]
async fn a_closed_hub_makes_no_invitations() {
    let world = World::new(Registration::Closed).await;
    let (_, grace) = world.person("grace", Role::Admin).await;
    assert_eq!(refusal(admin::create_invite(&world.hub, &grace, 7, "").await), "conflict");
    world.hub.close().await;
}
