//! Test of the erasure of an account: everything that it stored is filled with a marker, through the public edges where that is
//! possible. After the erasure no column of any table and no file of the data folder contains the marker or an id of the
//! account, except for those that `KEPT_IDS` names with the reason.

use axum::{
    Json, Router,
    http::header,
    response::IntoResponse,
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::types::Uuid;

use crate::{
    client::{Client, PASSWORD, new_id, text_of},
    events::answer_after,
    http_endpoints::serve,
    hub::{Hub, on_both},
    model_settings::{connect, set_model},
    rooms,
    stored_bytes::{find, find_in_files, tables},
    team,
    tokens::make,
};

/// Is part of all that the account writes, except in the rooms of others. In lower case, as the index of messages stores it.
const MARKER: &str = "zqxmark";
/// Is part of what the account writes in the rooms of others, which stays there.
const KEPT: &str = "vwkept";
const NAME: &str = "zqxmark-eve";

/// Tables that hold nothing of an account, with the reason.
const NOT_OF_ACCOUNTS: &[(&str, &str)] = &[
    ("counters", "numbers of the hub"),
    ("hubs", "remote hubs"),
    ("hub_violations", "remote hubs"),
    ("request_nonces", "remote hubs"),
    ("peer_addresses", "remote hubs"),
    ("dht_provider_records", "remote hubs"),
    ("subscribed_rules", "rules of remote hubs"),
    ("instances", "processes of the hub"),
    ("team_orchestrators", "which process works for a team, while it does"),
    ("run_cancel_requests", "ids of runs, until their process reads them"),
    (
        "trusted_origins",
        "origins that administrators trust, decisions of the hub; who trusted it is forgotten",
    ),
    ("model_providers", "settings of the hub"),
    ("model_settings", "settings of the hub"),
    ("model_budget", "settings of the hub"),
    ("retired_names", "digests of names of erased accounts"),
    ("outbox", "ids of webhooks and runs, until they are delivered"),
    ("unindexed_messages", "ids of messages, until they are indexed; deleted with the message"),
    ("blob_uses", "no part of the hub writes it"),
    ("message_index_rows", "ids of messages; deleted with `message_terms`"),
    ("message_index_data", "the index of `message_terms`, in a binary form"),
    ("message_index_idx", "the index of `message_terms`, in a binary form"),
    ("message_index_config", "settings of the index"),
    ("federation_rules", "rules of the hub; the name of their author is replaced"),
    ("rule_subscriptions", "rules of the hub; the name of their author is replaced"),
];

/// Columns that name the account by its ids after the erasure, with the reason.
const KEPT_IDS: &[(&str, &str)] = &[
    ("accounts.id", "messages in rooms of others have an author"),
    ("accounts.namespace", "the same"),
    ("namespaces.id", "the same"),
    ("namespaces.name", "made of the id"),
    ("namespaces.name_folded", "made of the id"),
    ("principals.id", "the same"),
    ("principals.account", "the same"),
    ("principals.agent", "answers of its agents in chats of others have an author"),
    ("agents.id", "the same"),
    ("agents.namespace", "the same"),
    ("agent_versions.agent", "runs in chats of others name the version"),
    ("runs.agent", "runs in chats of others"),
    ("runs.caller", "runs in rooms of others"),
    ("messages.author", "messages in rooms of others"),
    ("chat_events.payload", "who joined and left a room of others"),
    ("chat_members.principal", "agents that answered in chats of others"),
    ("listings.agent", "the tombstone of an agent"),
    ("keys.agent", "the key that signs the tombstone of an agent"),
    ("secrets.namespace", "the encrypted key that signs the tombstone of an agent"),
    ("model_usage.agent", "sums of the hub by agent"),
    ("audit_log.actor", "what an administrator did; the id has no name any more"),
    ("audit_log.target", "the same"),
];

on_both! {
    async fn nothing_of_an_erased_account_is_left(hub: &Hub) {
        let world = World::fill(hub).await;
        let sql = hub.database();
        let needles = world.needles(hub).await;
        let before = find(&sql, &needles).await;
        for table in tables(&sql).await {
            let is_filled = before.keys().any(|column| column.split('.').next() == Some(&table));
            let is_exempt = NOT_OF_ACCOUNTS.iter().any(|(exempt, _)| *exempt == table);
            assert!(is_filled || is_exempt, "{table} is neither filled by this test nor in NOT_OF_ACCOUNTS");
        }

        world.erase(hub).await;

        let after = find(&sql, &needles).await;
        for (column, needles) in &after {
            let is_kept = KEPT_IDS.iter().any(|(kept, _)| kept == column);
            assert!(is_kept && needles.iter().all(|needle| needle != "marker"), "{column} has {needles:?}");
        }
        let marker = [("marker", MARKER.as_bytes().to_vec())];
        assert_eq!(find_in_files(hub.folder(), &marker), Vec::<String>::new());
        assert_eq!(hub.number("select count(*) from accounts where erased_at is null and state = 'deleted'").await, 0);

        // The conversations of others go on.
        let bob = &world.bob;
        let page = bob.get(&format!("/chat/{}", world.room)).await.expect(StatusCode::OK);
        page.says(KEPT);
        page.says("Deleted account");
        bob.call(Method::PATCH, &format!("/chats/{}", world.room), &json!({ "title": "Ours" })).await.expect(StatusCode::NO_CONTENT);
        bob.get(&format!("/chat/{}", world.chat_of_bob)).await.expect(StatusCode::OK).says("Deleted account");
        hub.visitor().post("/signup", &[("name", NAME), ("password", PASSWORD)]).await
            .expect(StatusCode::UNPROCESSABLE_ENTITY).says("This name is taken.");
        world.grace.get("/admin/audit").await.expect(StatusCode::OK);
        world.grace.get("/admin/users").await.expect(StatusCode::OK);
    }

    async fn what_an_earlier_version_left_is_erased(hub: &Hub) {
        let world = World::fill(hub).await;
        let needles = world.needles(hub).await;
        // As the earlier version erased accounts: agents were withdrawn, and credentials deleted.
        let path = format!("/agents/{NAME}/zqxmark-clerk");
        world.eve.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        hub.sql(&format!("delete from sessions where account = {0}; delete from login_credentials where account = {0}; \
            update accounts set state = 'deleted', email_folded = null, purge_at = null where id = {0}; \
            update chat_members set left_at = 1 where chat in (select id from chats where kind = 'room') \
            and principal = (select id from principals where account = {0}); \
            update chats set creator = (select principals.id from principals join accounts on accounts.id = principals.account \
            join namespaces on namespaces.id = accounts.namespace where namespaces.name = 'bob') where kind = 'room'", account())).await;
        tidy(hub).await;
        for (column, needles) in find(&hub.database(), &needles).await {
            let is_kept = KEPT_IDS.iter().any(|(kept, _)| *kept == column);
            assert!(is_kept && needles.iter().all(|needle| needle != "marker"), "{column} has {needles:?}");
        }
        assert_eq!(find_in_files(hub.folder(), &[("marker", MARKER.as_bytes().to_vec())]), Vec::<String>::new());
    }
}

/// SQL for the id of the account, while it has its name.
fn account() -> String {
    format!(
        "(select accounts.id from accounts join namespaces on namespaces.id = accounts.namespace where namespaces.name = '{NAME}')"
    )
}

fn principal() -> String {
    format!("(select id from principals where account = {})", account())
}

async fn tidy(hub: &Hub) {
    hub.tidy().await;
    // The index is purged of the listings that were removed from it.
    let changes = hub.number("select n from counters where name = 'listings'").await;
    while plexus_hub::listings::last_change(hub.inner()) < changes.unsigned_abs() {
        tokio::task::yield_now().await;
    }
    hub.tidy().await;
}

struct World {
    grace: Client,
    eve: Client,
    bob: Client,
    /// A room of eve, bob and others.
    room: String,
    /// A chat of bob with an agent of eve.
    chat_of_bob: String,
}

impl World {
    async fn fill(hub: &Hub) -> Self {
        let grace = hub.administrator("grace").await;
        let (eve, bob) = (hub.person(NAME).await, hub.person("bob").await);
        let role = [("action", "role"), ("role", "admin")];
        grace
            .post(&format!("/admin/users/{}", hub.account(NAME).await), &role)
            .await
            .expect(StatusCode::SEE_OTHER);
        connect(&grace, "cellar", &model_server().await, &[("own_keys", "allowed")]).await;
        set_model(&grace, "small", &[("display_name", "Small")]).await.expect(StatusCode::SEE_OTHER);
        let mut world = Self { grace, eve, bob, room: String::new(), chat_of_bob: String::new() };
        world.fill_account(hub).await;
        world.fill_agents().await;
        world.fill_chats().await;
        world.fill_rooms().await;
        world.fill_by_sql(hub).await;
        world
    }

    async fn fill_account(&self, hub: &Hub) {
        let eve = &self.eve;
        make(eve, &["read"]).await;
        let fields = [("action", "save"), ("provider", "cellar"), ("api_key", "zqxmark-key")];
        eve.post("/settings/model-keys", &fields).await.expect(StatusCode::SEE_OTHER);
        eve.call(Method::PUT, "/agents/plexus/calc/star", &json!({})).await;
        eve.post("/admin/invites", &[("days", "3")]).await;
        for _ in 0..2 {
            hub.visitor().sign_in(NAME, "a wrong password of zqxmark").await;
        }
        eve.post("/settings/account/password", &[("current", PASSWORD), ("password", PASSWORD)]).await;
    }

    async fn fill_agents(&mut self) {
        let agent = json!({ "name": "zqxmark-clerk", "summary": "Is zqxmark.", "instructions": "Answer as zqxmark.",
                            "model": "cellar/small", "visibility": "public", "access": "accounts" });
        self.eve.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        let path = format!("/api/v1/agents/{NAME}/zqxmark-clerk/files/zqxmark.txt");
        let file = self.eve.request(Method::PUT, &path).body("The passage of zqxmark.\n");
        let put = self.eve.send(file).await;
        assert!(put.status.is_success(), "{}", put.body);
        let named = self
            .eve
            .call(Method::POST, &format!("/agents/{NAME}/zqxmark-clerk/users"), &json!({ "user": "bob" }))
            .await;
        assert!(named.status.is_success(), "{}", named.body);
        let said = self.bob.begin(&format!("@{NAME}/zqxmark-clerk"), "Hello?").await;
        let answer = answer_after(&self.bob, &said.chat, 0).await;
        assert_eq!(answer["state"], "done", "{answer}");
        self.bob.call(Method::PUT, &format!("/agents/{NAME}/zqxmark-clerk/star"), &json!({})).await;
        self.grace.post("/admin/agents/featured", &[]).await;
        self.chat_of_bob = said.chat;
    }

    async fn fill_chats(&self) {
        let eve = &self.eve;
        let to = format!("@{NAME}/zqxmark-clerk");
        let upload = |name: &'static str, content: &'static str| async move {
            let request = eve.request(Method::POST, &format!("/api/v1/uploads?name={name}"));
            let request =
                request.header(header::ORIGIN, eve.origin()).header(header::CONTENT_TYPE, "text/plain");
            text_of(&eve.send(request.body(content)).await.expect(StatusCode::CREATED).json()["id"])
        };
        upload("zqxmark-unsent.txt", "unsent zqxmark").await;
        let file = upload("zqxmark.txt", "sent zqxmark").await;
        let body = json!({ "id": new_id(), "to": to, "text": "A secret of zqxmark", "uploads": [file] });
        let chat = eve.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        let chat = text_of(&chat["chat"]);
        let answer = answer_after(eve, &chat, 0).await;
        let settings = json!({ "title": "Title of zqxmark", "folder": "Folder of zqxmark" });
        eve.call(Method::PATCH, &format!("/chats/{chat}"), &settings).await.expect(StatusCode::NO_CONTENT);
        eve.call(Method::POST, &format!("/chats/{chat}/share"), &json!({})).await.expect(StatusCode::CREATED);
        let feedback = json!({ "rating": "down", "comment": "Feedback of zqxmark", "shown_to_owner": true });
        let path = format!("/messages/{}/feedback", text_of(&answer["id"]));
        eve.call(Method::PUT, &path, &feedback).await.expect(StatusCode::NO_CONTENT);
        let limit = json!({ "unit": "answers", "amount": 9 });
        eve.call(Method::PUT, &format!("/chats/{chat}/agents/{NAME}/zqxmark-clerk/limit"), &limit).await;
        // A deleted chat that can still be restored.
        let gone = eve.begin("@plexus/calc", "1 + 1 zqxmark").await;
        answer_after(eve, &gone.chat, 0).await;
        eve.call(Method::DELETE, &format!("/chats/{}?restorable=true", gone.chat), &json!({})).await;
        // An imported chat.
        let imported = include_bytes!("../../fuzz/corpus/chats/chatgpt.zip").to_vec();
        let request = eve.request(Method::POST, "/api/v1/chats/import").header(header::ORIGIN, eve.origin());
        eve.send(request.body(imported)).await.expect(StatusCode::OK);
        // Calls of programs.
        let program = eve.with_token(&make(eve, &["chat", "read"]).await);
        let body =
            json!({ "model": "plexus/text", "messages": [{ "role": "user", "content": "Count zqxmark" }] });
        program
            .send(program.request(Method::POST, "/v1/chat/completions").json(&body))
            .await
            .expect(StatusCode::OK);
        let message = json!({ "messageId": "zqxmark-1", "contextId": "zqxmark-context", "role": "ROLE_USER", "parts": [{ "text": "Count zqxmark" }] });
        let call =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
        let request =
            program.request(Method::POST, "/a2a/plexus/text/").header("a2a-version", "1.0").json(&call);
        program.send(request).await.expect(StatusCode::OK);
        // A team.
        let goal =
            json!({ "goal": "The goal of zqxmark: 1 + 1", "members": ["@plexus/calc", "@plexus/text"] });
        let team = team::launch(eve, &goal).await;
        team::ended(eve, &team).await;
        let shared = eve.call(Method::POST, &format!("/teams/{team}/share"), &json!({})).await;
        assert!(shared.status.is_success(), "{}", shared.body);
    }

    async fn fill_rooms(&mut self) {
        self.room = rooms::begin(&self.eve).await;
        rooms::add(&self.eve, &self.bob, &self.room, "bob", "member").await;
        rooms::invite(&self.eve, &self.room, json!({ "user": "grace", "role": "member" })).await;
        let id = new_id();
        let body = json!({ "id": id, "text": "@plexus/calc 2 + 2, says vwkept" });
        self.eve.try_say(&self.room, &body).await.expect(StatusCode::ACCEPTED);
        let folder = json!({ "folder": "Folder of zqxmark" });
        self.eve
            .call(Method::PATCH, &format!("/chats/{}", self.room), &folder)
            .await
            .expect(StatusCode::NO_CONTENT);
    }

    /// Fills what only programs with servers of their own can.
    async fn fill_by_sql(&self, hub: &Hub) {
        let (id, account, principal) = (hub.new_id(), account(), principal());
        let run = format!("(select id from runs where caller = {principal} order by id limit 1)");
        let agent = "(select id from agents where name = 'zqxmark-clerk')";
        let bytes = |text: &str| match id {
            "randomblob(16)" => format!("cast('{text}' as blob)"),
            _ => format!("convert_to('{text}', 'UTF8')"),
        };
        let zqx = bytes("zqxmark");
        let secret = "(select id from secrets where kind = 'zqxmark' limit 1)";
        let passage = format!("(select knowledge_files.id from knowledge_files where agent = {agent})");
        let message = format!("(select id from messages where author = {principal} order by id limit 1)");
        let statements = [
            format!("update accounts set email_folded = 'zqxmark@a.example', prefs = '{{\"reason\":\"zqxmark\"}}' where id = {account}"),
            format!("insert into webhooks (id, run, name, ciphertext, caller) values ({id}, {run}, 'zqxmark', {zqx}, {principal})"),
            format!("insert into oauth_grants (id, account, client, name, redirect, challenge, resource, scopes, code_hash, created_at, expires_at) \
                values ({id}, {account}, 'zqxmark', 'zqxmark', 'https://zqxmark.example', 'c', 'r', 'read', {zqx}, 1, 2)"),
            format!("insert into oauth_tokens (token, grant_id) select (select id from api_tokens where account = {account} limit 1), \
                (select id from oauth_grants where account = {account})"),
            format!("insert into registration_drafts (id, account, step, data, expires_at) values ({id}, {account}, 'card', '{{\"a\":\"zqxmark\"}}', 9000000000000)"),
            format!("insert into approvals (id, run, tool, args_sha256, expires_at, arguments, question, answer) \
                values ({id}, {run}, 'zqxmark', {zqx}, 1, '\"zqxmark\"', null, null)"),
            format!("insert into secrets (id, namespace, kind, ciphertext, key_version) select {id}, namespace, 'zqxmark', {zqx}, 1 from accounts where id = {account}"),
            format!("insert into agent_secrets (agent, account, secret) values ({agent}, {account}, {secret})"),
            format!("insert into model_users (provider, model, account) select provider, model, {account} from model_settings limit 1"),
            format!("insert into origin_verifications (id, agent, origin, method, verified_at) values ({id}, {agent}, 'https://zqxmark.example', 'dns', 1)"),
            format!("insert into passage_vectors (agent, file, position, model, dimensions, vector) values ({agent}, {passage}, 0, 'zqxmark', 1, {zqx})"),
            format!("insert into stream_journal (instance, seq, message, part, byte_offset, body) \
                select (select id from instances limit 1), 900000, {message}, 0, 0, {zqx}"),
            format!("insert into model_usage (day, provider, model, account, agent, runs, tokens_in, tokens_out, cost_micro) \
                values (1, 'p', 'm', {account}, {agent}, 1, 2, 3, 4)"),
            format!("insert into featured_agents (agent, featured_at) select {agent}, 1 where not exists (select 1 from featured_agents where agent = {agent})"),
            "insert into federation_rules (subject, action, reason, author, created_at) values ('domain:x.example', 'block', 'r', 'zqxmark-eve', 1)".to_owned(),
        ];
        for statement in statements {
            hub.sql(&statement).await;
        }
    }

    async fn needles(&self, hub: &Hub) -> Vec<(&'static str, Vec<u8>)> {
        let sql = hub.database();
        let mut needles = vec![("marker", MARKER.as_bytes().to_vec())];
        let ids = [
            ("account", account()),
            ("principal", principal()),
            ("namespace", format!("(select namespace from accounts where id = {})", account())),
            ("agent", "(select id from agents where name = 'zqxmark-clerk')".to_owned()),
            ("chat", "(select id from chats where title = 'Title of zqxmark')".to_owned()),
            ("team", "(select chat from teams where goal like '%zqxmark%' limit 1)".to_owned()),
            ("grant", "(select id from oauth_grants where client = 'zqxmark')".to_owned()),
        ];
        for (name, id) in ids {
            let bytes = sql.id(&format!("select {id} as id")).await;
            needles.push((name, bytes.to_vec()));
            needles.push((name, Uuid::from_bytes(bytes).to_string().into_bytes()));
        }
        for content in ["sent zqxmark", "unsent zqxmark"] {
            needles.push(("file", plexus_domain::Digest::of(content).as_bytes().to_vec()));
        }
        needles
    }

    async fn erase(&self, hub: &Hub) {
        let fields = [("name", NAME), ("current", PASSWORD)];
        self.eve.post("/settings/account/delete", &fields).await.expect(StatusCode::SEE_OTHER);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        tidy(hub).await;
    }
}

/// Starts a model server whose answers have no marker. Returns its base URL.
async fn model_server() -> String {
    let models = json!({ "object": "list", "data": [{ "id": "small" }] });
    let list = move || async move { Json(models) };
    let router = Router::new().route("/v1/models", get(list)).route("/v1/chat/completions", post(completion));
    format!("{}/v1", serve(router).await)
}

async fn completion(Json(_): Json<Value>) -> impl IntoResponse {
    let chunk = json!({ "choices": [{ "delta": { "content": "I see." }, "finish_reason": "stop" }] });
    ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}
