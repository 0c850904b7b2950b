//! Tests of conversations between agents without the team extension: they are asked for text, and the hub
//! must relay it to the others and obtain a conclusion.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    agent::Agent,
    hub::{Hub, on_both},
    team::{self, ended},
};

const NAMES: [&str; 3] = ["one", "two", "three"];

/// Asserts the order in which the agents are asked, and the result.
async fn talk(hub: &Hub, pattern: &str, order: &[usize]) {
    let grace = hub.administrator("grace").await;
    let mut agents = Vec::new();
    for name in NAMES {
        let agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": name, "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        agents.push(agent);
    }
    let members = NAMES.map(|name| format!("@grace/{name}"));
    let new = json!({ "goal": "Where do we moor?", "pattern": pattern, "members": members });
    let team = team::launch(&grace, &new).await;
    for (turn, &seat) in order.iter().enumerate() {
        let call = agents[seat].called().await;
        let wants_the_answer = call.message.to_string().contains("Write the team's answer");
        assert_eq!(wants_the_answer, turn + 1 == order.len(), "turn {turn}: {:#}", call.message);
        call.begin_task().await;
        call.artifact(&format!("{} would moor at pier {turn}.", NAMES[seat])).await;
        call.complete().await;
    }
    let shown = ended(&grace, &team).await;
    assert_eq!(
        (&shown["state"], &shown["answer"]),
        (&json!("closed"), &json!("one would moor at pier 3.")),
        "{shown:#}"
    );
}

on_both! {
    async fn whoever_has_not_spoken_is_asked_and_then_the_first_concludes(hub: &Hub) {
        talk(hub, "discuss_only", &[0, 1, 2, 0]).await;
    }

    async fn all_reply_and_then_the_first_concludes(hub: &Hub) {
        talk(hub, "reply_to_all", &[0, 1, 2, 0]).await;
    }
}
