//! Fixture: conformance hub, and a client that makes equal calls over both bindings of A2A 1.0.

use plexus_server::{conformance, serve::RunningServer};
use plexus_store::testing::prepare_sqlite;
use reqwest::{Method, RequestBuilder, header};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Answer, Client},
    database::Sql,
};

pub const BASE: &str = "/a2a/test/tck/";

pub struct Kit {
    running: Option<RunningServer>,
    pub client: Client,
    folder: TempDir,
}

/// A2A protocol binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Rpc,
    Rest,
}

/// Error in a form that both bindings share.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// JSON-RPC error code, or HTTP status.
    pub code: i64,
    /// Reason of its `ErrorInfo`, or the invalid field.
    pub reason: String,
}

impl Binding {
    pub const BOTH: [Self; 2] = [Self::Rpc, Self::Rest];

    /// Returns the expected error of this binding.
    pub fn refusal(self, code: i64, status: i64, reason: &str) -> Refused {
        Refused { code: if self == Self::Rpc { code } else { status }, reason: reason.to_owned() }
    }
}

impl Kit {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        prepare_sqlite(folder.path()).await;
        let listen = "127.0.0.1:0".parse().expect("an address");
        let serve = conformance::serve(listen, folder.path()).expect("a configuration");
        let running = plexus_server::serve::start(serve).await.expect("the hub starts");
        let client = Client::new(&format!("http://{}", running.address));
        Self { running: Some(running), client, folder }
    }

    pub async fn end(mut self) {
        self.running.take().expect("it runs").stop().await.expect("it stops");
    }

    /// Executes SQL directly on the hub's database.
    pub async fn sql(&self, text: &str) {
        Sql::of(None, self.folder.path()).run(text).await;
    }

    pub async fn card(&self) -> Value {
        self.client.get(&format!("{BASE}.well-known/agent-card.json")).await.json()
    }

    /// Makes a call and returns its result or error.
    pub async fn call(&self, binding: Binding, method: &str, params: Value) -> Result<Value, Refused> {
        let answer = self.ask(binding, method, &params).await;
        outcome(binding, &answer.json())
    }

    /// Makes a call that must succeed.
    pub async fn get(&self, binding: Binding, method: &str, params: Value) -> Value {
        let told = format!("{binding:?} {method} {params}");
        self.call(binding, method, params).await.unwrap_or_else(|refused| panic!("{told}: {refused:?}"))
    }

    /// Makes a call that must fail.
    pub async fn refused(&self, binding: Binding, method: &str, params: Value) -> Refused {
        let told = format!("{binding:?} {method} {params}");
        self.call(binding, method, params).await.expect_err(&told)
    }

    /// Returns all events of a stream.
    pub async fn stream(&self, binding: Binding, method: &str, params: Value) -> Vec<Value> {
        let answer = self.ask(binding, method, &params).await;
        let told = format!("{binding:?} {method}: {}", answer.body);
        assert!(answer.header("content-type").starts_with("text/event-stream"), "{told}");
        let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let events = data.map(|data| serde_json::from_str::<Value>(data).expect("JSON"));
        match binding {
            Binding::Rest => events.collect(),
            Binding::Rpc => events.map(|event| outcome(binding, &event).expect("a result")).collect(),
        }
    }

    pub async fn ask(&self, binding: Binding, method: &str, params: &Value) -> Answer {
        let request = match binding {
            Binding::Rpc => {
                let body = json!({ "jsonrpc": "2.0", "id": "r", "method": method, "params": params });
                self.post(BASE).body(body.to_string())
            }
            Binding::Rest => self.rest(method, params),
        };
        self.client.send(request.header("A2A-Version", "1.0")).await
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.client.request(Method::POST, path).header(header::CONTENT_TYPE, "application/json")
    }

    fn rest(&self, method: &str, params: &Value) -> RequestBuilder {
        let id = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
        let task = id("id");
        let configs = format!("tasks/{}/pushNotificationConfigs", id("taskId"));
        let (verb, path) = match method {
            "SendMessage" => (Method::POST, "message:send".to_owned()),
            "SendStreamingMessage" => (Method::POST, "message:stream".to_owned()),
            "ListTasks" => (Method::GET, "tasks".to_owned()),
            "GetTask" => (Method::GET, format!("tasks/{task}")),
            "CancelTask" => (Method::POST, format!("tasks/{task}:cancel")),
            "SubscribeToTask" => (Method::POST, format!("tasks/{task}:subscribe")),
            "CreateTaskPushNotificationConfig" => (Method::POST, configs),
            "ListTaskPushNotificationConfigs" => (Method::GET, configs),
            "GetTaskPushNotificationConfig" => (Method::GET, format!("{configs}/{task}")),
            "DeleteTaskPushNotificationConfig" => (Method::DELETE, format!("{configs}/{task}")),
            "GetExtendedAgentCard" => (Method::GET, "extendedAgentCard".to_owned()),
            other => panic!("{other} is not known here"),
        };
        let path = format!("{BASE}rest/{path}");
        if verb == Method::POST {
            let request = self.client.request(verb, &path);
            return request.header(header::CONTENT_TYPE, "application/a2a+json").body(params.to_string());
        }
        let members = params
            .as_object()
            .expect("an object")
            .iter()
            .filter(|(name, _)| *name != "id" && *name != "taskId");
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(members.map(|(name, value)| (name, plain(value))));
        self.client.request(verb, &format!("{path}?{}", query.finish()))
    }
}

fn outcome(binding: Binding, answer: &Value) -> Result<Value, Refused> {
    let error = &answer["error"];
    if error.is_null() {
        return Ok(if binding == Binding::Rpc { answer["result"].clone() } else { answer.clone() });
    }
    let details = if binding == Binding::Rpc { &error["data"] } else { &error["details"] };
    assert!(details.is_array(), "{binding:?}: details are a list: {error}");
    let info = &details[0];
    let reason = match info["@type"].as_str() {
        Some("type.googleapis.com/google.rpc.ErrorInfo") => {
            assert_eq!(info["domain"], json!("a2a-protocol.org"));
            &info["reason"]
        }
        Some("type.googleapis.com/google.rpc.BadRequest") => &info["fieldViolations"][0]["field"],
        _ => &Value::Null,
    };
    let reason = reason.as_str().unwrap_or_default().to_owned();
    Err(Refused { code: error["code"].as_i64().expect("a code"), reason })
}

/// Runs `body` on a new conformance hub.
pub async fn run(body: impl AsyncFnOnce(&Kit)) {
    let kit = Kit::start().await;
    body(&kit).await;
    kit.end().await;
}

/// Creates a message whose id selects the agent's behaviour.
pub fn message(id: &str) -> Value {
    json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": [{ "text": "Hello" }] } })
}
