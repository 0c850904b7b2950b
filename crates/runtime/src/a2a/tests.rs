mod hostile;

use std::{
    io,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::Body,
    response::{IntoResponse, Response},
    routing::post,
};
use futures::{StreamExt, stream};
use http::{HeaderMap, StatusCode, header};
use plexus_domain::{Part, PartBody};
use serde::Serialize;
use serde_json::{Value, json};

use super::*;
use crate::{
    Credentials, KeyPlace, OutputFile, RemoteConversation, Secret,
    outbound::{HttpClients, OutboundPolicy},
    run_connector,
    testing::{Recorder, ask, check_asks_first, nowhere, run_until_first_word, serve, serve_bytes},
};

const EVENTS: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/event-stream")];
const SHORT: Duration = Duration::from_millis(400);

/// Scripted A2A agent that records the calls it receives.
struct Scripted {
    asked: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
    base: Url,
}

impl Scripted {
    /// Creates an agent that answers the nth call (from 0) of each method with the result of `script`.
    async fn new(script: impl Fn(&str, usize) -> Response + Clone + Send + Sync + 'static) -> Self {
        let asked: Arc<Mutex<Vec<(HeaderMap, Value)>>> = Arc::default();
        let log = Arc::clone(&asked);
        let answer = move |headers: HeaderMap, Json(call): Json<Value>| async move {
            let method = call["method"].as_str().unwrap().to_owned();
            let mut log = log.lock().unwrap();
            let before = log.iter().filter(|(_, call)| call["method"] == method).count();
            log.push((headers, call));
            script(&method, before)
        };
        Self { asked, base: serve(Router::new().route("/", post(answer))).await }
    }

    fn methods(&self) -> Vec<String> {
        self.calls().iter().map(|call| call["method"].as_str().unwrap().to_owned()).collect()
    }

    fn calls(&self) -> Vec<Value> {
        self.asked.lock().unwrap().iter().map(|(_, call)| call.clone()).collect()
    }

    fn connector(&self, is_streaming: bool) -> A2aConnector {
        connector(&self.base, A2aProtocol::V1, is_streaming)
    }
}

fn connector(base: &Url, protocol: A2aProtocol, is_streaming: bool) -> A2aConnector {
    let outbound =
        HttpClients::new().unwrap().for_untrusted(OutboundPolicy { allow_private: true, ports: None });
    let tenant = Some("t".to_owned());
    A2aConnector::new(
        outbound,
        Endpoint { url: base.clone(), is_http_json: false, protocol, tenant, is_streaming },
    )
    .unwrap()
}

async fn hear(connector: &A2aConnector, request: RunRequest) -> (Result<RunEnd, Failure>, Recorder) {
    let mut heard = Recorder::default();
    let end = run_connector(connector, request, &mut heard, &CancellationToken::new()).await;
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

fn result(result: &Value) -> Response {
    Json(json!({"jsonrpc": "2.0", "id": 1, "result": result})).into_response()
}

fn error(code: i64, message: &str) -> Response {
    Json(json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}})).into_response()
}

fn sse(events: &[Value]) -> String {
    let line = |event| format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": event}));
    events.iter().map(line).collect()
}

fn events(list: &[Value]) -> Response {
    (EVENTS, sse(list)).into_response()
}

/// Streams the events, then leaves the connection open without further data.
fn open_events(list: &[Value]) -> Response {
    let first = stream::once(std::future::ready(Ok::<_, io::Error>(sse(list))));
    (EVENTS, Body::from_stream(first.chain(stream::pending()))).into_response()
}

fn says(id: &str, text: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

fn status(state: &str, message: Option<Value>) -> Value {
    let mut status = json!({"state": format!("TASK_STATE_{state}")});
    if let Some(message) = message {
        status["message"] = message;
    }
    status
}

fn task(status: impl Serialize, artifacts: impl Serialize) -> Value {
    json!({"id": "t1", "contextId": "c1", "status": status, "artifacts": artifacts})
}

fn begun() -> Value {
    json!({"task": task(status("SUBMITTED", None), json!([]))})
}

fn update(state: &str, message: Option<Value>) -> Value {
    json!({"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": status(state, message)}})
}

