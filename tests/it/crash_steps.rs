//! Kills the hub at each step of a run.
//!
//! Slow: the hub starts again after each kill.
//!
//! The agent is scripted, so that each chat is held at its step when the hub dies. Afterwards nothing
//! accepted is lost, no message is open, and a client that reconnects receives the end of the answer.

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    agent::{Agent, Call},
    client::{Client, Said, new_id, text_of},
    database::{Sql, postgres_url},
    events::{Events, Screen, answer_after, read_text, read_to_end, text_in},
    process::Process,
};

const QUESTION: &str = "Which one?";
/// Query for the number of journaled bytes.
const LOGGED: &str = "select cast(coalesce(sum(length(body)), 0) as bigint) from stream_journal";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Text was streamed and journaled, then more was streamed.
    TextLogged,
    /// The agent has received the request and not responded.
    Connected,
    /// The agent has sent its response head and no content.
    Opened,
    /// The agent has created a task.
    TaskMade,
    /// Text was streamed and possibly not journaled.
    TextShown,
    /// A data part was streamed after text.
    PartShown,
    /// The agent requires input, and its question was streamed.
    InputRequired,
    /// The question was answered and the agent continues.
    Continued,
    /// An answer was streamed to its end.
    EndTold,
    /// A retry of an answer was requested.
    Retried,
    /// A user requested a stop.
    StopAsked,
    /// The agent has completed, and the hub may be storing the end.
    EndSent,
    /// The question was accepted, and the hub may be calling the agent.
    Accepted,
}

impl Step {
    const ALL: [Self; 13] = [
        Self::TextLogged,
        Self::Connected,
        Self::Opened,
        Self::TaskMade,
        Self::TextShown,
        Self::PartShown,
        Self::InputRequired,
        Self::Continued,
        Self::EndTold,
        Self::Retried,
        Self::StopAsked,
        Self::EndSent,
        Self::Accepted,
    ];

    /// Returns the possible final states of the interrupted answer.
    const fn outcomes(self) -> &'static [&'static str] {
        match self {
            Self::InputRequired | Self::EndTold => &["done"],
            Self::EndSent => &["done", "failed"],
            Self::StopAsked => &["stopped", "failed"],
            _ => &["failed"],
        }
    }
}

/// Chat held at a step.
struct Held {
    step: Step,
    said: Said,
    /// Content that a client had received.
    screen: Screen,
    /// Text that the agent has sent.
    sent: String,
    /// Bytes of it that were certainly stored.
    kept: usize,
    _call: Option<Call>,
}

struct World {
    hub: Process,
    admin: Client,
    agent: Agent,
    sql: Sql,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    killed_at_every_step(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    let Some(database) = Database::new().await else { return };
    killed_at_every_step(Some(&database)).await;
    database.drop().await;
}

async fn killed_at_every_step(database: Option<&Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = World::start(&folder, database).await;
    let mut held = Vec::new();
    for step in Step::ALL {
        held.push(world.reach(step).await);
    }
    let address = world.register("late").await;
    let World { hub, admin, mut agent, sql } = world;
    hub.kill().await;

    let hub = serve(&folder, database).await;
    let admin = admin.at(&hub.origin);
    for chat in &mut held {
        comes_back(&admin, chat).await;
        is_whole(&admin, chat).await;
    }
    assert_eq!(sql.number("select count(*) from messages where state = 'open'").await, 0);
    assert_eq!(sql.number("select count(*) from runs where state in ('queued', 'working')").await, 0);
    // The stream journal of the dead instance is purged last.
    sql.until_at_least(
        1,
        "select cast(case when exists (select 1 from stream_journal) then 0 else 1 end as bigint)",
    )
    .await;
    let found = admin.get("/agents?q=puppetry").await.expect(StatusCode::OK);
    found.says(&format!("href=\"/{address}\""));

    let asked = held.iter().find(|chat| chat.step == Step::InputRequired).expect("one of them");
    the_task_goes_on(&admin, &mut agent, asked).await;
    hub.kill().await;
}

async fn serve(folder: &TempDir, database: Option<&Database>) -> Process {
    Process::serve_on(folder.path(), database.map(postgres_url).as_deref()).await
}

impl World {
    async fn start(folder: &TempDir, database: Option<&Database>) -> Self {
        let mut hub = serve(folder, database).await;
        let admin = hub.administrator("grace").await;
        let sql = Sql::of(database, &folder.path().join("data"));
        let world = Self { hub, admin, agent: Agent::start().await, sql };
        world.register("puppet").await;
        world
    }

