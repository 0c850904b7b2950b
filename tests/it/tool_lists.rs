//! Tests of MCP servers with faulty tools: a tool that cannot be used is left out and named, the others work.

use std::path::Path;

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode as Status,
    response::{Html, IntoResponse as _, Response},
    routing::any,
};
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    client::{Client, text_of},
    events::answer_after,
    hub::{self, Hub, play_on_both},
    mcp_tools::start,
};

play_on_both!(on);

async fn on(database: Option<Database>) {
    let model = start(Path::new("node"), "model/scripted.mjs", &[]).await;
    let model: &'static str = model.url.clone().leak();
    let settings = [("PLEXUS_LLM_BASE_URL", model), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        a_faulty_tool_is_named_to_its_owner_and_the_others_work(&grace).await;
        a_server_without_usable_tools_is_refused_with_words(&grace).await;
    })
    .await;
}

async fn a_faulty_tool_is_named_to_its_owner_and_the_others_work(grace: &Client) {
    let variants = json!([{ "required": ["a"] }, { "required": ["b"] }]);
    let good = json!({ "name": "tides.lookup", "inputSchema": { "type": "object", "anyOf": variants } });
    let twin = json!({ "name": "tides_lookup", "inputSchema": { "type": "object" } });
    let text = json!({ "name": "text", "inputSchema": { "type": "string" } });
    let url = serve(json!([{ "name": "bare" }, good, text, twin])).await;
    let made =
        grace.call(Method::POST, "/agents", &agent("clerk", &url)).await.expect(StatusCode::CREATED).json();
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let omitted = json!([
        format!("{host}/bare: it has no inputSchema."),
        format!("{host}/text: its inputSchema does not describe an object."),
    ]);
    assert_eq!(made["omitted_tools"], omitted);
    let read = grace.api("/agents/grace/clerk").await;
    assert!(read.get("omitted_tools").is_none(), "only the registration names them: {read}");
    let said = grace.begin("@grace/clerk", "call=tides_lookup {}\ncall=tides_lookup_2 {}").await;
    let answer = answer_after(grace, &said.chat, 0).await;
    let results: Vec<_> = (0..2).map(|at| text_of(&answer["parts"][at]["result"])).collect();
    assert_eq!(results, ["tides.lookup", "tides_lookup"], "{answer}");

    let form = [
        ("name", "paper"),
        ("title", "Paper"),
        ("summary", "x"),
        ("instructions", "Help."),
        ("model", "scripted"),
        ("tools", &url),
    ];
    let page = grace.post("/register/instructions", &form).await.expect(StatusCode::SEE_OTHER);
    let page = grace.get(page.header("location")).await.expect(StatusCode::OK);
    page.says("These tools are left out");
    page.says("/bare: it has no inputSchema.");
}

async fn a_server_without_usable_tools_is_refused_with_words(grace: &Client) {
    let none = serve(json!([{ "name": "bare" }])).await;
    let page = at(any(async || Html("<!doctype html><h1>Welcome</h1>"))).await;
    let old = at(any(async || Status::METHOD_NOT_ALLOWED)).await;
    let nothing = format!("{none}/nothing");
    for (url, words) in [
        (&none, "has no tools that can be used"),
        (&none, "/bare: it has no inputSchema."),
        (&page, "answered with a web page or XML"),
        (&old, "older HTTP+SSE transport"),
        (&nothing, "has nothing at this URL (404 Not Found)"),
    ] {
        let refused = grace.call(Method::POST, "/agents", &agent("wrong", url)).await;
        let (_, message) = refused.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(message.contains(words) && !message.contains("::"), "{url}: {message}");
    }
}

fn agent(name: &str, url: &str) -> Value {
    json!({ "name": name, "summary": "Uses tools.", "instructions": "Use tools.", "model": "scripted",
            "tools": [{ "url": url, "require_approval": false }] })
}

/// Starts an MCP server with this tool list, whose tools return their names.
async fn serve(tools: Value) -> String {
    at(any(async move |body: Bytes| respond(&tools, &body))).await
}

async fn at(route: axum::routing::MethodRouter) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let router = Router::new().route("/mcp", route);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn respond(tools: &Value, body: &[u8]) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return Status::METHOD_NOT_ALLOWED.into_response();
    };
    let result = match request["method"].as_str() {
        Some("initialize") => json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "t", "version": "1" } }),
        Some("tools/list") => json!({ "tools": tools }),
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": request["params"]["name"] }] }),
        _ => return Status::ACCEPTED.into_response(),
    };
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).into_response()
}
