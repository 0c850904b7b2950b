//! Tests of the fair run queue, as seen by users and programs.

use std::{collections::VecDeque, time::Duration};

use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::{Agent, Call},
    clerk,
    client::{Client, Said, text_of},
    events::{Events, answer_after, text_in},
    hub::{Hub, on_both},
    process::Process,
    tokens::make,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Answers a call and completes it.
async fn answer(call: &Call) {
    call.begin_task().await;
    call.artifact("Done.").await;
    call.complete().await;
}

/// Returns the text that the agent was asked.
fn asked(call: &Call) -> String {
    text_of(&call.message["parts"][0]["text"])
}

async fn ask(client: &Client, text: &str) -> Said {
    client.begin("@grace/puppet", text).await
}

/// Waits until a chat shows this line.
async fn shows(client: &Client, chat: &str, line: &str) {
    let mut events = Events::open(client, chat, 0).await;
    let shown =
        async { while !events.next().await.expect("the stream goes on").data.to_string().contains(line) {} };
    timeout(TIMEOUT, shown).await.unwrap_or_else(|_| panic!("{line} is shown"));
}

async fn ended(client: &Client, said: &Said) -> Value {
    answer_after(client, &said.chat, 0).await
}

on_both! {
    async fn callers_take_turns_however_much_each_asks(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_AGENT", "2")]) {
        let grace = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&grace, &puppet.url, "puppet").await;
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let mut flood = Vec::new();
        for n in 0..8 {
            flood.push(ask(&ada, &format!("ada {n}")).await);
        }
        let others = [ask(&bob, "bob 0").await, ask(&bob, "bob 1").await, ask(&bob, "bob 2").await];
        shows(&ada, &flood[7].chat, "position 9").await;
        shows(&bob, &others[0].chat, "position 2").await;
        bob.get(&format!("/chat/{}", others[0].chat)).await.says("Queued (position 2).");
        let waiting = bob.api(&format!("/chats/{}", others[0].chat)).await["messages"][1].clone();
        assert_eq!((&waiting["run"]["state"], &waiting["state"]), (&json!("queued"), &json!("open")), "{waiting}");
        assert!(text_of(&waiting["status"]).contains("position 2"), "{waiting}");

        // Each call ends after the next has begun, so that two slots are never free at once.
        let mut running = VecDeque::from([puppet.called().await, puppet.called().await]);
        let mut order = Vec::new();
        while let Some(call) = running.pop_front() {
            answer(&call).await;
            order.push(asked(&call));
            if order.len() + running.len() < 11 {
                running.push_back(puppet.called().await);
            }
        }
        // Two of ada's runs began before bob's and may arrive in either order. After that they alternate.
        let turns: Vec<_> = order[2..9].iter().map(|text| &text[..3]).collect();
        assert_eq!(turns.iter().filter(|&&turn| turn == "bob").count(), 3, "{order:?}");
        assert!(order.iter().position(|text| text == "bob 2") < Some(9), "{order:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 11, "each was asked once: {order:?}");
        for said in flood.iter() {
            assert_eq!(ended(&ada, said).await["run"]["state"], "completed");
        }
        for said in &others {
            assert_eq!(text_in(&ended(&bob, said).await), "Done.");
        }
    }

    async fn a_run_that_waits_is_stopped_like_any_other(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_AGENT", "1")]) {
        let grace = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&grace, &puppet.url, "puppet").await;
        let first = ask(&grace, "first").await;
        let call = puppet.called().await;
        let (second, third, last) =
            (ask(&grace, "second").await, ask(&grace, "third").await, ask(&grace, "last").await);
        shows(&grace, &last.chat, "position 3").await;
        let stop = format!("/runs/{}/stop", second.run);
        grace.call(Method::POST, &stop, &json!({})).await.expect(StatusCode::ACCEPTED);
        assert_eq!(ended(&grace, &second).await["state"], "stopped");
        shows(&grace, &last.chat, "position 2").await;
        grace.call(Method::DELETE, &format!("/chats/{}", third.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        answer(&call).await;
        let call = puppet.called().await;
        assert_eq!(asked(&call), "last");
        answer(&call).await;
        for said in [&first, &last] {
            assert_eq!(ended(&grace, said).await["state"], "done");
        }
    }

    async fn a_program_is_told_that_it_waits_and_may_cancel(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_AGENT", "1")]) {
        let grace = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&grace, &puppet.url, "puppet").await;
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        let first = ask(&grace, "first").await;
        let call = puppet.called().await;
        let rpc = async |method: &str, params: Value| {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            let request = program.request(Method::POST, "/a2a/grace/puppet/").header("A2A-Version", "1.0");
            program.send(request.json(&body)).await.expect(StatusCode::OK).json()
        };
        let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "second" }] });
        let sent = rpc("SendMessage", json!({ "message": message, "configuration": { "returnImmediately": true } })).await;
        let task = sent["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED", "{sent}");
        let id = json!({ "id": task["id"] });
        let told = async {
            loop {
                let task = rpc("GetTask", id.clone()).await;
                if task["result"]["status"]["message"].to_string().contains("position 1") {
                    return;
                }
            }
        };
        timeout(TIMEOUT, told).await.expect("it is told its place");
        let cancelled = rpc("CancelTask", id.clone()).await;
        assert_eq!(cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED", "{cancelled}");
        answer(&call).await;
        assert_eq!(ended(&grace, &first).await["state"], "done");
    }

    async fn a_hundred_at_once_lose_nothing(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_AGENT", "3"), ("PLEXUS_MAX_RUNS_PER_ACCOUNT", "20")]) {
        let people = [hub.person("ada").await, hub.person("bob").await];
        let asking = (0..100).map(|n| {
            let person = &people[n % 2];
            async move {
                let said = person.begin("@plexus/calc", &format!("{n} + 1")).await;
                let answer = ended(person, &said).await;
                (n, text_in(&answer).to_owned())
            }
        });
        for (n, text) in join_all(asking).await {
            assert!(text.contains(&format!("**{}**", n + 1)), "{n}: {text}");
        }
    }
}

#[tokio::test]
async fn what_waits_when_a_hub_ends_waits_again_at_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut puppet = Agent::start().await;
    let flags = ["--max-runs-per-agent", "1"];
    let mut hub = Process::serve_with(folder.path(), &flags).await;
    let grace = hub.administrator("grace").await;
    clerk::register(&grace, &puppet.url, "puppet").await;
    let first = ask(&grace, "first").await;
    let call = puppet.called().await;
    let second = ask(&grace, "second").await;
    let third = ask(&grace, "third").await;
    shows(&grace, &third.chat, "position 2").await;
    hub.kill().await;
    drop(call);

    let hub = Process::serve_with(folder.path(), &flags).await;
    let grace = grace.at(&hub.origin);
    let call = puppet.called().await;
    assert_eq!(asked(&call), "second", "what waited is asked now");
    assert_eq!(ended(&grace, &first).await["run"]["failure"]["class"], "interrupted");
    // Once more, with a clean stop.
    hub.terminate();
    assert_eq!(hub.ended().await, 0);
    drop(call);
    let hub = Process::serve_with(folder.path(), &flags).await;
    let grace = grace.at(&hub.origin);
    let call = puppet.called().await;
    assert_eq!(asked(&call), "third");
    answer(&call).await;
    assert_eq!(text_in(&ended(&grace, &third).await), "Done.");
    assert_eq!(ended(&grace, &second).await["state"], "failed");
}
