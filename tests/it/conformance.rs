//! Tests of the requirements of A2A 1.0, over both bindings, against the conformance agent.

use plexus_domain::Digest;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    hub::{Hub, on_both},
    kit::{BASE, Binding, Kit, message, run},
    process::{self, stderr},
};

const COMPLETED: &str = "TASK_STATE_COMPLETED";

fn with(mut params: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    params.pointer_mut(parent).expect("a parent")[name] = value;
    params
}

/// Sends a message and returns the task that it creates.
async fn task(kit: &Kit, binding: Binding, id: &str) -> Value {
    kit.get(binding, "SendMessage", message(id)).await["task"].clone()
}

/// Returns the task states of a stream in order.
fn states(events: &[Value]) -> Vec<&str> {
    assert!(events[0]["task"].is_object(), "the task comes first: {events:?}");
    let told = events.iter().flat_map(|event| [&event["task"], &event["statusUpdate"]]);
    told.filter_map(|told| told["status"]["state"].as_str()).collect()
}

#[tokio::test]
async fn an_answer_has_the_shape_of_the_specification() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let task = task(kit, binding, "tck-complete-task-1").await;
            assert_eq!(task["status"]["state"], json!(COMPLETED));
            let at = text_of(&task["status"]["timestamp"]);
            assert!(at.len() == 24 && at.ends_with('Z'), "{at}");
            assert!(task["id"].is_string() && task["contextId"].is_string() && task.get("kind").is_none());
            assert_eq!(task["artifacts"][0]["parts"][0]["text"], json!("Hello from TCK"));
            assert_eq!(task["history"][0]["role"], json!("ROLE_USER"));
            assert_eq!(kit.get(binding, "GetTask", json!({ "id": task["id"] })).await, task);

            let reply = kit.get(binding, "SendMessage", message("tck-message-response-1")).await;
            assert_eq!(reply.as_object().map(|members| members.len()), Some(1), "{reply}");
            assert_eq!(reply["message"]["role"], json!("ROLE_AGENT"));
            assert_eq!(reply["message"]["parts"], json!([{ "text": "Direct message response" }]));
            let events = kit.stream(binding, "SendStreamingMessage", message("tck-message-response-2")).await;
            assert_eq!(events.len(), 1);
            assert!(events[0]["message"].is_object(), "{events:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn artifacts_carry_text_data_files_and_links() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let part = async |id: &str| task(kit, binding, id).await["artifacts"][0]["parts"][0].clone();
            assert_eq!(part("tck-artifact-text-1").await["text"], json!("Generated text content"));
            assert_eq!(part("tck-artifact-data-1").await["data"], json!({ "key": "value", "count": 42 }));
            let link = json!({ "url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain" });
            assert_eq!(part("tck-artifact-file-url-1").await, link);
            let file = part("tck-artifact-file-1").await;
            assert_eq!((&file["filename"], &file["mediaType"]), (&json!("output.txt"), &json!("text/plain")));
        }
    })
    .await;
}

#[tokio::test]
async fn a_stream_is_the_task_then_what_changes_to_its_end() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let events = kit.stream(binding, "SendStreamingMessage", message("tck-stream-001-1")).await;
            assert_eq!(states(&events), ["TASK_STATE_WORKING", COMPLETED], "{events:?}");
            let updates: Vec<&Value> =
                events.iter().filter_map(|event| event.get("artifactUpdate")).collect();
            assert_eq!(updates[0]["artifact"]["parts"][0]["text"], json!("Generated text content"));
            let ids: Vec<&Value> = updates.iter().map(|update| &update["taskId"]).collect();
            assert!(ids.iter().all(|id| **id == events[0]["task"]["id"]));
            assert_eq!(updates[updates.len() - 1]["lastChunk"], json!(true));

            let events =
                kit.stream(binding, "SendStreamingMessage", message("tck-stream-artifact-chunked-1")).await;
            let updates: Vec<&Value> =
                events.iter().filter_map(|event| event.get("artifactUpdate")).collect();
            assert_eq!(updates[0].get("append"), None, "{events:?}");
            let (last, chunks) = updates.split_last().expect("updates");
            assert!(chunks.iter().skip(1).all(|update| update["append"] == json!(true)));
            let text: String =
                chunks.iter().map(|update| text_of(&update["artifact"]["parts"][0]["text"])).collect();
            let whole = "First chunk, second chunk";
            assert!(whole.starts_with(&text), "{text}");
            // Clients that keep only the last event have the whole artifact, others replace theirs by it.
            assert_eq!((&last["lastChunk"], last.get("append")), (&json!(true), None), "{last}");
            assert_eq!(last["artifact"]["parts"][0]["text"], json!(whole));

            let events =
                kit.stream(binding, "SendStreamingMessage", message("tck-stream-artifact-file-1")).await;
            assert_eq!(states(&events), ["TASK_STATE_WORKING", COMPLETED]);
            let events = kit.stream(binding, "SendStreamingMessage", message("tck-input-required-1")).await;
            assert_eq!(states(&events), ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
        }
    })
    .await;
}

