//! Tests of the model request for a chat that exceeds the model's window. Uses two processes: a scripted
//! model server that records its requests, and an MCP server with long pages.

use std::{fs, path::Path};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, text_of},
    events::{answer_after, text_in},
    hub::{self, Hub, play_on_both},
    mcp_tools::{start, tools},
};

/// Window of the model in tokens, and the bytes that the hub derives from it.
const TOKENS: &str = "4000";
const WINDOW: usize = 12_000;
const INSTRUCTIONS: &str = "Read pages.";
/// Number of exchanges, of which only the last ones fit.
const EXCHANGES: usize = 8;
/// Number of pages, of which only the last ones fit, and no earlier turns.
const PAGES: usize = 6;

play_on_both!(on);

async fn on(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let written = folder.path().join("asked");
    let flags = ["--asked", written.to_str().expect("text")];
    let (model, tools) = (start(Path::new("node"), "model/scripted.mjs", &flags).await, tools().await);
    let model: &'static str = model.url.clone().leak();
    let settings = [
        ("PLEXUS_LLM_BASE_URL", model),
        ("PLEXUS_LLM_MODEL", "scripted"),
        ("PLEXUS_LLM_CONTEXT_TOKENS", TOKENS),
    ];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        register(&grace, &tools.url).await;
        let (chat, said) = talk(&grace).await;
        let question = read_pages(&grace, &chat).await;
        let asked = asked(&written);
        assert_eq!(asked.len(), EXCHANGES + PAGES + 1);
        let (talking, reading) = asked.split_at(EXCHANGES);
        the_newest_that_fit_are_told(talking, &said);
        results_stay_with_their_calls(reading, &said, &question);
    })
    .await;
}

async fn register(grace: &Client, url: &str) {
    let new = json!({ "name": "reader", "summary": "Reads pages.", "instructions": INSTRUCTIONS,
                      "tools": [{ "url": url, "require_approval": false }], "limits": { "turns": 8 } });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}

/// Holds a conversation. Returns the chat and its texts.
async fn talk(grace: &Client) -> (String, Vec<String>) {
    let question = |number: usize| format!("tokens=40 rate=0 {number} {}end", "word ".repeat(400));
    let begun = grace.begin("@grace/reader", &question(0)).await;
    let first = answer_after(grace, &begun.chat, 0).await;
    let mut said = vec![question(0), text_in(&first).to_owned()];
    for number in 1..EXCHANGES {
        let so_far = seq(grace, &begun.chat).await;
        grace.say(&begun.chat, &question(number)).await;
        let answer = answer_after(grace, &begun.chat, so_far).await;
        said.extend([question(number), text_in(&answer).to_owned()]);
    }
    (begun.chat, said)
}

/// Makes the model read one page after the other. Returns the question.
async fn read_pages(grace: &Client, chat: &str) -> String {
    let calls: Vec<String> =
        (1..=PAGES).map(|number| format!("call=page {{\"number\": {number}}}")).collect();
    let question = calls.join("\nthen\n");
    let so_far = seq(grace, chat).await;
    grace.say(chat, &question).await;
    let answer = answer_after(grace, chat, so_far).await;
    assert_eq!(answer["state"], "done", "{answer}");
    question
}

fn asked(written: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(written).expect("it was asked");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn the_newest_that_fit_are_told(asked: &[Value], said: &[String]) {
    for (number, asked) in asked.iter().enumerate() {
        let so_far = &said[..=2 * number];
        let told = texts(conversation(asked));
        assert!(!told.is_empty() && so_far.ends_with(&told), "{number}: {asked}");
        if let Some(left_out) = so_far.iter().rev().nth(told.len()) {
            let between = 2 * (told.len() + 1);
            assert!(size(asked) + left_out.len() + between >= WINDOW, "{number}: there is room for more");
        }
    }
    let last = asked.last().expect("a request");
    assert!(conversation(last).len() < said.len() - 1, "nothing had to be left out");
}

fn results_stay_with_their_calls(asked: &[Value], said: &[String], question: &str) {
    for (taken, asked) in asked.iter().enumerate() {
        let told = conversation(asked);
        let at = told.iter().rposition(|message| message["role"] == "user").expect("the question");
        assert_eq!(told[at]["content"], json!(question));
        let before = texts(&told[..at]);
        assert!(said.ends_with(&before), "{taken}: {asked}");
        let work = &told[at + 1..];
        assert_eq!(work.len(), 2 * taken, "{taken}: {asked}");
        for pair in work.chunks(2) {
            assert_eq!(pair[0]["tool_calls"][0]["id"], pair[1]["tool_call_id"], "{taken}: {asked}");
            assert!(pair[1]["tool_call_id"].is_string(), "{taken}: {asked}");
        }
        let results: Vec<String> = work.iter().skip(1).step_by(2).map(content).collect();
        let left_out = results.iter().take_while(|result| result.starts_with("[left out")).count();
        for (number, result) in (1..).zip(&results).skip(left_out) {
            let page = format!("> Page {number}: word ");
            assert!(result.contains(&page) && result.ends_with("end"), "{taken}: {result}");
        }
        assert!(left_out == 0 || before.is_empty(), "{taken}: what was said before is older");
        assert!(taken == 0 || left_out < taken, "{taken}: the last result is told");
        match taken {
            0 | 1 => assert!(!before.is_empty(), "{taken}: there was room for some of it"),
            PAGES => assert!(left_out > 0, "nothing had to be left out"),
            _ => {}
        }
    }
}

/// Returns the messages after the instructions. Asserts the instructions and the size.
fn conversation(asked: &Value) -> &[Value] {
    let messages = asked["messages"].as_array().expect("a list");
    let (first, told) = messages.split_first().expect("the instructions");
    assert_eq!((&first["role"], &first["content"]), (&json!("system"), &json!(INSTRUCTIONS)));
    assert!(size(asked) <= WINDOW, "{} bytes", size(asked));
    told
}

/// Returns the bytes that a request takes of the model's window.
fn size(asked: &Value) -> usize {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let as_json = |values: Vec<Value>| values.iter().map(|value| value.to_string().len()).sum::<usize>();
    let messages = list(&asked["messages"]);
    let said: usize = messages.iter().map(|message| content(message).len()).sum();
    let calls: usize = messages.iter().map(|message| as_json(list(&message["tool_calls"]))).sum();
    as_json(list(&asked["tools"])) + said + calls
}

fn texts(messages: &[Value]) -> Vec<String> {
    messages.iter().map(content).collect()
}

fn content(message: &Value) -> String {
    text_of(&message["content"])
}
