//! Tests of the transfer, from a store with rows in every table.

use plexus_domain::{
    Digest, HubRowId, MessageId, Part, PartBody as Body, RunState, SecretId, Timestamp, knowledge::Passage,
    message::MessageState, part::ToolUse, run::Usage,
};
use serde_json::json;

use super::*;
use crate::{
    account_erasure, account_model_keys, agent_credentials, agents, api_tokens, approvals, audit, blobs,
    caller_contexts, chat_agent_limits, chat_invitations, chat_share_links, conversation_digests,
    featured_agents, federation_rules, grants, hub_violations, hubs, imported_chats, invites, keys,
    knowledge, listings, login_credentials, message_feedback, messages, model_budget, model_providers,
    model_settings, model_usage, namespaces, oauth_grants, origin_verifications, outbox, p2p_state,
    passage_vectors::{self, PassageVector},
    principals, registration_drafts, request_nonces, rule_subscriptions, runs, secrets, sessions, stars,
    stream_journal, team_share_links, teams, testing,
    testing::{AgentSeed, Person, World},
    trusted_origins::{self, NewTrustedOrigin},
    uploads, webhooks,
};

#[tokio::test]
async fn a_store_goes_to_postgres_and_back_unchanged() {
    let Some(database) = testing::Database::new().await else { return };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let first = testing::open_sqlite(folders[0].path()).await;
    let middle = Store::open(&testing::config(database.url())).await.unwrap();
    let last = testing::open_sqlite(folders[1].path()).await;
    fill(&first).await;

    let mut seen = Vec::new();
    let there = copy(&first, &middle, |progress| seen.push(progress)).await.unwrap();
    let back = copy(&middle, &last, |_| ()).await.unwrap();

    let expected = contents(&mut first.snapshot().await.unwrap()).await.unwrap();
    for content in &expected {
        assert!(content.rows > 0, "{} is empty, so its copy is not tested", content.table);
    }
    assert_eq!(there, expected);
    assert_eq!(back, expected);
    assert_eq!(contents(&mut middle.snapshot().await.unwrap()).await.unwrap(), expected);
    assert_eq!(contents(&mut last.snapshot().await.unwrap()).await.unwrap(), expected);
    for table in &TABLES {
        let end = seen.iter().rfind(|progress| progress.table == table.name).unwrap();
        assert_eq!(end.done, end.total, "{}", table.name);
    }

    for store in [&first, &middle, &last] {
        store.close().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn a_store_that_holds_something_is_not_copied_over() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let from = testing::open_sqlite(folders[0].path()).await;
    let to = testing::open_sqlite(folders[1].path()).await;
    World::new(to.clone()).person("ada").await;
    let before = contents(&mut to.snapshot().await.unwrap()).await.unwrap();

    let error = copy(&from, &to, |_| ()).await.unwrap_err();
    assert!(matches!(error, TransferError::NotEmpty { table: "namespaces", .. }), "{error}");
    assert_eq!(contents(&mut to.snapshot().await.unwrap()).await.unwrap(), before);
}

#[tokio::test]
async fn a_digest_sees_every_value() {
    testing::on_sqlite(|store| async move {
        fill(&store).await;
        let before = contents(&mut store.snapshot().await.unwrap()).await.unwrap();
        let mut tx = store.write().await.unwrap();
        execute!(tx, query("update chat_members set pinned = not pinned")).unwrap();
        tx.commit().await.unwrap();
        let after = contents(&mut store.snapshot().await.unwrap()).await.unwrap();
        let changed: Vec<_> = before.iter().zip(&after).filter(|(one, other)| one != other).collect();
        assert_eq!(changed.len(), 1);
        assert_eq!((changed[0].1.table, changed[0].0.rows), ("chat_members", changed[0].1.rows));
    })
    .await;
}

/// Inserts rows into every table.
async fn fill(store: &Store) {
    let mut world = World::new(store.clone());
    let (ada, bob) = (world.person("ada").await, world.person("bob").await);
    let calc = world.agent(&ada, "@ada/calc").await;
    let hub = fill_hubs(&mut world).await;
    let far = world.agent_of(hub, None, "@eve/far").await;
    fill_account(&mut world, &ada).await;
    fill_agent(&mut world, &ada, &calc).await;
    fill_chat(&mut world, &ada, &[&calc, &far]).await;
    fill_teams(&mut world, &bob).await;
    fill_work(&mut world).await;
    fill_models(&mut world, &ada).await;
}

async fn fill_models(world: &mut World, person: &Person) {
    let settings = model_settings::ModelSettings {
        display_name: Some("Small\0".to_owned()),
        context_tokens: Some(8_192),
        sent_price: Some(0),
        received_price: Some(600_000),
        calls_tools: Some(true),
        reads_images: Some(false),
        access: model_settings::ModelAccess::Named,
        hub_tokens: Some(i64::MAX.unsigned_abs()),
        agent_name: Some("small".parse().unwrap()),
        ..model_settings::ModelSettings::new("cellar", "small")
    };
    let now = world.now();
    let mut tx = world.write().await;
    model_settings::put(&mut tx, &settings).await.unwrap();
    model_settings::set_users(&mut tx, "cellar", "small", &[person.account]).await.unwrap();
    let key = account_model_keys::AccountModelKey {
        account: person.account,
        provider: "cellar".to_owned(),
        sealed_key: vec![0, 255],
        created_at: now,
    };
    account_model_keys::put(&mut tx, &key).await.unwrap();
    let used = model_usage::NewModelUsage {
        day: 20_000,
        provider: "cellar",
        model: "small",
        account: Some(person.account),
        agent: None,
        usage: Usage { tokens_in: 5, tokens_out: 7, cost_micro: 9 },
    };
    model_usage::add(&mut tx, &used).await.unwrap();
    let budget = model_budget::ModelBudget {
        monthly_micro: Some(50_000_000),
        alert_percents: json!([80, 100]),
        stops_models: true,
        alerted_month: 19_990,
        alerted_percent: 80,
    };
    model_budget::put(&mut tx, &budget).await.unwrap();
    tx.commit().await.unwrap();
}

async fn fill_hubs(world: &mut World) -> HubRowId {
    let id = world.id(HubRowId::new);
    let hub = hubs::Hub {
        id,
        domain: Some("hub.example".to_owned()),
        state: hubs::HubState::Carried,
        record: Some(vec![0, 255]),
        head_seq: i64::MAX,
        last_seen_at: world.now(),
        hub_key: Some("12D3KooWfar".to_owned()),
        head: Some(vec![1, 254]),
        first_seen_at: Some(world.now()),
    };
    let rule = federation_rules::FederationRule {
        subject: "domain:spam.example".to_owned(),
        action: federation_rules::RuleAction::Block,
        reason: "Spam.".to_owned(),
        author: "ada".to_owned(),
        created_at: world.now(),
        expires_at: Some(world.now()),
    };
    let announced = p2p_state::ProviderRecord {
        key: vec![0, 255],
        provider: "12D3KooWfar".to_owned(),
        addresses: vec!["/ip4/192.0.2.1/tcp/1".to_owned()],
        expires_at: world.now(),
    };
    let seen = world.now();
    let mut tx = world.write().await;
    hubs::insert(&mut tx, &hub).await.unwrap();
    request_nonces::insert_once(&mut tx, id, &plexus_domain::Digest::of("once"), seen, world.now())
        .await
        .unwrap();
    federation_rules::put(&mut tx, &rule).await.unwrap();
    hub_violations::note(&mut tx, id, hub_violations::HubViolation::WrongVersions, "12D3KooWother", seen)
        .await
        .unwrap();
    fill_rule_lists(&mut tx, rule).await;
    model_providers::put(&mut tx, &provider(world.now())).await.unwrap();
    p2p_state::put_addresses(&mut tx, "12D3KooWfar", &announced.addresses, seen).await.unwrap();
    p2p_state::put_announcement(&mut tx, &announced).await.unwrap();
    tx.commit().await.unwrap();
    id
}

fn provider(created_at: Timestamp) -> model_providers::StoredProvider {
    model_providers::StoredProvider {
        name: "cellar".to_owned(),
        base_url: "http://127.0.0.1:8080/v1".to_owned(),
        sealed_key: Some(vec![0, 255]),
        models: vec!["small".to_owned(), "large".to_owned()],
        context_tokens: 8_192,
        sent_price: 150_000,
        received_price: 600_000,
        is_paused: true,
        created_at,
        last_test: Some(serde_json::json!({ "models": 2 })),
        own_keys: model_providers::OwnKeyPolicy::Required,
    }
}

async fn fill_rule_lists(tx: &mut Tx, rule: federation_rules::FederationRule) {
    let federation_rules::FederationRule { subject, action, reason, author, created_at, expires_at } = rule;
    let list = rule_subscriptions::RuleSubscription {
        url: "https://hub.example/rules".to_owned(),
        signer: "12D3KooWfar".to_owned(),
        name: "Far".to_owned(),
        author,
        created_at,
        seq: i64::MAX,
        checked_at: created_at,
        problem: Some("It did not answer.".to_owned()),
    };
    let listed = rule_subscriptions::SubscribedRule {
        list: list.url.clone(),
        subject,
        action,
        reason,
        created_at,
        expires_at,
    };
    rule_subscriptions::put(tx, &list).await.unwrap();
    rule_subscriptions::set_rules(tx, &list.url, &[listed]).await.unwrap();
}

async fn fill_account(world: &mut World, person: &Person) {
    let account = person.account;
    let (created_at, expires_at) = (world.now(), world.now());
    let mut tx = world.write().await;
    namespaces::set_role(&mut tx, person.namespace, account, namespaces::NamespaceRole::Owner).await.unwrap();
    account_erasure::retire_name(&mut tx, &"gone".parse().unwrap()).await.unwrap();
    let credential = login_credentials::Credential {
        id: world.id(plexus_domain::CredentialId::new),
        account,
        kind: login_credentials::CredentialKind::Password,
        data: "$argon2id$…".to_owned(),
        created_at,
        last_used_at: None,
    };
    login_credentials::insert(&mut tx, &credential).await.unwrap();
    let session = sessions::Session {
        hash: Digest::of("session"),
        account,
        created_at,
        last_seen_at: created_at,
        sudo_until: Some(expires_at),
        user_agent: "a browser\0".to_owned(),
        ip: "127.0.0.1".to_owned(),
    };
    sessions::insert(&mut tx, &session).await.unwrap();
    let token = api_tokens::Token {
        id: world.id(plexus_domain::TokenId::new),
        hash: Digest::of("token"),
        account,
        name: "für Skripte".to_owned(),
        scopes: vec!["chat".to_owned(), "agents:write".to_owned()],
        audience: "api".to_owned(),
        created_at,
        expires_at,
        last_used_at: None,
    };
    api_tokens::insert(&mut tx, &token).await.unwrap();
    let grant = oauth_grants::OauthGrant {
        id: world.id(plexus_domain::OauthGrantId::new),
        account,
        client: "https://client.example/id.json".to_owned(),
        name: "Klient".to_owned(),
        redirect: "http://127.0.0.1/back".to_owned(),
        challenge: "challenge".to_owned(),
        resource: "https://hub.example/mcp".to_owned(),
        scopes: vec!["chat".to_owned()],
        code_hash: Digest::of("code"),
        refresh_hash: Some(Digest::of("refresh")),
        previous_refresh_hash: None,
        created_at,
        expires_at,
        last_used_at: None,
    };
    oauth_grants::insert(&mut tx, &grant).await.unwrap();
    oauth_grants::insert_token(&mut tx, token.id, grant.id).await.unwrap();
    let invite = invites::Invite {
        hash: Digest::of("invite"),
        invited_by: None,
        role: plexus_domain::account::Role::Admin,
        expires_at,
        used_at: None,
    };
    invites::insert(&mut tx, &invite).await.unwrap();
    let origin = NewTrustedOrigin { origin: "https://agents.example", by: None, note: "", at: created_at };
    trusted_origins::insert(&mut tx, origin).await.unwrap();
    let draft = registration_drafts::Draft {
        id: world.id(plexus_domain::DraftId::new),
        account,
        step: "proof".to_owned(),
        data: json!({ "url": "https://a.example/" }),
        expires_at,
    };
    registration_drafts::insert(&mut tx, &draft).await.unwrap();
    tx.commit().await.unwrap();
}

async fn fill_agent(world: &mut World, owner: &Person, agent: &AgentSeed) {
    let secret = world.id(SecretId::new);
    let now = world.now();
    let mut tx = world.write().await;
    let sealed = secrets::Secret {
        id: secret,
        namespace: owner.namespace,
        kind: "bearer".to_owned(),
        ciphertext: (0..=255).collect(),
        key_version: 1,
    };
    secrets::insert(&mut tx, &sealed).await.unwrap();
    agent_credentials::set(&mut tx, agent.agent, owner.account, secret).await.unwrap();
    let key = keys::Key {
        id: world.id(plexus_domain::KeyId::new),
        kind: keys::KeyKind::Agent,
        agent: Some(agent.agent),
        hub: None,
        public: vec![7; 32],
        secret: Some(secret),
        created_at: now,
        retired_at: None,
    };
    keys::insert(&mut tx, &key).await.unwrap();
    grants::insert(&mut tx, agent.agent, owner.principal, now).await.unwrap();
    let star = stars::Star { agent: agent.agent, starred_at: now };
    stars::insert(&mut tx, owner.account, &star).await.unwrap();
    featured_agents::insert(&mut tx, agent.agent, now).await.unwrap();
    agents::set_allows_copies(&mut tx, agent.agent, true).await.unwrap();
    let file = knowledge::KnowledgeFile {
        id: world.id(plexus_domain::KnowledgeFileId::new),
        agent: agent.agent,
        name: "guide.md".to_owned(),
        bytes: 12,
        added_at: now,
    };
    let passage = Passage { place: "line 1".to_owned(), text: "港口 fees".to_owned() };
    knowledge::put(&mut tx, &file, &[passage]).await.unwrap();
    let vector = PassageVector { file: file.id, position: 0, vector: vec![0.5, -1.0] };
    passage_vectors::put(&mut tx, "cellar/embed", &vector).await.unwrap();
    let listing = listings::Listing {
        agent: agent.agent,
        seq: 1,
        card: agent.card,
        summary: json!({ "name": "Calc", "tags": ["算"] }),
        envelope: Some(vec![1, 2, 3]),
        hash: None,
        issued_at: now,
        expires_at: Some(now),
        leased_until: None,
        state: listings::ListingState::Live,
        change: 0,
    };
    listings::put(&mut tx, &listing).await.unwrap();
    let proof = origin_verifications::Proof {
        id: world.id(plexus_domain::ProofId::new),
        agent: agent.agent,
        origin: "https://a.example".to_owned(),
        method: origin_verifications::ProofMethod::WellKnown,
        verified_at: Some(now),
        failed_at: None,
    };
    origin_verifications::put(&mut tx, &proof).await.unwrap();
    tx.commit().await.unwrap();
}

async fn fill_chat(world: &mut World, person: &Person, agents: &[&AgentSeed]) {
    let chat = world.chat(person, agents).await;
    let process = world.process().await;
    let question = world.say(chat, person.principal, None, "2 + 2?").await;
    let (run, answer) = world.run(person, agents[0], chat, question, 1).await;
    let (child, open) = world.run(person, agents[1], chat, question, 2).await;
    let now = world.now();
    let mut tx = world.write().await;
    runs::set_process(&mut tx, child, Some(process)).await.unwrap();
    runs::request_cancel(&mut tx, child).await.unwrap();
    let usage = Some(Usage { tokens_in: 3, tokens_out: 5, cost_micro: 8 });
    let step =
        runs::RunTransition { from: RunState::Queued, to: RunState::Working, at: now, failure: None, usage };
    assert!(runs::set_state(&mut tx, run, &step).await.unwrap());
    fill_parts(&mut tx, answer).await;
    let upload = uploads::Upload {
        id: world.id(plexus_domain::UploadId::new),
        blob: Digest::of("a picture"),
        size: 9,
        name: "p.png".to_owned(),
        media_type: "image/png".to_owned(),
        width: Some(3),
        height: None,
    };
    uploads::insert(&mut tx, person.principal, &upload, now).await.unwrap();
    let share = chat_share_links::ChatShareLink {
        id: "share".to_owned(),
        sealed: Some(vec![1, 2]),
        chat,
        title: plexus_domain::chat::Title::try_from("Sums".to_owned()).unwrap(),
        last_message: answer,
        last_seq: 2,
        created_at: now,
        expires_at: None,
    };
    chat_share_links::insert(&mut tx, &share).await.unwrap();
    let invitation = chat_invitations::ChatInvitation {
        id: world.id(plexus_domain::ChatInvitationId::new),
        chat,
        role: crate::members::MemberRole::Guest,
        invited_by: person.principal,
        invitee: None,
        hash: Some(Digest::of("invitation")),
        created_at: now,
        expires_at: now,
    };
    chat_invitations::insert(&mut tx, &invitation).await.unwrap();
    let limit = chat_agent_limits::ChatAgentLimit {
        chat,
        agent: agents[0].agent,
        unit: plexus_domain::chat::DailyLimitUnit::Tokens,
        amount: 1_000_000_000,
    };
    chat_agent_limits::put(&mut tx, &limit).await.unwrap();
    let source =
        imported_chats::ImportSource { owner: person.principal, format: "claude", conversation: "c-1" };
    assert!(imported_chats::insert(&mut tx, source, chat).await.unwrap());
    let author = plexus_domain::Principal::Imported { label: "Claude".to_owned() };
    principals::ensure(&mut tx, &author, world.id(plexus_domain::PrincipalId::new)).await.unwrap();
    let feedback = message_feedback::MessageFeedback {
        message: answer,
        author: person.principal,
        agent: agents[0].agent,
        rating: plexus_domain::feedback::Rating::Up,
        reason: Some(plexus_domain::feedback::FeedbackReason::Clear),
        comment: Some("知".to_owned()),
        shown_to_owner: true,
        created_at: now,
    };
    message_feedback::put(&mut tx, &feedback).await.unwrap();
    caller_contexts::insert(&mut tx, person.principal, agents[0].agent, "ctx", chat).await.unwrap();
    let told = conversation_digests::ConversationKey {
        caller: person.principal,
        agent: agents[0].agent,
        digest: Digest::of("told"),
    };
    conversation_digests::insert(&mut tx, &told, answer).await.unwrap();
    let event =
        plexus_domain::chat_event::Event::MessageCompleted { message: answer, state: MessageState::Done };
    World::tell(&mut tx, chat, &[event], now).await;
    let piece = stream_journal::JournalEntry {
        seq: 0,
        message: open,
        part: 0,
        byte_offset: 0,
        body: "vier\0".into(),
    };
    stream_journal::append(&mut tx, process, &[piece]).await.unwrap();
    let approval = approvals::Approval {
        id: world.id(plexus_domain::ApprovalId::new),
        run,
        tool: "shell".to_owned(),
        arguments: json!({ "command": "ls" }),
        question: Some(plexus_domain::form_question::FormQuestion {
            message: "Which folder?".to_owned(),
            inputs: Vec::new(),
        }),
        answer: Some(serde_json::Map::new()),
        args_sha256: Digest::of("ls"),
        decision: Some(approvals::Decision::No),
        decided_by: Some(person.principal),
        expires_at: now,
    };
    approvals::insert(&mut tx, &approval).await.unwrap();
    let id = world.id(plexus_domain::PushId::new);
    let hook = webhooks::Webhook { id, run, caller: None, name: "hook".to_owned(), ciphertext: vec![0, 255] };
    webhooks::set(&mut tx, &hook).await.unwrap();
    tx.commit().await.unwrap();
}

async fn fill_parts(tx: &mut Tx, answer: MessageId) {
    let sha256 = Digest::of("a picture");
    let blob =
        blobs::Blob { sha256, size: 9, media_type: "image/png".to_owned(), place: "blobs/9".to_owned() };
    blobs::insert(tx, &blob).await.unwrap();
    let by = blobs::BlobReference { owner_kind: "account", owner: answer.uuid() };
    blobs::add_use(tx, &sha256, by).await.unwrap();
    let tool = ToolUse {
        tool: "calc".to_owned(),
        arguments: json!({}),
        result: None,
        took_ms: Some(1),
        call_id: None,
    };
    let parts = [
        Part::text("four\0"),
        Part {
            name: Some("p.png".to_owned()),
            ..Part::from(Body::File { blob: sha256, size: 9, image: None })
        },
        Part::from(Body::Tool(tool)),
    ];
    assert!(messages::finish(tx, answer, MessageState::Done, &parts).await.unwrap());
    execute!(tx, query("insert into unindexed_messages (message) values ($1)").bind(answer.uuid())).unwrap();
}

async fn fill_teams(world: &mut World, person: &Person) {
    let chats = [world.chat(person, &[]).await, world.chat(person, &[]).await];
    let process = world.process().await;
    let mut tx = world.write().await;
    for (depth_left, (chat, parent)) in [(1_i64, (chats[0], None)), (0, (chats[1], Some(chats[0].uuid())))] {
        let text = "insert into teams (chat, goal, pattern, home_hub, parent, depth_left, limits, state, deadline) \
                    values ($1, 'a goal', 'floor', $2, $3, $4, '{}', 'working', 1)";
        let hub = HubRowId::SELF.uuid();
        execute!(tx, query(text).bind(chat.uuid()).bind(hub).bind(parent).bind(depth_left)).unwrap();
    }
    assert!(teams::claim(&mut tx, chats[0], process).await.unwrap());
    let text = "insert into team_log (team, seq, author_key, prev_hash, body, signature) \
                values ($1, 1, $2, $2, $2, $2)";
    execute!(tx, query(text).bind(chats[0].uuid()).bind(vec![0_u8; 4])).unwrap();
    team_share_links::put(&mut tx, chats[0], &Digest::of("link"), Timestamp::from_millis(1)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn fill_work(world: &mut World) {
    let now = world.now();
    let mut tx = world.write().await;
    let letter = outbox::OutboxMessage {
        id: world.id(plexus_domain::OutboxId::new),
        target: "hub.example".to_owned(),
        kind: "listing".to_owned(),
        payload: vec![0, 1, 255],
        due_at: now,
        attempts: 0,
    };
    outbox::insert(&mut tx, &letter).await.unwrap();
    let entry = audit::AuditEntry {
        id: world.id(plexus_domain::AuditId::new),
        recorded_at: now,
        actor: "cli".to_owned(),
        action: "user.make_admin".to_owned(),
        target: "account:ada".to_owned(),
        change: json!({ "role": ["user", "admin"] }),
        request: String::new(),
    };
    audit::insert(&mut tx, &entry).await.unwrap();
    tx.commit().await.unwrap();
}
