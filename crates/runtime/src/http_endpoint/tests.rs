mod input_required;

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::any,
};
use futures::{StreamExt as _, stream};
use plexus_domain::{
    PartBody,
    agent::http_endpoint::{EndpointRequestSpec as Filled, Method as Verb, Preset},
};
use serde_json::json;

use super::*;
use crate::{
    ConversationTurn, Secret, TurnRole,
    outbound::{HttpClients, OutboundPolicy},
    run_connector,
    testing::{Recorder, ask, check_asks_first, nowhere, person, run_until_first_word, serve, serve_bytes},
};

const SHORT: Duration = Duration::from_millis(400);

/// Recorded calls of an endpoint: method and path, headers, body.
type Seen = Arc<Mutex<Vec<(String, HeaderMap, Value)>>>;

/// Starts an endpoint that answers each call by `answer`, and records the calls.
async fn endpoint<R: IntoResponse>(
    answer: impl Fn(usize) -> R + Clone + Send + Sync + 'static,
) -> (Url, Seen) {
    let seen = Seen::default();
    let router = Router::new()
        .fallback(any(
            move |State(seen): State<Seen>, uri: Uri, headers: HeaderMap, body: Bytes| async move {
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let mut seen = seen.lock().unwrap();
                seen.push((uri.to_string(), headers, body));
                answer(seen.len())
            },
        ))
        .with_state(Arc::clone(&seen));
    (serve(router).await, seen)
}

fn question(base: &Url, response_format: ResponseFormat, path: &str) -> Filled {
    Filled {
        url: format!("{base}ask"),
        body: Some(json!({ "q": "{{message}}" })),
        response_format,
        response_path: path.to_owned(),
        ..Filled::default()
    }
}

fn connector(filled: Filled) -> HttpConnector {
    let policy = OutboundPolicy { allow_private: true, ports: None };
    let outbound = HttpClients::new().unwrap().for_untrusted(policy);
    HttpConnector::new(outbound, EndpointTemplate::try_from(filled).unwrap()).unwrap()
}

async fn hear(http: &HttpConnector, request: RunRequest) -> (Result<RunEnd, Failure>, Recorder) {
    let mut heard = Recorder::default();
    let end = run_connector(http, request, &mut heard, &CancellationToken::new()).await;
    (end, heard)
}

fn impatient() -> RunRequest {
    let limits = ConnectorLimits {
        whole: SHORT * 5,
        idle: SHORT,
        max_answer_bytes: 1 << 20,
        ..ConnectorLimits::default()
    };
    RunRequest { limits, ..ask("Hi") }
}

/// Returns a request whose answer may take long as a whole.
fn patient() -> RunRequest {
    let request = impatient();
    let limits = ConnectorLimits { whole: ConnectorLimits::default().whole, ..request.limits };
    RunRequest { limits, ..request }
}

/// Runs the connector against an endpoint that answers with `body`.
async fn read(
    reading: ResponseFormat,
    path: &str,
    body: &'static str,
) -> (Result<RunEnd, Failure>, Recorder) {
    let (base, _) = endpoint(move |_| body).await;
    hear(&connector(question(&base, reading, path)), ask("Hi")).await
}

#[tokio::test]
async fn nothing_is_said_before_an_answer_has_come() {
    check_asks_first(&connector(question(&nowhere().await, ResponseFormat::Json, ""))).await;
}