fn piece(text: &str, append: bool) -> Value {
    let artifact = json!({"artifactId": "a", "name": "answer", "parts": [{"text": text}]});
    json!({"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact, "append": append}})
}

fn document(text: &str) -> Vec<(String, Option<String>, String)> {
    vec![("a".to_owned(), Some("answer".to_owned()), text.to_owned())]
}

fn names() -> Option<RemoteConversation> {
    Some(RemoteConversation { task: Some("t1".to_owned()), context: Some("c1".to_owned()) })
}

#[tokio::test]
async fn nothing_is_said_before_an_answer_has_come() {
    check_asks_first(&connector(&nowhere().await, A2aProtocol::V1, true)).await;
}

#[tokio::test]
async fn a_streamed_task_is_heard_piece_by_piece() {
    let agent = Scripted::new(|_, _| {
        let done = Some(says("m2", "All done."));
        let looking = Some(says("m1", "Looking"));
        events(&[
            begun(),
            update("WORKING", looking),
            piece("one ", false),
            piece("two", true),
            update("COMPLETED", done),
        ])
    })
    .await;
    let credentials =
        Credentials::ApiKey { place: KeyPlace::Header, name: "x-key".to_owned(), value: Secret::new("k") };
    let connector = agent.connector(true).with_credentials(&agent.base, credentials).unwrap();
    let (end, heard) = hear(&connector, ask("Hi")).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    assert_eq!((heard.text.as_str(), heard.artifacts), ("All done.", document("one two")));
    assert_eq!((heard.remote, heard.status), (names(), vec!["Looking".to_owned()]));

    let (headers, call) = agent.asked.lock().unwrap()[0].clone();
    assert_eq!(
        (&headers["a2a-version"], &headers["x-key"]),
        (&"1.0".parse().unwrap(), &"k".parse().unwrap())
    );
    assert_eq!((&call["method"], &call["params"]["tenant"]), (&json!("SendStreamingMessage"), &json!("t")));
    assert_eq!(call["params"]["message"]["parts"], json!([{"text": "Hi"}]));
}

#[tokio::test]
async fn a_plain_message_is_a_whole_answer() {
    let agent = Scripted::new(|_, _| {
        let mut message = says("m1", "Hello.");
        message["contextId"] = json!("c1");
        message["parts"].as_array_mut().unwrap().push(json!({"text": "And again."}));
        result(&json!({"message": message}))
    })
    .await;
    for is_streaming in [true, false] {
        let (end, heard) = hear(&agent.connector(is_streaming), ask("Hi")).await;
        assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "Hello.\n\nAnd again."));
        assert_eq!(heard.remote, Some(RemoteConversation { task: None, context: Some("c1".to_owned()) }));
    }
    assert_eq!(agent.methods(), ["SendStreamingMessage", "SendMessage"]);
    assert_eq!(agent.calls()[1]["params"]["configuration"], json!({"returnImmediately": true}));
}

#[tokio::test]
async fn a_task_is_asked_after_until_it_is_done_and_nothing_is_told_twice() {
    let artifact = |text: &str| json!([{"artifactId": "a", "name": "answer", "parts": [{"text": text}]}]);
    let agent = Scripted::new(move |method, nth| {
        let working = status("WORKING", Some(says("m1", "Thinking")));
        match (method, nth) {
            ("SendMessage", _) => result(&json!({"task": task(status("SUBMITTED", None), json!([]))})),
            (_, 0) => result(&task(working, artifact("one"))),
            (_, 1) => result(&task(working, artifact("one two"))),
            _ => result(&task(status("COMPLETED", Some(says("m2", "Done."))), artifact("one two three"))),
        }
    })
    .await;
    let (end, heard) = hear(&agent.connector(false), ask("Hi")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "Done."));
    assert_eq!((heard.artifacts, heard.status), (document("one two three"), vec!["Thinking".to_owned()]));
    assert_eq!(agent.methods(), ["SendMessage", "GetTask", "GetTask", "GetTask"]);
}

