//! Tests of team members that ask two questions about one assignment, in every way that A2A agents ask.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use parking_lot::Mutex;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    client::{Client, text_of},
    federation::until,
    hub::{Hub, on_both},
    process::Process,
    team::{self, ended},
};

const RESULT: &str = "12:04";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    V1,
    V03,
}

/// Location of the question's text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Status,
    /// Only in the history of the task, which the stream sends at its end.
    History,
    /// Only in the history of the task, which must be fetched.
    TaskAlone,
}

/// Way in which an agent asks.
#[derive(Clone, Copy, Debug)]
struct Habit {
    version: Version,
    is_streaming: bool,
    place: Place,
    /// True if its messages have unique ids.
    has_ids: bool,
    questions: [&'static str; 2],
}

const PLAIN: Habit = Habit {
    version: Version::V1,
    is_streaming: true,
    place: Place::Status,
    has_ids: true,
    questions: ["Which day?", "May I charge for it?"],
};

impl Habit {
    fn message(self, turn: usize, text: &str) -> Value {
        let id = if self.has_ids { format!("{turn}: {text}") } else { "m".to_owned() };
        match self.version {
            Version::V1 => json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] }),
            Version::V03 => {
                let parts = json!([{ "kind": "text", "text": text }]);
                json!({ "kind": "message", "messageId": id, "role": "agent", "parts": parts })
            }
        }
    }

    fn state(self, state: &str) -> Value {
        match self.version {
            Version::V1 => json!(format!("TASK_STATE_{}", state.to_uppercase().replace('-', "_"))),
            Version::V03 => json!(state),
        }
    }

    /// Wraps a stream event, or the response to a message in 1.0.
    fn named(self, name: &str, kind: &str, mut what: Value) -> Value {
        match self.version {
            Version::V1 => json!({ name: what }),
            Version::V03 => {
                what["kind"] = json!(kind);
                what
            }
        }
    }
}

/// The single task of an agent.
struct Task {
    habit: Habit,
    /// Number of messages received.
    turn: usize,
    history: Vec<Value>,
    status: Value,
    artifacts: Vec<Value>,
}

impl Task {
    fn new(habit: Habit) -> Self {
        Self { habit, turn: 0, history: Vec::new(), status: Value::Null, artifacts: Vec::new() }
    }

    fn answer(&mut self, method: &str, message: Value) -> Response {
        match method {
            "SendStreamingMessage" | "message/stream" => {
                self.hear(message);
                let begun = self.event();
                let news = self.go_on();
                let all = std::iter::once(begun).chain(news);
                let body: String = all.map(|event| format!("data: {}\n\n", reply(&event))).collect();
                ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
            }
            "SendMessage" | "message/send" => {
                self.hear(message);
                let begun = self.event();
                self.go_on();
                Json(reply(&begun)).into_response()
            }
            "GetTask" => Json(reply(&self.shown())).into_response(),
            "CancelTask" => {
                self.status = json!({ "state": self.habit.state("canceled") });
                Json(reply(&self.shown())).into_response()
            }
            "tasks/get" => Json(reply(&self.event())).into_response(),
            other => panic!("{other} is not called"),
        }
    }

    fn hear(&mut self, message: Value) {
        self.turn += 1;
        self.history.push(message);
        let words = self.habit.message(self.turn, "I look at it.");
        self.status = json!({ "state": self.habit.state("working"), "message": words });
    }

    /// Returns the next events of the stream.
    fn go_on(&mut self) -> Vec<Value> {
        let habit = self.habit;
        let Some(words) = habit.questions.get(self.turn - 1) else { return self.complete() };
        let question = habit.message(self.turn, words);
        self.status = json!({ "state": habit.state("input-required") });
        if habit.place == Place::Status {
            self.status["message"] = question;
        } else {
            self.history.push(question);
        }
        let told = match habit.place {
            Place::History => self.event(),
            Place::Status | Place::TaskAlone => self.update(),
        };
        vec![told]
    }

    fn complete(&mut self) -> Vec<Value> {
        let habit = self.habit;
        let part = match habit.version {
            Version::V1 => json!({ "text": RESULT }),
            Version::V03 => json!({ "kind": "text", "text": RESULT }),
        };
        let artifact = json!({ "artifactId": "a", "parts": [part] });
        self.artifacts.push(artifact.clone());
        self.status = json!({ "state": habit.state("completed") });
        let told = json!({ "taskId": "t1", "contextId": "c1", "artifact": artifact });
        vec![habit.named("artifactUpdate", "artifact-update", told), self.update()]
    }

    fn shown(&self) -> Value {
        json!({ "id": "t1", "contextId": "c1", "status": self.status, "history": self.history,
                "artifacts": self.artifacts })
    }

    fn event(&self) -> Value {
        self.habit.named("task", "task", self.shown())
    }

    fn update(&self) -> Value {
        let mut told = json!({ "taskId": "t1", "contextId": "c1", "status": self.status });
        if self.habit.version == Version::V03 {
            told["final"] = json!(true);
        }
        self.habit.named("statusUpdate", "status-update", told)
    }
}

fn reply(result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "result": result })
}

