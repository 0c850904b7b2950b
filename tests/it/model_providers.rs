//! Tests of model providers that administrators connect while the hub runs: on the pages and on the command line.

use std::{
    fs,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    client::{Answer, Client, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
    process::{Process, plexus, stderr, stdout},
};

const KEY: &str = "sk-secret-1";

/// Starts a model server that requires an API key, or none. It lists an embeddings model and a chat model, which says
/// what it was asked and calls the tool that it is offered. Returns its base URL.
async fn model_server(key: Option<&'static str>) -> String {
    let models = json!({ "object": "list", "data": [{ "id": "nomic-embed" }, { "id": "small" }] });
    let router = Router::new()
        .route(
            "/v1/models",
            get(move |headers: HeaderMap| async move {
                if is_allowed(&headers, key) { Json(models).into_response() } else { refused() }
            }),
        )
        .route(
            "/v1/chat/completions",
            post(move |headers: HeaderMap, Json(body): Json<Value>| async move {
                if is_allowed(&headers, key) { completion(&body) } else { refused() }
            }),
        );
    serve(router).await
}

/// Serves a router whose paths begin with `/v1`. Returns the base URL.
pub async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    base
}

fn is_allowed(headers: &HeaderMap, key: Option<&str>) -> bool {
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    key.is_none_or(|key| shown == Some(&format!("Bearer {key}")))
}

fn refused() -> Response {
    (Status::UNAUTHORIZED, Json(json!({ "error": { "message": "no such key" } }))).into_response()
}

fn completion(body: &Value) -> Response {
    if body["model"] != "small" {
        return (Status::BAD_REQUEST, Json(json!({ "error": { "message": "cannot chat" } }))).into_response();
    }
    let delta = match body["tools"][0]["function"]["name"].as_str() {
        Some(tool) => {
            json!({ "tool_calls": [{ "index": 0, "id": "1", "function": { "name": tool, "arguments": "{}" } }] })
        }
        None => json!({ "content": "I am small." }),
    };
    let chunk = json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] });
    ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {chunk}\n\ndata: [DONE]\n\n"))
        .into_response()
}

async fn connect(client: &Client, fields: &[(&str, &str)]) -> Answer {
    client.post("/admin/models", fields).await
}

async fn act(client: &Client, name: &str, fields: &[(&str, &str)]) -> Answer {
    client.post(&format!("/admin/models/{name}"), fields).await
}

async fn answer(client: &Client, agent: &str) -> Value {
    let said = client.begin(agent, "Who are you?").await;
    answer_after(client, &said.chat, 0).await
}

/// Starts a model server that accepts requests and never answers. Returns its base URL.
async fn silent_server() -> &'static str {
    serve(Router::new().fallback(std::future::pending::<()>)).await.leak()
}

