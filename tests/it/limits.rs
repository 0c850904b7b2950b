//! Tests of rate limits: excess requests are refused with the time to wait, and other users are not affected.

use axum::{Json, Router, routing::post};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    clerk,
    client::{Answer, Client, new_id, text_of},
    events::answer_after,
    http_endpoints,
    hub::{Hub, on_both},
    rpc, rpc_socket,
    tokens::make,
};

/// Asserts a rate-limit error of `/api/v1` with its retry time. Returns its text.
#[track_caller]
fn limited(answer: Answer) -> String {
    let seconds: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!(seconds > 0);
    let error = answer.expect(StatusCode::TOO_MANY_REQUESTS).json()["error"].clone();
    assert_eq!(error["code"], "rate_limited", "{error}");
    assert!(error["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{error}");
    text_of(&error["message"])
}

/// Asserts the same for a page.
#[track_caller]
fn limited_page(answer: Answer, words: &str) {
    assert!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
    answer.expect(StatusCode::TOO_MANY_REQUESTS).says(words);
}

async fn program(person: &Client) -> Client {
    person.with_token(&make(person, &["read", "chat", "agents", "team"]).await)
}

fn attached(name: &str) -> Value {
    json!({ "name": name, "attached": true, "title": name, "summary": "A program." })
}

async fn token(hub: &Hub, client: &str, code: &str) -> Answer {
    let fields = [("grant_type", "authorization_code"), ("client_id", client), ("code", code)];
    let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let visitor = hub.visitor();
    let request = visitor.request(Method::POST, "/oauth/token");
    visitor.send(request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)).await
}

