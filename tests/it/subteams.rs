//! Tests of subteams over the API: results propagate up and cancellation propagates down, also after
//! failures.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::{Agent, Call, card},
    agent_lists::until_listed,
    clerk,
    client::{Answer, Client, text_of},
    events::{Events, TIMEOUT},
    hub::{Hub, on_both},
    process::Process,
    team::{self, ended, until},
};

/// Registers the scripted agents `@grace/a0` and so on.
async fn puppets(grace: &Client, count: usize) -> Vec<Agent> {
    let mut agents = Vec::new();
    for number in 0..count {
        let agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": format!("a{number}"), "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        agents.push(agent);
    }
    agents
}

/// Launches a team of these agents and returns its id.
async fn launch(grace: &Client, members: &[usize], limits: Value) -> String {
    let members: Vec<String> = members.iter().map(|number| format!("@grace/a{number}")).collect();
    let new = json!({ "goal": "Sight the whales.", "members": members, "limits": limits });
    team::launch(grace, &new).await
}

/// Forms a subteam of the assigned member and one more agent for an assignment.
async fn try_form_subteam(grace: &Client, team: &str, work: usize, with: usize) -> Answer {
    let act = json!({ "action": "form_subteam", "assignment": work, "members": [format!("@grace/a{with}")] });
    grace.call(Method::POST, &format!("/teams/{team}"), &act).await
}

/// Does the same and returns the id of the subteam.
async fn form_subteam(grace: &Client, team: &str, work: usize, with: usize) -> String {
    let shown = try_form_subteam(grace, team, work, with).await.expect(StatusCode::OK).json();
    text_of(&shown["assignments"][work]["team"])
}

async fn shown(grace: &Client, team: &str) -> Value {
    grace.api(&format!("/teams/{team}")).await
}

async fn answer(call: Call, words: &str) {
    call.begin_task().await;
    call.artifact(words).await;
    call.complete().await;
}

async fn fail(call: Call) {
    call.begin_task().await;
    call.fail("It is too foggy.").await;
}

/// Forms a chain of teams, topmost first, and waits until the members at the bottom were called: `a0` and
/// `a1`, `a1` and `a2`, …
async fn chain(grace: &Client, agents: &mut [Agent], depth: usize) -> (Vec<String>, Vec<Call>) {
    chain_within(grace, agents, depth, json!({ "max_subteam_depth": depth })).await
}

async fn chain_within(
    grace: &Client,
    agents: &mut [Agent],
    depth: usize,
    limits: Value,
) -> (Vec<String>, Vec<Call>) {
    let top = launch(grace, &[0], limits).await;
    // The member's own run continues until its subteam exists.
    let mut last = agents[0].called().await;
    let (mut teams, mut calls) = (vec![top], Vec::new());
    for level in 1..=depth {
        let work = usize::from(level > 1);
        teams.push(form_subteam(grace, &teams[level - 1], work, level).await);
        drop(last);
        calls.push(agents[level - 1].called().await);
        last = agents[level].called().await;
    }
    calls.push(last);
    (teams, calls)
}