    async fn register(&self, name: &str) -> String {
        let new =
            json!({ "url": self.agent.url, "name": name, "trust_origins": true, "visibility": "public" });
        let made = self.admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        text_of(&made.json()["address"])
    }

    async fn reach(&mut self, step: Step) -> Held {
        let said = self.admin.begin("@grace/puppet", &format!("Take me to {step:?}.")).await;
        let screen = Screen::default();
        let mut chat = Held { step, said, screen, sent: String::new(), kept: 0, _call: None };
        if step == Step::Accepted {
            return chat;
        }
        let mut events = Events::open(&self.admin, &chat.said.chat, 0).await;
        let call = self.agent.called().await;
        match step {
            Step::Connected => {}
            Step::Opened => call.open().await,
            Step::TaskMade => call.begin_task().await,
            Step::TextLogged => {
                chat.say(&call, &mut events, "This is written down. ").await;
                self.sql.until_at_least(chat.sent.len(), LOGGED).await;
                chat.kept = chat.sent.len();
                chat.say(&call, &mut events, "This may be lost.").await;
            }
            Step::PartShown => {
                chat.say(&call, &mut events, "Before it. ").await;
                call.data(&json!({ "k": 1 })).await;
                while chat.screen.answer().1.parts.len() < 2 {
                    chat.screen.take(&events.next().await.expect("the stream goes on"));
                }
            }
            Step::InputRequired => chat.ask(&call, &mut events).await,
            Step::Continued => {
                chat.ask(&call, &mut events).await;
                return self.go_on(chat).await;
            }
            Step::EndTold => chat.end(&call, &mut events).await,
            Step::Retried => {
                chat.end(&call, &mut events).await;
                return self.retry(chat).await;
            }
            Step::StopAsked => {
                chat.say(&call, &mut events, "Until somebody").await;
                let stop = format!("/runs/{}/stop", chat.said.run);
                self.admin.call(Method::POST, &stop, &json!({})).await.expect(StatusCode::ACCEPTED);
            }
            Step::EndSent => {
                chat.say(&call, &mut events, "All of it.").await;
                call.complete().await;
            }
            Step::TextShown | Step::Accepted => chat.say(&call, &mut events, "Shown.").await,
        }
        chat._call = Some(call);
        chat
    }

    /// Answers the agent's question and makes the agent continue.
    async fn go_on(&mut self, mut chat: Held) -> Held {
        chat.said = self.admin.say(&chat.said.chat, "The red one.").await;
        let call = self.agent.called().await;
        assert_eq!(call.message["taskId"], "t1");
        call.artifact("The red").await;
        (chat.sent, chat.kept, chat.screen) = ("The red".to_owned(), 0, Screen::from(chat.screen.last));
        chat._call = Some(call);
        chat
    }

    async fn retry(&mut self, mut chat: Held) -> Held {
        let retry = format!("/messages/{}/retry", chat.screen.answer().0);
        self.admin.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
        (chat.sent, chat.kept, chat.screen) = (String::new(), 0, Screen::from(chat.screen.last));
        chat._call = Some(self.agent.called().await);
        chat
    }
}

impl Held {
    /// Makes the agent emit text and waits until a client receives it.
    async fn say(&mut self, call: &Call, events: &mut Events, text: &str) {
        call.artifact(text).await;
        self.sent.push_str(text);
        read_text(events, &mut self.screen, self.sent.len()).await;
    }

