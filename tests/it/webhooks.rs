//! Tests of push notifications, from the receiver's side.

use std::time::Duration;

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use reqwest::{Method, header};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::mpsc::{Receiver, Sender, channel},
    time::timeout,
};

use crate::{
    client::text_of,
    hub::{Hub, on_both},
    kit::{BASE, Binding, Kit, message, run},
    tokens::make,
};

const TIMEOUT: Duration = Duration::from_secs(60);
const QUEUE_CAPACITY: usize = 64;

/// Webhook receiver with scripted status codes that forwards its requests to the test.
pub struct Webhook {
    pub url: String,
    calls: Receiver<(HeaderMap, Value)>,
}

#[derive(Clone)]
struct Serving {
    calls: Sender<(HeaderMap, Value)>,
    answers: std::sync::Arc<std::sync::Mutex<Vec<StatusCode>>>,
}

impl Webhook {
    /// Starts a receiver. The first requests get these statuses, all others 200.
    pub async fn start(answers: &[StatusCode]) -> Self {
        let (sender, calls) = channel(QUEUE_CAPACITY);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/hook?key=1", listener.local_addr().expect("an address"));
        let answers = answers.iter().rev().copied().collect::<Vec<_>>();
        let state = Serving { calls: sender, answers: std::sync::Arc::new(answers.into()) };
        let router = Router::new().route("/hook", post(take)).with_state(state);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, calls }
    }

    pub async fn called(&mut self) -> (HeaderMap, Value) {
        timeout(TIMEOUT, self.calls.recv()).await.expect("the hub calls").expect("it serves")
    }
}

async fn take(State(state): State<Serving>, headers: HeaderMap, body: String) -> (StatusCode, Json<Value>) {
    let answer = state.answers.lock().expect("unpoisoned").pop().unwrap_or(StatusCode::OK);
    state.calls.send((headers, serde_json::from_str(&body).expect("JSON"))).await.expect("the test reads");
    (answer, Json(json!({})))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().expect("text"))
}

/// Creates a task that requires input.
async fn waiting(kit: &Kit, binding: Binding) -> Value {
    kit.get(binding, "SendMessage", message("tck-input-required-1")).await["task"]["id"].clone()
}