on_both! {
    async fn a_server_that_does_not_answer_holds_no_form(hub: &Hub, [
        ("PLEXUS_LLM_BASE_URL", silent_server().await), ("PLEXUS_LLM_MODEL", "small"),
    ]) {
        let boss = hub.administrator("boss").await;
        let begun = Instant::now();
        for name in ["first", "second", "third"] {
            let agent = json!({ "name": name, "summary": "x", "instructions": "Answer." });
            boss.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        }
        boss.get("/register/instructions").await.expect(StatusCode::OK);
        assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    }

    async fn an_administrator_connects_a_provider_and_agents_run_on_it(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        grace.get("/register/instructions").await.expect(StatusCode::OK).says("Connect a model");
        let url = model_server(Some(KEY)).await;
        let new = [("name", "Cellar"), ("base_url", url.as_str()), ("price", "1/2"), ("context_tokens", "")];
        let with_key = |key| [&new[..], &[("api_key", key)]].concat();

        let wrong = connect(&grace, &with_key("sk-wrong")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        wrong.says("does not accept the API key (401 Unauthorized)");
        assert!(!wrong.body.contains("sk-wrong"), "a key is never shown");
        let connected = connect(&grace, &with_key(KEY)).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(connected.location(), "/admin/models/cellar");
        let page = grace.get("/admin/models/cellar").await.expect(StatusCode::OK);
        page.says("calls tools");
        page.says("nomic-embed");
        assert!(!page.body.contains(KEY));
        let taken = connect(&grace, &with_key(KEY)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        taken.says("A model provider called cellar exists already.");

        let models = grace.api("/models").await["models"].clone();
        assert_eq!(models, json!(["cellar/nomic-embed", "cellar/small"]));
        let agent = json!({ "name": "clerk", "summary": "Answers.", "instructions": "Answer.",
                            "model": "cellar/small", "visibility": "public" });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        let said = answer(&grace, "@grace/clerk").await;
        assert_eq!(text_in(&said), "I am small.", "{said}");
        assert!(said["run"]["usage"]["cost_micro"].as_u64() > Some(0), "{said}");

        for (action, paused, notice) in
            [("pause", true, "The model provider cellar is paused."), ("resume", false, "I am small.")]
        {
            act(&grace, "cellar", &[("action", action)]).await.expect(StatusCode::SEE_OTHER);
            let said = answer(&grace, "@grace/clerk").await;
            let failure = text_of(&said["run"]["failure"]["message"]);
            let shown = if paused { failure.as_str() } else { text_in(&said) };
            assert!(shown.contains(notice), "{said}");
        }
        act(&grace, "cellar", &[("action", "remove")]).await.expect(StatusCode::SEE_OTHER);
        let said = answer(&grace, "@grace/clerk").await;
        let failure = text_of(&said["run"]["failure"]["message"]);
        assert!(failure.contains("The model cellar/small is not available on this hub any more."), "{said}");
        let audit = grace.get("/admin/audit").await.expect(StatusCode::OK);
        for action in ["connect", "pause", "resume", "remove"] {
            audit.says(&format!("model_provider.{action}"));
        }
        assert!(!audit.body.contains(KEY));
    }

    async fn the_key_of_a_provider_goes_to_no_other_server(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (url, other) = (model_server(Some(KEY)).await, model_server(None).await);
        connect(&grace, &[("name", "cellar"), ("base_url", &url), ("api_key", KEY)]).await.expect(StatusCode::SEE_OTHER);
        let moved = [("action", "save"), ("base_url", other.as_str())];
        let refused = act(&grace, "cellar", &moved).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("The address names another server. Enter the API key for it.");
        // Another path on the same server keeps the key.
        let same = format!("{url}/");
        let kept = [("action", "save"), ("base_url", same.as_str()), ("models", "small\n small \n")];
        act(&grace, "cellar", &kept).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(grace.api("/models").await["models"], json!(["cellar/small"]));
        act(&grace, "cellar", &[("action", "test"), ("model", "nomic-embed")]).await.expect(StatusCode::SEE_OTHER);
        grace.get("/admin/models/cellar").await.expect(StatusCode::OK).says("cannot chat");
    }

    async fn only_administrators_manage_providers(hub: &Hub) {
        let _grace = hub.administrator("grace").await;
        let bob = hub.person("bob").await;
        let url = model_server(None).await;
        for path in ["/admin/models", "/admin/models/new", "/admin/models/cellar"] {
            bob.get(path).await.expect(StatusCode::FORBIDDEN);
        }
        connect(&bob, &[("name", "cellar"), ("base_url", &url)]).await.expect(StatusCode::FORBIDDEN);
        bob.get("/register/instructions").await.expect(StatusCode::OK).says("An administrator of this hub can connect one.");
    }

    async fn bad_input_and_bad_servers_are_refused_by_name(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let url = model_server(None).await;
        for (fields, words) in [
            ([("name", "a b"), ("base_url", url.as_str()), ("models", "")], "letters"),
            ([("name", "new"), ("base_url", url.as_str()), ("models", "")], "This name is reserved."),
            ([("name", "cellar"), ("base_url", "ftp://x.example"), ("models", "")], "Enter a URL such as"),
            ([("name", "cellar"), ("base_url", "http://me:pw@x.example"), ("models", "")], "without a user name"),
            ([("name", "cellar"), ("base_url", url.as_str()), ("models", "a\u{202e}b")], "cannot be the name of a model"),
            ([("name", "cellar"), ("base_url", url.as_str()), ("context_tokens", "12")], "from 512 to"),
            ([("name", "cellar"), ("base_url", url.as_str()), ("price", "cheap")], "Enter two numbers"),
            ([("name", "cellar"), ("base_url", url.as_str()), ("api_key", "a b")], "An API key has no spaces"),
        ] {
            let refused = connect(&grace, &fields).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(refused.body.contains(words), "{fields:?}: {words}");
        }
        let large = json!({ "data": [{ "id": "x".repeat(2 << 20) }] }).to_string();
        for (page, words) in [
            ("<html>Welcome</html>".to_owned(), "not a list as in the OpenAI API"),
            (large, "more than the limit"),
            ("{\"data\":[]}".to_owned(), ""),
        ] {
            let server = serve(Router::new().route("/v1/models", get(move || async move { page }))).await;
            let fields = [("name", "odd"), ("base_url", server.as_str())];
            let answered = connect(&grace, &fields).await;
            if words.is_empty() {
                answered.expect(StatusCode::SEE_OTHER);
                grace.get("/admin/models/odd").await.expect(StatusCode::OK).says("The server lists no model.");
            } else {
                answered.expect(StatusCode::UNPROCESSABLE_ENTITY).says(words);
            }
        }
        let nowhere = [("name", "later"), ("base_url", "http://127.0.0.1:9/v1")];
        let refused = connect(&grace, &nowhere).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Connect without a test");
        let anyway = [&nowhere[..], &[("test", "skip")]].concat();
        connect(&grace, &anyway).await.expect(StatusCode::SEE_OTHER);
        grace.get("/admin/models/later").await.expect(StatusCode::OK).says("No connection to 127.0.0.1:9");
    }
}

#[tokio::test]
async fn the_operator_manages_providers_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = model_server(Some(KEY)).await;
    let key_file = folder.path().join("key");
    fs::write(&key_file, format!("{KEY}\n")).expect("written");
    let key_file = key_file.display().to_string();
    let model = async |arguments: &[&str]| {
        let output = plexus(folder.path(), &[&["model"], arguments].concat()).await;
        (output.status.code(), stdout(&output) + &stderr(&output))
    };

    let (code, said) = model(&["connect", "cellar", "--url", &url]).await;
    assert!(code == Some(1) && said.contains("does not accept the API key"), "{said}");
    let (code, said) = model(&["connect", "cellar"]).await;
    assert!(code == Some(1) && said.contains("name it with --url"), "{said}");
    let (code, said) =
        model(&["connect", "cellar", "--url", &url, "--key-file", &key_file, "--model", "small"]).await;
    assert!(code == Some(0) && said.contains("cellar is connected. small answers after"), "{said}");

    let hub = Process::serve(folder.path()).await;
    let (code, said) = model(&["list", "--json"]).await;
    let list: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(
        (code, &list[0]["name"], &list[0]["has_key"]),
        (Some(0), &json!("cellar"), &json!(true)),
        "{said}"
    );
    assert!(!said.contains(KEY));
    let (code, said) = model(&["test", "cellar"]).await;
    assert!(code == Some(0) && said.contains("and calls tools."), "{said}");
    let (code, said) = model(&["test", "cellar", "nomic-embed"]).await;
    assert!(code == Some(1) && said.contains("cannot chat"), "{said}");
    assert_eq!(model(&["pause", "cellar"]).await.0, Some(0));
    assert!(model(&["list"]).await.1.contains("paused"));
    assert_eq!(model(&["remove", "cellar"]).await.0, Some(0));
    let (code, said) = model(&["remove", "cellar"]).await;
    assert!(code == Some(1) && said.contains("No model provider called cellar is connected."), "{said}");
    hub.kill().await;
}
