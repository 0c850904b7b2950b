//! Tests of several model servers behind one hub, each a separate process: agents can use the models of any
//! server, and a fallback answers if one is down.

use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    events::{answer_after, text_in},
    hub::{self, Given, Hub},
    mcp_tools::{Server, start},
    process::{plexus, stderr, stdout},
};

/// URL with a port without a listener.
const NOWHERE: &str = "http://127.0.0.1:9/v1";

/// Starts a server with a fixed answer length, by which tests recognise it.
async fn server(words: &str) -> Server {
    start(Path::new("node"), "model/scripted.mjs", &["--tokens", words, "--rate", "0"]).await
}

/// Leaks a setting, since settings need a static lifetime.
fn kept(text: &str) -> &'static str {
    text.to_owned().leak()
}

async fn register(grace: &Client, name: &str, model: &str) {
    let new = json!({ "name": name, "summary": "Counts.", "instructions": "Count.", "model": model });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}

async fn answer(grace: &Client, name: &str) -> Value {
    let said = grace.begin(&format!("@grace/{name}"), "Count.").await;
    answer_after(grace, &said.chat, 0).await
}

#[track_caller]
fn says(answer: &Value, text: &str) {
    assert_eq!((text_of(&answer["state"]).as_str(), text_in(answer)), ("done", text), "{answer}");
}

#[tokio::test]
async fn agents_use_models_of_any_provider_and_the_fallback_answers_for_one_that_dies() {
    let (first, side, last) = (server("2").await, server("3").await, server("4").await);
    let more =
        format!("{{ side = {{ base_url = \"{}\", models = [\"other\"], price = \"1/1\" }} }}", side.url);
    let settings: [Given; 4] = [
        ("PLEXUS_LLM_BASE_URL", kept(&first.url)),
        ("PLEXUS_LLM_MODEL", "scripted"),
        ("PLEXUS_LLM_PROVIDERS", kept(&more)),
        ("PLEXUS_LLM_FALLBACK_BASE_URL", kept(&last.url)),
    ];
    hub::run(None, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        assert_eq!(grace.api("/models").await["models"], json!(["scripted", "side/other"]));
        grace.get("/register/instructions").await.expect(StatusCode::OK).says("side/other");
        unknown_models_are_refused(&grace).await;
        register(&grace, "own", "scripted").await;
        register(&grace, "aside", "side/other").await;
        says(&answer(&grace, "own").await, "t1 t2 ");
        let priced = answer(&grace, "aside").await;
        says(&priced, "t1 t2 t3 ");
        let usage = &priced["run"]["usage"];
        let tokens = usage["tokens_in"].as_u64().zip(usage["tokens_out"].as_u64());
        assert_eq!(usage["cost_micro"].as_u64(), tokens.map(|(sent, came)| sent + came), "{priced}");

        side.kill().await;
        let free = answer(&grace, "aside").await;
        says(&free, "t1 t2 t3 t4 ");
        assert_eq!(free["run"]["usage"]["cost_micro"], 0, "{free}");
        says(&answer(&grace, "own").await, "t1 t2 ");
        first.kill().await;
        says(&answer(&grace, "own").await, "t1 t2 t3 t4 ");
        last.kill().await;
        let failed = answer(&grace, "own").await;
        assert_eq!(failed["run"]["failure"]["class"], "unreachable", "{failed}");
    })
    .await;
}

async fn unknown_models_are_refused(grace: &Client) {
    for model in ["other", "side/scripted", "elsewhere/other"] {
        let new = json!({ "name": "wrong", "summary": "x", "instructions": "x", "model": model });
        let refused =
            grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
        assert_eq!(refused["error"]["field"], "model", "{refused}");
    }
}

#[tokio::test]
async fn a_provider_of_the_same_model_is_asked_before_the_fallback() {
    let (same, last) = (server("3").await, server("4").await);
    let more = format!("{{ same = {{ base_url = \"{}\", models = [\"scripted\"] }} }}", same.url);
    let settings: [Given; 4] = [
        ("PLEXUS_LLM_BASE_URL", NOWHERE),
        ("PLEXUS_LLM_MODEL", "scripted"),
        ("PLEXUS_LLM_PROVIDERS", kept(&more)),
        ("PLEXUS_LLM_FALLBACK_BASE_URL", kept(&last.url)),
    ];
    hub::run(None, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        register(&grace, "own", "scripted").await;
        says(&answer(&grace, "own").await, "t1 t2 t3 ");
        same.kill().await;
        says(&answer(&grace, "own").await, "t1 t2 t3 t4 ");
    })
    .await;
}

#[tokio::test]
async fn wrong_settings_are_named_at_the_start_and_no_key_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    for (first, more, words) in [
        (
            NOWHERE,
            "{ \"a b\" = { base_url = \"http://127.0.0.1:9/v1\" } }",
            "llm_providers.a b: invalid model server name",
        ),
        (NOWHERE, "{ a = { base_url = \"nowhere\", api_key = \"sk-secret\" } }", "llm_providers.a.base_url"),
        (NOWHERE, "{ a = { api_key = \"sk-secret\" } }", "llm_providers.a needs base_url"),
        (
            NOWHERE,
            "{ a = { base_url = \"http://127.0.0.1:9/v1\", api_key = \"sk-secret }",
            "llm_providers is not a table",
        ),
    ] {
        let flags = ["serve", "--listen", "127.0.0.1:0", "--llm-base-url", first, "--llm-providers", more];
        let output = plexus(folder.path(), &flags).await;
        assert_eq!(output.status.code(), Some(1), "{more}");
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains(words) && !said.contains("sk-secret"), "{more}: {said}");
    }
}

#[tokio::test]
async fn the_doctor_asks_each_provider_and_config_hides_their_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let alive = server("1").await;
    let file = format!(
        "llm_base_url = \"{url}\"\n[llm_providers.alive]\nbase_url = \"{url}\"\napi_key = \"sk-secret\"\n\
         [llm_providers.dead]\nbase_url = \"{NOWHERE}\"\napi_key = \"sk-secret\"\n",
        url = alive.url
    );
    std::fs::write(folder.path().join("plexus.toml"), file).expect("written");
    let doctor = plexus(folder.path(), &["doctor"]).await;
    let said = stdout(&doctor) + &stderr(&doctor);
    assert_eq!(doctor.status.code(), Some(1), "{said}");
    for (mark, words) in [
        ("ok  ", "llm_base_url: answers, and lists 1 models"),
        ("ok  ", "llm_providers.alive: answers, and lists 1 models"),
        ("FAIL", "llm_providers.dead: No connection to 127.0.0.1:9"),
    ] {
        let line = said.lines().find(|line| line.contains(words));
        assert!(line.is_some_and(|line| line.starts_with(mark)), "{words}: {said}");
    }
    let config = plexus(folder.path(), &["config"]).await;
    let shown = stdout(&config) + &stderr(&config);
    assert!(
        shown.contains("PLEXUS_LLM_PROVIDERS") && shown.contains("(set, not shown)  (plexus.toml)"),
        "{shown}"
    );
    assert!(!said.contains("sk-secret") && !shown.contains("sk-secret"));
}