#[tokio::test]
async fn a_webhook_is_told_each_step_in_order_and_again_when_it_does_not_listen() {
    run(async |kit: &Kit| {
        let mut hook = Webhook::start(&[StatusCode::SERVICE_UNAVAILABLE]).await;
        let config = json!({
            "url": hook.url, "token": "t-1", "authentication": { "scheme": "Bearer", "credentials": "k-1" },
        });
        let mut asked = message("tck-artifact-text-1");
        asked["configuration"] = json!({ "taskPushNotificationConfig": config });
        let task = kit.get(Binding::Rpc, "SendMessage", asked).await["task"].clone();
        let (headers, refused) = hook.called().await;
        assert_eq!(text(&headers, "authorization"), "Bearer k-1");
        assert_eq!(text(&headers, "x-a2a-notification-token"), "t-1");
        assert_eq!(text(&headers, "content-type"), "application/a2a+json");
        let working = &refused["statusUpdate"];
        assert_eq!((&working["taskId"], &working["contextId"]), (&task["id"], &task["contextId"]));
        assert_eq!(working["status"]["state"], json!("TASK_STATE_WORKING"));
        assert_eq!(hook.called().await.1, refused, "the same again");
        let (_, ended) = hook.called().await;
        assert_eq!(ended["task"]["id"], task["id"]);
        assert_eq!(ended["task"]["status"]["state"], json!("TASK_STATE_COMPLETED"));
        assert_eq!(ended["task"]["artifacts"], task["artifacts"]);
        assert_eq!(ended.as_object().map(serde_json::Map::len), Some(1), "one of the four kinds");
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_is_given_up_does_not_take_the_next_with_it() {
    run(async |kit: &Kit| {
        let mut hook = Webhook::start(&[StatusCode::SERVICE_UNAVAILABLE; 2]).await;
        let mut asked = message("tck-artifact-text-1");
        asked["configuration"] = json!({ "taskPushNotificationConfig": { "url": hook.url } });
        let task = kit.get(Binding::Rpc, "SendMessage", asked).await["task"].clone();
        let (_, refused) = hook.called().await;
        // The next attempt is the last one, of both notifications.
        kit.sql("update outbox set attempts = 6, due_at = 0").await;
        assert_eq!(hook.called().await.1, refused);
        let (_, ended) = hook.called().await;
        assert_eq!(
            (&ended["task"]["id"], &ended["task"]["status"]["state"]),
            (&task["id"], &json!("TASK_STATE_COMPLETED"))
        );
    })
    .await;
}

#[tokio::test]
async fn configurations_are_made_read_listed_and_deleted() {
    run(async |kit: &Kit| {
        for binding in Binding::BOTH {
            let mut hook = Webhook::start(&[]).await;
            let task = waiting(kit, binding).await;
            let config = json!({
                "taskId": task, "id": "mine", "url": hook.url, "token": "t",
                "authentication": { "scheme": "Basic", "credentials": "secret" },
            });
            let made = kit.get(binding, "CreateTaskPushNotificationConfig", config.clone()).await;
            assert_eq!((&made["id"], &made["taskId"], &made["url"]), (&json!("mine"), &task, &config["url"]));
            assert!(!made.to_string().contains("secret"), "credentials are shown to nobody: {made}");
            let one = json!({ "taskId": task, "id": "mine" });
            assert_eq!(kit.get(binding, "GetTaskPushNotificationConfig", one.clone()).await, made);

            let mut unnamed = config.clone();
            unnamed.as_object_mut().expect("an object").remove("id");
            let other = kit.get(binding, "CreateTaskPushNotificationConfig", unnamed).await;
            assert!(!text_of(&other["id"]).is_empty());
            let all = kit.get(binding, "ListTaskPushNotificationConfigs", json!({ "taskId": task })).await;
            assert_eq!(all["configs"], json!([made, other]));
            let gone = json!({ "taskId": task, "id": other["id"] });
            for _ in 0..2 {
                kit.get(binding, "DeleteTaskPushNotificationConfig", gone.clone()).await;
            }
            let refused = kit.refused(binding, "GetTaskPushNotificationConfig", gone).await;
            assert_eq!(refused, binding.refusal(-32001, 404, "TASK_NOT_FOUND"));

            kit.get(binding, "CancelTask", json!({ "id": task })).await;
            let (headers, told) = hook.called().await;
            assert_eq!(text(&headers, "authorization"), "Basic secret");
            assert_eq!(told["task"]["status"]["state"], json!("TASK_STATE_CANCELED"));

            for (field, wrong) in [
                ("url", json!("nowhere")),
                ("url", json!("ftp://a.example/")),
                ("token", json!("a\r\nb")),
                ("id", json!("a\nb")),
            ] {
                let mut bad = config.clone();
                bad[field] = wrong;
                let refused = kit.refused(binding, "CreateTaskPushNotificationConfig", bad).await;
                assert_eq!(refused, binding.refusal(-32602, 400, field));
            }
            let unknown = json!({ "taskId": "none", "id": "mine", "url": hook.url });
            for method in ["Create", "Get", "Delete"] {
                let method = format!("{method}TaskPushNotificationConfig");
                let refused = kit.refused(binding, &method, unknown.clone()).await;
                assert_eq!(refused, binding.refusal(-32001, 404, "TASK_NOT_FOUND"));
            }
        }
    })
    .await;
}

#[tokio::test]
async fn receivers_of_the_older_version_are_told_in_its_words() {
    run(async |kit: &Kit| {
        let mut hook = Webhook::start(&[]).await;
        let task = waiting(kit, Binding::Rpc).await;
        let former = async |method: &str, params: Value| {
            let method = format!("tasks/pushNotificationConfig/{method}");
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            kit.client.send(kit.post(BASE).body(body.to_string())).await.json()
        };
        let config =
            json!({ "url": hook.url, "authentication": { "schemes": ["Bearer"], "credentials": "k" } });
        let set = former("set", json!({ "taskId": task, "pushNotificationConfig": config })).await;
        let config = &set["result"]["pushNotificationConfig"];
        assert_eq!((&set["result"]["taskId"], &config["url"]), (&task, &json!(hook.url)), "{set}");
        assert_eq!(former("get", json!({ "id": task })).await["result"], set["result"]);
        assert_eq!(former("list", json!({ "id": task })).await["result"], json!([set["result"]]));
        kit.get(Binding::Rpc, "CancelTask", json!({ "id": task })).await;
        let (headers, told) = hook.called().await;
        assert_eq!(
            (text(&headers, "authorization"), text(&headers, "content-type")),
            ("Bearer k", "application/json")
        );
        assert_eq!((&told["kind"], &told["status"]["state"]), (&json!("task"), &json!("canceled")));
        let named = json!({ "id": task, "pushNotificationConfigId": config["id"] });
        assert_eq!(former("delete", named).await["result"], Value::Null);
        assert_eq!(former("list", json!({ "id": task })).await["result"], json!([]));
    })
    .await;
}

on_both! {
    async fn a_hub_for_people_calls_no_private_address_and_nobody_for_strangers(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let rpc = async |client: &crate::client::Client, method: &str, params: Value| {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
            let request = client.request(Method::POST, "/a2a/plexus/calc/").header("A2A-Version", "1.0");
            client.send(request.header(header::CONTENT_TYPE, "application/json").body(body)).await.json()
        };
        let mut asked = message("m-1");
        for (url, code) in [
            ("http://127.0.0.1:9/hook", -32602),
            ("https://169.254.169.254/latest", -32602),
            ("http://hooks.example.com/plain", -32602),
            (&format!("{}/a2a/plexus/calc/", hub.origin()), -32602),
        ] {
            asked["configuration"] = json!({ "taskPushNotificationConfig": { "url": url } });
            let answer = rpc(&ada, "SendMessage", asked.clone()).await;
            assert_eq!(answer["error"]["code"], json!(code), "{url}: {answer}");
        }
        let task = rpc(&ada, "SendMessage", message("m-2")).await["result"]["task"]["id"].clone();
        let config = json!({ "taskId": task, "url": "https://hooks.example.com/a" });
        let made = rpc(&ada, "CreateTaskPushNotificationConfig", config.clone()).await;
        assert!(made["result"]["id"].is_string(), "{made}");
        let eve = hub.person("eve").await;
        let eve = eve.with_token(&make(&eve, &["chat", "read"]).await);
        for method in ["Create", "Get", "Delete"] {
            let mut named = config.clone();
            named["id"] = made["result"]["id"].clone();
            let answer = rpc(&eve, &format!("{method}TaskPushNotificationConfig"), named).await;
            assert_eq!(answer["error"]["code"], json!(-32001), "{method}");
        }
        let visitor = hub.visitor();
        let task = rpc(&visitor, "SendMessage", message("m-3")).await["result"]["task"]["id"].clone();
        let config = json!({ "taskId": task, "url": "https://hooks.example.com/a" });
        let answer = rpc(&visitor, "CreateTaskPushNotificationConfig", config).await;
        assert_eq!(answer["error"]["code"], json!(-32003), "{answer}");
        let card = visitor.get("/a2a/plexus/calc/.well-known/agent-card.json").await.json();
        assert_eq!(card["capabilities"]["pushNotifications"], json!(true));
    }
}
