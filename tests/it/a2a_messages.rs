//! Tests of what A2A messages carry besides text: ids, questions, metadata, extensions, references and traces.

use std::sync::Arc;

use axum::{
    Json, Router,
    http::HeaderMap,
    response::{IntoResponse as _, Response},
    routing::post,
};
use parking_lot::Mutex;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    agent::{Agent, card},
    bad_agents::{administrator, register, serve},
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    mcp::{old, result, tool},
    tokens::make,
};

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

async fn call(client: &Client, path: &str, method: &str, params: Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    client.send(client.request(Method::POST, path).header("A2A-Version", "1.0").json(&body)).await
}

/// Sends a message and returns its task.
async fn send(client: &Client, path: &str, message: &Value) -> Value {
    let answer = call(client, path, "SendMessage", json!({ "message": message })).await.json();
    assert_eq!(answer["error"], Value::Null, "{answer}");
    answer["result"]["task"].clone()
}

fn message(id: &str, context: Option<&str>, text: &str) -> Value {
    let mut message = json!({ "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] });
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    message
}

fn events(answer: &Answer) -> Vec<Value> {
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str::<Value>(data).expect("JSON")["result"].clone()).collect()
}

fn artifact_updates(events: &[Value]) -> usize {
    events.iter().filter(|event| event["artifactUpdate"].is_object()).count()
}

/// Calls that an agent received: its headers, and its parameters.
type Received = Arc<Mutex<Vec<(HeaderMap, Value)>>>;

/// Starts an agent that completes its task `t1` with metadata everywhere.
async fn annotating_agent() -> (String, Received) {
    let received = Received::default();
    let seen = received.clone();
    let answer = async move |headers: HeaderMap, Json(call): Json<Value>| -> Response {
        if call["method"] != "SendStreamingMessage" {
            let error = json!({ "code": -32601, "message": "Method not found" });
            return Json(json!({ "jsonrpc": "2.0", "id": 1, "error": error })).into_response();
        }
        seen.lock().push((headers, call["params"].clone()));
        let text = |text: &str, metadata: Value| json!({ "text": text, "metadata": metadata });
        let data = json!({ "data": { "n": 1 }, "metadata": { "part": "data" } });
        let artifact = |parts: Value| {
            json!({
                "artifactId": "a", "name": "A", "description": "An artifact.", "parts": parts,
                "metadata": { "artifact": 7 }, "extensions": ["urn:of-artifact"],
            })
        };
        let update = |parts: Value, append: bool| {
            json!({ "artifactUpdate": {
            "taskId": "t1", "contextId": "c1", "artifact": artifact(parts), "append": append } })
        };
        let said = json!({ "messageId": "q", "role": "ROLE_AGENT", "parts": [{ "text": "Which?" }],
            "metadata": { "said": true }, "extensions": ["urn:of-question"] });
        let asks = call["params"]["message"]["parts"][0]["text"] == "Ask.";
        let status = if asks {
            json!({ "state": "TASK_STATE_INPUT_REQUIRED", "message": said })
        } else {
            json!({ "state": "TASK_STATE_COMPLETED" })
        };
        let marked = json!({ "k": "v" });
        let all = [
            json!({ "task": { "id": "t1", "contextId": "c1", "status": { "state": "TASK_STATE_WORKING" },
                "metadata": { "task": "yes" } } }),
            update(json!([text("one ", marked.clone())]), false),
            update(json!([text("two", marked)]), true),
            update(json!([data, { "text": "three" }]), true),
            json!({ "statusUpdate": { "taskId": "t1", "contextId": "c1", "status": status, "metadata": { "end": 1 } } }),
        ];
        let line =
            |event: &Value| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": event }));
        let body: String = all.iter().map(line).collect();
        ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
    };
    (serve(Router::new().route("/", post(answer))).await, received)
}

on_both! {
    async fn a_question_is_a_status_message_and_no_artifact(hub: &Hub) {
        let admin = administrator(hub).await;
        let mut puppet = Agent::start().await;
        register(&admin, &puppet.url, "puppet").await;
        let grace = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let path = "/a2a/grace/puppet/";
        for method in ["SendMessage", "SendStreamingMessage"] {
            let context = format!("context-{method}");
            let params = json!({ "message": message("q-1", Some(&context), "Pull.") });
            let (asked, ()) = tokio::join!(call(&grace, path, method, params), async {
                let call = puppet.called().await;
                call.begin_task().await;
                call.ask("Which one?").await;
            });
            if method == "SendStreamingMessage" {
                let events = events(&asked);
                assert_eq!(artifact_updates(&events), 0, "{events:?}");
                let status = &events[events.len() - 1]["statusUpdate"]["status"];
                assert_eq!(status["message"]["parts"], json!([{ "text": "Which one?" }]));
            }
            let listed = call(&grace, path, "ListTasks", json!({ "contextId": context, "includeArtifacts": true })).await.json();
            let task = listed["result"]["tasks"][0].clone();
            let task = call(&grace, path, "GetTask", json!({ "id": task["id"] })).await.json()["result"].clone();
            assert_eq!(task["status"]["state"], json!("TASK_STATE_INPUT_REQUIRED"), "{listed}");
            assert_eq!(task["status"]["message"]["parts"], json!([{ "text": "Which one?" }]));
            assert_eq!(task.get("artifacts"), None, "{task}");

            let answer = message("q-2", Some(&context), "The left one.");
            let (done, ()) = tokio::join!(send(&grace, path, &answer), async {
                let call = puppet.called().await;
                assert_eq!(call.message["taskId"], json!("t1"), "the agent's own task goes on");
                call.begin_task().await;
                call.artifact("Done.").await;
                call.complete().await;
            });
            assert_eq!(done["id"], task["id"]);
            let artifacts = done["artifacts"].as_array().expect("artifacts");
            assert_eq!((artifacts.len(), &artifacts[0]["parts"]), (1, &json!([{ "text": "Done." }])), "{done}");
            let texts: Vec<&Value> = done["history"].as_array().expect("a history").iter()
                .map(|message| &message["parts"][0]["text"]).collect();
            assert_eq!(texts, ["Pull.", "Which one?", "The left one."]);
        }
    }

    async fn a_question_that_is_answered_is_not_in_the_result_of_a_tool(hub: &Hub) {
        let admin = administrator(hub).await;
        let mut puppet = Agent::start().await;
        register(&admin, &puppet.url, "puppet").await;
        let grace = admin.with_token(&make(&admin, &["chat"]).await);
        let ask = |arguments: Value| old(&grace, "/mcp/grace/puppet", "tools/call", &tool("ask", &arguments));
        let (said, ()) = tokio::join!(result(&grace, ask(json!({ "message": "Pull." }))), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.ask("Which one?").await;
        });
        assert_eq!(said["content"], json!([{ "type": "text", "text": "Which one?" }]));
        let arguments = json!({ "message": "The left one.", "context": said["structuredContent"]["context"] });
        let (done, ()) = tokio::join!(result(&grace, ask(arguments)), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.artifact("Done.").await;
            call.complete().await;
        });
        assert_eq!(done["content"], json!([{ "type": "text", "text": "Done." }]));
        assert_eq!(done["structuredContent"]["text"], json!("Done."));
    }

    async fn message_ids_are_kept_and_a_message_sent_twice_is_one_task(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let other = hub.person("eve").await;
        let eve = other.with_token(&make(&other, &["chat", "read"]).await);
        let path = "/a2a/plexus/calc/";
        let ids = [
            "msg-1", "01KB0X8Y2J9T3V5W7Z1A4C6E8G", "0191b2c40000700080000000000000aa", "änderung/№ 7 🦆",
            "0191b2c4-0000-7000-8000-0000000000bb",
        ];
        for (number, id) in ids.into_iter().enumerate() {
            let context = format!("context-{number}");
            let first = send(&ada, path, &message(id, Some(&context), "1 + 1")).await;
            assert_eq!(first["history"][0]["messageId"], json!(id), "{first}");
            let got = call(&ada, path, "GetTask", json!({ "id": first["id"] })).await.json();
            assert_eq!(got["result"]["history"][0]["messageId"], json!(id));
            let again = send(&ada, path, &message(id, Some(&context), "1 + 1")).await;
            assert_eq!(again, first);
            let streamed = call(&ada, path, "SendStreamingMessage", json!({ "message": message(id, Some(&context), "1 + 1") })).await;
            assert_eq!(events(&streamed)[0]["task"]["id"], first["id"]);
            let listed = call(&ada, path, "ListTasks", json!({ "contextId": context })).await.json();
            assert_eq!(listed["result"]["totalSize"], json!(1));
            let of_eve = send(&eve, path, &message(id, Some(&context), "1 + 1")).await;
            assert_ne!(of_eve["id"], first["id"]);
        }
        let first = send(&ada, path, &message("m", Some("one"), "1 + 1")).await;
        let elsewhere = send(&ada, path, &message("m", Some("two"), "1 + 1")).await;
        let changed = send(&ada, path, &message("m", Some("one"), "2 + 2")).await;
        assert!(first["id"] != elsewhere["id"] && first["id"] != changed["id"]);
        assert_eq!(changed["history"][0]["messageId"], json!("m"), "what is said is never dropped for its id");
        let in_new = (send(&ada, path, &message("n", None, "1 + 1")).await, send(&ada, path, &message("n", None, "1 + 1")).await);
        assert_ne!(in_new.0["id"], in_new.1["id"], "each begins a context of its own");
        let by_id = send(&ada, path, &message("m", first["contextId"].as_str(), "1 + 1")).await;
        assert_eq!(by_id["id"], first["id"]);

        let long = call(&ada, path, "SendMessage", json!({ "message": message(&"x".repeat(257), None, "1") })).await.json();
        assert_eq!(long["error"]["code"], json!(-32602));
        assert_eq!(long["error"]["data"][0]["fieldViolations"][0]["field"], json!("message.messageId"));
    }

    async fn two_copies_of_a_message_at_once_are_one_task(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let path = "/a2a/plexus/calc/";
        send(&ada, path, &message("begin", Some("c"), "1 + 1")).await;
        let twice = message("twice", Some("c"), "2 + 2");
        let (one, two) = tokio::join!(send(&ada, path, &twice), send(&ada, path, &twice));
        assert_eq!(one["id"], two["id"]);
    }

    async fn what_a_caller_sends_along_reaches_the_agent(hub: &Hub) {
        let admin = administrator(hub).await;
        let (url, received) = annotating_agent().await;
        register(&admin, &url, "notes").await;
        let grace = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let path = "/a2a/grace/notes/";
        let first = send(&grace, path, &message("first", None, "Hi")).await;
        received.lock().clear();

        let mut asked = message("second", None, "Hello");
        asked["metadata"] = json!({ "https://example.org/x": { "deep": [1, null, "ü"] }, "plexus_timeout_ms": 60000 });
        asked["extensions"] = json!(["urn:x"]);
        asked["referenceTaskIds"] = json!([first["id"], "elsewhere"]);
        asked["parts"][0]["metadata"] = json!({ "of": "part" });
        let file = json!({ "raw": "AAEC", "filename": "a.bin", "mediaType": "application/octet-stream", "metadata": { "of": "file" } });
        asked["parts"].as_array_mut().expect("a list").push(file);
        let params = json!({ "message": asked, "metadata": { "of": "request" },
            "configuration": { "acceptedOutputModes": ["text/plain", "image/png"] } });
        let bodies = [
            (path.to_owned(), json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params })),
            (format!("{path}rest/message:send"), params.clone()),
        ];
        for (path, body) in bodies {
            let request = grace.request(Method::POST, &path).header("A2A-Version", "1.0").header("A2A-Extensions", "urn:y, urn:x")
                .header("traceparent", TRACE).header("tracestate", "congo=t61rcWkgMzE");
            let answer = grace.send(request.json(&body)).await.expect(StatusCode::OK).json();
            let task = if answer["task"].is_object() { &answer["task"] } else { &answer["result"]["task"] };
            let (headers, sent) = received.lock().pop().expect("the agent was called");
            let message = &sent["message"];
            assert_eq!(message["metadata"], json!({ "https://example.org/x": { "deep": [1, null, "ü"] } }));
            assert_eq!(message["extensions"], json!(["urn:x", "urn:y"]));
            assert_eq!(message["referenceTaskIds"], json!(["t1", "elsewhere"]), "the agent gets its own id");
            assert_eq!(message["parts"][0], json!({ "text": "Hello", "metadata": { "of": "part" } }));
            assert_eq!((&message["parts"][1]["raw"], &message["parts"][1]["metadata"]), (&json!("AAEC"), &json!({ "of": "file" })));
            assert_eq!(sent["metadata"], json!({ "of": "request" }));
            assert_eq!(sent["configuration"]["acceptedOutputModes"], json!(["text/plain", "image/png"]));
            let header = |name: &str| headers[name].to_str().expect("text").to_owned();
            assert_eq!((header("traceparent"), header("tracestate")), (TRACE.to_owned(), "congo=t61rcWkgMzE".to_owned()));
            assert_eq!(header("a2a-extensions"), "urn:x, urn:y");

            let told = &task["history"][0];
            assert_eq!((&told["messageId"], &told["metadata"]), (&json!("second"), &message["metadata"]), "{told}");
            assert_eq!((&told["extensions"], &told["referenceTaskIds"]), (&message["extensions"], &asked["referenceTaskIds"]));
            assert_eq!(told["parts"][0], asked["parts"][0]);
            assert_eq!(told["parts"][1]["metadata"], json!({ "of": "file" }));
        }
        let large = json!({ "message": message("large", None, "Hi"), "metadata": { "x": "y".repeat(70_000) } });
        let refused = call(&grace, path, "SendMessage", large).await.json();
        assert_eq!(refused["error"]["data"][0]["fieldViolations"][0]["field"], json!("message.metadata"));
        let mut many = message("many", None, "Hi");
        many["extensions"] = (0..65).map(|number| format!("urn:{number}")).collect();
        let refused = call(&grace, path, "SendMessage", json!({ "message": many })).await.json();
        assert_eq!(refused["error"]["data"][0]["fieldViolations"][0]["field"], json!("message.extensions"));
    }

    async fn what_an_agent_adds_to_its_answer_reaches_the_caller(hub: &Hub) {
        let admin = administrator(hub).await;
        let (url, _) = annotating_agent().await;
        register(&admin, &url, "notes").await;
        let grace = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let path = "/a2a/grace/notes/";
        let parts = json!([
            { "text": "one two", "metadata": { "k": "v" } },
            { "data": { "n": 1 }, "metadata": { "part": "data" } },
            { "text": "three" },
        ]);
        let expected = json!({ "artifactId": "a", "name": "A", "description": "An artifact.", "parts": parts,
            "metadata": { "artifact": 7 }, "extensions": ["urn:of-artifact"] });
        let sent = send(&grace, path, &message("m", None, "Hi")).await;
        let got = call(&grace, path, "GetTask", json!({ "id": sent["id"] })).await.json()["result"].clone();
        for task in [&sent, &got] {
            assert_eq!(task["artifacts"], json!([expected]), "{task}");
            assert_eq!(task["metadata"], json!({ "task": "yes", "end": 1 }));
        }
        let streamed = call(&grace, path, "SendStreamingMessage", json!({ "message": message("s", None, "Hi") })).await;
        let streamed = events(&streamed);
        let last = streamed.iter().rev().find(|event| event["artifactUpdate"].is_object()).expect("an artifact");
        assert_eq!((&last["artifactUpdate"]["artifact"], &last["artifactUpdate"]["lastChunk"]), (&expected, &json!(true)));
        assert_eq!(streamed[streamed.len() - 1]["statusUpdate"]["metadata"], json!({ "task": "yes", "end": 1 }));
        let old = json!({ "message": { "kind": "message", "messageId": "o", "role": "user", "parts": [{ "kind": "text", "text": "Hi" }] } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": old });
        let answer = grace.send(grace.request(Method::POST, path).json(&body)).await.json();
        let artifact = &answer["result"]["artifacts"][0];
        assert_eq!((&artifact["metadata"], &artifact["parts"][0]["metadata"]), (&json!({ "artifact": 7 }), &json!({ "k": "v" })), "{answer}");

        let asked = send(&grace, path, &message("q", None, "Ask.")).await;
        let said = &asked["status"]["message"];
        assert_eq!(text_of(&said["parts"][0]["text"]), "Which?");
        assert_eq!((&said["metadata"], &said["extensions"]), (&json!({ "said": true }), &json!(["urn:of-question"])));
    }

    async fn extensions_of_a_card_are_kept(hub: &Hub) {
        let admin = administrator(hub).await;
        let extension = json!({ "uri": "https://ext.example/trace/v1", "description": "Traces.",
            "params": { "level": "debug", "names": ["a", "b"] } });
        let agent = Agent::with(|url| {
            let mut card = card(url);
            card["capabilities"]["extensions"] = json!([extension]);
            card
        }).await;
        register(&admin, &agent.url, "traced").await;
        let program = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let shown = program.get("/a2a/grace/traced/.well-known/agent-card.json").await.expect(StatusCode::OK).json();
        assert_eq!(shown["capabilities"]["extensions"], json!([extension]), "{shown:#}");
    }

    async fn other_spellings_of_proto_json_are_accepted(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let path = "/a2a/plexus/calc/";
        let params = json!({
            "message": { "message_id": "m", "role": 1, "context_id": "c", "task_id": null, "extensions": null, "metadata": null,
                "parts": [{ "text": "1 + 1", "media_type": null }, { "raw": "-_8", "filename": "a.txt", "media_type": "text/plain" }] },
            "configuration": { "accepted_output_modes": null, "history_length": "1", "return_immediately": null },
        });
        let task = call(&ada, path, "SendMessage", params.clone()).await.json()["result"]["task"].clone();
        assert_eq!((&task["contextId"], &task["status"]["state"]), (&json!("c"), &json!("TASK_STATE_COMPLETED")), "{task}");
        assert_eq!(task["history"].as_array().map(Vec::len), Some(1));
        let got = call(&ada, path, "GetTask", json!({ "id": task["id"], "history_length": "0" })).await.json();
        assert_eq!((&got["result"]["id"], got["result"].get("history")), (&task["id"], None));
        let list = json!({ "context_id": "c", "status": 3, "page_size": "5", "include_artifacts": true });
        let listed = call(&ada, path, "ListTasks", list).await.json();
        assert_eq!((&listed["result"]["totalSize"], &listed["result"]["pageSize"]), (&json!(1), &json!(5)), "{listed}");
        let rest = async |method: Method, path: &str, body: Option<&Value>| {
            let request = ada.request(method, &format!("/a2a/plexus/calc/rest/{path}")).header("A2A-Version", "1.0");
            ada.send(match body { Some(body) => request.json(body), None => request }).await.expect(StatusCode::OK).json()
        };
        assert_eq!(rest(Method::POST, "message:send", Some(&params)).await["task"]["id"], task["id"], "the same message");
        let listed = rest(Method::GET, "tasks?context_id=c&page_size=5&include_artifacts=true&status=3", None).await;
        assert!(listed["totalSize"] == json!(1) && listed["tasks"][0]["artifacts"].is_array(), "{listed}");
        let wrong = call(&ada, path, "GetTask", json!({ "id": task["id"], "historyLength": "-1" })).await.json();
        assert_eq!(wrong["error"]["code"], json!(-32602));
    }

    async fn agents_may_answer_in_other_spellings(hub: &Hub) {
        let admin = administrator(hub).await;
        let answer = async |Json(call): Json<Value>| -> Response {
            let ids = |mut event: Value| { event["task_id"] = json!("t"); event["context_id"] = json!("c"); event };
            let artifact = json!({ "artifact_id": "a", "name": null, "metadata": null,
                "parts": [{ "text": "Hello", "media_type": "" }, { "raw": "_-8", "media_type": "application/x-b" }] });
            let events = [
                json!({ "task": { "id": "t", "context_id": "c", "status": { "state": 2, "message": null }, "artifacts": null } }),
                json!({ "artifact_update": ids(json!({ "artifact": artifact, "append": null, "last_chunk": true })) }),
                json!({ "status_update": ids(json!({ "status": { "state": 3 } })) }),
            ];
            assert_eq!(call["method"], json!("SendStreamingMessage"));
            let line = |event: &Value| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": event }));
            let body: String = events.iter().map(line).collect();
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        };
        let url = serve(Router::new().route("/", post(answer))).await;
        register(&admin, &url, "snake").await;
        let grace = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let task = send(&grace, "/a2a/grace/snake/", &message("m", None, "Hi")).await;
        assert_eq!(task["status"]["state"], json!("TASK_STATE_COMPLETED"));
        let parts = &task["artifacts"][0]["parts"];
        assert_eq!((&parts[0], &parts[1]["mediaType"]), (&json!({ "text": "Hello" }), &json!("application/x-b")), "{task}");
        let file = text_of(&parts[1]["url"]).strip_prefix(hub.origin()).expect("here").to_owned();
        grace.get(&file).await.expect(StatusCode::OK);
    }
}
