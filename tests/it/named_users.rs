//! Tests of agents that are restricted to the users that they name: these find and use them, for all others they do
//! not exist, and a removal ends what is running.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::{self, Agent},
    agent_lists::{lists, until, until_listed},
    client::{Client, PASSWORD, new_id, text_of},
    events::{Events, answer_after},
    hub::{Hub, on_both},
    process::{Process, plexus},
    rpc,
    tokens::make,
};

/// Far below the 15 s after which an idle stream sends a keep-alive.
const AT_ONCE: Duration = Duration::from_secs(8);
const USERS: &str = "/agents/grace/puppet/users";
/// A sentence of the agent's card.
const CARD_TEXT: &str = "Says what a test tells it.";

on_both! {
    async fn the_named_find_and_use_it_and_for_others_it_does_not_exist(hub: &Hub) {
        let (mut puppet, grace) = restricted(hub, "public").await;
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        add(&grace, "ada").await.expect(StatusCode::NO_CONTENT);
        add(&grace, "@Ada").await.expect(StatusCode::NO_CONTENT);
        assert_eq!(grace.api(USERS).await["items"], json!([{ "name": "ada" }]));
        until_listed(&ada, "@grace/puppet").await;
        until_listed(&grace, "@grace/puppet").await;

        for viewer in [&eve, &hub.visitor()] {
            hides_everywhere(viewer, &token(viewer, &["read", "chat", "agents", "team"]).await).await;
        }
        let program = token(&ada, &["read", "chat", "agents", "team"]).await;
        shows_everywhere(&ada, &program).await;
        let said = ada.begin("@grace/puppet", "Hello").await;
        answer(&mut puppet, "Only for you.").await;
        assert_eq!(answer_after(&ada, &said.chat, 0).await["parts"][0]["text"], "Only for you.");
        let models = program.get("/v1/models").await.expect(StatusCode::OK);
        models.says("\"grace/puppet\"");
    }

    async fn a_private_agent_is_found_by_the_named(hub: &Hub) {
        let (_puppet, grace) = restricted(hub, "private").await;
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        add(&grace, "ada").await.expect(StatusCode::NO_CONTENT);
        until_listed(&ada, "@grace/puppet").await;
        ada.get("/@grace/puppet").await.expect(StatusCode::OK);
        ada.get("/@grace").await.expect(StatusCode::OK).says("@grace/puppet");
        assert_eq!(eve.api("/agents?q=puppet").await["total"], 0);
        let counted = eve.api("/agents?q=puppetry&facets=true").await;
        assert_eq!(counted["facets"]["owner"], json!([]), "{counted}");
        assert!(counted["did_you_mean"].is_null(), "{counted}");

        let open = json!({ "access": "accounts", "visibility": "public" });
        grace.call(Method::PATCH, "/agents/grace/puppet", &open).await.expect(StatusCode::OK);
        until_listed(&eve, "@grace/puppet").await;
        let again = json!({ "access": "listed" });
        grace.call(Method::PATCH, "/agents/grace/puppet", &again).await.expect(StatusCode::OK);
        eve.get("/@grace/puppet").await.expect(StatusCode::NOT_FOUND);
        until(&eve, "/api/v1/agents?q=puppet", |found| !lists(found, "@grace/puppet")).await;
    }

    async fn a_removal_ends_what_is_running(hub: &Hub) {
        let (mut puppet, grace) = restricted(hub, "public").await;
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        for name in ["ada", "bob"] {
            add(&grace, name).await.expect(StatusCode::NO_CONTENT);
        }
        let said = ada.begin("@grace/puppet", "Hello").await;
        let _in_chat = working(&mut puppet).await;
        let mut stream = call_over_a2a(&token(&ada, &["chat"]).await).await;
        let _over_a2a = working(&mut puppet).await;
        let kept = bob.begin("@grace/puppet", "Hello").await;
        let of_bob = working(&mut puppet).await;

        remove(&grace, "ada").await.expect(StatusCode::NO_CONTENT);
        timeout(AT_ONCE, async { while stream.chunk().await.is_ok_and(|piece| piece.is_some()) {} })
            .await
            .expect("the stream ends");
        let mut events = Events::open(&ada, &said.chat, 0).await;
        let ended = async {
            while let Some(event) = events.next().await {
                if event.name == "message_completed" && event.data["message"]["state"] != "done" {
                    return;
                }
                if ada.api(&format!("/chats/{}", said.chat)).await.to_string().contains("cancelled") {
                    return;
                }
            }
        };
        timeout(AT_ONCE, ended).await.expect("the answer ends");
        let body = json!({ "id": new_id(), "text": "And now?" });
        let (_, words) = ada.try_say(&said.chat, &body).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(words.contains("not found"), "{words}");
        ada.get("/@grace/puppet").await.expect(StatusCode::NOT_FOUND);

        of_bob.artifact("Still here.").await;
        of_bob.complete().await;
        assert_eq!(answer_after(&bob, &kept.chat, 0).await["parts"][0]["text"], "Some Still here.");
    }

    async fn the_owner_names_users_of_this_hub_only(hub: &Hub) {
        let (_puppet, grace) = restricted(hub, "public").await;
        let ada = hub.person("ada").await;
        for (name, reason) in [
            ("ada@hub.example.org", "Users of other hubs cannot be named"),
            ("@ada@hub.example.org", "Users of other hubs cannot be named"),
            ("nobody-here", "not found on this hub"),
            ("a b/c", "not found on this hub"),
            ("", "Enter the name"),
            ("grace", "always have access"),
        ] {
            let refused = add(&grace, name).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
            assert_eq!(refused["error"]["field"], "user", "{refused}");
            assert!(text_of(&refused["error"]["message"]).contains(reason), "{refused}");
        }
        remove(&grace, "ada").await.refusal(StatusCode::NOT_FOUND);
        add(&grace, "ada").await.expect(StatusCode::NO_CONTENT);
        for answer in [add(&ada, "ada").await, remove(&ada, "ada").await, ada.get(&format!("/api/v1{USERS}")).await] {
            answer.refusal(StatusCode::FORBIDDEN);
        }
        let reader = token(&grace, &["read"]).await;
        add(&reader, "ada").await.refusal(StatusCode::FORBIDDEN);
        let owner = token(&grace, &["agents"]).await;
        let ask = json!({ "agent": "@grace/puppet", "user": "ada" });
        assert_eq!(rpc::call(&owner, "agents.users", json!({ "agent": "@grace/puppet" })).await, grace.api(USERS).await);
        assert_eq!(rpc::call(&owner, "agents.remove_user", ask.clone()).await, json!(true));
        assert_eq!(grace.api(USERS).await["items"], json!([]));
        assert_eq!(rpc::call(&owner, "agents.add_user", ask).await, json!(true));

        ada.post("/settings/account/delete", &[("name", "ada"), ("current", PASSWORD)]).await.expect(StatusCode::SEE_OTHER);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert_eq!(grace.api(USERS).await["items"], json!([]), "a deleted user is not named");
    }

    async fn other_hubs_get_no_restricted_agent(hub: &Hub) {
        let (_puppet, grace) = restricted(hub, "public").await;
        let federated = json!({ "visibility": "federated" });
        let (_, words) = grace
            .call(Method::PATCH, "/agents/grace/puppet", &federated)
            .await
            .refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(words.contains("other hubs do not know the users"), "{words}");
    }

    async fn the_page_names_users_without_a_script(hub: &Hub) {
        let (_puppet, grace) = restricted(hub, "public").await;
        let ada = hub.person("ada").await;
        let manage = "/@grace/puppet/manage";
        grace.get(manage).await.expect(StatusCode::OK).says("Add user");
        let refused = grace.post(manage, &[("action", "add-user"), ("user", "nobody-here")]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("User nobody-here not found on this hub.");
        let added = grace.post(manage, &[("action", "add-user"), ("user", "ada")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(added.location(), manage);
        grace.get(manage).await.expect(StatusCode::OK).says("href=\"/@ada\"");
        ada.get("/@grace/puppet").await.expect(StatusCode::OK);
        ada.get(manage).await.expect(StatusCode::FORBIDDEN);
        grace.post(manage, &[("action", "remove-user"), ("user", "ada")]).await.expect(StatusCode::SEE_OTHER);
        ada.get("/@grace/puppet").await.expect(StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn the_command_line_names_users() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let (ada, bob) = (Client::new(&hub.origin), Client::new(&hub.origin));
    ada.sign_up("ada").await;
    bob.sign_up("bob").await;
    let agent = json!({ "name": "notes", "attached": true, "summary": "Keeps notes.", "access": "listed" });
    ada.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
    let users = async |arguments: &[&str]| {
        let output =
            plexus(folder.path(), &[&["agent", "users", "@ada/notes", "--as", "ada"], arguments].concat())
                .await;
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert_eq!(users(&[]).await, "@ada/notes names no users.\n");
    assert_eq!(users(&["--add", "bob"]).await, "bob\n");
    bob.get("/@ada/notes").await.expect(StatusCode::OK);
    let refused = users(&["--add", "eve@hub.example.org"]).await;
    assert!(refused.contains("Users of other hubs cannot be named"), "{refused}");
    hub.kill().await;
    assert_eq!(
        users(&["--remove", "bob"]).await,
        "@ada/notes names no users.\n",
        "the folder itself is opened then"
    );
}

/// Registers a scripted agent of the administrator Grace that is restricted to users that she names.
async fn restricted(hub: &Hub, visibility: &str) -> (Agent, Client) {
    let puppet = Agent::start().await;
    assert!(agent::card(&puppet.url).to_string().contains(CARD_TEXT));
    let grace = hub.administrator("grace").await;
    let new = json!({ "url": puppet.url, "name": "puppet", "visibility": visibility, "access": "listed",
                      "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    (puppet, grace)
}

async fn add(client: &Client, user: &str) -> crate::client::Answer {
    client.call(Method::POST, USERS, &json!({ "user": user })).await
}

async fn remove(client: &Client, user: &str) -> crate::client::Answer {
    client.call(Method::DELETE, &format!("{USERS}?user={user}"), &Value::Null).await
}

/// Returns a client with a token of a signed-in user; the same client if it is signed out.
async fn token(client: &Client, scopes: &[&str]) -> Client {
    match client.is_signed_in().await {
        true => client.with_token(&make(client, scopes).await),
        false => client.with_token(""),
    }
}

async fn working(puppet: &mut Agent) -> agent::Call {
    let call = puppet.called().await;
    call.begin_task().await;
    call.artifact("Some ").await;
    call
}

async fn answer(puppet: &mut Agent, text: &str) {
    let call = puppet.called().await;
    call.begin_task().await;
    call.artifact(text).await;
    call.complete().await;
}

async fn call_over_a2a(program: &Client) -> Response {
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "Hello" }] });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": { "message": message } });
    let request = program.request(Method::POST, "/a2a/grace/puppet/").header("A2A-Version", "1.0");
    let response = request.json(&body).send().await.expect("the hub answers");
    assert_eq!(response.status(), StatusCode::OK);
    response
}

/// Paths that lead to an agent.
const PATHS: [&str; 11] = [
    "/@grace/AGENT",
    "/@grace/AGENT/versions",
    "/chat?to=@grace/AGENT",
    "/api/v1/agents/grace/AGENT",
    "/api/v1/agents/grace/AGENT/credentials",
    "/a2a/grace/AGENT/.well-known/agent-card.json",
    "/mcp/grace/AGENT",
    "/v1/models/grace/AGENT",
    "/v0.1/servers/1.0.0.127%2Fgrace.AGENT/versions",
    "/v0.1/servers/1.0.0.127%2Fgrace.AGENT/versions/latest",
    "/ard/v1/agents/urn:air:localhost:grace:AGENT",
];
/// Paths whose lists and pages name public agents.
const LISTS: [&str; 10] = [
    "/",
    "/agents",
    "/agents?q=puppet",
    "/@grace",
    "/api/v1/agents?q=puppet",
    "/api/v1/agents?owner=grace",
    "/v1/models",
    "/v0.1/servers",
    "/ard/v1/agents",
    "/.well-known/ard.json",
];

/// Checks that every edge answers as for an agent that does not exist.
async fn hides_everywhere(page: &Client, program: &Client) {
    for path in PATHS {
        for client in [page, program] {
            let (there, none) = (path.replace("AGENT", "puppet"), path.replace("AGENT", "none-such"));
            let (there, none) = (client.get(&there).await, client.get(&none).await);
            assert_eq!(there.status, none.status, "{path}: {} {}", there.body, none.body);
            assert!(!there.body.contains(CARD_TEXT), "{path}: {}", there.body);
        }
    }
    for path in LISTS {
        for client in [page, program] {
            let list = client.get(path).await;
            assert!(
                !list.body.contains("grace/puppet") && !list.body.contains(CARD_TEXT),
                "{path}: {}",
                list.body
            );
        }
    }
    for (method, path, body) in requests() {
        let sent = async |name: &str| {
            let body = body.to_string().replace("AGENT", name);
            let request = program.request(method.clone(), &path.replace("AGENT", name));
            let request =
                request.header(header::CONTENT_TYPE, "application/json").header("A2A-Version", "1.0");
            let request = request.header(header::ACCEPT, "application/json, text/event-stream");
            program.send(request.body(body)).await
        };
        let (there, none) = (sent("puppet").await, sent("none-such").await);
        assert_eq!(there.status, none.status, "{path}: {} {}", there.body, none.body);
        if none.status.is_success() && path != "/rpc" {
            // A team is launched, and finds out later that its member does not exist.
            assert!(!there.body.contains(CARD_TEXT), "{path}: {}", there.body);
        } else {
            assert_eq!(there.body.replace("puppet", "none-such"), none.body, "{path}");
        }
    }
}

/// Requests that address an agent.
fn requests() -> Vec<(Method, &'static str, Value)> {
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "Hello" }] });
    let id = "01890000-0000-7000-8000-000000000001";
    let call = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let question = json!([{ "role": "user", "content": "Hello" }]);
    vec![
        (Method::POST, "/api/v1/chats", json!({ "id": id, "to": "@grace/AGENT", "text": "Hello" })),
        (Method::PUT, "/api/v1/agents/grace/AGENT/star", Value::Null),
        (Method::POST, "/a2a/grace/AGENT/", call("SendMessage", json!({ "message": message }))),
        (Method::POST, "/v1/chat/completions", json!({ "model": "grace/AGENT", "messages": question })),
        (Method::POST, "/v1/responses", json!({ "model": "grace/AGENT", "input": "Hello" })),
        (Method::POST, "/rpc", call("agents.get", json!({ "agent": "@grace/AGENT" }))),
        (
            Method::POST,
            "/rpc",
            call("chats.start", json!({ "id": id, "to": "@grace/AGENT", "text": "Hello" })),
        ),
        (Method::POST, "/api/v1/teams", json!({ "goal": "Say hello.", "members": ["@grace/AGENT"] })),
        (Method::GET, "/api/v1/agents/grace/AGENT/users", Value::Null),
    ]
}

/// Checks that the named user sees the agent on its pages and in programs.
async fn shows_everywhere(page: &Client, program: &Client) {
    for path in ["/@grace/AGENT", "/chat?to=@grace/AGENT"] {
        page.get(&path.replace("AGENT", "puppet")).await.expect(StatusCode::OK);
    }
    for path in ["/", "/agents", "/agents?q=puppet", "/@grace"] {
        assert!(page.get(path).await.expect(StatusCode::OK).body.contains("@grace/puppet"), "{path}");
    }
    for path in [
        "/api/v1/agents/grace/puppet",
        "/a2a/grace/puppet/.well-known/agent-card.json",
        "/v1/models/grace/puppet",
    ] {
        program.get(path).await.expect(StatusCode::OK);
    }
    program.call(Method::PUT, "/agents/grace/puppet/star", &Value::Null).await.expect(StatusCode::NO_CONTENT);
    assert!(lists(&page.api("/starred").await, "@grace/puppet"));
}