#[tokio::test]
async fn several_readers_of_a_task_read_the_same_in_the_same_order() {
    run(async |kit: &Kit| {
        let at_once = json!({ "returnImmediately": true });
        for binding in Binding::BOTH {
            let asked = with(message("test-resubscribe-message-id-1"), "/configuration", at_once.clone());
            let task = kit.get(binding, "SendMessage", asked).await["task"].clone();
            assert_eq!(task["status"]["state"], json!("TASK_STATE_WORKING"), "the answer came at once");
            let read = || kit.stream(binding, "SubscribeToTask", json!({ "id": task["id"] }));
            let (one, two) = tokio::join!(read(), read());
            assert_eq!(one, two);
            assert_eq!(states(&one), ["TASK_STATE_WORKING", COMPLETED]);
            assert_eq!(one[0]["task"]["id"], task["id"]);
            let ended = kit.refused(binding, "SubscribeToTask", json!({ "id": task["id"] })).await;
            assert_eq!(ended, binding.refusal(-32004, 400, "UNSUPPORTED_OPERATION"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_task_that_asks_goes_on_with_the_next_message() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let asked = task(kit, binding, "tck-input-required-1").await;
            assert_eq!(asked["status"]["state"], json!("TASK_STATE_INPUT_REQUIRED"));
            assert!(asked["status"]["message"]["parts"][0]["text"].is_string());
            let answer = with(message("tck-complete-task-2"), "/message/taskId", asked["id"].clone());

            let elsewhere = with(answer.clone(), "/message/contextId", json!("another"));
            let refused = kit.refused(binding, "SendMessage", elsewhere).await;
            assert_eq!(refused, binding.refusal(-32602, 400, "message.contextId"));

            let ended = kit.get(binding, "SendMessage", answer.clone()).await["task"].clone();
            assert_eq!((&ended["id"], &ended["contextId"]), (&asked["id"], &asked["contextId"]));
            assert_eq!(ended["status"]["state"], json!(COMPLETED));
            let late = with(answer, "/message/messageId", json!("late"));
            let refused = kit.refused(binding, "SendMessage", late.clone()).await;
            assert_eq!(refused, binding.refusal(-32004, 400, "UNSUPPORTED_OPERATION"));
            let unknown = with(late, "/message/taskId", json!("none"));
            let refused = kit.refused(binding, "SendMessage", unknown).await;
            assert_eq!(refused, binding.refusal(-32001, 404, "TASK_NOT_FOUND"));

            let rejected = task(kit, binding, "tck-reject-task-1").await;
            assert_eq!(rejected["status"]["state"], json!("TASK_STATE_REJECTED"));
            assert_eq!(rejected["status"]["message"]["parts"][0]["text"], json!("rejected"));
            let waiting = task(kit, binding, "tck-auth-required-1").await;
            assert_eq!(waiting["status"]["state"], json!("TASK_STATE_AUTH_REQUIRED"));
            let ended = kit.get(binding, "CancelTask", json!({ "id": waiting["id"] })).await;
            assert_eq!(ended["status"]["state"], json!("TASK_STATE_CANCELED"));
            let refused = kit.refused(binding, "CancelTask", json!({ "id": waiting["id"] })).await;
            assert_eq!(refused, binding.refusal(-32002, 400, "TASK_NOT_CANCELABLE"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_in_the_context_of_a_task_that_asks_goes_on_with_it() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            for own in [None, Some(format!("own-{binding:?}"))] {
                let mut question = message("tck-input-required-1");
                question["message"]["contextId"] = json!(own);
                let asked = kit.get(binding, "SendMessage", question).await["task"].clone();
                assert_eq!(asked["status"]["state"], json!("TASK_STATE_INPUT_REQUIRED"));
                let context = asked["contextId"].clone();
                let answer = with(message("tck-complete-task-2"), "/message/contextId", context.clone());
                let ended = kit.get(binding, "SendMessage", answer).await["task"].clone();
                assert_eq!((&ended["id"], &ended["status"]["state"]), (&asked["id"], &json!(COMPLETED)));
                let next = with(message("tck-complete-task-3"), "/message/contextId", context);
                let next = kit.get(binding, "SendMessage", next).await["task"].clone();
                assert_ne!(next["id"], asked["id"], "after its end a message starts a task");
                assert_eq!(next["contextId"], asked["contextId"]);
            }
        }
        let old = async |id: &str, context: &Value| {
            let text = json!([{ "kind": "text", "text": "Hello" }]);
            let message = json!({ "kind": "message", "messageId": id, "role": "user", "parts": text, "contextId": context });
            let params = json!({ "message": message });
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params });
            kit.client.send(kit.post(BASE).body(body.to_string())).await.json()["result"].clone()
        };
        let asked = old("tck-input-required-4", &Value::Null).await;
        assert_eq!(asked["status"]["state"], json!("input-required"), "{asked}");
        let ended = old("tck-complete-task-4", &asked["contextId"]).await;
        assert_eq!((&ended["id"], &ended["status"]["state"]), (&asked["id"], &json!("completed")));
    })
    .await;
}

#[tokio::test]
async fn lists_are_paged_filtered_and_in_order() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let context = format!("c-{binding:?}");
            let named = |id: &str| with(message(id), "/message/contextId", json!(context));
            let mut made = Vec::new();
            for id in ["tck-complete-task-1", "tck-artifact-text-3", "tck-input-required-2"] {
                made.insert(0, kit.get(binding, "SendMessage", named(id)).await["task"]["id"].clone());
            }
            let list = async |more: Value| {
                let mut params = json!({ "contextId": context });
                params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                kit.get(binding, "ListTasks", params).await
            };
            let all = list(json!({})).await;
            let ids: Vec<&Value> = all["tasks"].as_array().unwrap().iter().map(|task| &task["id"]).collect();
            assert_eq!(ids, made.iter().collect::<Vec<_>>(), "the last one first");
            assert_eq!(
                (&all["totalSize"], &all["pageSize"], &all["nextPageToken"]),
                (&json!(3), &json!(50), &json!(""))
            );
            assert!(all["tasks"].as_array().unwrap().iter().all(|task| task.get("artifacts").is_none()));

            let first = list(json!({ "pageSize": 2, "includeArtifacts": true })).await;
            assert!(first["tasks"][1]["artifacts"].is_array());
            assert_eq!(first["tasks"][0].get("artifacts"), None, "a question is no artifact");
            let rest = list(json!({ "pageSize": 2, "pageToken": first["nextPageToken"] })).await;
            assert_eq!((&rest["tasks"][0]["id"], &rest["nextPageToken"]), (&made[2], &json!("")));
            let whole = list(json!({ "pageSize": 3 })).await;
            assert_eq!(whole["nextPageToken"], json!(""), "nothing follows a page that holds the last");

            let waiting = list(json!({ "status": "TASK_STATE_INPUT_REQUIRED" })).await;
            assert_eq!((&waiting["totalSize"], &waiting["tasks"][0]["id"]), (&json!(1), &made[0]));
            let since = list(json!({ "statusTimestampAfter": "2999-01-01T00:00:00.000Z" })).await;
            assert_eq!(since["tasks"], json!([]));
            for (name, wrong) in [
                ("pageSize", json!(0)),
                ("pageSize", json!(101)),
                ("pageToken", json!("made-up")),
                ("status", json!("TASK_STATE_DREAMING")),
                ("statusTimestampAfter", json!("yesterday")),
            ] {
                let refused = kit.refused(binding, "ListTasks", json!({ name: wrong })).await;
                assert_eq!(refused, binding.refusal(-32602, 400, name));
            }
        }
    })
    .await;
}