fn card(url: &str, habit: Habit) -> Value {
    let mut card = crate::agent::card(url);
    card["capabilities"]["streaming"] = json!(habit.is_streaming);
    if habit.version == Version::V03 {
        card.as_object_mut().expect("an object").remove("supportedInterfaces");
        card["url"] = json!(url);
        card["preferredTransport"] = json!("JSONRPC");
        card["protocolVersion"] = json!("0.3.0");
    }
    card
}

/// Serves an agent with this habit. Returns its URL and task.
async fn serve(habit: Habit) -> (String, Arc<Mutex<Task>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let card = card(&url, habit);
    let answer = async |State(task): State<Arc<Mutex<Task>>>, Json(call): Json<Value>| {
        let method = call["method"].as_str().expect("a method");
        task.lock().answer(method, call["params"]["message"].clone())
    };
    let task = Arc::new(Mutex::new(Task::new(habit)));
    let router = Router::new()
        .route("/.well-known/agent-card.json", get(async move || Json(card)))
        .route("/", post(answer))
        .with_state(task.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, task)
}

/// Launches a team of one agent that asks at once.
async fn launch(grace: &Client, name: &str, habit: Habit) -> (String, Arc<Mutex<Task>>) {
    let (url, task) = serve(habit).await;
    let new = json!({ "url": url, "name": name, "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    let new = json!({ "goal": "High water at Husum", "members": [format!("@grace/{name}")] });
    (team::launch(grace, &new).await, task)
}

async fn answer(grace: &Client, team: &str, text: &str) {
    let answer = json!({ "action": "answer", "assignment": 0, "text": text });
    grace.call(Method::POST, &format!("/teams/{team}"), &answer).await.expect(StatusCode::OK);
}

async fn has_asked(grace: &Client, team: &str, times: usize) {
    until(&format!("{times} questions"), async || asked(grace, team).await.len() >= times).await;
}

/// Returns the members' questions so far.
async fn asked(client: &Client, team: &str) -> Vec<String> {
    let log = client.api(&format!("/teams/{team}/log")).await;
    let entries = log["items"].as_array().expect("a list").iter();
    entries
        .filter(|entry| entry["event"]["kind"] == "asked")
        .map(|entry| text_of(&entry["event"]["question"]))
        .collect()
}

/// Runs a team of one agent with this habit and answers its questions.
async fn both_questions_reach_the_owner(grace: &Client, name: &str, habit: Habit) {
    let (team, _) = launch(grace, name, habit).await;
    for number in 0..habit.questions.len() {
        has_asked(grace, &team, number + 1).await;
        assert_eq!(asked(grace, &team).await, habit.questions[..=number], "{habit:?}");
        answer(grace, &team, &format!("Answer {number}")).await;
    }
    let team = ended(grace, &team).await;
    assert!(text_of(&team["answer"]).contains(RESULT), "{habit:?}: {team:#}");
}

on_both! {
    async fn a_member_may_ask_twice(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        for version in [Version::V1, Version::V03] {
            for is_streaming in [true, false] {
                for place in [Place::Status, Place::History, Place::TaskAlone] {
                    let habit = Habit { version, is_streaming, place, ..PLAIN };
                    let name = format!("{version:?}-{place:?}-{is_streaming}").to_lowercase();
                    both_questions_reach_the_owner(&grace, &name, habit).await;
                }
            }
        }
    }

    async fn a_member_may_give_all_it_says_one_id_and_ask_the_same_again(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let same = ["Shall I go on?"; 2];
        for is_streaming in [true, false] {
            let habit = Habit { is_streaming, has_ids: false, ..PLAIN };
            both_questions_reach_the_owner(&grace, &format!("other-{is_streaming}"), habit).await;
            let habit = Habit { questions: same, ..habit };
            both_questions_reach_the_owner(&grace, &format!("same-{is_streaming}"), habit).await;
        }
    }

    async fn who_waits_for_an_answer_is_told_that_none_comes(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        for act in [json!({ "action": "cancel_assignment", "assignment": 0 }), json!({ "action": "cancel_team" })] {
            let name = format!("asks-before-{}", text_of(&act["action"]).replace('_', "-"));
            let (team, task) = launch(&grace, &name, PLAIN).await;
            has_asked(&grace, &team, 1).await;
            grace.call(Method::POST, &format!("/teams/{team}"), &act).await.expect(StatusCode::OK);
            until("it is told", async || task.lock().status["state"] == "TASK_STATE_CANCELED").await;
            assert!(!ended(&grace, &team).await["ended"].is_null());
            assert_eq!(task.lock().turn, 1, "{act}");
        }
    }
}

/// Kills the hub while a member waits for an answer. A later answer must go to the waiting task.
#[tokio::test]
async fn an_answer_finds_who_asked_before_the_hub_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let (team, task) = launch(&grace, "tide", PLAIN).await;
    has_asked(&grace, &team, 1).await;
    hub.kill().await;
    let hub = Process::serve(folder.path()).await;
    let grace = grace.at(&hub.origin);
    answer(&grace, &team, "Monday").await;
    has_asked(&grace, &team, 2).await;
    let heard = task.lock().history.clone();
    assert!(
        heard.iter().any(|said| said["taskId"] == "t1" && said["parts"][0]["text"] == "Monday"),
        "{heard:#?}"
    );
    answer(&grace, &team, "Yes").await;
    let team = ended(&grace, &team).await;
    assert!(text_of(&team["answer"]).contains(RESULT), "{team:#}");
    assert_eq!(task.lock().turn, 3);
    hub.kill().await;
}
