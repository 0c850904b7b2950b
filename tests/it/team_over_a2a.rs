//! Tests of the hub's own A2A agent, which forms a team for a goal.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    clerk,
    client::{Answer, Client, text_of},
    events::read_answer,
    federation::until,
    hub::{Hub, on_both},
    mcp,
    process::Process,
    team,
    tokens::make,
};

async fn program(person: &Client, scopes: &[&str]) -> Client {
    person.with_token(&make(person, scopes).await)
}

/// Calls the agent at the URL in the hub's card.
async fn answered(client: &Client, method: &str, params: Value) -> Answer {
    let card = client.get("/.well-known/agent-card.json").await.expect(StatusCode::OK).json();
    let url = text_of(&card["supportedInterfaces"][0]["url"]);
    let path = url.strip_prefix(client.origin()).expect("it is here").to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = client.request(Method::POST, &path).header("a2a-version", "1.0").json(&body);
    client.send(request).await
}

async fn rpc(client: &Client, method: &str, params: Value) -> String {
    answered(client, method, params).await.expect(StatusCode::OK).body
}

async fn call(client: &Client, method: &str, params: Value) -> Value {
    serde_json::from_str(&rpc(client, method, params).await).expect("JSON")
}

fn message(part: &Value) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [part] } })
}

/// Returns the text of a task's artifact.
fn artifact(task: &Value, name: &str) -> String {
    let all = task["artifacts"].as_array().cloned().unwrap_or_default();
    let named = all.iter().find(|artifact| artifact["name"].as_str().unwrap_or_default() == name);
    named.map(|artifact| text_of(&artifact["parts"][0]["text"])).unwrap_or_default()
}

/// Asserts that a link opens the file, without credentials if it is signed.
async fn assert_is_file(caller: &Client, url: &str) {
    let path = url.strip_prefix(caller.origin()).expect("it is on this hub");
    assert_eq!(caller.get(path).await.expect(StatusCode::OK).body, "high,low");
}