#[tokio::test]
async fn an_agent_of_the_older_version_is_spoken_to_in_its_words() {
    let script = |method: &str, _| match method {
        "message/stream" => events(&[
            json!({"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "submitted"}}),
            json!({"kind": "artifact-update", "taskId": "t1", "contextId": "c1", "append": false, "artifact":
                {"artifactId": "a", "name": "answer", "parts": [{"kind": "text", "text": "one two"}]}}),
            json!({"kind": "status-update", "taskId": "t1", "contextId": "c1", "final": true,
                "status": {"state": "completed"}}),
        ]),
        _ => error(-32601, "Method not found"),
    };
    let agent = Scripted::new(script).await;
    for protocol in [A2aProtocol::V03, A2aProtocol::V1] {
        let (end, heard) = hear(&connector(&agent.base, protocol, true), ask("Hi")).await;
        assert_eq!(
            (end, heard.artifacts, heard.remote),
            (Ok(RunEnd::Completed), document("one two"), names())
        );
    }
    assert_eq!(agent.methods(), ["message/stream", "SendStreamingMessage", "message/stream"]);
}

#[tokio::test]
async fn a_question_is_answered_in_the_same_task_and_not_heard_again() {
    let asking = || status("INPUT_REQUIRED", Some(says("q1", "Which one?")));
    let agent = Scripted::new(move |method, nth| match (method, nth) {
        ("GetTask", _) => result(&task(asking(), json!([]))),
        (_, 0) => events(&[begun(), update("INPUT_REQUIRED", Some(says("q1", "Which one?")))]),
        // Real agents begin the second stream with the unchanged task.
        _ => events(&[
            json!({"task": task(asking(), json!([]))}),
            piece("The red one.", false),
            update("COMPLETED", None),
        ]),
    })
    .await;
    let (end, heard) = hear(&agent.connector(true), ask("Hi")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::InputRequired), "Which one?"));
    let (end, heard) =
        hear(&agent.connector(true), RunRequest { remote: heard.remote, ..ask("The red one") }).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), ""));
    assert_eq!(heard.artifacts, document("The red one."));
    let sent = agent.calls().pop().unwrap();
    assert_eq!(sent["params"]["message"]["taskId"], "t1");
}

/// Only the last messages of a long task are fetched before it is continued. The stream may start with its
/// whole history.
#[tokio::test]
async fn what_a_long_task_said_long_ago_is_no_news() {
    let turns = |turns: std::ops::Range<usize>| turns.map(|n| says(&format!("m{n}"), &format!("Turn {n}")));
    let with = |history: Vec<Value>| {
        let mut task = task(status("INPUT_REQUIRED", None), json!([]));
        task["history"] = json!(history);
        task
    };
    let agent = Scripted::new(move |method, _| match method {
        "GetTask" => result(&with(turns(4..14).collect())),
        _ => events(&[
            json!({ "task": with(turns(0..14).collect()) }),
            piece("The red one.", false),
            update("COMPLETED", None),
        ]),
    })
    .await;
    let (end, heard) =
        hear(&agent.connector(true), RunRequest { remote: names(), ..ask("The red one") }).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), ""));
    assert_eq!(heard.artifacts, document("The red one."));
}

#[tokio::test]
async fn a_task_that_is_gone_is_begun_anew_in_its_context() {
    let agent = Scripted::new(|method, _| match method {
        "GetTask" => error(-32001, "Task not found"),
        _ => result(&json!({"message": says("m1", "Hello again.")})),
    })
    .await;
    let (end, _) = hear(&agent.connector(false), RunRequest { remote: names(), ..ask("Hi") }).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    let message = agent.calls().pop().unwrap()["params"]["message"].clone();
    assert_eq!((&message["taskId"], &message["contextId"]), (&Value::Null, &json!("c1")));
}