    async fn ask(&mut self, call: &Call, events: &mut Events) {
        call.begin_task().await;
        call.ask(QUESTION).await;
        read_to_end(events, &mut self.screen).await;
        (self.sent, self.kept) = (QUESTION.to_owned(), QUESTION.len());
    }

    async fn end(&mut self, call: &Call, events: &mut Events) {
        self.say(call, events, "All of it.").await;
        call.complete().await;
        read_to_end(events, &mut self.screen).await;
        self.kept = self.sent.len();
    }
}

/// Reconnects a page that was open when the hub died. It must receive the end if it has not yet.
async fn comes_back(admin: &Client, chat: &mut Held) {
    if chat.screen.messages.values().any(|shown| shown.ended) {
        return;
    }
    let mut events = Events::resume(admin, &chat.said.chat, chat.screen.last).await;
    read_to_end(&mut events, &mut chat.screen).await;
}

/// Asserts that accepted data is stored and that the answer ends at the last stored byte.
async fn is_whole(admin: &Client, chat: &Held) {
    let step = chat.step;
    let path = admin.api(&format!("/chats/{}", chat.said.chat)).await;
    let messages: Vec<&Value> = path["messages"].as_array().expect("messages").iter().collect();
    assert_eq!(text_in(messages[0]), format!("Take me to {step:?}."));
    assert!(messages.iter().any(|message| text_of(&message["id"]) == chat.said.message), "{step:?}: {path}");
    let answer = messages.last().expect("an answer");
    let state = text_of(&answer["state"]);
    assert!(step.outcomes().contains(&state.as_str()), "{step:?} ended as {state}");
    let run = match state.as_str() {
        "done" if step == Step::InputRequired => "input_required",
        "done" => "completed",
        other => other,
    };
    assert_eq!(answer["run"]["state"], run, "{step:?}");
    let class = &answer["run"]["failure"]["class"];
    assert!(state != "failed" || class == "interrupted", "{step:?} failed as {class}");
    let kept = text_in(answer);
    assert!(
        chat.sent.starts_with(kept) && kept.len() >= chat.kept,
        "{step:?} kept {kept:?} of {:?}",
        chat.sent
    );
    assert!(state != "done" || kept == chat.sent, "{step:?} is done with {kept:?}");
    // The client shows exactly the stored text, even if it had received more.
    let id = text_of(&answer["id"]);
    let shown =
        chat.screen.messages.get(&id).unwrap_or_else(|| panic!("{step:?}: nobody told of the answer"));
    assert_eq!(shown.state, state, "{step:?}");
    assert!(kept.is_empty() || shown.html.contains(kept.trim_end()), "{step:?}: {}", shown.html);
    let lost = chat.sent[kept.len()..].trim();
    assert!(lost.is_empty() || !shown.html.contains(lost), "{step:?} shows what is not kept: {}", shown.html);
}

/// Asserts that a question survives the crash: its answer continues the same task.
async fn the_task_goes_on(admin: &Client, agent: &mut Agent, chat: &Held) {
    let more = json!({ "id": new_id(), "text": "The blue one." });
    let said = admin.try_say(&chat.said.chat, &more).await.expect(StatusCode::ACCEPTED).json();
    assert_eq!(text_of(&said["runs"][0]), chat.said.run, "the run goes on");
    // Skip calls from before the crash that the test has not consumed.
    let call = loop {
        let call = agent.called().await;
        if call.message["taskId"] == "t1" {
            break call;
        }
    };
    call.artifact("Blue it is.").await;
    call.complete().await;
    let answer = answer_after(admin, &chat.said.chat, chat.screen.last).await;
    assert_eq!((&answer["state"], text_in(&answer)), (&json!("done"), "Blue it is."));
}