#[tokio::test]
async fn history_is_as_long_as_asked_for() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let task = task(kit, binding, "tck-complete-task-1").await;
            let history = async |length: Value| {
                kit.get(binding, "GetTask", json!({ "id": task["id"], "historyLength": length })).await
            };
            assert_eq!(history(json!(0)).await.get("history"), None);
            assert_eq!(history(json!(1)).await["history"].as_array().map(Vec::len), Some(1));
            let asked = with(message("tck-complete-task-2"), "/configuration", json!({ "historyLength": 0 }));
            let told = kit.get(binding, "SendMessage", asked).await;
            assert_eq!(told["task"].get("history"), None);
            let params = json!({ "id": task["id"], "historyLength": -1 });
            assert_eq!(
                kit.refused(binding, "GetTask", params).await.code,
                binding.refusal(-32602, 400, "").code
            );
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_not_complete_is_refused_with_the_field_that_is_wrong() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            for (pointer, value, field) in [
                ("/message/messageId", json!(""), "message.messageId"),
                ("/message/parts", json!([]), "message.parts"),
                ("/message/role", json!("ROLE_AGENT"), "message.role"),
                ("/message/parts", json!([{}]), "params"),
                ("/message/parts", json!([{ "text": "a", "url": "https://b" }]), "params"),
                ("/message/role", json!(7), "message.role"),
                ("/message/role", json!([]), "params"),
            ] {
                let wrong = with(message("m"), pointer, value);
                let refused = kit.refused(binding, "SendMessage", wrong).await;
                assert_eq!(refused, binding.refusal(-32602, 400, field), "{pointer}");
            }
            for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
                let refused = kit.refused(binding, method, json!({ "id": "none" })).await;
                assert_eq!(refused, binding.refusal(-32001, 404, "TASK_NOT_FOUND"));
            }
        }
    })
    .await;
}