#[tokio::test]
async fn no_failure_names_the_address_of_the_endpoint() {
    let refused = (nowhere().await, "refused");
    // Each text quotes the address of the request, as servers and proxies do.
    let quoting = async |status: StatusCode, text: &'static str| {
        let answer = move |headers: HeaderMap| async move {
            (status, text.replace("HOST", headers[header::HOST].to_str().unwrap()))
        };
        serve(Router::new().fallback(any(answer))).await
    };
    let cases = [
        refused,
        (quoting(StatusCode::NOT_FOUND, "No route at http://HOST/ask").await, "404"),
        (quoting(StatusCode::INTERNAL_SERVER_ERROR, "HOST is down").await, "500"),
        (quoting(StatusCode::OK, "no answer at HOST").await, "not JSON"),
        (quoting(StatusCode::OK, r#"{"error":"no model at HOST"}"#).await, "error"),
    ];
    for (base, name) in cases {
        let (end, _) = hear(&connector(question(&base, ResponseFormat::Json, "/text")), ask("Hi")).await;
        let failure = end.unwrap_err();
        let port = base.port().unwrap().to_string();
        assert!(failure.message.contains("agent's endpoint"), "{name}: {}", failure.message);
        assert!(
            !failure.message.contains(&port) && !failure.message.contains("127.0.0.1"),
            "{name}: {}",
            failure.message
        );
    }
}

#[tokio::test]
async fn each_kind_of_reply_is_read_at_its_path() {
    for (reading, path, body, text) in [
        (ResponseFormat::Json, "/a/0/b", r#"{"a":[{"b":"Hello"}]}"#, "Hello"),
        (ResponseFormat::Json, "", "\"Hello\"", "Hello"),
        (ResponseFormat::Json, "/n", r#"{"n": 4.5}"#, "4.5"),
        (
            ResponseFormat::Events,
            "/d",
            "event: x\ndata: {\"d\":\"Hel\"}\n\ndata: {}\n\ndata: {\"d\":\"lo\"}\n\n",
            "Hello",
        ),
        (
            ResponseFormat::Events,
            "/d",
            "data: {\"d\":\"Hello\"}\n\ndata: [DONE]\n\ndata: {\"d\":\"!\"}\n\n",
            "Hello",
        ),
        (ResponseFormat::Events, "", "data: Hel\n\ndata: lo\n\n", "Hello"),
        (ResponseFormat::Lines, "/d", "{\"d\":\"Hel\"}\r\n\n{\"d\":null}\n{\"d\":\"lo\"}", "Hello"),
        (ResponseFormat::Text, "", "Grüße", "Grüße"),
    ] {
        let (end, heard) = read(reading, path, body).await;
        assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), text), "{body}");
    }
    let (end, heard) = read(ResponseFormat::Json, "/d", r#"{"d":{"x":1}}"#).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    assert_eq!(heard.parts[0].content, PartBody::Data { data: json!({"x": 1}) });
}

#[tokio::test]
async fn text_is_shown_as_it_comes_wherever_it_is_cut() {
    let (base, _) = endpoint(|_| {
        let bytes = "a水b".as_bytes().chunks(1).map(|byte| Ok::<_, io::Error>(byte.to_vec()));
        Body::from_stream(stream::iter(bytes.collect::<Vec<_>>()))
    })
    .await;
    let (end, heard) = hear(&connector(question(&base, ResponseFormat::Text, "")), ask("Hi")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "a水b"));
}

#[tokio::test]
async fn the_template_decides_what_is_sent() {
    let (base, seen) = endpoint(|_| "\"ok\"").await;
    let mut filled = question(&base, ResponseFormat::Json, "");
    filled.url.push_str("/{{conversation}}?q={{message}}");
    filled.headers = [("x-chat".to_owned(), "{{conversation}}".to_owned())].into();
    let http = connector(filled).with_credentials(&base, Credentials::Bearer(Secret::new("t1"))).unwrap();
    let (_, heard) = hear(&http, ask("a b&c")).await;
    let context = heard.remote.unwrap().context.unwrap();
    let get = Filled { method: Verb::Get, body: None, ..question(&base, ResponseFormat::Json, "") };
    hear(&connector(Filled { url: format!("{base}?q={{{{message}}}}"), ..get }), ask("x")).await.0.unwrap();

    let seen = seen.lock().unwrap();
    let (uri, headers, body) = &seen[0];
    assert_eq!(*uri, format!("/ask/{context}?q=a%20b%26c"));
    assert_eq!(headers["x-chat"], *context);
    assert_eq!((&headers["authorization"] == "Bearer t1", body), (true, &json!({ "q": "a b&c" })));
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!((seen[1].0.as_str(), &seen[1].2), ("/?q=x", &Value::Null));
}

#[tokio::test]
async fn an_endpoint_is_told_what_it_has_not_heard() {
    let (base, seen) = endpoint(|_| "\"ok\"").await;
    let me = ConversationTurn { speaker: TurnRole::Me, ..person("Hello") };
    let turns = vec![person("Hi"), me, person("Go on")];
    let remote = RemoteConversation { task: None, context: Some("c1".to_owned()) };
    let body =
        |body: Value| connector(Filled { body: Some(body), ..question(&base, ResponseFormat::Json, "") });
    let keeps = body(json!({ "q": "{{message}}", "id": "{{conversation}}" }));
    for (http, remote) in [
        (&keeps, Some(remote)),
        (&keeps, None),
        (&body(json!({ "q": "{{message}}" })), None),
        (&body(json!({ "q": "{{message}}", "before": "{{history}}" })), None),
        (&body(json!({ "messages": "{{messages}}" })), None),
    ] {
        hear(http, RunRequest { turns: turns.clone(), remote, ..ask("") }).await.0.unwrap();
    }
    let seen: Vec<Value> = seen.lock().unwrap().iter().map(|(_, _, body)| body.clone()).collect();
    assert_eq!(seen[0], json!({ "q": "Go on", "id": "c1" }));
    let told = seen[1]["q"].as_str().unwrap();
    assert!(told.contains("Ada: Hi\n\nYou: Hello") && told.ends_with("Go on"), "{told}");
    assert_eq!(seen[2], json!({ "q": "Go on" }));
    assert!(seen[3]["before"].as_str().unwrap().contains("You: Hello"));
    let roles = [("user", "Hi"), ("assistant", "Hello"), ("user", "Go on")];
    assert_eq!(
        seen[4],
        json!({ "messages": roles.map(|(role, content)| json!({ "role": role, "content": content })) })
    );
}

