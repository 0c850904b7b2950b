//! Tests of storage quotas: excess is refused by every API, deletion frees the quota, and other accounts are
//! not affected.

use axum::{Router, routing::post};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    clerk,
    client::{Answer, Client, new_id, text_of},
    csrf_and_rate_limits::until_refused,
    events::{answer_after, text_in},
    http_endpoints,
    hub::{Hub, on_both},
    mcp::BOTH,
    rooms::pair,
    rpc,
    stars::star,
    tokens::make,
};

/// Asserts a quota error of `/api/v1`. Returns its quota, usage and limit.
#[track_caller]
fn over(answer: Answer) -> (String, u64, u64) {
    assert_eq!(answer.header("retry-after"), "", "waiting does not help");
    let error = answer.expect(StatusCode::TOO_MANY_REQUESTS).json()["error"].clone();
    assert_eq!(error["code"], "over_quota", "{error}");
    let number = |name: &str| error[name].as_u64().expect("a number");
    (text_of(&error["quota"]), number("used"), number("limit"))
}

async fn program(person: &Client) -> Client {
    person.with_token(&make(person, &["read", "chat", "agents", "team"]).await)
}

fn attached(name: &str) -> Value {
    json!({ "name": name, "attached": true, "title": name, "summary": "A program.", "visibility": "public" })
}

async fn register(client: &Client, name: &str) -> Answer {
    client.call(Method::POST, "/agents", &attached(name)).await
}

async fn start(client: &Client, text: &str) -> Answer {
    client.call(Method::POST, "/chats", &json!({ "id": new_id(), "to": "@plexus/calc", "text": text })).await
}

async fn delete_chat(client: &Client, chat: &str) {
    client.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
}

/// Returns an account's usage and limit of a quota.
async fn used(client: &Client, quota: &str) -> (u64, u64) {
    let account = client.api("/account").await;
    let all = account["usage"].as_array().expect("a list").clone();
    let found = all.iter().find(|row| row["quota"] == quota).unwrap_or_else(|| panic!("{quota}: {account}"));
    (found["used"].as_u64().expect("a number"), found["limit"].as_u64().expect("a number"))
}

async fn a2a(client: &Client, path: &str, body: &Value) -> Answer {
    let request = client.request(Method::POST, path).header("A2A-Version", "1.0");
    client.send(request.json(body)).await
}