#[tokio::test]
async fn headers_are_checked_before_the_body() {
    run(async |kit: &Kit| {
        let path = format!("{BASE}rest/message:send");
        for (path, status) in
            [(BASE, StatusCode::UNSUPPORTED_MEDIA_TYPE), (path.as_str(), StatusCode::BAD_REQUEST)]
        {
            let request = kit.client.request(Method::POST, path).header("A2A-Version", "1.0");
            let answer =
                kit.client.send(request.header(header::CONTENT_TYPE, "text/plain").body("not json")).await;
            let answer = answer.expect(status).json();
            let info =
                if path == BASE { &answer["error"]["data"][0] } else { &answer["error"]["details"][0] };
            assert_eq!(info["reason"], json!("CONTENT_TYPE_NOT_SUPPORTED"), "{answer}");
        }
        for (version, is_taken) in
            [("1.0", true), ("1.0.1", true), ("2.0", false), ("1", false), ("x", false)]
        {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks" }).to_string();
            let answer =
                kit.client.send(kit.post(BASE).header("A2A-Version", version).body(body)).await.json();
            assert_eq!(answer["error"].is_null(), is_taken, "{version}: {answer}");
            let path = format!("{BASE}rest/tasks?A2A-Version={version}");
            let status = kit.client.get(&path).await.status;
            assert_eq!(status == StatusCode::OK, is_taken, "{version}");
        }
        let batch = kit.client.send(kit.post(BASE).header("A2A-Version", "1.0").body("[{}]")).await.json();
        assert_eq!(batch["error"]["code"], json!(-32600));
        for slashes in ["/a2a/test/tck", "/a2a/test/tck/", "/a2a/test/tck//"] {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks" }).to_string();
            kit.client
                .send(kit.post(slashes).header("A2A-Version", "1.0").body(body))
                .await
                .expect(StatusCode::OK);
        }
    })
    .await;
}

#[tokio::test]
async fn the_card_is_where_kits_look_for_it() {
    run(async |kit: &Kit| {
        let card = kit.card().await;
        let at_root = kit.client.get("/.well-known/agent-card.json").await.expect(StatusCode::OK);
        assert_eq!(at_root.json(), card);
        let tag = at_root.header("etag").to_owned();
        assert_eq!(tag, format!("\"{}\"", Digest::of(at_root.body.as_bytes())));
        assert!(at_root.header("cache-control").contains("max-age"));
        let again = kit.client.request(Method::GET, "/.well-known/agent-card.json");
        let again = again.header(header::IF_NONE_MATCH, format!("\"other\", W/{tag}"));
        kit.client.send(again).await.expect(StatusCode::NOT_MODIFIED);
        for member in ["name", "description", "version"] {
            assert!(!text_of(&card[member]).is_empty());
        }
        for member in ["supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills"] {
            assert!(card[member].as_array().is_some_and(|list| !list.is_empty()), "{member}");
        }
        assert_eq!(card.get("securityRequirements"), None, "nobody signs in");
        for binding in Binding::BOTH {
            assert_eq!(kit.get(binding, "GetExtendedAgentCard", json!({})).await["name"], card["name"]);
        }
    })
    .await;
}

#[tokio::test]
async fn the_command_serves_on_loopback_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = process::plexus(folder.path(), &["conformance", "--listen", "0.0.0.0:0"]).await;
    assert!(!refused.status.success() && stderr(&refused).contains("loopback only"), "{}", stderr(&refused));
    let served = process::Process::conformance(folder.path()).await;
    let client = Client::new(&served.origin);
    client.get("/.well-known/agent-card.json").await.expect(StatusCode::OK);
    served.terminate();
    assert_eq!(served.ended().await, 0);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(left.is_empty(), "its data is not here: {left:?}");
}

on_both! {
    async fn a_hub_for_people_has_nothing_for_kits(hub: &Hub) {
        let visitor = hub.visitor();
        let card = format!("{BASE}.well-known/agent-card.json");
        visitor.get(&card).await.expect(StatusCode::NOT_FOUND);
        let request = visitor.request(Method::POST, BASE).header(header::CONTENT_TYPE, "application/json");
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("tck-complete-task") });
        visitor.send(request.header("A2A-Version", "1.0").body(body.to_string())).await.expect(StatusCode::NOT_FOUND);
        let listed = visitor.get("/api/v1/agents?q=tck").await.json();
        assert!(!listed.to_string().contains("test/tck"), "{listed}");
    }
}
