//! Tests of the `/rpc` methods for teams.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    client::{Client, new_id, text_of},
    hub::{Hub, on_both},
    rpc::{ask, call, code, request},
    team::{ended, until},
    tokens::make,
};

on_both! {
    async fn a_team_is_launched_led_and_read_through_methods(hub: &Hub) {
        let (grace, mut agent) = tide(hub).await;
        let leader = program(&grace, &["read", "team"]).await;
        let team = call(&leader, "teams.launch", json!({ "goal": "High water at Husum", "members": ["@grace/tide"] })).await;
        assert_eq!((&team["goal"], &team["pattern"]), (&json!("High water at Husum"), &json!("plan_and_delegate")), "{team:#}");
        let id = text_of(&team["id"]);
        let asked = agent.called().await;
        asked.begin_task().await;
        asked.ask("Which day?").await;
        drop(asked);
        until(&leader, &id, |team| team["assignments"][0]["state"] == "asking").await;
        let seen = call(&leader, "teams.get", json!({ "team": id })).await;
        assert_eq!(seen["assignments"][0]["text"], json!("Which day?"), "{seen:#}");
        assert_eq!(code(&leader, "teams.share", json!([id])).await, -32_009, "it is still at work");

        let message = json!({ "team": id, "act": { "action": "message", "text": "The day does not matter." } });
        let acted = call(&leader, "teams.act", message).await;
        assert!(acted["transcript"].to_string().contains("The day does not matter."), "the answer is the team as it is then: {acted:#}");
        call(&leader, "teams.act", json!([id, { "action": "answer", "assignment": 0, "text": "Tomorrow" }])).await;
        let asked = agent.called().await;
        asked.begin_task().await;
        asked.artifact("12:04").await;
        asked.complete().await;
        ended(&leader, &id).await;
        let done = call(&leader, "teams.get", json!([id])).await;
        assert_eq!((&done["state"], &done), (&json!("closed"), &leader.api(&format!("/teams/{id}")).await));
        assert!(text_of(&done["answer"]).contains("12:04"), "{done:#}");
        let then = call(&leader, "teams.get", json!({ "team": id, "log_seq": 1 })).await;
        assert_eq!((&then["log_seq"], &then), (&json!(1), &leader.api(&format!("/teams/{id}?log_seq=1")).await));
        let list = call(&leader, "teams.list", json!({})).await;
        assert_eq!((&list["items"][0]["id"], &list), (&json!(id), &leader.api("/teams").await));
        assert_eq!(code(&leader, "teams.act", json!([id, { "action": "skip_turn" }])).await, -32_009, "it has ended");
        the_log_is_read(&leader, &id).await;
        a_link_is_made_and_taken_back(hub, &leader, &id).await;
    }

    async fn work_is_stopped_and_a_team_is_cancelled(hub: &Hub) {
        let (grace, mut agent) = tide(hub).await;
        let leader = program(&grace, &["read", "team"]).await;
        for (act, state) in [
            (json!({ "action": "cancel_assignment", "assignment": 0 }), "failed"),
            (json!({ "action": "cancel_team", "reason": "Low tide." }), "cancelled"),
        ] {
            let team = call(&leader, "teams.launch", json!({ "goal": "For ever", "members": ["@grace/tide"] })).await;
            let id = text_of(&team["id"]);
            let asked = agent.called().await;
            asked.begin_task().await;
            until(&leader, &id, |team| team["assignments"][0]["state"] == "working").await;
            let acted = call(&leader, "teams.act", json!({ "team": id, "act": act })).await;
            assert_eq!(acted["id"], json!(id));
            let team = ended(&leader, &id).await;
            assert_eq!((&team["state"], &team["assignments"][0]["state"]), (&json!(state), &json!("cancelled")), "{team:#}");
        }
    }

    async fn a_team_is_its_owners_alone(hub: &Hub) {
        let ada = hub.person("ada").await;
        let leader = program(&ada, &["read", "team"]).await;
        let team = call(&leader, "teams.launch", json!({ "goal": "17 * 23", "members": ["@plexus/calc"] })).await;
        let id = text_of(&team["id"]);
        ended(&leader, &id).await;
        let eve = program(&hub.person("eve").await, &["read", "team"]).await;
        let (reader, starter) = (program(&ada, &["read"]).await, program(&ada, &["team"]).await);
        for (method, params, lacking) in [
            ("teams.get", json!([id]), &starter),
            ("teams.log", json!([id]), &starter),
            ("teams.act", json!([id, { "action": "cancel_team" }]), &reader),
            ("teams.share", json!([id]), &reader),
            ("teams.unshare", json!([id]), &reader),
        ] {
            assert_eq!(code(&eve, method, params.clone()).await, -32_004, "{method}");
            assert_eq!(code(lacking, method, params.clone()).await, -32_003, "{method}");
            assert_eq!(code(&hub.visitor(), method, params).await, -32_001, "{method}");
        }
        assert_eq!(call(&eve, "teams.list", json!({})).await["items"], json!([]));
        assert_eq!(code(&starter, "teams.list", json!({})).await, -32_003);
        assert_eq!(code(&leader, "teams.get", json!([new_id()])).await, -32_004);
        let new = json!({ "goal": "17 * 23" });
        assert_eq!(code(&reader, "teams.launch", new.clone()).await, -32_003);
        assert_eq!(code(&starter, "teams.launch", new).await, -32_003, "the answer shows the team");
    }

    async fn what_cannot_be_launched_or_done_is_said(hub: &Hub) {
        let leader = program(&hub.person("ada").await, &["read", "team"]).await;
        for (new, field) in [
            (json!({ "goal": "  " }), json!("goal")),
            (json!({ "goal": "x", "pattern": "shouting" }), json!("pattern")),
            (json!({ "goal": "x", "members": ["calc"] }), Value::Null),
            (json!({ "goal": "x", "made": "up" }), Value::Null),
        ] {
            let refused = ask(&leader, &request("teams.launch", new)).await;
            assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["field"]), (&json!(-32_602), &field), "{refused}");
        }
        assert_eq!(code(&leader, "teams.act", json!([new_id(), { "action": "dance" }])).await, -32_602);
        assert_eq!(call(&leader, "teams.list", json!({})).await["items"], json!([]));
    }
}