fn to_calc(text: &str) -> Value {
    json!({ "message": { "messageId": new_id(), "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

async fn mcp(client: &Client, text: &str) -> Value {
    let params = json!({ "name": "send_message", "arguments": { "agent": "@plexus/calc", "message": text } });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let request = client.request(Method::POST, "/mcp").header(header::ACCEPT, BOTH);
    let request = request.header("MCP-Protocol-Version", "2025-06-18").json(&body);
    let answer = client.send(request).await.expect(StatusCode::OK);
    let text = answer
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .rfind(|line| line.contains("result"));
    serde_json::from_str(text.unwrap_or(&answer.body)).expect("JSON")
}

on_both! {
    async fn an_answer_in_a_room_counts_for_the_owner_of_the_room(hub: &Hub, [("PLEXUS_QUOTA_BYTES", "20KiB")]) {
        let grace = hub.administrator("grace").await;
        let url = clerk::serve(vec![clerk::words(&"word ".repeat(6_000))]).await;
        clerk::register(&grace, &url, "clerk").await;
        let (ada, bob, chat) = pair(hub).await;
        let text = format!("1 + 1{}", " ".repeat(100) + &"1".repeat(6_000));
        until_refused(async || start(&bob, &text).await).await;
        let before = used(&ada, "bytes").await.0;
        let at = seq(&bob, &chat).await;
        bob.say(&chat, "2 + 3").await;
        let answer = answer_after(&bob, &chat, at).await;
        assert_eq!((&answer["state"], text_in(&answer).contains("**5**")), (&json!("done"), true), "{answer}");
        assert!(used(&ada, "bytes").await.0 > before, "the room is Ada's");

        let at = seq(&bob, &chat).await;
        bob.say(&chat, "@grace/clerk all of it").await;
        let answer = answer_after(&bob, &chat, at).await;
        let failure = text_of(&answer["run"]["failure"]["message"]);
        assert!(failure.contains("The owner of this chat has no storage left"), "{answer}");
        assert!(used(&ada, "bytes").await.0 < 20 << 10);
    }

    async fn an_account_stores_so_many_bytes_and_no_more(hub: &Hub, [("PLEXUS_QUOTA_BYTES", "20KiB")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let text = format!("1 + 1{}", " ".repeat(100) + &"1".repeat(6_000));
        let first = ada.begin("@plexus/calc", &text).await;
        answer_after(&ada, &first.chat, 0).await;
        let refused = until_refused(async || start(&ada, &text).await).await;
        let words = text_of(&refused.json()["error"]["message"]);
        assert!(words.starts_with("The chats of your account use \
            ") && words.contains("of 20 KiB. Delete \
            chats"), "{words}");
        let (quota, used_bytes, limit) = over(refused);
        assert_eq!((quota.as_str(), limit), ("bytes", 20 << 10));
        assert!((12_000..=20 << 10).contains(&used_bytes), "{used_bytes}");

        // Each API reports the refusal in its own format.
        let page = ada.post("/chat", &[("to", "@plexus/calc"), ("text", &text)]).await;
        page.expect(StatusCode::TOO_MANY_REQUESTS).says("The chats of your account use");
        over(ada.try_say(&first.chat, &json!({ "id": new_id(), "text": text })).await);
        let program = program(&ada).await;
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": to_calc(&text) });
        let refused = a2a(&program, "/a2a/plexus/calc/", &body).await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.body.contains("The chats of your account use"), "{}", refused.body);
        let refused = a2a(&program, "/a2a/plexus/calc/rest/message:send", &to_calc(&text)).await;
        let refused = refused.expect(StatusCode::TOO_MANY_REQUESTS).json();
        assert_eq!(refused["error"]["status"], "RESOURCE_EXHAUSTED", "{refused}");
        let new = json!({ "model": "@plexus/calc", "messages": [{ "role": "user", "content": text }] });
        let refused = program.send(program.request(Method::POST, "/v1/chat/completions").json(&new)).await;
        let refused = refused.expect(StatusCode::TOO_MANY_REQUESTS).json();
        assert_eq!(refused["error"]["code"], "insufficient_quota", "{refused}");
        let asked = rpc::request("chats.start", json!([new_id(), text, "@plexus/calc"]));
        let refused = rpc::ask(&program, &asked).await;
        assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["quota"]), (&json!(-32_030), &json!("bytes")), "{refused}");
        let refused = mcp(&program, &text).await;
        assert_eq!(refused["result"]["isError"], json!(true), "{refused}");
        assert!(refused.to_string().contains("The chats of your account use"), "{refused}");

        start(&eve, &text).await.expect(StatusCode::CREATED);
        let before = used(&ada, "bytes").await;
        delete_chat(&ada, &first.chat).await;
        let after = used(&ada, "bytes").await;
        assert!(after.0 + 6_000 < before.0 && after.1 == 20 << 10, "{before:?} {after:?}");
        start(&ada, &text).await.expect(StatusCode::CREATED);
        let page = ada.get("/settings/account").await;
        page.says("<meter");
        page.says("of 20 KiB");
    }

    async fn an_answer_that_does_not_fit_loses_its_files(hub: &Hub, [("PLEXUS_QUOTA_BYTES", "100KiB")]) {
        let url = clerk::serve(vec![clerk::words("Here it is."), clerk::file("tide.txt", "text/plain", &"x".repeat(80_000))]).await;
        clerk::register(&hub.administrator("boss").await, &url, "clerk").await;
        let ada = hub.person("ada").await;
        let kept = ada.begin("@boss/clerk", "Send it").await;
        assert_eq!(answer_after(&ada, &kept.chat, 0).await["state"], "done");
        let lost = ada.begin("@boss/clerk", "Send it again").await;
        let answer = answer_after(&ada, &lost.chat, 0).await;
        assert_eq!(answer["state"], "failed", "{answer}");
        let words = text_of(&answer["run"]["failure"]["message"]);
        assert!(words.contains("were not saved. The chats of your account use"), "{words}");
        assert!(answer["parts"].as_array().expect("parts").iter().all(|part| part["kind"] != "file"), "{answer}");
        assert!(answer.to_string().contains("Here it is."), "what fits is kept: {answer}");
        assert!(used(&ada, "bytes").await.0 < 100 << 10);
        delete_chat(&ada, &kept.chat).await;
        let again = ada.begin("@boss/clerk", "Send it again").await;
        assert_eq!(answer_after(&ada, &again.chat, 0).await["state"], "done");
    }

    async fn strangers_store_so_much_together(hub: &Hub, [("PLEXUS_QUOTA_BYTES_ANONYMOUS", "16 KiB")]) {
        let ada = hub.person("ada").await;
        let visitor = hub.visitor();
        let text = "1".repeat(3_000);
        let refused = until_refused(async || {
            a2a(&visitor, "/a2a/plexus/calc/rest/message:send", &to_calc(&text)).await
        });
        let refused = refused.await;
        assert!(refused.body.contains("Anonymous callers \
            use") && refused.body.contains("Sign in"), "{}", refused.body);
        start(&ada, &text).await.expect(StatusCode::CREATED);
    }

    async fn the_whole_hub_stores_so_much(hub: &Hub, [("PLEXUS_QUOTA_BYTES_TOTAL", "24 KiB")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let first = ada.begin("@plexus/calc", &"1".repeat(6_000)).await;
        let refused = until_refused(async || start(&ada, &"1".repeat(6_000)).await).await;
        assert_eq!(over(refused).0, "bytes_total");
        let (quota, _, limit) = over(start(&eve, &"1".repeat(6_000)).await);
        assert_eq!((quota.as_str(), limit), ("bytes_total", 24 << 10));
        answer_after(&ada, &first.chat, 0).await;
        delete_chat(&ada, &first.chat).await;
        start(&eve, &"1".repeat(6_000)).await.expect(StatusCode::CREATED);
    }

    async fn an_account_has_so_many_agents(hub: &Hub, [("PLEXUS_QUOTA_AGENTS", "3")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let program = program(&ada).await;
        for name in ["one", "two", "three"] {
            register(&ada, name).await.expect(StatusCode::CREATED);
        }
        assert_eq!(over(register(&ada, "four").await), ("agents".to_owned(), 3, 3));
        let refused = rpc::ask(&program, &rpc::request("agents.register", json!(attached("four")))).await;
        assert_eq!(refused["error"]["code"], json!(-32_030), "{refused}");
        assert!(text_of(&refused["error"]["message"]).starts_with("Your account has 3 of at most 3 agents. Delete"), "{refused}");
        register(&eve, "one").await.expect(StatusCode::CREATED);
        ada.call(Method::DELETE, "/agents/ada/two", &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(used(&ada, "agents").await, (2, 3));
        register(&ada, "five").await.expect(StatusCode::CREATED);
    }

    async fn the_whole_hub_has_so_many_agents(hub: &Hub, [("PLEXUS_QUOTA_AGENTS_TOTAL", "2")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        register(&ada, "one").await.expect(StatusCode::CREATED);
        register(&eve, "one").await.expect(StatusCode::CREATED);
        assert_eq!(over(register(&eve, "two").await), ("agents_total".to_owned(), 2, 2));
        ada.call(Method::DELETE, "/agents/ada/one", &json!({})).await.expect(StatusCode::NO_CONTENT);
        register(&eve, "three").await.expect(StatusCode::CREATED);
    }

    async fn an_account_has_so_many_chats(hub: &Hub, [("PLEXUS_QUOTA_CHATS", "2")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let first = ada.begin("@plexus/calc", "1 + 1").await;
        ada.begin("@plexus/calc", "1 + 1").await;
        assert_eq!(over(start(&ada, "1 + 1").await), ("chats".to_owned(), 2, 2));
        let page = ada.post("/chat", &[("to", "@plexus/calc"), ("text", "1 + 1")]).await;
        page.expect(StatusCode::TOO_MANY_REQUESTS).says("Your account has 2 of at most 2 chats here.");
        let refused = a2a(&program(&ada).await, "/a2a/plexus/calc/rest/message:send", &to_calc("1 + 1")).await;
        refused.expect(StatusCode::TOO_MANY_REQUESTS);
        answer_after(&ada, &first.chat, 0).await;
        ada.say(&first.chat, "2 + 2").await;
        start(&eve, "1 + 1").await.expect(StatusCode::CREATED);
        delete_chat(&ada, &first.chat).await;
        start(&ada, "1 + 1").await.expect(StatusCode::CREATED);
    }

    async fn an_account_gives_so_many_stars(hub: &Hub, [("PLEXUS_QUOTA_STARS", "1")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        star(&ada, "plexus/calc").await;
        star(&ada, "plexus/calc").await;
        let guide = ada.request(Method::PUT, "/api/v1/agents/plexus/guide/star").header("origin", ada.origin());
        assert_eq!(over(ada.send(guide).await), ("stars".to_owned(), 1, 1));
        let program = program(&ada).await;
        assert_eq!(rpc::code(&program, "agents.star", json!(["@plexus/guide"])).await, -32_030);
        star(&eve, "plexus/guide").await;
        rpc::call(&program, "agents.unstar", json!(["@plexus/calc"])).await;
        star(&ada, "plexus/guide").await;
    }

    async fn an_account_begins_so_many_registrations(hub: &Hub, [("PLEXUS_QUOTA_DRAFTS", "1")]) {
        // Its responses are unusable, so the registration stays unfinished.
        let broken = Router::new().route("/", post(async || StatusCode::INTERNAL_SERVER_ERROR));
        let origin = http_endpoints::serve(broken).await;
        let grace = hub.administrator("grace").await;
        let new = |name: &str| {
            let request = json!({ "url": origin, "body": { "said": "{{message}}" } });
            json!({ "request": request, "name": name, "title": name, "test_message": "Hello", "trust_origins": true })
        };
        grace.call(Method::POST, "/agents", &new("one")).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(over(grace.call(Method::POST, "/agents", &new("two")).await), ("drafts".to_owned(), 1, 1));
        assert_eq!(rpc::code(&program(&grace).await, "agents.register", new("two")).await, -32_030);
        register(&hub.person("ada").await, "one").await.expect(StatusCode::CREATED);
        let page = grace.get("/register").await;
        let (_, place) = page.body.split_once("action=\"/register/").expect("a form");
        let (draft, _) = place.split_once('/').expect("what is done with it");
        grace.post(&format!("/register/{draft}/discard"), &[]).await.expect(StatusCode::SEE_OTHER);
        grace.call(Method::POST, "/agents", &new("two")).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn an_account_has_so_many_tokens(hub: &Hub, [("PLEXUS_QUOTA_TOKENS", "1")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        make(&ada, &["read"]).await;
        let refused = ada.post("/settings/tokens", &[("name", "another"), ("scope", "read"), ("days", "30")]).await;
        refused.expect(StatusCode::TOO_MANY_REQUESTS).says("Your account has 1 of at most 1 tokens. Revoke a token");
        make(&eve, &["read"]).await;
        let newest = crate::tokens::newest(&ada).await;
        ada.post("/settings/tokens/revoke", &[("id", newest.as_str())]).await.expect(StatusCode::SEE_OTHER);
        make(&ada, &["read"]).await;
    }

    async fn an_account_launches_so_many_teams(hub: &Hub, [("PLEXUS_QUOTA_TEAMS", "1")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        // No member accepts, so the team runs until it is cancelled.
        let new = json!({ "goal": "Wait for a long while", "members": ["@ada/absent"] });
        register(&ada, "absent").await.expect(StatusCode::CREATED);
        let team = ada.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json();
        let again = ada.call(Method::POST, "/teams", &new).await;
        if again.status == StatusCode::CREATED {
            panic!("the first team is over: {}", ada.api(&format!("/teams/{}", text_of(&team["id"]))).await);
        }
        assert_eq!(over(again), ("teams".to_owned(), 1, 1));
        let program = program(&ada).await;
        assert_eq!(rpc::code(&program, "teams.launch", new.clone()).await, -32_030);
        let page = ada.post("/teams", &[("goal", "Another one"), ("members", "@ada/absent")]).await;
        page.expect(StatusCode::TOO_MANY_REQUESTS).says("Your account has 1 of at most 1 teams at work");
        let other = json!({ "goal": "Something else", "members": ["@ada/absent"] });
        eve.call(Method::POST, "/teams", &other).await.expect(StatusCode::CREATED);
        delete_chat(&ada, &text_of(&team["id"])).await;
        ada.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED);
    }

    async fn an_account_has_so_many_versions_of_agents_and_those_of_deleted_ones_count(hub: &Hub, [("PLEXUS_QUOTA_VERSIONS", "1")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        register(&ada, "one").await.expect(StatusCode::CREATED);
        ada.call(Method::DELETE, "/agents/ada/one", &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(over(register(&ada, "two").await), ("versions".to_owned(), 1, 1));
        assert_eq!(used(&ada, "versions").await, (1, 1));
        register(&eve, "one").await.expect(StatusCode::CREATED);
    }

    async fn an_account_keeps_so_many_push_configurations(hub: &Hub, [("PLEXUS_QUOTA_WEBHOOKS", "1"), ("PLEXUS_DNS_SERVER", "127.0.0.1:9")]) {
        let (ada, eve) = (program(&hub.person("ada").await).await, program(&hub.person("eve").await).await);
        let ask = async |client: &Client| {
            let answer = a2a(client, "/a2a/plexus/calc/rest/message:send", &to_calc("1 + 1")).await;
            text_of(&answer.expect(StatusCode::OK).json()["task"]["id"])
        };
        let tell = async |client: &Client, task: &str, id: &str| {
            let config = json!({ "id": id, "taskId": task, "url": "https://hooks.example.org/a" });
            a2a(client, &format!("/a2a/plexus/calc/rest/tasks/{task}/pushNotificationConfigs"), &config).await
        };
        let task = ask(&ada).await;
        tell(&ada, &task, "one").await.expect(StatusCode::OK);
        tell(&ada, &task, "one").await.expect(StatusCode::OK);
        let refused = tell(&ada, &ask(&ada).await, "two").await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.body.contains("Your account has 1 of at most 1 webhooks"), "{}", refused.body);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "CreateTaskPushNotificationConfig",
                           "params": { "id": "two", "taskId": task, "url": "https://hooks.example.org/a" } });
        a2a(&ada, "/a2a/plexus/calc/", &body).await.expect(StatusCode::TOO_MANY_REQUESTS);
        tell(&eve, &ask(&eve).await, "one").await.expect(StatusCode::OK);
        let gone = ada.request(Method::DELETE, &format!("/a2a/plexus/calc/rest/tasks/{task}/pushNotificationConfigs/one"));
        ada.send(gone.header("A2A-Version", "1.0")).await.expect(StatusCode::OK);
        tell(&ada, &task, "two").await.expect(StatusCode::OK);
    }

    async fn an_operator_sees_who_stores_most(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &"1".repeat(50_000)).await;
        answer_after(&ada, &said.chat, 0).await;
        let page = boss.get("/admin").await;
        page.says("Largest accounts");
        page.says("/admin/users?q=ada");
        assert!((50_000..200_000).contains(&used(&ada, "bytes").await.0));
    }
}
