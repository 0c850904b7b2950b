//! Tests of HTTP endpoint agents, registered over pages, the API and the command line.

use std::{
    convert::Infallible,
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    body::Body,
    extract::Path,
    http::header,
    response::{IntoResponse, Response},
    routing::post,
};
use futures::stream;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    chat::seq,
    client::{Answer, Client, PASSWORD, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
    process::{Process, plexus, stderr, stdout},
};

/// Starts a server in this process and returns its origin.
pub async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    origin
}

/// Streams the question back in the format of Open Interpreter's server: server-sent events labelled as JSON
/// lines.
pub async fn interpreter(Json(body): Json<Value>) -> Response {
    let asked = body["messages"].as_array().and_then(|all| all.last()).map(|last| text_of(&last["content"]));
    let words: Vec<String> = asked.unwrap_or_default().split(' ').map(str::to_owned).collect();
    let event = |word: String| {
        let choice = json!({ "delta": { "role": "assistant", "content": format!("{word}.") } });
        Ok::<_, Infallible>(format!("data: {}\n\n", json!({ "id": 1.5, "choices": [choice] })))
    };
    let body = Body::from_stream(stream::iter(words.into_iter().map(event)));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// Server of the Agent Protocol whose tasks take three steps.
fn stepwise() -> Router {
    let steps = Arc::new(AtomicUsize::new(0));
    let step = move |Path(task): Path<String>| async move {
        let number = steps.fetch_add(1, Ordering::Relaxed) % 3;
        Json(json!({ "task_id": task, "output": format!("{task}: step {number}"), "is_last": number == 2 }))
    };
    let begin = async |Json(body): Json<Value>| {
        Json(json!({ "task_id": format!("task-{}", text_of(&body["input"])) }))
    };
    Router::new()
        .route("/ap/v1/agent/tasks", post(begin))
        .route("/ap/v1/agent/tasks/{task}/steps", post(step))
}

async fn asked(client: &Client, agent: &str, text: &str) -> Value {
    let said = client.begin(agent, text).await;
    answer_after(client, &said.chat, 0).await
}

on_both! {
    async fn an_endpoint_is_registered_through_pages(hub: &Hub) {
        let origin = serve(Router::new().route("/openai/chat/completions", post(interpreter))).await;
        let grace = hub.administrator("grace").await;
        grace.get("/register").await.says("/register/http");
        let form = grace.get("/register/http?preset=open-interpreter").await.expect(StatusCode::OK);
        form.says("/openai/chat/completions");
        form.says("{{messages}}");

        let url = format!("{origin}/openai/chat/completions");
        let body = "{\"messages\": \"{{messages}}\", \"stream\": true}";
        let mut fields = vec![
            ("name", "oi"), ("title", "Interpreter"), ("summary", "Runs code."), ("method", "POST"), ("url", url.as_str()),
            ("headers", "X-From: plexus\n"), ("response_format", "events"), ("response_path", "/choices/0/delta/content"),
            ("auth", "none"), ("credentials", "shared"),
        ];
        let wrong = with(&fields, ("body", "{\"messages\": {{messages}}}"));
        let refused = grace.post("/register/http", &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("f-body-error");
        refused.says("Put placeholders in quotes.");
        refused.says("X-From: plexus");
        fields.push(("body", body));
        let place = next(grace.post("/register/http", &fields).await);
        assert!(place.ends_with("/proof"), "{place}");
        grace.get(&place).await.says("Verify that you control each origin");
        let trust = [("action", "trust_origin"), ("origin", origin.as_str())];
        assert_eq!(next(grace.post(&place, &trust).await), place);
        let place = next(grace.post(&place, &[("action", "continue")]).await);
        grace.get(&place).await.says("Try it");

        let tried = next(grace.post(&place, &[("action", "try"), ("message", "one *two*")]).await);
        let shown = grace.get(&tried).await;
        shown.says("It answered within");
        shown.says("one.<em>two</em>.");
        let empty = grace.post(&place, &[("action", "try"), ("message", "")]).await;
        empty.expect(StatusCode::UNPROCESSABLE_ENTITY).says("1 to 4,000 characters");
        let place = next(grace.post(&place, &[("action", "continue")]).await);
        let done = grace.post(&place, &[("visibility", "public"), ("access", "accounts")]).await;
        grace.get(&next(done)).await.says("Interpreter is registered");

        let ada = hub.person("ada").await;
        assert_eq!(text_in(&asked(&ada, "@grace/oi", "three four").await), "three.four.");
        let page = ada.get("/@grace/oi").await;
        page.says("HTTP");
        ada.get("/@grace/oi/edit").await.expect(StatusCode::FORBIDDEN);

        grace.get("/@grace/oi/edit").await.says("/choices/0/delta/content");
        let edited = with(&with(&fields, ("response_path", "/id")), ("title", "Numbers"));
        assert_eq!(next(grace.post("/@grace/oi/edit", &edited).await), "/@grace/oi");
        assert_eq!(text_in(&asked(&ada, "@grace/oi", "three four").await), "1.51.5");
        let asking = with(&fields, ("question_suffix", "four."));
        assert_eq!(next(grace.post("/@grace/oi/edit", &asking).await), "/@grace/oi");
        assert_eq!(asked(&ada, "@grace/oi", "three four").await["run"]["state"], "input_required");
        grace.get("/@grace/oi/edit").await.says("value=\"four.\"");
        let wrong = grace.post("/@grace/oi/edit", &with(&fields, ("response_path", "id"))).await;
        wrong.expect(StatusCode::UNPROCESSABLE_ENTITY).says("f-response_path-error");
    }

    async fn a_conversation_keeps_its_id_and_no_other_has_it(hub: &Hub) {
        let echo = post(async |Json(body): Json<Value>| body["said"].to_string());
        let origin = serve(Router::new().route("/", echo)).await;
        let grace = hub.administrator("grace").await;
        let request = json!({ "url": origin, "body": { "said": ["{{conversation}}", "{{message}}"] } });
        let new = json!({ "request": request, "name": "echo", "visibility": "public", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let ada = hub.person("ada").await;
        let said = ada.begin("@grace/echo", "one").await;
        let first = answer_after(&ada, &said.chat, 0).await["parts"][0]["data"].clone();
        let so_far = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "two").await;
        let second = answer_after(&ada, &said.chat, so_far).await["parts"][0]["data"].clone();
        assert_eq!((&first[0], &second[0]), (&second[0], &first[0]));
        assert_eq!((&first[1], &second[1]), (&json!("one"), &json!("two")), "it is told what it has not heard");
        let other = asked(&ada, "@grace/echo", "one").await["parts"][0]["data"].clone();
        assert_ne!(other[0], first[0]);
    }

    async fn an_endpoint_that_is_down_is_named_with_the_cause_in_words(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let request = json!({ "url": "http://127.0.0.1:1/", "body": { "said": "{{message}}" } });
        let new = json!({ "request": request, "name": "down", "visibility": "public", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let answer = asked(&hub.person("ada").await, "@grace/down", "one").await;
        assert_eq!(
            answer["run"]["failure"]["message"],
            "@grace/down is not reachable right now. Try again later, or tell its owner: No connection to the \
             agent's endpoint (connection refused). Check the address, and that it is running."
        );
    }

    async fn a_chat_whose_agent_asks_waits_for_its_user(hub: &Hub) {
        let echo = post(async |Json(body): Json<Value>| body["said"].to_string());
        let origin = serve(Router::new().route("/", echo)).await;
        let grace = hub.administrator("grace").await;
        let request = json!({ "url": origin, "body": { "said": "{{message}}" }, "question_suffix": "?" });
        let new = json!({ "request": request, "name": "asks", "visibility": "public", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let ada = hub.person("ada").await;
        let said = ada.begin("@grace/asks", "How long?").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        assert_eq!(answer["run"]["state"], "input_required", "{answer}");
        let listed = ada.api("/chats").await["items"][0].clone();
        assert_eq!((&listed["running"], &listed["waiting"]), (&json!(false), &json!(true)), "{listed}");
        let page = ada.get(&format!("/chat/{}", said.chat)).await;
        page.says("<title>Waiting for you: How long?");
        page.says("Waiting for your reply.");
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "Two").await;
        answer_after(&ada, &said.chat, at).await;
        assert_eq!(ada.api("/chats").await["items"][0]["waiting"], json!(false));
        let page = ada.get(&format!("/chat/{}", said.chat)).await;
        page.says("<title>How long?");
        assert!(!page.body.contains("Waiting for your reply."));
    }

    async fn an_endpoint_is_registered_through_the_api(hub: &Hub) {
        let origin = serve(stepwise()).await;
        let grace = hub.administrator("grace").await;
        let new = json!({ "url": origin, "preset": "agent-protocol", "name": "auto", "visibility": "public",
                          "trust_origins": true });
        let made = grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED).json();
        assert_eq!((&made["kind"], &made["protocol"]), (&json!("http"), &json!("HTTP")));
        assert_eq!((&made["verified"], &made["title"]), (&json!(true), &json!("auto")));
        let answer = asked(&hub.person("ada").await, "@grace/auto", "x").await;
        assert_eq!(text_in(&answer), "task-x: step 0\n\ntask-x: step 1\n\ntask-x: step 2");

        let request = json!({ "url": format!("{origin}/nowhere"), "body": { "q": "{{message}}" }, "response_path": "/a" });
        let tried = json!({ "request": request, "name": "lost", "test_message": "hello" });
        let refused = grace.call(Method::POST, "/agents", &tried).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
        assert_eq!(refused["error"]["field"], "test_message", "{refused}");
        assert!(text_of(&refused["error"]["message"]).contains("has nothing at this address (404)"), "{refused}");
        for (field, change) in [
            ("body", json!({ "body": { "q": 1 } })),
            ("headers", json!({ "headers": { "Host": "x" } })),
            ("init_url", json!({ "init_id_path": "/id" })),
            ("url", json!({ "url": "ftp://x/" })),
        ] {
            let mut wrong = request.clone();
            wrong.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
            let sent = json!({ "request": wrong, "name": "wrong" });
            let refused = grace.call(Method::POST, "/agents", &sent).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
            assert_eq!(refused["error"]["field"], field, "{refused}");
        }
        let unknown = json!({ "request": { "urls": "x" }, "name": "wrong" });
        grace.call(Method::POST, "/agents", &unknown).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let both = json!({ "request": request, "instructions": "Be brief.", "name": "both" });
        grace.call(Method::POST, "/agents", &both).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
}

/// Returns the fields with one value replaced.
fn with<'a>(fields: &[(&'a str, &'a str)], changed: (&'a str, &'a str)) -> Vec<(&'a str, &'a str)> {
    fields.iter().copied().filter(|(name, _)| *name != changed.0).chain([changed]).collect()
}

#[track_caller]
fn next(answer: Answer) -> String {
    answer.expect(StatusCode::SEE_OTHER).location().to_owned()
}

#[tokio::test]
async fn an_endpoint_is_registered_from_the_command_line() {
    let origin = serve(Router::new().route("/openai/chat/completions", post(interpreter))).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let link = hub.link().await;
    let token = link.split_once("admin=").expect("a token").1.to_owned();
    let grace = Client::new(&hub.origin);
    let fields = [("name", "grace"), ("password", PASSWORD), ("admin", &token)];
    grace.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);

    let like = [
        "agent",
        "register",
        &origin,
        "--name",
        "oi",
        "--preset",
        "open-interpreter",
        "--trust-origins",
        "--test-message",
        "hi",
    ];
    let made = plexus(folder.path(), &like).await;
    assert_eq!(stdout(&made), "@grace/oi is registered (private).\n", "{}", stderr(&made));
    assert_eq!(text_in(&asked(&grace, "@grace/oi", "one two").await), "one.two.");

    let request = json!({ "body": { "messages": "{{messages}}" }, "response_format": "events", "response_path": "/id" });
    let file = folder.path().join("request.json");
    fs::write(&file, request.to_string()).expect("written");
    let (url, file) = (format!("{origin}/openai/chat/completions"), file.to_str().expect("a path"));
    let called = [
        "agent",
        "register",
        &url,
        "--name",
        "ids",
        "--request-template",
        file,
        "--title",
        "Ids",
        "--tags",
        "number",
    ];
    let made = plexus(folder.path(), &called).await;
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert_eq!(grace.api("/agents/grace/ids").await["tags"], json!(["number"]));
    assert_eq!(text_in(&asked(&grace, "@grace/ids", "one").await), "1.5");
    let dead = [
        "agent",
        "register",
        "http://127.0.0.1:1",
        "--name",
        "dead",
        "--preset",
        "openai",
        "--test-message",
        "hi",
    ];
    let refused = plexus(folder.path(), &dead).await;
    assert!(stderr(&refused).contains("No connection to the agent's endpoint"), "{}", stderr(&refused));
    hub.kill().await;
}