on_both! {
    async fn three_levels_down_and_the_results_come_up(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 5).await;
        let (teams, calls) = chain(&grace, &mut agents, 3).await;
        let refused = try_form_subteam(&grace, &teams[3], 1, 4).await.expect(StatusCode::CONFLICT);
        refused.says("the depth is used up");
        let top = shown(&grace, &teams[0]).await;
        let below: Vec<String> = top["subteams"].as_array().expect("a list").iter().map(|kin| text_of(&kin["id"])).collect();
        assert_eq!(below, teams[1..], "{top:#}");
        assert_eq!((&top["assignments"][0]["team"], &top["assignments"][0]["state"]), (&json!(teams[1]), &json!("working")));
        let bottom = shown(&grace, &teams[3]).await;
        let above: Vec<String> = bottom["ancestors"].as_array().expect("a list").iter().map(|kin| text_of(&kin["id"])).collect();
        assert_eq!(above, teams[..3], "{bottom:#}");
        assert!(bottom["deadline"].as_i64() < shown(&grace, &teams[2]).await["deadline"].as_i64(), "its time lies within");
        // The list has only launched teams. Each team has a page with links to the others.
        assert_eq!(grace.api("/teams").await["items"].as_array().map(Vec::len), Some(1));
        grace.get(&format!("/teams/{}", teams[0])).await.says(&format!("/teams/{}", teams[3]));
        grace.get(&format!("/teams/{}", teams[3])).await.says(&format!("/teams/{}", teams[1]));
        hub.person("eve").await.get(&format!("/api/v1/teams/{}", teams[2])).await.expect(StatusCode::NOT_FOUND);

        for (number, call) in calls.into_iter().enumerate() {
            answer(call, &format!("Seen by {number}: 7 boats.")).await;
        }
        let top = ended(&grace, &teams[0]).await;
        assert_eq!((&top["state"], &top["assignments"][0]["state"]), (&json!("closed"), &json!("completed")), "{top:#}");
        for number in 0..4 {
            assert!(text_of(&top["answer"]).contains(&format!("Seen by {number}")), "{top:#}");
        }
        let states: BTreeSet<String> = top["subteams"].as_array().expect("a list").iter().map(|kin| text_of(&kin["state"])).collect();
        assert_eq!(states, BTreeSet::from(["closed".to_owned()]), "{top:#}");
        // The limit of 32 assignments, minus one at the top and two on each of three levels.
        assert_eq!(top["remaining"]["assignments"], 25, "{top:#}");
    }

    async fn eight_levels_down_and_the_results_come_up(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_ACCOUNT", "100")]) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 9).await;
        // Each level reserves half of its remaining assignments for the next.
        let (teams, calls) = chain_within(&grace, &mut agents, 8, json!({ "max_subteam_depth": 8, "max_assignments": 600 })).await;
        for (number, call) in calls.into_iter().enumerate() {
            answer(call, &format!("Seen by {number}: 7 boats.")).await;
        }
        let top = ended(&grace, &teams[0]).await;
        assert_eq!(top["state"], "closed", "{top:#}");
        for number in 0..9 {
            assert!(text_of(&top["answer"]).contains(&format!("Seen by {number}")), "{top:#}");
        }
        for team in &teams[1..] {
            let below = shown(&grace, team).await;
            assert!(below["assignments"].as_array().expect("a list").iter().all(|work| work["state"] == "completed"), "{below:#}");
        }
    }

    async fn readers_of_the_top_hear_of_every_level(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 3).await;
        let (teams, calls) = chain(&grace, &mut agents, 2).await;
        for call in calls {
            answer(call, "7 boats.").await;
        }
        let mut events = Events::open(&grace, &teams[0], 0).await;
        let (mut heard, wanted) = (BTreeSet::new(), teams[1..].iter().map(|team| (team.clone(), "closed".to_owned())));
        let wanted: BTreeSet<(String, String)> = wanted.collect();
        let reading = async {
            while !heard.is_superset(&wanted) {
                let event = events.next().await.expect("the stream goes on");
                if event.name == "subteam_state" {
                    heard.insert((text_of(&event.data["team"]), text_of(&event.data["state"])));
                }
            }
        };
        timeout(TIMEOUT, reading).await.expect("both end");
    }

    async fn a_team_below_that_fails_fails_its_assignment(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 2).await;
        let (teams, calls) = chain(&grace, &mut agents, 1).await;
        for call in calls {
            fail(call).await;
        }
        let top = ended(&grace, &teams[0]).await;
        assert_eq!((&top["assignments"][0]["state"], &top["subteams"][0]["id"]), (&json!("failed"), &json!(teams[1])), "{top:#}");
        let below = shown(&grace, &teams[1]).await;
        assert_eq!((&below["assignments"][0]["state"], &below["assignments"][1]["state"]), (&json!("failed"), &json!("failed")), "{below:#}");
    }

    async fn a_team_below_that_is_out_of_time_fails_its_assignment(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 2).await;
        // A subteam ends 30 seconds before the deadline of its assignment.
        let top = launch(&grace, &[0], json!({ "assignment_seconds": 34 })).await;
        let own = agents[0].called().await;
        let below = form_subteam(&grace, &top, 0, 1).await;
        drop(own);
        let silent = (agents[0].called().await, agents[1].called().await);
        let top = ended(&grace, &top).await;
        assert_eq!(top["assignments"][0]["state"], "failed", "{top:#}");
        let below = shown(&grace, &below).await;
        assert_eq!((&below["assignments"][0]["state"], &below["assignments"][1]["state"]), (&json!("timed_out"), &json!("timed_out")), "{below:#}");
        drop(silent);
    }

    async fn stopping_the_top_ends_every_level(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 4).await;
        let (teams, calls) = chain(&grace, &mut agents, 3).await;
        grace.call(Method::POST, &format!("/teams/{}", teams[0]), &json!({ "action": "cancel_team" })).await.expect(StatusCode::OK);
        for team in &teams {
            let ended = ended(&grace, team).await;
            assert_eq!(ended["state"], "cancelled", "{ended:#}");
            assert!(ended["assignments"].as_array().expect("a list").iter().all(|work| work["state"] == "cancelled"), "{ended:#}");
        }
        // The top counts one assignment of its own and two on each of three levels, regardless of when each
        // level ended.
        until(&grace, &teams[0], |team| team["remaining"]["assignments"] == 25).await;
        drop(calls);
    }

    async fn stopping_an_assignment_ends_its_team_alone(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 3).await;
        let (teams, mut calls) = chain(&grace, &mut agents, 2).await;
        grace.call(Method::POST, &format!("/teams/{}", teams[1]), &json!({ "action": "cancel_assignment", "assignment": 1 })).await.expect(StatusCode::OK);
        assert_eq!(ended(&grace, &teams[2]).await["state"], "cancelled");
        answer(calls.remove(0), "7 boats.").await;
        let top = ended(&grace, &teams[0]).await;
        assert_eq!((&top["state"], &top["answer"]), (&json!("closed"), &json!("7 boats.")), "{top:#}");
        drop(calls);
    }

    async fn the_same_members_do_not_hand_the_work_round(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 2).await;
        let top = launch(&grace, &[0, 1], json!({})).await;
        let calls = (agents[0].called().await, agents[1].called().await);
        try_form_subteam(&grace, &top, 0, 1).await.expect(StatusCode::CONFLICT).says("the same members are at work above");
        try_form_subteam(&grace, &top, 7, 1).await.expect(StatusCode::NOT_FOUND);
        // No further member is found, since none of the agents is public.
        let act = json!({ "action": "form_subteam", "assignment": 0 });
        grace.call(Method::POST, &format!("/teams/{top}"), &act).await.expect(StatusCode::CONFLICT).says("No \
            suitable member");
        answer(calls.0, "7 boats.").await;
        answer(calls.1, "No boats.").await;
        assert_eq!(ended(&grace, &top).await["state"], "closed");
        try_form_subteam(&grace, &top, 0, 1).await.expect(StatusCode::CONFLICT).says("This team has ended");
    }

    async fn a_member_gathers_who_does_what_it_lacks(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = Vec::new();
        for (name, skill) in [("gatherer", "Gathers zorbulations"), ("quibbler", "Frobnicates quibbles")] {
            let agent = Agent::with(|url| {
                let skill = json!({ "id": name, "name": skill, "description": skill, "tags": [] });
                let mut card = card(url);
                card["name"] = json!(name);
                card["description"] = json!(skill["name"]);
                card["skills"] = json!([skill]);
                card
            })
            .await;
            clerk::register(&grace, &agent.url, name).await;
            agents.push(agent);
        }
        for name in ["gatherer", "quibbler"] {
            until_listed(&grace, &format!("@grace/{name}")).await;
        }
        let new = json!({ "goal": "Gather zorbulations, and frobnicate quibbles.", "members": ["@grace/gatherer"] });
        let team = text_of(&grace.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json()["id"]);
        // The clauses are worked on in order, each with the results of those before.
        let parts = [("gather zorbulations", ""), ("frobnicate quibbles", "Done: gather zorbulations.")];
        for (agent, (part, before)) in agents.iter_mut().zip(parts) {
            let call = agent.called().await;
            assert!(call.message.to_string().contains(before), "{}", call.message);
            assert_eq!(text_of(&call.message["parts"][0]["text"]).to_lowercase(), part, "{}", call.message);
            answer(call, &format!("Done: {part}.")).await;
        }
        let team = ended(&grace, &team).await;
        assert!(text_of(&team["answer"]).contains("Done: frobnicate quibbles."), "{team:#}");
        assert_eq!(team["assignments"][0]["team"], team["subteams"][0]["id"], "{team:#}");
        // Without an allowed level for a subteam, the member works alone.
        let new = json!({ "goal": "Gather zorbulations, and frobnicate quibbles.", "members": ["@grace/gatherer"], "limits": { "max_subteam_depth": 0 } });
        let alone = text_of(&grace.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json()["id"]);
        answer(agents[0].called().await, "Half of it.").await;
        assert_eq!(ended(&grace, &alone).await["subteams"], json!([]));
    }

    async fn a_team_goes_with_those_that_its_members_formed(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 3).await;
        let (teams, calls) = chain(&grace, &mut agents, 2).await;
        grace.call(Method::DELETE, &format!("/chats/{}", teams[0]), &json!({})).await.expect(StatusCode::NO_CONTENT);
        for team in &teams {
            grace.get(&format!("/api/v1/teams/{team}")).await.expect(StatusCode::NOT_FOUND);
        }
        assert_eq!(hub.number("select count(*) from teams").await, 0);
        drop(calls);
    }

    async fn so_does_one_that_is_just_being_formed(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 8).await;
        for first in [0, 2, 4, 6] {
            let top = launch(&grace, &[first], json!({})).await;
            let call = agents[first].called().await;
            let (path, nothing) = (format!("/chats/{top}"), json!({}));
            let deleted = grace.call(Method::DELETE, &path, &nothing);
            let (_, deleted) = tokio::join!(try_form_subteam(&grace, &top, 0, first + 1), deleted);
            deleted.expect(StatusCode::NO_CONTENT);
            drop(call);
        }
        assert_eq!(hub.number("select count(*) from teams").await, 0);
    }

    async fn what_teams_below_used_is_counted_however_many_end_at_once(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 5).await;
        let top = launch(&grace, &[0, 1, 2, 3], json!({})).await;
        let mut calls = Vec::new();
        for work in 0..4 {
            let own = agents[work].called().await;
            form_subteam(&grace, &top, work, 4).await;
            drop(own);
            calls.extend([agents[work].called().await, agents[4].called().await]);
        }
        grace.call(Method::POST, &format!("/teams/{top}"), &json!({ "action": "cancel_team" })).await.expect(StatusCode::OK);
        // The limit of 32 assignments, minus four at the top and two in each of four subteams.
        let counted = until(&grace, &top, |team| team["remaining"]["assignments"] == 20).await;
        assert_eq!(counted["state"], "cancelled", "{counted:#}");
        drop(calls);
    }

    async fn what_is_used_below_a_team_that_has_reported_is_counted_above(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 4).await;
        let top = launch(&grace, &[0, 3], json!({})).await;
        let (own, goes_on) = (agents[0].called().await, agents[3].called().await);
        let middle = form_subteam(&grace, &top, 0, 1).await;
        drop(own);
        let (first, second) = (agents[0].called().await, agents[1].called().await);
        let bottom = form_subteam(&grace, &middle, 1, 2).await;
        drop(second);
        let last = (agents[1].called().await, agents[2].called().await);
        // The middle team ends and reports, then the one below it. The top still waits for its other member.
        grace.call(Method::POST, &format!("/teams/{top}"), &json!({ "action": "cancel_assignment", "assignment": 0 })).await.expect(StatusCode::OK);
        assert_eq!(ended(&grace, &bottom).await["state"], "cancelled");
        // The limit of 32 assignments, minus two in each of three teams.
        let counted = until(&grace, &top, |team| team["remaining"]["assignments"] == 26).await;
        assert_eq!((&counted["ended"], &counted["assignments"][0]["state"]), (&Value::Null, &json!("cancelled")), "{counted:#}");
        answer(goes_on, "7 boats.").await;
        assert_eq!(ended(&grace, &top).await["answer"], "7 boats.");
        drop((first, last));
    }

    async fn what_was_read_of_the_log_above_is_not_read_again(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = puppets(&grace, 3).await;
        let top = launch(&grace, &[0], json!({})).await;
        let own = agents[0].called().await;
        let below = form_subteam(&grace, &top, 0, 1).await;
        drop(own);
        let (first, second) = (agents[0].called().await, agents[1].called().await);
        // From now on, reading this log from its start fails.
        hub.sql("update team_log set body = signature where seq = 0 and team in \
                 (select chat from teams where parent is null)").await;
        // The middle team processes an event of the team below, and reads the log above.
        form_subteam(&grace, &below, 1, 2).await;
        drop(second);
        answer(first, "7 boats.").await;
        for number in [1, 2] {
            answer(agents[number].called().await, "8 boats.").await;
        }
        let below = ended(&grace, &below).await;
        assert_eq!(below["state"], "closed", "{below:#}");
    }
}

/// Asserts that teams on two levels resume after the hub was killed.
#[tokio::test]
async fn both_levels_survive_their_hub() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let mut agents = puppets(&grace, 2).await;
    let (teams, calls) = chain(&grace, &mut agents, 1).await;
    hub.kill().await;
    drop(calls);
    let hub = Process::serve(folder.path()).await;
    let grace = grace.at(&hub.origin);
    for agent in &mut agents {
        answer(agent.called().await, "7 boats.").await;
    }
    let top = ended(&grace, &teams[0]).await;
    assert_eq!(
        (&top["state"], &top["subteams"][0]["state"]),
        (&json!("closed"), &json!("closed")),
        "{top:#}"
    );
    assert!(text_of(&top["answer"]).contains("7 boats."), "{top:#}");
    hub.kill().await;
}