#[tokio::test]
async fn a_task_is_made_and_asked_until_its_last_step() {
    let (base, seen) = endpoint(|call| match call {
        1 => Json(json!({ "task_id": "t/7" })),
        2 => Json(json!({ "output": "First.", "is_last": false })),
        3 => Json(json!({ "output": null, "is_last": false })),
        _ => Json(json!({ "output": "Done.", "is_last": true })),
    })
    .await;
    let http = connector(Preset::AgentProtocol.request(base.as_str()));
    let (end, heard) = hear(&http, ask("Count")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "First.\n\nDone."));
    assert_eq!(heard.status, ["Step 2", "Step 3"]);
    let seen = seen.lock().unwrap().clone();
    let steps = "/ap/v1/agent/tasks/t%2F7/steps";
    let paths: Vec<&str> = seen.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(paths, ["/ap/v1/agent/tasks", steps, steps, steps]);
    assert_eq!((&seen[0].2, &seen[1].2), (&json!({ "input": "Count" }), &json!({})));

    let (base, seen) = endpoint(|_| Json(json!({ "task_id": 7, "output": ".", "is_last": false }))).await;
    let (end, _) = hear(&connector(Preset::AgentProtocol.request(base.as_str())), ask("Count")).await;
    assert!(end.unwrap_err().message.contains("did not finish"));
    assert_eq!(seen.lock().unwrap().len(), 51);
}

