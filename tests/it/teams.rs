//! Tests of teams over the API.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    client::{Client, text_of},
    hub::{Hub, on_both},
    process::{Process, plexus, stderr, stdout},
    team::until,
    tokens::make,
};

/// Launches a team and returns its initial state.
async fn launch(client: &Client, new: &Value) -> Value {
    client.call(Method::POST, "/teams", new).await.expect(StatusCode::CREATED).json()
}

/// Follows the team's events and returns the team once it has ended.
async fn ended(client: &Client, team: &Value) -> Value {
    until(client, &text_of(&team["id"]), |team| {
        !["forming", "working"].contains(&text_of(&team["state"]).as_str())
    })
    .await
}

async fn until_text(client: &Client, team: &Value, text: &str) -> Value {
    until(client, &text_of(&team["id"]), |team| text_of(&team["assignments"][0]["text"]).contains(text)).await
}

on_both! {
    async fn named_members_work_and_their_results_are_the_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "17 * 23", "members": ["@plexus/calc"] });
        let team = ended(&ada, &launch(&ada, &new).await).await;
        assert_eq!(team["state"], "closed", "{team:#}");
        assert!(text_of(&team["answer"]).contains("391"), "{team:#}");
        assert_eq!(team["assignments"][0]["state"], "completed", "{team:#}");
        assert_eq!(team["members"][0]["status"], "active");
        assert_eq!(ada.api("/teams").await["items"][0]["id"], team["id"]);
        // Other users have no access.
        let eve = hub.person("eve").await;
        let id = text_of(&team["id"]);
        eve.get(&format!("/api/v1/teams/{id}")).await.expect(StatusCode::NOT_FOUND);
        eve.call(Method::POST, &format!("/teams/{id}"), &json!({ "action": "cancel_team" })).await.expect(StatusCode::NOT_FOUND);
        let late = ada.call(Method::POST, &format!("/teams/{id}"), &json!({ "action": "skip_turn" })).await;
        late.expect(StatusCode::CONFLICT).says("This team has ended");
    }

    async fn members_are_found_by_what_the_goal_needs(hub: &Hub) {
        let ada = hub.person("ada").await;
        let team = ended(&ada, &launch(&ada, &json!({ "goal": "convert 5 miles to km" })).await).await;
        let names: Vec<String> = team["members"].as_array().expect("members").iter().map(|m| text_of(&m["name"])).collect();
        assert_eq!(names, ["@plexus/calc"], "{team:#}");
        assert_eq!(team["assignments"].as_array().map(Vec::len), Some(1), "{team:#}");
    }

    async fn a_goal_that_nobody_serves_ends(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "x", "members": ["@nobody/here"] });
        let team = ended(&ada, &launch(&ada, &new).await).await;
        assert_eq!((text_of(&team["state"]).as_str(), text_of(&team["failure"]).as_str()), ("failed", "Nobody accepted the invitation."));
        assert_eq!(team["members"][0]["status"], "declined");
    }

    async fn a_limit_out_of_bounds_is_named_with_its_bounds(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (limits, told) in [
            (json!({ "max_members": 65 }), "max_members must be between 1 and 64."),
            (json!({ "seconds": 604_801 }), "seconds must be between 1 and 604800."),
        ] {
            let refused = ada.call(Method::POST, "/teams", &json!({ "goal": "17 * 23", "limits": limits })).await;
            refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says(told);
        }
    }

    async fn the_page_launches_and_tells(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.get("/teams").await.says("No teams yet.");
        let wrong = [("goal", "x"), ("members", "calc"), ("pattern", "plan_and_delegate")];
        let refused = ada.post("/teams", &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("calc is not an agent address");
        let fields = [("goal", "17 * 23"), ("members", "@plexus/calc"), ("pattern", "plan_and_delegate")];
        let place = ada.post("/teams", &fields).await.expect(StatusCode::SEE_OTHER).location().to_owned();
        let team = json!({ "id": place.trim_start_matches("/teams/") });
        ended(&ada, &team).await;
        let page = ada.get(&place).await.expect(StatusCode::OK);
        page.says("391");
        assert!(!page.body.contains("data-live=\""), "nothing more is to be seen");
        ada.get("/teams").await.says(&place);
        // Teams do not appear in the list of chats.
        assert_eq!(ada.api("/chats").await["items"], json!([]));
        let late = ada.post(&place, &[("action", "skip_turn")]).await.expect(StatusCode::CONFLICT);
        late.says("This team has ended");
        hub.person("eve").await.get(&place).await.expect(StatusCode::NOT_FOUND);
        hub.visitor().get("/teams").await.expect(StatusCode::SEE_OTHER);
    }

    async fn a_member_asks_and_its_owner_answers(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let team = launch(&grace, &json!({ "goal": "High water at Husum", "members": ["@grace/tide"] })).await;
        let call = agent.called().await;
        assert!(call.message.to_string().contains("High water at Husum"), "{}", call.message);
        call.begin_task().await;
        call.ask("Which day?").await;
        drop(call);
        let asking = until(&grace, &text_of(&team["id"]), |team| team["assignments"][0]["state"] == "asking").await;
        assert_eq!(asking["assignments"][0]["text"], "Which day?", "{asking:#}");
        grace.get(&format!("/teams/{}", text_of(&team["id"]))).await.says("Which day?");
        let path = format!("/teams/{}", text_of(&team["id"]));
        let answer = json!({ "action": "answer", "assignment": 0, "text": "Tomorrow" });
        grace.call(Method::POST, &path, &answer).await.expect(StatusCode::OK);
        let call = agent.called().await;
        let told = call.message.to_string();
        assert!(told.contains("Tomorrow") && !told.contains("High water"), "it knows what it was asked: {told}");
        call.begin_task().await;
        call.artifact("12:04").await;
        call.complete().await;
        let team = ended(&grace, &team).await;
        assert_eq!(text_of(&team["state"]), "closed", "{team:#}");
        assert!(text_of(&team["answer"]).contains("12:04"), "{team:#}");
    }

    async fn a_team_that_is_stopped_stops_its_work(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "slow", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let team = launch(&grace, &json!({ "goal": "For ever", "members": ["@grace/slow", "@nobody/here"] })).await;
        let call = agent.called().await;
        call.begin_task().await;
        call.artifact("Thinking about it").await;
        let id = text_of(&team["id"]);
        // Output in progress is visible.
        let seen = until_text(&grace, &team, "Thinking about it").await;
        assert_eq!(seen["assignments"][0]["state"], "working", "{seen:#}");
        grace.call(Method::POST, &format!("/teams/{id}"), &json!({ "action": "cancel_team" })).await.expect(StatusCode::OK);
        let team = ended(&grace, &team).await;
        assert_eq!((&team["state"], &team["assignments"][0]["state"]), (&json!("cancelled"), &json!("cancelled")), "{team:#}");
        assert_eq!(team["members"][1]["status"], "declined", "{team:#}");
    }

    async fn in_a_conversation_members_speak_for_themselves(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "17 * 23", "members": ["@plexus/calc", "@plexus/guide"], "pattern": "round_robin" });
        let team = ended(&ada, &launch(&ada, &new).await).await;
        assert_eq!(team["state"], "closed", "{team:#}");
        let spoke = |seat: usize| team["members"][seat]["messages"].as_u64().expect("a number");
        assert!(spoke(0) >= 1 && spoke(1) >= 1, "{team:#}");
        assert_eq!(team["assignments"], json!([]), "{team:#}");
    }

    async fn teams_that_share_an_agent_work_side_by_side(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let new = json!({ "goal": "High water at Husum", "members": ["@grace/tide"] });
        let teams = [launch(&grace, &new).await, launch(&grace, &new).await];
        // Both calls are open before either is answered.
        for call in [agent.called().await, agent.called().await] {
            call.begin_task().await;
            call.artifact("12:04").await;
            call.complete().await;
        }
        for team in &teams {
            assert_eq!(ended(&grace, team).await["state"], "closed");
        }
    }

    async fn many_teams_at_once_all_come_to_an_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "goal": "17 * 23", "members": ["@plexus/calc", "@plexus/guide"] });
        let launched = futures::future::join_all((0..20).map(|_| launch(&ada, &new))).await;
        for team in &launched {
            let team = ended(&ada, team).await;
            assert_eq!(team["state"], "closed", "{team:#}");
        }
        let one_more = ada.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED);
        assert_eq!(ended(&ada, &one_more.json()).await["state"], "closed");
    }

    async fn one_call_launches_a_goal(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["team"]).await);
        let launch = async |client: &Client, body: &Value| {
            client.send(client.request(Method::POST, "/launch_goal").json(body)).await
        };
        let goal = json!({ "goal": "17 * 23", "team_member_names": ["calc"], "skip_naming": true, "max_turns": 10 });
        let done = launch(&program, &goal).await.expect(StatusCode::OK).json();
        assert!(text_of(&done[1]).contains("391"), "{done}");
        let failed = launch(&program, &json!({ "goal": "x", "team_member_names": ["@nobody/here"] })).await;
        assert_eq!(failed.expect(StatusCode::BAD_GATEWAY).json()["error"]["message"], "Nobody accepted the invitation.");
        let unknown = launch(&program, &json!({ "goal": "x", "team_member_names": ["nobody"] })).await;
        unknown.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Agent nobody not found");
        // Two agents have this name, and neither belongs to the caller.
        for owner in ["bob", "eve"] {
            let new = json!({ "name": "helper", "attached": true, "summary": "Helps.", "visibility": "public" });
            hub.person(owner).await.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        }
        let ambiguous = launch(&program, &json!({ "goal": "x", "team_member_names": ["helper"] })).await;
        let candidates = ambiguous.expect(StatusCode::CONFLICT).json()["error"]["candidates"].clone();
        assert_eq!(candidates, json!(["@bob/helper", "@eve/helper"]));

        let request = program.request(Method::POST, "/launch_goal").header("accept", "text/event-stream").json(&goal);
        let stream = program.send(request).await.expect(StatusCode::OK);
        assert!(stream.body.starts_with("event: team\n"), "{}", stream.body);
        assert!(stream.body.contains("event: conclusion\ndata: [") && stream.body.contains("391"), "{}", stream.body);

        let scoped = ada.with_token(&make(&ada, &["chat"]).await);
        launch(&scoped, &goal).await.expect(StatusCode::FORBIDDEN);
        launch(&ada, &goal).await.expect(StatusCode::UNAUTHORIZED);
        let form = program.request(Method::POST, "/launch_goal").header("content-type", "text/plain").body("{}");
        program.send(form).await.expect(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    async fn a_hub_of_one_machine_may_launch_without_a_token(hub: &Hub, [("PLEXUS_LAUNCH_GOAL_WITHOUT_TOKEN", "true")]) {
        hub.administrator("grace").await;
        let goal = json!({ "goal": "17 * 23", "team_member_names": ["calc"] });
        let visitor = hub.visitor();
        let ask = || visitor.request(Method::POST, "/launch_goal").json(&goal);
        assert!(visitor.send(ask()).await.expect(StatusCode::OK).body.contains("391"));
        for (header, value) in [("origin", "http://evil.example.org"), ("sec-fetch-site", "cross-site")] {
            visitor.send(ask().header(header, value)).await.expect(StatusCode::UNAUTHORIZED);
        }
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

/// Asserts that a team resumes after the hub was killed.
#[tokio::test]
async fn a_team_survives_its_hub() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let mut agent = Agent::start().await;
    let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    let team = launch(&grace, &json!({ "goal": "High water", "members": ["@grace/tide"] })).await;
    let call = agent.called().await;
    call.begin_task().await;
    hub.kill().await;
    let hub = Process::serve(folder.path()).await;
    let grace = grace.at(&hub.origin);
    let again = agent.called().await;
    again.begin_task().await;
    again.artifact("12:04").await;
    again.complete().await;
    let team = ended(&grace, &team).await;
    assert_eq!(team["state"], "closed", "{team:#}");
    assert!(text_of(&team["answer"]).contains("12:04"), "{team:#}");
    hub.kill().await;
}

#[tokio::test]
async fn a_team_is_launched_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    hub.administrator("grace").await;
    let run = plexus(folder.path(), &["team", "run", "17 * 23", "--member", "@plexus/calc"]).await;
    assert!(stdout(&run).contains("391"), "{}", stderr(&run));
    assert!(stderr(&run).contains("@plexus/calc takes part."), "{}", stderr(&run));
    let listed = stdout(&plexus(folder.path(), &["team", "list"]).await);
    assert!(listed.contains("closed") && listed.contains("17 * 23"), "{listed}");
    let id = listed.split_whitespace().next().expect("an id");
    assert!(stdout(&plexus(folder.path(), &["team", "show", id]).await).contains("391"));
    let failed = plexus(folder.path(), &["team", "run", "x", "--member", "@nobody/here"]).await;
    assert_eq!(failed.status.code(), Some(3));
    let late = plexus(folder.path(), &["team", "stop", id]).await;
    assert!(stderr(&late).contains("This team has ended"), "{}", stderr(&late));
    hub.kill().await;
}