#[tokio::test]
async fn each_end_of_a_task_is_told() {
    for (state, end) in [
        ("REJECTED", Ok(RunEnd::Rejected { reason: String::new() })),
        ("AUTH_REQUIRED", Ok(RunEnd::AuthRequired)),
        ("FAILED", Err(FailureClass::Refused)),
        ("CANCELED", Err(FailureClass::Refused)),
    ] {
        let agent =
            Scripted::new(move |_, _| events(&[begun(), update(state, Some(says("m", "Own words")))])).await;
        match (hear(&agent.connector(true), ask("Hi")).await, end) {
            ((Err(failure), _), Err(class)) => {
                assert_eq!(failure.class, class);
                assert!(failure.message.ends_with(": Own words"), "{failure}");
            }
            ((Ok(RunEnd::Rejected { reason }), _), Ok(RunEnd::Rejected { .. })) => {
                assert!(reason.ends_with("Own words"));
            }
            ((Ok(got), heard), Ok(end)) => assert_eq!((got, heard.text.as_str()), (end, "Own words")),
            (got, _) => panic!("{state}: {got:?}"),
        }
        assert_eq!(agent.methods(), ["SendStreamingMessage"]);
    }
}

#[tokio::test]
async fn files_data_and_links_are_given_on() {
    let agent = Scripted::new(|_, _| {
        let parts = json!([
            {"raw": "aGk=", "filename": "a.txt", "mediaType": "text/plain"},
            {"data": {"rows": 4}},
            {"url": "https://agents.example/b.png", "mediaType": "image/png"},
            {"url": "javascript:alert(1)"},
        ]);
        let artifact = json!({"artifactId": "a", "name": "answer", "parts": parts});
        let update = json!({"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact}});
        events(&[begun(), update.clone(), update, self::update("COMPLETED", None)])
    })
    .await;
    let (end, heard) = hear(&agent.connector(true), ask("Hi")).await;
    assert_eq!(end, Ok(RunEnd::Completed));
    let (artifact, name) = (Some("a".to_owned()), Some("answer".to_owned()));
    let part = |content: PartBody| Part { artifact: artifact.clone(), name: name.clone(), ..content.into() };
    let link = PartBody::Link { url: "https://agents.example/b.png".to_owned() };
    let unsafe_link = PartBody::Text { text: "[link: javascript:alert(1)]".to_owned() };
    let expected = [
        part(PartBody::Data { data: json!({"rows": 4}) }),
        Part { media_type: Some("image/png".to_owned()), ..part(link) },
        part(unsafe_link),
    ];
    assert_eq!(heard.parts, expected);
    let media_type = Some("text/plain".to_owned());
    let (name, bytes) = (Some("a.txt".to_owned()), "hi".into());
    let file = OutputFile { artifact, name, media_type, metadata: None, bytes, continues: false };
    assert_eq!(heard.files, [file]);
}

#[tokio::test]
async fn what_is_said_at_work_is_the_answer_when_nothing_else_is() {
    let agent = Scripted::new(|_, _| {
        let say = |id: &str, text: &str| update("WORKING", Some(says(id, text)));
        events(&[begun(), say("m1", "Good "), say("m2", "evening."), update("COMPLETED", None)])
    })
    .await;
    assert_eq!(hear(&agent.connector(true), ask("Hi")).await.1.text, "Good evening.");
}

#[tokio::test]
async fn chunks_of_status_text_are_complete_with_the_final_one() {
    let ends = [
        ("COMPLETED", "world", "Hello world"),
        ("COMPLETED", "", "Hello "),
        ("INPUT_REQUIRED", "?", "Hello ?"),
    ];
    for (state, last, answer) in ends {
        let agent = Scripted::new(move |_, _| {
            let say = |state: &str, text: &str| update(state, Some(says("m1", text)));
            events(&[begun(), say("WORKING", "Hel"), say("WORKING", "lo "), say(state, last)])
        })
        .await;
        assert_eq!(hear(&agent.connector(true), ask("Hi")).await.1.text, answer);
    }
}

#[tokio::test]
async fn a_replaced_artifact_is_emitted_anew_and_an_older_snapshot_is_not() {
    let agent = Scripted::new(|_, _| {
        let chunk = |bytes: &str, append: bool| {
            let parts = json!([{"raw": bytes, "filename": "b"}]);
            let artifact = json!({"artifactId": "f", "parts": parts});
            json!({"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact, "append": append}})
        };
        let whole = json!([{"artifactId": "f", "parts": [{"raw": "YWI=", "filename": "b"}]}]);
        events(&[
            begun(),
            piece("draft ", false),
            piece("more", true),
            piece("final text", false),
            chunk("YQ==", false),
            chunk("Yg==", true),
            json!({"task": task(status("COMPLETED", None), whole)}),
        ])
    })
    .await;
    let (end, heard) = hear(&agent.connector(true), ask("Hi")).await;
    assert_eq!((end, heard.artifacts), (Ok(RunEnd::Completed), document("final text")));
    let files = heard.files.iter().map(|file| (&*file.bytes, file.continues));
    assert_eq!(files.collect::<Vec<_>>(), [(&b"a"[..], false), (&b"b"[..], true)]);
}

#[tokio::test]
async fn stop_cancels_the_task() {
    let agent = Scripted::new(|method, _| match method {
        "CancelTask" => result(&task(status("CANCELED", None), json!([]))),
        _ => open_events(&[begun(), piece("one", false)]),
    })
    .await;
    let (end, heard) = run_until_first_word(&agent.connector(true), ask("Hi")).await;
    assert_eq!((end, heard.artifacts), (Ok(RunEnd::Stopped), document("one")));
    assert_eq!(agent.methods(), ["SendStreamingMessage", "CancelTask"]);
    assert_eq!(agent.calls()[1]["params"]["id"], "t1");
}

#[tokio::test]
async fn what_waits_for_an_answer_can_be_given_up() {
    let agent = Scripted::new(|_, _| result(&task(status("CANCELED", None), json!([])))).await;
    let connector = agent.connector(true);
    connector.give_up(&RemoteConversation { task: None, context: Some("c1".to_owned()) }).await;
    connector.give_up(&RemoteConversation { task: Some("t1".to_owned()), context: None }).await;
    assert_eq!(agent.methods(), ["CancelTask"]);
    assert_eq!(agent.calls()[0]["params"]["id"], "t1");
    let former = Scripted::new(|method, _| match method {
        "CancelTask" => error(-32601, "Method not found"),
        _ => result(
            &json!({ "kind": "task", "id": "t1", "contextId": "c1", "status": { "state": "canceled" } }),
        ),
    })
    .await;
    former.connector(true).give_up(&RemoteConversation { task: Some("t1".to_owned()), context: None }).await;
    assert_eq!(former.methods(), ["CancelTask", "tasks/cancel"]);
}

#[tokio::test]
async fn a_stream_that_breaks_is_made_up_for_by_asking_after_the_task() {
    let whole = json!([{"artifactId": "a", "name": "answer", "parts": [{"text": "one "}, {"text": "two"}]}]);
    let agent = Scripted::new(move |method, _| match method {
        "GetTask" => result(&task(status("COMPLETED", None), whole.clone())),
        _ => {
            let first = sse(&[begun(), piece("one ", false)]);
            // The yield lets the first events be sent before the connection breaks.
            let broken = async {
                tokio::task::yield_now().await;
                Err(io::Error::other("broken"))
            };
            let body = stream::once(std::future::ready(Ok(first))).chain(stream::once(broken));
            (EVENTS, Body::from_stream(body)).into_response()
        }
    })
    .await;
    let (end, heard) = hear(&agent.connector(true), ask("Hi")).await;
    assert_eq!((end, heard.artifacts), (Ok(RunEnd::Completed), document("one two")));
}