#[tokio::test]
async fn garbage_is_named_with_what_it_begins_with() {
    for (reading, path, body, words) in [
        (ResponseFormat::Json, "/a", "<h1>It works</h1>", "is not JSON"),
        (
            ResponseFormat::Json,
            "/reply",
            r#"{"answer":"x"}"#,
            r#"without a value at /reply. Its answer begins: {"answer":"x"}"#,
        ),
        (ResponseFormat::Json, "/a", "", "is not JSON"),
        (ResponseFormat::Json, "/a", r#"{"a":""}"#, "ended without an answer at /a"),
        (ResponseFormat::Events, "/a", "data: nonsense\n\n", "is not JSON"),
        (ResponseFormat::Events, "/a", "nothing here", "ended without an answer"),
        (
            ResponseFormat::Events,
            "/a",
            "data: {\"error\":{\"message\":\"no credit\"}}\n\n",
            "reported an error: no credit",
        ),
        (ResponseFormat::Lines, "/a", "{\"a\":\"x\"}\n{\"a\":", "is not JSON"),
        (ResponseFormat::Text, "", "", "ended without an answer"),
    ] {
        let failure = read(reading, path, body).await.0.unwrap_err();
        assert!(failure.message.contains(words), "{failure}");
    }
    let (base, _) = endpoint(|_| vec![b'a', 0xff, b'b']).await;
    let failure = hear(&connector(question(&base, ResponseFormat::Text, "")), ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.contains("not UTF-8"), "{failure}");
    let (base, _) = endpoint(|_| axum::response::Html("<h1>Welcome</h1>")).await;
    let failure = hear(&connector(question(&base, ResponseFormat::Text, "")), ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.contains("a web page"), "{failure}");
}

/// An agent may think as long as its run may take: the idle timeout counts from its first byte.
#[tokio::test]
async fn an_endpoint_may_think_longer_than_the_idle_timeout() {
    for (reading, body) in
        [(ResponseFormat::Json, r#"{"a":"x"}"#), (ResponseFormat::Lines, "{\"a\":\"x\"}\n")]
    {
        let think = move || async move {
            tokio::time::sleep(SHORT * 2).await;
            body
        };
        let base = serve(Router::new().fallback(think)).await;
        let (end, heard) = hear(&connector(question(&base, reading, "/a")), patient()).await;
        assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "x"));
    }
    let stalls = Router::new().fallback(|| async {
        let first = stream::once(async { Ok::<_, io::Error>("{\"a\":") });
        Body::from_stream(first.chain(stream::pending()))
    });
    let (end, _) =
        hear(&connector(question(&serve(stalls).await, ResponseFormat::Json, "/a")), patient()).await;
    assert_eq!(end.unwrap_err().class, FailureClass::TimedOut);
}

#[tokio::test]
async fn an_endpoint_with_the_openai_preset_is_read_as_a_model_server() {
    let piece =
        |text: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }));
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for (body, end, text) in [
        (format!("{}{}", piece("<think>hm</think>Once"), stop), Some(RunEnd::Completed), "Once"),
        (format!("{}data: [DONE]", piece("Once")), Some(RunEnd::Completed), "Once"),
        (piece("Once"), None, "Once"),
    ] {
        let sent = body.clone();
        let (base, _) = endpoint(move |_| sent.clone()).await;
        let (ended, heard) = hear(&connector(Preset::OpenAi.request(base.as_str())), ask("Hi")).await;
        assert_eq!((ended.clone().ok(), heard.text.as_str()), (end, text), "{body}");
        if let Err(failure) = ended {
            assert!(failure.message.contains("ended the answer early"), "{failure}");
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_hangs_is_given_up() {
    let silent = serve(Router::new().fallback(std::future::pending::<Response>)).await;
    let (half, _) = endpoint(|_| {
        let first = stream::once(async { Ok::<_, io::Error>("data: \"Once\"\n\n") });
        Body::from_stream(first.chain(stream::pending()))
    })
    .await;
    for (base, text) in [(silent, ""), (half, "Once")] {
        let (end, heard) = hear(&connector(question(&base, ResponseFormat::Events, "")), impatient()).await;
        assert_eq!((end.unwrap_err().class, heard.text.as_str()), (FailureClass::TimedOut, text));
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut() {
    let flood = |piece: &'static str| {
        let piece = piece.repeat(1_000);
        move |_| Body::from_stream(stream::repeat(piece.clone()).map(Ok::<_, io::Error>))
    };
    for (reading, path, piece) in [
        (ResponseFormat::Text, "", "xxxxxxxxxx"),
        (ResponseFormat::Events, "", "data: x\n\n"),
        (ResponseFormat::Lines, "/a", "{\"a\":\"x\"}\n"),
        (ResponseFormat::Lines, "/a", "{\"b\":\"x\"}\n"),
        (ResponseFormat::Lines, "/a", "xxxxxxxxxx"),
        (ResponseFormat::Events, "/a", ": noise\n"),
        (ResponseFormat::Json, "/a", "[[[[[[[[[["),
    ] {
        let (base, _) = endpoint(flood(piece)).await;
        let (end, heard) = hear(&connector(question(&base, reading, path)), patient()).await;
        let class = end.unwrap_err().class;
        assert!(matches!(class, FailureClass::TooLarge | FailureClass::Garbage), "{piece}: {class:?}");
        assert!(heard.text.len() <= 1 << 20);
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n";
    let (end, _) =
        hear(&connector(question(&serve_bytes(head).await, ResponseFormat::Json, "")), patient()).await;
    assert_eq!(end.unwrap_err().class, FailureClass::TooLarge);
}

#[tokio::test]
async fn a_refusal_says_who_refused_and_what_to_do() {
    for (status, words) in [
        (StatusCode::UNAUTHORIZED, "requires credentials that this hub does not have."),
        (StatusCode::NOT_FOUND, "has nothing at this address"),
        (StatusCode::TOO_MANY_REQUESTS, "is busy"),
        (StatusCode::BAD_GATEWAY, "failed (502 Bad Gateway)"),
        (StatusCode::FOUND, "redirects"),
        (StatusCode::UNPROCESSABLE_ENTITY, "It says: q is missing"),
    ] {
        let (base, _) = endpoint(move |_| (status, Json(json!({ "detail": "q is missing" })))).await;
        let failure =
            hear(&connector(question(&base, ResponseFormat::Json, "")), ask("Hi")).await.0.unwrap_err();
        assert!(failure.message.contains(words), "{failure}");
    }
    let nobody = nowhere().await;
    let failure =
        hear(&connector(question(&nobody, ResponseFormat::Json, "")), ask("Hi")).await.0.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    let moved = connector(question(&nobody, ResponseFormat::Json, ""))
        .with_credentials(&nowhere().await, Credentials::Bearer(Secret::new("t")));
    assert_eq!(moved.unwrap_err().class, FailureClass::Policy);
}

#[tokio::test]
async fn private_addresses_are_for_administrators_only() {
    let outbound = HttpClients::new().unwrap().for_untrusted(OutboundPolicy::default());
    let filled = question(&"http://127.0.0.1:9/".parse().unwrap(), ResponseFormat::Json, "");
    let refused = HttpConnector::new(outbound, EndpointTemplate::try_from(filled).unwrap());
    assert_eq!(refused.unwrap_err().class, FailureClass::Policy);
}

#[tokio::test]
async fn stop_ends_the_call_and_keeps_what_came() {
    let (base, _) = endpoint(|_| {
        let first = stream::once(async { Ok::<_, io::Error>("Once") });
        Body::from_stream(first.chain(stream::pending()))
    })
    .await;
    let (end, heard) =
        run_until_first_word(&connector(question(&base, ResponseFormat::Text, "")), ask("Hi")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Stopped), "Once"));
}