/// Asserts that the log equals that of the REST API, complete and from a number on.
async fn the_log_is_read(leader: &Client, id: &str) {
    let log = call(leader, "teams.log", json!({ "team": id })).await;
    assert_eq!(log, leader.api(&format!("/teams/{id}/log")).await);
    let entries = log["items"].as_array().expect("a list");
    let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["event"]["kind"].as_str()).collect();
    assert_eq!((kinds.first(), log["next"].clone()), (Some(&"founded"), Value::Null), "{log:#}");
    for kind in ["asked", "message_sent", "answered", "reported"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let rest = call(leader, "teams.log", json!({ "team": id, "after": 2 })).await;
    assert_eq!(rest["items"], json!(entries[3..]));
}

/// Asserts that a share link shows the team until it is revoked.
async fn a_link_is_made_and_taken_back(hub: &Hub, leader: &Client, id: &str) {
    assert_eq!(code(leader, "teams.unshare", json!([id])).await, -32_004, "there is no link yet");
    let url = text_of(&call(leader, "teams.share", json!({ "team": id })).await["url"]);
    let path = url.strip_prefix(hub.origin()).expect("an address of this hub");
    hub.visitor().get(path).await.expect(StatusCode::OK).says("12:04");
    assert_eq!(call(leader, "teams.unshare", json!({ "team": id })).await, json!(true));
    hub.visitor().get(path).await.expect(StatusCode::NOT_FOUND);
}

/// Creates an administrator with a scripted agent.
async fn tide(hub: &Hub) -> (Client, Agent) {
    let grace = hub.administrator("grace").await;
    let agent = Agent::start().await;
    let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    (grace, agent)
}

async fn program(person: &Client, scopes: &[&str]) -> Client {
    person.with_token(&make(person, scopes).await)
}
