//! Tests with a scripted MCP server over loopback.

use std::collections::BTreeMap;

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse, Response},
    routing::any,
};
use parking_lot::Mutex as SyncMutex;
use serde_json::json;

use super::*;
use crate::{
    outbound::{HttpClients, OutboundPolicy},
    testing::serve,
};

/// Response to any request, and to one request.
type Respond = Arc<dyn Fn() -> Response + Send + Sync>;
type RespondTo = Arc<dyn Fn(&Value) -> Response + Send + Sync>;
/// How the scripted server answers a method; other methods are answered well.
type Script = Arc<dyn Fn(&str, &Value) -> Option<Response> + Send + Sync>;

async fn scripted(script: impl Fn(&str, &Value) -> Option<Response> + Send + Sync + 'static) -> Url {
    let script: Script = Arc::new(script);
    serve(Router::new().route("/mcp", any(answer)).with_state(script)).await.join("mcp").unwrap()
}

async fn answer(State(script): State<Script>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return Status::METHOD_NOT_ALLOWED.into_response();
    };
    let method = request["method"].as_str().unwrap();
    if let Some(answer) = script(method, &request) {
        return answer;
    }
    match method {
        "initialize" => result(
            &request,
            &json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "t", "version": "1" } }),
        ),
        "tools/list" => result(&request, &json!({ "tools": [tool("add")] })),
        _ => Status::ACCEPTED.into_response(),
    }
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn result(request: &Value, result: &Value) -> Response {
    json_body(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())
}

fn json_body(text: &str) -> Response {
    typed("application/json", text)
}

fn typed(media_type: &'static str, text: &str) -> Response {
    ([(header::CONTENT_TYPE, media_type)], text.to_owned()).into_response()
}

fn server(url: &Url) -> McpServer {
    let outbound =
        HttpClients::new().unwrap().for_untrusted(OutboundPolicy { allow_private: true, ports: None });
    McpServer::Remote { outbound, url: url.clone(), shown: None, mend: "Enter a key.".to_owned() }
}

async fn list(url: &Url) -> Result<ToolList, Failure> {
    McpSession::open(&server(url)).await?.tools().await
}

async fn call(url: &Url) -> Result<ToolResult, Failure> {
    let session = McpSession::open(&server(url)).await?;
    match session.call("add", Map::new()).next().await {
        CallEvent::Ended(ended) => ended,
        CallEvent::Question(_) => panic!("no question"),
    }
}

fn names(list: &ToolList) -> Vec<&str> {
    list.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn one_bad_tool_costs_itself() {
    let deep = format!("{}{}", "{\"a\":".repeat(3_000), "}".repeat(3_000)).replace(":}", ":1}");
    for bad in [
        "{\"name\":\"bad\"}",
        "{\"name\":\"bad\",\"inputSchema\":null}",
        "{\"name\":\"bad\",\"inputSchema\":\"object\"}",
        "{\"name\":\"bad\",\"inputSchema\":{\"type\":\"string\"}}",
        "{\"inputSchema\":{\"type\":\"object\"}}",
        "{\"name\":null,\"inputSchema\":{}}",
        "{\"name\":[\"bad\"],\"inputSchema\":{}}",
        "{\"name\":\"good\",\"inputSchema\":{}}",
        "null",
        "7",
        "[]",
        "\"bad\"",
        &format!("{{\"name\":\"{}\",\"inputSchema\":{{}}}}", "n".repeat(129)),
    ] {
        for as_events in [false, true] {
            let bad = bad.to_owned();
            let url = scripted(move |method, request| {
                let tools = format!(
                    "[{},{bad},{{\"name\":\"odd\",\"description\":\"\\ud83d\",\"inputSchema\":{{\"type\":\"object\"}},\
                     \"outputSchema\":[],\"annotations\":{{\"readOnlyHint\":\"yes\",\"x\":1}},\"icons\":5,\"title\":{{}}}}]",
                    tool("good")
                );
                let message = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":{tools},\"ttlMs\":\"x\"}}}}",
                    request["id"]
                );
                let event = format!("event: message\ndata: {message}\n\n");
                (method == "tools/list").then(|| match as_events {
                    true => typed("text/event-stream", &event),
                    false => json_body(&message),
                })
            })
            .await;
            let list = list(&url).await.unwrap();
            assert_eq!(names(&list), ["good", "odd"]);
            assert_eq!(list.omitted.len(), 1, "{:?}", list.omitted);
        }
    }
    let url = scripted(move |method, request| {
        let tools = format!("[{},{{\"name\":\"deep\",\"inputSchema\":{deep}}}]", tool("good"));
        let message =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":{tools}}}}}", request["id"]);
        (method == "tools/list").then(|| json_body(&message))
    })
    .await;
    assert_eq!(names(&list(&url).await.unwrap()), ["good", "deep"]);
}