on_both! {
    async fn the_card_lists_it_and_a_goal_becomes_a_conclusion(hub: &Hub) {
        let ada = hub.person("ada").await;
        let card = hub.visitor().get("/.well-known/agent-card.json").await.expect(StatusCode::OK).json();
        assert_eq!(card["skills"][1]["name"], "Form a team", "{card:#}");
        let program = program(&ada, &["chat", "team"]).await;
        let asked = json!({ "data": { "goal": "17 * 23", "members": ["calc"] } });
        let task = call(&program, "SendMessage", message(&asked)).await["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
        assert!(task["artifacts"].to_string().contains("391"), "{task:#}");
        let progress = artifact(&task, "Progress");
        assert!(progress.starts_with("@plexus/calc takes part.\n"), "{task:#}");
        assert!(progress.contains("The goal (@plexus/calc): completed."), "{task:#}");
        // The result is an ordinary team.
        let team = ada.api("/teams").await["items"][0].clone();
        assert_eq!((&team["state"], &team["title"]), (&json!("closed"), &json!("17 * 23")), "{team:#}");
        assert!(task["artifacts"].to_string().contains(&text_of(&team["id"])), "{task:#}");
        // Given as text, the hub searches for members.
        let asked = json!({ "text": "Form a team: convert 5 miles to km" });
        let task = call(&program, "SendMessage", message(&asked)).await["result"]["task"].clone();
        assert!(artifact(&task, "Progress").contains("@plexus/calc takes part."), "{task:#}");
    }

    async fn files_of_members_come_out_over_a2a_and_mcp(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let file = clerk::file("tide.csv", "text/csv", "high,low");
        clerk::register(&grace, &clerk::serve(vec![clerk::words("Here it is."), file]).await, "clerk").await;
        let program = program(&grace, &["chat", "read", "team"]).await;
        let goal = json!({ "goal": "List the tides", "members": ["@grace/clerk"] });

        let task = call(&program, "SendMessage", message(&json!({ "data": goal }))).await["result"]["task"].clone();
        let parts = task["artifacts"].as_array().expect("artifacts").iter().flat_map(|one| one["parts"].as_array().cloned().unwrap_or_default());
        let file = parts.into_iter().find(|part| part["filename"] == "tide.csv").expect("the file");
        assert_eq!(file["mediaType"], "text/csv", "{file:#}");
        assert_is_file(&program, &text_of(&file["url"])).await;

        let result = mcp::result(&program, mcp::old(&program, "/mcp", "tools/call", &mcp::tool("launch_goal", &goal))).await;
        let text = text_of(&result["content"][0]["text"]);
        let (_, link) = text.split_once("[tide.csv](").expect("a link to the file");
        assert_is_file(&hub.visitor(), link.split(')').next().expect("its end")).await;
        assert_eq!(result["structuredContent"]["files"][0]["name"], "tide.csv", "{result:#}");
    }

    async fn what_happens_streams(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let program = program(&grace, &["chat", "team"]).await;
        let asked = message(&json!({ "data": { "goal": "High water", "members": ["@grace/tide"] } }));
        let answering = async {
            let call = agent.called().await;
            call.begin_task().await;
            // Complete only after the team shows the work in progress; otherwise that state may be skipped.
            let team = text_of(&grace.api("/teams").await["items"][0]["id"]).to_owned();
            team::until(&grace, &team, |team| team["assignments"][0]["state"] == "working").await;
            call.artifact("12:04").await;
            call.complete().await;
        };
        let (stream, ()) = tokio::join!(rpc(&program, "SendStreamingMessage", asked), answering);
        let place = |words: &str| stream.find(words).unwrap_or_else(|| panic!("{words}: {stream}"));
        assert!(place("@grace/tide takes part.") < place("The goal (@grace/tide): working."), "{stream}");
        assert!(place("The goal (@grace/tide): working.") < place("12:04"), "{stream}");
        assert!(stream.rfind("TASK_STATE_COMPLETED").is_some_and(|end| end > place("12:04")), "{stream}");
    }

    async fn cancelling_the_task_stops_the_team(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "slow", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let program = program(&grace, &["chat", "team"]).await;
        let mut asked = message(&json!({ "data": { "goal": "For ever", "members": ["slow"] } }));
        asked["configuration"] = json!({ "returnImmediately": true });
        let task = call(&program, "SendMessage", asked).await["result"]["task"].clone();
        let working = agent.called().await;
        working.begin_task().await;
        let task = call(&program, "CancelTask", json!({ "id": task["id"] })).await["result"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED", "{task:#}");
        let team = grace.api("/teams").await["items"][0].clone();
        assert_eq!(team["state"], "cancelled", "{team:#}");
    }

    async fn a_task_that_fails_ends_its_team(hub: &Hub, [("PLEXUS_MAX_ANSWER_BYTES", "100")]) {
        let grace = hub.administrator("grace").await;
        let agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "slow", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let program = program(&grace, &["chat", "team"]).await;
        let asked = message(&json!({ "data": { "goal": "For ever", "members": ["slow"] } }));
        let task = call(&program, "SendMessage", asked).await["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_FAILED", "{task:#}");
        let team = grace.api("/teams").await["items"][0].clone();
        assert_eq!(team["state"], "cancelled", "{team:#}");
    }

    async fn teams_that_wait_leave_room_for_what_they_wait_for(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_ACCOUNT", "1")]) {
        let ada = hub.person("ada").await;
        let program = program(&ada, &["chat", "team"]).await;
        let asked = message(&json!({ "data": { "goal": "17 * 23", "members": ["calc"] } }));
        let task = call(&program, "SendMessage", asked).await["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
    }

    async fn only_whoever_may_launch_a_team_has_one(hub: &Hub) {
        let ada = hub.person("ada").await;
        let asked = || message(&json!({ "data": { "goal": "17 * 23", "members": ["calc"] } }));
        let chatty = program(&ada, &["chat", "read"]).await;
        let refused = answered(&chatty, "SendMessage", asked()).await.expect(StatusCode::FORBIDDEN).json();
        assert!(text_of(&refused["error"]["message"]).contains("\"team\""), "{refused}");
        let refused = answered(&hub.visitor(), "SendMessage", asked()).await;
        let refused = refused.expect(StatusCode::UNAUTHORIZED).json();
        assert!(text_of(&refused["error"]["message"]).contains("Sign in"), "{refused}");
        let program = program(&ada, &["chat", "team"]).await;
        let wrong = message(&json!({ "data": { "goal": 17 } }));
        let refused = call(&program, "SendMessage", wrong).await;
        assert!(text_of(&refused["error"]["message"]).contains("A team is asked for with"), "{refused}");
        let unknown = message(&json!({ "data": { "goal": "x", "members": ["nobody"] } }));
        let task = call(&program, "SendMessage", unknown).await["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_FAILED", "{task:#}");
        // Text in a chat and the goal of a team form no further team.
        let said = ada.begin("@plexus/guide", "Form a team to count boats").await;
        read_answer(&ada, &said.chat, 0).await;
        let goal = json!({ "goal": "Form a team to count boats", "team_member_names": ["@plexus/guide"] });
        program.send(program.request(Method::POST, "/launch_goal").json(&goal)).await.expect(StatusCode::OK);
        assert_eq!(hub.number("select count(*) from teams").await, 1);
    }
}

/// After a kill or a clean stop the task continues with its team, and completed work is retained.
#[tokio::test]
async fn a_task_waits_for_its_team_over_a_restart() {
    for is_killed in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut hub = Process::serve(folder.path()).await;
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let token = program(&grace, &["chat", "team"]).await;
        let goal = json!({ "data": { "goal": "17 * 23", "members": ["tide", "@plexus/calc"] } });
        let mut asked = message(&goal);
        asked["configuration"] = json!({ "returnImmediately": true });
        let task = call(&token, "SendMessage", asked).await["result"]["task"].clone();
        // Keep the call open: dropping it would end it as a failure before the restart.
        let begun = agent.called().await;
        let now = async |token: &Client| {
            call(token, "GetTask", json!({ "id": task["id"] })).await["result"].clone()
        };
        let id = text_of(&grace.api("/teams").await["items"][0]["id"]);
        let has_counted = |team: &Value| team["assignments"].to_string().contains("391");
        team::until(&grace, &id, has_counted).await;
        assert_eq!(now(&token).await["status"]["state"], "TASK_STATE_WORKING");
        if is_killed {
            hub.kill().await;
        } else {
            hub.terminate();
            assert_eq!(hub.ended().await, 0);
        }
        drop(begun);
        let again = tokio::spawn(async move {
            loop {
                let call = agent.called().await;
                call.begin_task().await;
                call.artifact("12:04").await;
                call.complete().await;
            }
        });
        let hub = Process::serve(folder.path()).await;
        let token = program(&grace.at(&hub.origin), &["chat", "team"]).await;
        until("the task ends", async || now(&token).await["status"]["state"] != "TASK_STATE_WORKING").await;
        let whole = now(&token).await;
        assert_eq!(whole["status"]["state"], "TASK_STATE_COMPLETED", "{whole:#}");
        assert!(whole["artifacts"].to_string().contains("391"), "{whole:#}");
        let teams = grace.at(&hub.origin).api("/teams").await["items"].clone();
        assert_eq!(
            (teams.as_array().map(Vec::len), &teams[0]["state"]),
            (Some(1), &json!("closed")),
            "{teams:#}"
        );
        again.abort();
        hub.kill().await;
    }
}
