//! Teams over the API: agents with a goal, at work together.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    client::{Client, text_of},
    events::{Events, PATIENCE},
    hub::{Hub, on_both},
};

/// Launches a team and answers it as it began.
async fn launch(client: &Client, new: &Value) -> Value {
    client.call(Method::POST, "/teams", new).await.expect(StatusCode::CREATED).json()
}

/// The team once it has ended, read along with its events.
async fn ended(client: &Client, team: &Value) -> Value {
    until(client, team, |team| !["forming", "working"].contains(&text_of(&team["state"]).as_str())).await
}

async fn until(client: &Client, team: &Value, done: impl Fn(&Value) -> bool) -> Value {
    let id = text_of(&team["id"]);
    let mut events = Events::open(client, &id, 0).await;
    let reading = async {
        loop {
            let now = client.api(&format!("/teams/{id}")).await;
            if done(&now) {
                return now;
            }
            while events.next().await.expect("the stream goes on").name != "team" {}
        }
    };
    timeout(PATIENCE, reading).await.expect("it comes to that")
}

on_both! {
    async fn named_members_work_and_their_results_are_the_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "17 * 23", "members": ["@plexus/calc"] });
        let team = ended(&ada, &launch(&ada, &new).await).await;
        assert_eq!(team["state"], "closed", "{team:#}");
        assert!(text_of(&team["answer"]).contains("391"), "{team:#}");
        assert_eq!(team["work"][0]["state"], "completed", "{team:#}");
        assert_eq!(team["members"][0]["presence"], "active");
        assert_eq!(ada.api("/teams").await["items"][0]["id"], team["id"]);
        // Nobody else may know of it.
        let eve = hub.person("eve").await;
        let id = text_of(&team["id"]);
        eve.get(&format!("/api/v1/teams/{id}")).await.expect(StatusCode::NOT_FOUND);
        eve.call(Method::POST, &format!("/teams/{id}"), &json!({ "do": "cancel" })).await.expect(StatusCode::NOT_FOUND);
        let late = ada.call(Method::POST, &format!("/teams/{id}"), &json!({ "do": "skip" })).await;
        late.expect(StatusCode::CONFLICT).says("This team has ended");
    }

    async fn members_are_found_by_what_the_goal_needs(hub: &Hub) {
        let ada = hub.person("ada").await;
        let team = ended(&ada, &launch(&ada, &json!({ "goal": "arithmetic with units" })).await).await;
        let names: Vec<String> = team["members"].as_array().expect("members").iter().map(|m| text_of(&m["name"])).collect();
        assert_eq!(names, ["@plexus/calc"], "{team:#}");
        assert_eq!(team["work"].as_array().map(Vec::len), Some(1), "{team:#}");
    }

    async fn a_goal_that_nobody_serves_ends(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "x", "members": ["@nobody/here"] });
        let team = ended(&ada, &launch(&ada, &new).await).await;
        assert_eq!((text_of(&team["state"]).as_str(), text_of(&team["failed"]).as_str()), ("failed", "Nobody accepted the invitation."));
        assert_eq!(team["members"][0]["presence"], "declined");
    }

    async fn what_cannot_be_launched_is_said(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (new, field) in [
            (json!({ "goal": "  " }), "goal"),
            (json!({ "goal": "x", "pattern": "shouting" }), "pattern"),
            (json!({ "goal": "x", "members": ["calc"] }), "body"),
        ] {
            let refused = ada.call(Method::POST, "/teams", &new).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
            assert_eq!(refused["error"]["field"], field, "{refused}");
        }
        hub.visitor().call(Method::POST, "/teams", &json!({ "goal": "x" })).await.expect(StatusCode::UNAUTHORIZED);
    }
}