on_both! {
    async fn agents_are_registered_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_REGISTRATIONS", "1/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let program = program(&ada).await;
        ada.call(Method::POST, "/agents", &attached("one")).await.expect(StatusCode::CREATED);
        let words = limited(ada.call(Method::POST, "/agents", &attached("two")).await);
        assert_eq!(words, "Too many new agents from here. Try again in 60 minutes.");
        assert_eq!(rpc::code(&program, "agents.register", attached("two")).await, -32_029);
        eve.call(Method::POST, "/agents", &attached("one")).await.expect(StatusCode::CREATED);
    }

    async fn the_registry_of_mcp_servers_is_read_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_CATALOGS", "2/1h"), ("PLEXUS_TRUSTED_PROXIES", "127.0.0.1")]) {
        let [one, other] = ["198.51.100.1", "198.51.100.2"].map(|address| Client::from_address(hub.origin(), address));
        for _ in 0..2 {
            one.get("/v0.1/servers").await.expect(StatusCode::OK);
        }
        for path in ["/v0.1/servers", "/v0.1/servers/x/versions", "/v0.1/servers/x/versions/latest"] {
            let refused = one.get(path).await.expect(StatusCode::TOO_MANY_REQUESTS);
            assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{path}");
            refused.says("Too many searches of the catalog");
        }
        other.get("/v0.1/servers").await.expect(StatusCode::OK);
    }

    async fn agents_of_all_are_registered_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_REGISTRATIONS_TOTAL", "1/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        ada.call(Method::POST, "/agents", &attached("one")).await.expect(StatusCode::CREATED);
        limited(eve.call(Method::POST, "/agents", &attached("one")).await);
    }

    async fn agents_are_changed_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_AGENT_CHANGES", "2/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        for person in [&ada, &eve] {
            person.call(Method::POST, "/agents", &attached("one")).await.expect(StatusCode::CREATED);
        }
        for visibility in ["public", "private"] {
            ada.call(Method::PATCH, "/agents/ada/one", &json!({ "visibility": visibility })).await.expect(StatusCode::OK);
        }
        limited(ada.call(Method::PATCH, "/agents/ada/one", &json!({ "visibility": "public" })).await);
        let program = program(&ada).await;
        let change = json!({ "agent": "@ada/one", "visibility": "public" });
        assert_eq!(rpc::code(&program, "agents.update", change).await, -32_029);
        eve.call(Method::PATCH, "/agents/eve/one", &json!({ "visibility": "public" })).await.expect(StatusCode::OK);
    }

    async fn stars_are_given_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_STARS", "1/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let turn = async |client: &Client, method: Method| {
            client.send(client.request(method, "/api/v1/agents/plexus/calc/star").header("origin", client.origin())).await
        };
        turn(&ada, Method::PUT).await.expect(StatusCode::NO_CONTENT);
        limited(turn(&ada, Method::DELETE).await);
        limited_page(ada.post("/@plexus/calc/star", &[("star", "no")]).await, "Too many stars");
        turn(&eve, Method::PUT).await.expect(StatusCode::NO_CONTENT);
    }

    async fn people_search_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_SEARCHES", "1/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        ada.get("/api/v1/agents?q=calc").await.expect(StatusCode::OK);
        limited(ada.get("/api/v1/agents?q=calc").await);
        limited_page(ada.get("/agents?q=calc").await, "Too many searches from here.");
        assert_eq!(rpc::code(&program(&ada).await, "agents.search", json!({ "q": "calc" })).await, -32_029);
        eve.get("/agents?q=calc").await.expect(StatusCode::OK);
        hub.visitor().get("/agents?q=calc").await.expect(StatusCode::OK);
    }

    async fn strangers_search_so_often_from_one_address(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_SEARCHES_ANONYMOUS", "1/1h"), ("PLEXUS_TRUSTED_PROXIES", "127.0.0.1")]) {
        let ada = hub.person("ada").await;
        let visitor = hub.visitor();
        let from = async |address: &str| {
            visitor.send(visitor.request(Method::GET, "/api/v1/agents?q=calc").header("x-forwarded-for", address)).await
        };
        from("192.0.2.1").await.expect(StatusCode::OK);
        limited(from("192.0.2.1").await);
        from("192.0.2.2").await.expect(StatusCode::OK);
        ada.get("/agents?q=calc").await.expect(StatusCode::OK);
    }

    async fn strangers_search_so_often_together(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_SEARCHES_ANONYMOUS_TOTAL", "1/1h"), ("PLEXUS_TRUSTED_PROXIES", "127.0.0.1")]) {
        let ada = hub.person("ada").await;
        let visitor = hub.visitor();
        let from = async |path: &str, address: &str| {
            visitor.send(visitor.request(Method::GET, path).header("x-forwarded-for", address)).await
        };
        from("/api/v1/agents?q=calc", "192.0.2.1").await.expect(StatusCode::OK);
        limited(from("/api/v1/agents?q=calc", "192.0.2.2").await);
        limited_page(from("/agents?q=calc", "192.0.2.3").await, "Too many searches without an account");
        ada.get("/agents?q=calc").await.expect(StatusCode::OK);
    }

    async fn requests_of_one_caller_are_so_many(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_REQUESTS", "12/1h")]) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let program = ada.with_token(&make(&ada, &["read", "chat"]).await);
        let mut seen = 0;
        let refused = loop {
            let answer = ada.get("/api/v1/chats").await;
            if answer.status != StatusCode::OK {
                break answer;
            }
            seen += 1;
        };
        assert!((1..=12).contains(&seen), "{seen}");
        assert!(limited(refused).starts_with("Too many requests from here."));
        limited_page(ada.get("/settings/account").await, "Too many requests from here.");
        let refused = program.get("/v1/models").await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.json()["error"]["code"], "rate_limit_exceeded");
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": { "id": "x" } });
        let refused = program.send(program.request(Method::POST, "/a2a/plexus/calc/").header("A2A-Version", "1.0").json(&body)).await;
        refused.expect(StatusCode::TOO_MANY_REQUESTS);
        let refused = program.send(program.request(Method::POST, "/rpc").json(&body)).await;
        let refused = refused.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.json()["error"]["code"], json!(-32_029));
        eve.get("/api/v1/chats").await.expect(StatusCode::OK);
    }

    async fn wrong_tokens_of_one_address_are_so_many(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_INVALID_TOKENS", "2/1h")]) {
        let ada = hub.person("ada").await;
        let (wrong, good) = (ada.with_token("plx_wrong"), program(&ada).await);
        for path in ["/api/v1/chats", "/v1/models"] {
            wrong.get(path).await.expect(StatusCode::UNAUTHORIZED);
        }
        limited(wrong.get("/api/v1/chats").await);
        let refused = wrong.get("/v1/models").await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(!refused.header("retry-after").is_empty());
        good.get("/api/v1/chats").await.expect(StatusCode::OK);
    }

    async fn tokens_are_asked_for_so_often_from_one_address(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_TOKEN_REQUESTS", "2/1h")]) {
        for client in ["https://one.example/", "https://two.example/"] {
            token(hub, client, "guess").await.expect(StatusCode::BAD_REQUEST);
        }
        let refused = token(hub, "https://three.example/", "guess").await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.json()["error"], "temporarily_unavailable");
        let visitor = hub.visitor();
        let revoke = visitor.request(Method::POST, "/oauth/revoke").header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        visitor.send(revoke.body("token=guess")).await.expect(StatusCode::TOO_MANY_REQUESTS);
        hub.person("ada").await;
    }

    async fn wrong_codes_of_one_client_are_so_many(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_INVALID_GRANTS", "1/1h")]) {
        token(hub, "https://one.example/", "guess").await.expect(StatusCode::BAD_REQUEST);
        let refused = token(hub, "https://one.example/", "guess").await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(!refused.header("retry-after").is_empty());
        token(hub, "https://two.example/", "guess").await.expect(StatusCode::BAD_REQUEST);
    }

    async fn methods_are_called_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_RPC_CALLS", "3/1h")]) {
        let (ada, eve) = (program(&hub.person("ada").await).await, program(&hub.person("eve").await).await);
        let one = rpc::request("account.get", json!({}));
        let batch = rpc::ask(&ada, &json!([one, one, one, one])).await;
        let codes: Vec<_> = batch.as_array().expect("a batch").iter().map(|answer| answer["error"]["code"].clone()).collect();
        assert_eq!(codes, [Value::Null, Value::Null, Value::Null, json!(-32_029)], "each of a batch counts");
        let refused = rpc::ask(&ada, &one).await;
        assert!(refused["error"]["data"]["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{refused}");
        rpc::call(&eve, "account.get", json!({})).await;
    }

    async fn methods_are_called_so_often_on_one_connection(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_RPC_CALLS_PER_CONNECTION", "2/1h")]) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["read"]).await;
        let mut socket = rpc_socket::open(hub, &token).await;
        let mut codes = Vec::new();
        for _ in 0..3 {
            rpc_socket::say(&mut socket, &rpc::request("account.get", json!({}))).await;
            codes.push(rpc_socket::heard(&mut socket).await["error"]["code"].clone());
        }
        assert_eq!(codes, [Value::Null, Value::Null, json!(-32_029)]);
        let mut other = rpc_socket::open(hub, &token).await;
        rpc_socket::say(&mut other, &rpc::request("account.get", json!({}))).await;
        assert_eq!(rpc_socket::heard(&mut other).await["result"]["name"], "ada");
        rpc::call(&ada.with_token(&token), "account.get", json!({})).await;
    }

    async fn addresses_that_are_not_proved_are_tried_seldom(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_TEST_MESSAGES", "1/1h")]) {
        let echo = post(async |Json(body): Json<Value>| body["said"].to_string());
        let origin = http_endpoints::serve(Router::new().route("/", echo)).await;
        let grace = hub.administrator("grace").await;
        let new = |name: &str, trust_origins: bool| {
            let request = json!({ "url": origin, "body": { "said": "{{message}}" } });
            json!({ "request": request, "name": name, "title": name, "test_message": "Hello", "trust_origins": trust_origins })
        };
        grace.call(Method::POST, "/agents", &new("one", false)).await.expect(StatusCode::CREATED);
        let words = limited(grace.call(Method::POST, "/agents", &new("two", false)).await);
        assert!(words.starts_with("Too many test messages to an unverified origin from here."), "{words}");
        assert_eq!(rpc::code(&program(&grace).await, "agents.register", new("three", false)).await, -32_029);
        grace.call(Method::POST, "/agents", &new("four", true)).await.expect(StatusCode::CREATED);
    }

    async fn so_many_bytes_of_files_come_at_once(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_FILE_KIB", "100/1h")]) {
        let file = clerk::file("tide.txt", "text/plain", &"x".repeat(80_000));
        let url = clerk::serve(vec![clerk::words("Here it is."), file]).await;
        clerk::register(&hub.administrator("boss").await, &url, "clerk").await;
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let first = ada.begin("@boss/clerk", "Send it").await;
        assert_eq!(answer_after(&ada, &first.chat, 0).await["state"], "done");
        let second = ada.begin("@boss/clerk", "Send it").await;
        let answer = answer_after(&ada, &second.chat, 0).await;
        assert_eq!(answer["state"], "failed", "{answer}");
        assert!(text_of(&answer["run"]["failure"]["message"]).contains("Too many files from here."), "{answer}");
        assert!(answer.to_string().contains("Here it is.") && !answer.to_string().contains("\"blob\""), "{answer}");

        let upload = json!({ "message": { "messageId": new_id(), "role": "ROLE_USER", "parts": [
            { "text": "1 + 1" }, { "raw": clerk::base64_of(&"1".repeat(60_000)), "filename": "a.txt", "mediaType": "text/plain" }] } });
        let send = async |client: &Client| {
            let request = client.request(Method::POST, "/a2a/plexus/calc/rest/message:send").header("A2A-Version", "1.0");
            client.send(request.json(&upload)).await
        };
        let refused = send(&program(&ada).await).await.expect(StatusCode::TOO_MANY_REQUESTS);
        assert!(!refused.header("retry-after").is_empty(), "{}", refused.body);
        let other = send(&program(&eve).await).await;
        assert_ne!(other.status, StatusCode::TOO_MANY_REQUESTS, "{}", other.body);
    }
}
