//! Tests of the actions of a team's owner while it works.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    client::{Client, text_of},
    hub::{Hub, on_both},
    team::{self, ended, until},
};

const GOAL: &str = "Count the boats.";

/// Registers two scripted agents and launches a team of them.
async fn launch(grace: &Client, pattern: &str) -> (String, [Agent; 2]) {
    let agents = [Agent::start().await, Agent::start().await];
    for (agent, name) in agents.iter().zip(["one", "two"]) {
        let new = json!({ "url": agent.url, "name": name, "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    }
    let members = ["one", "two"].map(|name| format!("@grace/{name}"));
    let new = json!({ "goal": GOAL, "pattern": pattern, "members": members });
    (team::launch(grace, &new).await, agents)
}

async fn act(grace: &Client, team: &str, act: Value) -> Value {
    grace.call(Method::POST, &format!("/teams/{team}"), &act).await.expect(StatusCode::OK).json()
}

/// Answers the agent's next call with `words`.
async fn say(agent: &mut Agent, words: &str) {
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact(words).await;
    call.complete().await;
}

on_both! {
    async fn members_are_paused_invited_and_sent_away_and_work_is_taken_over(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (team, mut agents) = launch(&grace, "plan_and_delegate").await;
        let _first = agents[0].called().await;
        let _second = agents[1].called().await;
        let shown = act(&grace, &team, json!({ "action": "pause_member", "seat": 1 })).await;
        assert_eq!(shown["members"][1]["status"], "paused");
        let shown = act(&grace, &team, json!({ "action": "resume_member", "seat": 1 })).await;
        assert_eq!(shown["members"][1]["status"], "active");
        act(&grace, &team, json!({ "action": "invite_member", "address": "@plexus/calc" })).await;
        until(&grace, &team, |team| team["members"][2]["status"] == "active").await;
        let shown = act(&grace, &team, json!({ "action": "remove_member", "seat": 1 })).await;
        assert_eq!(shown["members"][1]["status"], "left");
        assert_eq!(shown["assignments"][1]["state"], "failed", "{shown:#}");
        let empty = json!({ "action": "complete_assignment", "assignment": 0, "text": " " });
        let refused = grace.call(Method::POST, &format!("/teams/{team}"), &empty).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let shown = act(&grace, &team, json!({ "action": "complete_assignment", "assignment": 0, "text": "I see three." })).await;
        assert_eq!(shown["assignments"][0]["state"], "completed", "{shown:#}");
        let shown = ended(&grace, &team).await;
        assert_eq!(shown["state"], "closed", "{shown:#}");
        assert!(text_of(&shown["answer"]).contains("I see three."), "{shown:#}");
        let late = json!({ "action": "complete_assignment", "assignment": 0, "text": "Four." });
        grace.call(Method::POST, &format!("/teams/{team}"), &late).await.expect(StatusCode::CONFLICT);
        let log = grace.api(&format!("/teams/{team}/log")).await;
        let entries = log["items"].as_array().expect("a list").iter();
        let mut reported = entries.filter(|entry| entry["event"]["kind"] == "reported");
        assert!(reported.any(|entry| entry["by"] == "owner"), "{log:#}");
    }

    async fn the_floor_goes_where_the_owner_wants_it(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (team, mut agents) = launch(&grace, "discuss_only").await;
        let _first = agents[0].called().await;
        act(&grace, &team, json!({ "action": "skip_turn" })).await;
        let _second = agents[1].called().await;
        let shown = act(&grace, &team, json!({ "action": "set_speaker", "seat": 0 })).await;
        assert_eq!(shown["speaker"], 0, "{shown:#}");
        say(&mut agents[0], "There are three.").await;
        let shown = until(&grace, &team, |team| team["transcript"].to_string().contains("There are three.")).await;
        assert_eq!(shown["members"][0]["turns"], 1, "{shown:#}");
        let shown = act(&grace, &team, json!({ "action": "cancel_team", "reason": "It is late." })).await;
        assert_eq!(text_of(&shown["state"]), "cancelled");
    }

    async fn a_team_can_be_stopped_whatever_it_does(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_ACCOUNT", "100"), ("PLEXUS_MAX_RUNS_PER_AGENT", "100")]) {
        let grace = hub.administrator("grace").await;
        let (talk, mut agents) = launch(&grace, "discuss_only").await;
        let _speaks = agents[0].called().await;
        let members = ["@grace/one", "@grace/two"];
        let again = |pattern: &str| json!({ "goal": GOAL, "pattern": pattern, "members": members });
        let replies = team::launch(&grace, &again("reply_to_all")).await;
        say(&mut agents[0], "I see some.").await;
        let _answers = agents[1].called().await;
        let works = team::launch(&grace, &again("plan_and_delegate")).await;
        let asks = agents[0].called().await;
        asks.begin_task().await;
        asks.ask("Which boats?").await;
        let _works = agents[1].called().await;
        until(&grace, &works, |team| team["assignments"][0]["state"] == "asking").await;
        // After its last turn the team asks for the conclusion.
        let mut short = again("discuss_only");
        short["limits"] = json!({ "turns": 2 });
        let concludes = team::launch(&grace, &short).await;
        say(&mut agents[0], "Three lie at the pier.").await;
        say(&mut agents[1], "Nobody knows how many went out to sea.").await;
        let _writes = agents[0].called().await;
        until(&grace, &concludes, |team| team["phase"] == "concluding").await;
        for (team, phase) in
            [(talk, "discussing"), (replies, "polling"), (works, "waiting"), (concludes, "concluding")]
        {
            assert_eq!(grace.api(&format!("/teams/{team}")).await["phase"], phase);
            act(&grace, &team, json!({ "action": "cancel_team" })).await;
            let shown = ended(&grace, &team).await;
            assert_eq!(shown["state"], "cancelled", "{shown:#}");
            let work = shown["assignments"].as_array().expect("a list");
            assert!(work.iter().all(|work| work["state"] == "cancelled"), "{shown:#}");
        }
        // The members' runs have ended as well.
        let goes_on = "select count(*) from runs where state in ('queued', 'working', 'input_required')";
        crate::federation::until("every run has ended", async || hub.number(goes_on).await == 0).await;
    }

    async fn work_that_a_member_declines_is_told(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (team, mut agents) = launch(&grace, "plan_and_delegate").await;
        let call = agents[0].called().await;
        call.begin_task().await;
        call.reject("I do not count.").await;
        say(&mut agents[1], "Three boats.").await;
        let shown = ended(&grace, &team).await;
        assert_eq!((&shown["state"], &shown["assignments"][0]["state"]), (&json!("closed"), &json!("rejected")), "{shown:#}");
        assert!(text_of(&shown["answer"]).contains("Three boats."), "{shown:#}");
    }

    async fn words_of_the_owner_are_no_answer_of_the_team(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (team, mut agents) = launch(&grace, "plan_and_delegate").await;
        act(&grace, &team, json!({ "action": "message", "text": "Hurry up." })).await;
        for agent in &mut agents {
            let call = agent.called().await;
            call.begin_task().await;
            call.fail("It is too foggy.").await;
        }
        let shown = ended(&grace, &team).await;
        assert_eq!((&shown["state"], &shown["answer"]), (&json!("failed"), &Value::Null), "{shown:#}");
        assert_eq!(shown["failure"], "No member produced a result.");
    }
}