#[tokio::test]
async fn lists_with_pages_end() {
    let asked = Arc::new(SyncMutex::new(Vec::new()));
    // The cursor that leads to each next page, by the cursor of the request.
    for (pages, expected, requests) in [
        (vec![("", "2"), ("2", "3")], 3, 3),
        (vec![("", "")], 1, 2),
        (vec![("", "same"), ("same", "same")], 2, 2),
        (vec![("", "2"), ("2", "1"), ("1", "2")], 3, 3),
    ] {
        let heard = Arc::clone(&asked);
        heard.lock().clear();
        let next: BTreeMap<_, _> = pages.into_iter().collect();
        let url = scripted(move |method, request| {
            (method == "tools/list").then(|| {
                let cursor = request["params"]["cursor"].as_str().unwrap_or_default().to_owned();
                heard.lock().push(cursor.clone());
                let page =
                    json!({ "tools": [tool(&format!("t{cursor}"))], "nextCursor": next.get(&*cursor) });
                result(request, &page)
            })
        })
        .await;
        let list = list(&url).await.unwrap();
        let cursors = asked.lock().clone();
        assert_eq!((list.tools.len(), cursors.len()), (expected, requests), "{cursors:?}");
        assert!(list.omitted.is_empty(), "{:?}", list.omitted);
    }
    let endless = scripted(|method, request| {
        let number = request["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u64>().unwrap());
        let page = json!({ "tools": [tool(&format!("t{number}"))], "nextCursor": (number + 1).to_string() });
        (method == "tools/list").then(|| result(request, &page))
    })
    .await;
    assert_eq!(list(&endless).await.unwrap().tools.len(), 64);
    let broken = scripted(|method, request| {
        let is_first = request["params"]["cursor"].is_null();
        (method == "tools/list").then(|| match is_first {
            true => result(request, &json!({ "tools": [tool("add")], "nextCursor": "2" })),
            false => Status::INTERNAL_SERVER_ERROR.into_response(),
        })
    })
    .await;
    let list = list(&broken).await.unwrap();
    assert_eq!((names(&list), list.omitted.len()), (vec!["add"], 1));
}

#[tokio::test]
async fn errors_are_words_for_people() {
    let html = || typed("text/html", "<!DOCTYPE html><h1>Welcome</h1>");
    let status = |status: Status| move || (status, "").into_response();
    let moved = || {
        let to = [(header::LOCATION, "/elsewhere/mcp?key=secret")];
        (Status::TEMPORARY_REDIRECT, to).into_response()
    };
    let rpc = |error: Value| {
        move || json_body(&json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string())
    };
    let failed = || {
        let body = "{\"error\":{\"message\":\"Quota reached\"}}";
        (Status::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    let version = json!({ "code": -32602, "message": "Unsupported protocol version", "data": { "supported": ["2030-01-01"] } });
    let cases: Vec<(Respond, &str)> = vec![
        (
            Arc::new(html),
            "answered with a web page or XML, so it is no MCP server. Check its URL, which often ends in /mcp.",
        ),
        (Arc::new(status(Status::NOT_FOUND)), "has nothing at this URL (404 Not Found). Check its URL"),
        (Arc::new(status(Status::METHOD_NOT_ALLOWED)), "may have only the older HTTP+SSE transport"),
        (Arc::new(status(Status::ACCEPTED)), "sent no answer (202 Accepted). It may have only the older"),
        (
            Arc::new(status(Status::INTERNAL_SERVER_ERROR)),
            "failed (500 Internal Server Error). Try again later.",
        ),
        (Arc::new(status(Status::TOO_MANY_REQUESTS)), "is busy. Try again in a moment."),
        (
            Arc::new(status(Status::UNAUTHORIZED)),
            "requires credentials that this hub does not have. Enter a key.",
        ),
        (
            Arc::new(status(Status::FORBIDDEN)),
            "requires credentials that this hub does not have. Enter a key.",
        ),
        (
            Arc::new(status(Status::UNSUPPORTED_MEDIA_TYPE)),
            "refused the request (415 Unsupported Media Type).",
        ),
        (
            Arc::new(moved),
            "redirects (307 Temporary Redirect). Enter the URL to which it redirects: http://127.0.0.1:",
        ),
        (Arc::new(failed), "answered with an error: Quota reached (-32603)"),
        (Arc::new(|| json_body("")), "sent an empty answer. Check its URL"),
        (
            Arc::new(|| json_body("{\"jsonrpc\":")),
            "answered with something that is not JSON-RPC (application/json).",
        ),
        (Arc::new(|| json_body("{\"hello\":1}")), "answered with something that is not JSON-RPC"),
        (
            Arc::new(|| typed("text/plain", "It works!")),
            "answered with something that is not JSON-RPC (text/plain).",
        ),
        (
            Arc::new(rpc(
                json!({ "code": "E1", "message": "No seats left.", "data": { "details": "Plan: free" } }),
            )),
            "answered with an error: No seats left: Plan: free (-32603)",
        ),
        (Arc::new(rpc(json!("Go away"))), "answered with an error: Go away (-32603)"),
        (Arc::new(rpc(version)), "refuses the MCP versions of this hub. It supports: 2030-01-01."),
    ];
    for (respond, expected) in cases {
        for at in ["initialize", "tools/list", "tools/call"] {
            let respond = Arc::clone(&respond);
            let url = scripted(move |method, _| (method == at).then(|| respond())).await;
            let failure = match at {
                "tools/call" => call(&url).await.unwrap_err(),
                _ => list(&url).await.unwrap_err(),
            };
            let name = format!("The MCP server 127.0.0.1:{} ", url.port().unwrap());
            assert!(failure.message.starts_with(&name), "{at}: {failure}");
            assert!(failure.message.contains(expected), "{at}: {failure} instead of {expected}");
            let is_plain = ["rmcp", "::", "Some(", "secret", "WorkerTransport"];
            assert!(!is_plain.iter().any(|word| failure.message.contains(word)), "{at}: {failure}");
        }
    }
}

#[tokio::test]
async fn connections_that_fail_are_told_in_words() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for (url, expected) in [
        (format!("http://{closed}/mcp"), "cannot be reached. No connection to 127.0.0.1:"),
        (
            format!("https://{}/mcp", scripted(|_, _| None).await.authority()),
            "cannot be reached. No connection to 127.0.0.1:",
        ),
    ] {
        let failure = list(&url.parse().unwrap()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Unreachable);
        assert!(
            failure.message.starts_with("The MCP server ") && failure.message.contains(expected),
            "{failure}"
        );
        assert!(!failure.message.contains("::"), "{failure}");
    }
}

#[tokio::test]
async fn answers_in_odd_forms_are_read() {
    let text = json!({ "content": [{ "type": "text", "text": "3" }] });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "result": text });
    let cases: Vec<RespondTo> = vec![
        Arc::new(|request| {
            json_body(
                &json!({ "id": request["id"], "result": { "content": "3" }, "error": null }).to_string(),
            )
        }),
        Arc::new({
            let message = message.clone();
            move |_| typed("text/plain", &message.to_string())
        }),
        Arc::new({
            let text = text.clone();
            move |request| {
                json_body(
                    &json!({ "jsonrpc": "2.0", "id": request["id"].to_string(), "result": text }).to_string(),
                )
            }
        }),
        Arc::new(move |_| typed("APPLICATION/JSON; charset=utf-8", &json!([message]).to_string())),
        Arc::new(|request| {
            let result = json!({ "content": [{ "type": "text", "text": "3", "annotations": 5 }], "isError": null, "_meta": [] });
            typed(
                "text/event-stream;charset=utf-8",
                &format!(
                    "data: {}\r\n\r\n",
                    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
                ),
            )
        }),
    ];
    for (number, respond) in cases.into_iter().enumerate() {
        let url = scripted(move |method, request| (method == "tools/call").then(|| respond(request))).await;
        let read = call(&url).await.unwrap_or_else(|failure| panic!("{number}: {failure}"));
        assert_eq!((read.text.as_str(), read.is_error), ("3", false), "{number}");
    }
}

#[tokio::test]
async fn a_lost_session_begins_again() {
    let headers = |session: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("mcp-session-id", session.parse().unwrap());
        headers
    };
    let lists = Arc::new(SyncMutex::new(0));
    let url = scripted(move |method, request| {
        let mut lists = lists.lock();
        match method {
            "initialize" => {
                let body = result(request, &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": { "name": "t", "version": "1" } }));
                Some((headers("s1"), body).into_response())
            }
            "tools/list" => {
                *lists += 1;
                (*lists == 1).then(|| Status::NOT_FOUND.into_response())
            }
            _ => None,
        }
    })
    .await;
    assert_eq!(names(&list(&url).await.unwrap()), ["add"]);
}
