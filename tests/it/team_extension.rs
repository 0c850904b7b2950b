//! Tests of agents that lead teams themselves: their cards declare the team extension.

use std::collections::BTreeSet;

use plexus_domain::team::{Utterance, UtteranceKind};
use plexus_testing::Dns;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::{Agent, Call, card},
    clerk,
    client::{Client, text_of},
    federation::{self, Node},
    hub::{self, Hub, on_both},
    remote_users::settings,
    team::{self, ended, until},
};

const TEAM: &str = "urn:plexus:a2a:team:1";
const DOCS: &str = include_str!("../../docs/teams.md");

/// Returns a card that declares the extension.
fn leading(url: &str) -> Value {
    let mut card = card(url);
    card["capabilities"]["extensions"] = json!([{ "uri": TEAM, "description": "Leads." }]);
    card
}

/// Registers `@grace/lead`, which declares the extension, and `@grace/hand`, which does not.
async fn two(grace: &Client) -> (Agent, Agent) {
    let (lead, hand) = (Agent::with(leading).await, Agent::start().await);
    for (agent, name) in [(&lead, "lead"), (&hand, "hand")] {
        let new = json!({ "url": agent.url, "name": name, "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    }
    (lead, hand)
}

/// Launches a team and returns its id.
async fn launch(client: &Client, pattern: &str, members: &[&str]) -> String {
    team::launch(client, &json!({ "goal": "Count the boats.", "pattern": pattern, "members": members })).await
}

/// Returns all utterances in the team log, with the seat of each.
async fn said(client: &Client, team: &str) -> Vec<(Value, Value)> {
    let log = client.api(&format!("/teams/{team}/log")).await;
    let entries = log["items"].as_array().expect("a list").iter();
    let said = entries.filter(|entry| entry["event"]["kind"] == "said");
    said.map(|entry| (entry["by"]["seat"].clone(), entry["event"].clone())).collect()
}

/// Returns the data of a turn. Asserts that the call activates the extension.
fn turn(call: &Call) -> Value {
    assert_eq!(call.headers.get("a2a-extensions").expect("the header"), TEAM);
    assert_eq!(call.message["extensions"], json!([TEAM]), "{:#}", call.message);
    let parts = call.message["parts"].as_array().expect("a list");
    let data = parts.iter().map(|part| &part["data"]).find(|data| data["extension"] == TEAM);
    data.expect("the turn as data").clone()
}

async fn act(call: &Call, act: Value) {
    call.begin_task().await;
    call.data(&act).await;
    call.complete().await;
}

/// Handles the agent's next turn with this utterance. Returns the data of the turn.
async fn says(agent: &mut Agent, said: Value) -> Value {
    let call = agent.called().await;
    let turn = turn(&call);
    act(&call, said).await;
    turn
}

async fn answers(agent: &mut Agent, words: &str) -> Value {
    let call = agent.called().await;
    assert_eq!(call.headers.get("a2a-extensions"), None, "work is asked for as of any agent");
    call.begin_task().await;
    call.artifact(words).await;
    call.complete().await;
    call.message.clone()
}

fn give(mode: &str, title: &str) -> Value {
    let spec = json!({ "title": title, "description": "Count them all." });
    json!({ "action": "assign", "mode": mode, "assignments": [{ "to": 1, "spec": spec }] })
}

on_both! {
    async fn it_plans_gives_work_waits_has_a_vote_and_concludes(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (mut lead, mut hand) = two(&grace).await;
        let team = launch(&grace, "plan_and_delegate", &["@grace/lead", "@grace/hand"]).await;
        let plan = json!({ "action": "plan", "steps": [{ "title": "Count", "done": false }] });
        let first = says(&mut lead, plan).await;
        let names = |turn: &Value| turn["team"]["members"].as_array().expect("a list").iter().map(|member| text_of(&member["name"])).collect::<Vec<_>>();
        assert_eq!((&first["team"]["goal"], &first["team"]["you"], &first["team"]["turn"]), (&json!("Count the boats."), &json!(0), &json!(1)), "{first:#}");
        assert_eq!(names(&first), ["@grace/lead", "@grace/hand"]);
        assert_eq!(first["team"]["allowed"], json!(["discuss", "assign_now", "assign_background", "plan", "vote", "conclude"]), "{first:#}");
        assert_eq!(first["schema"]["oneOf"].as_array().map(Vec::len), Some(6), "a schema for each: {first:#}");
        let second = says(&mut lead, give("now", "North")).await;
        assert_eq!(second["team"]["plan"], json!([{ "title": "Count", "done": false }]), "{second:#}");
        assert!(answers(&mut hand, "7 boats.").await.to_string().contains("Count them all."));
        let third = says(&mut lead, give("background", "South")).await;
        assert_eq!(third["team"]["assignments"][0]["result"], "7 boats.", "{third:#}");
        says(&mut lead, json!({ "action": "wait_for", "assignments": [1] })).await;
        // The team does not wait for work that has ended.
        federation::until("it waits", async || said(&grace, &team).await.len() == 4).await;
        answers(&mut hand, "8 boats.").await;
        says(&mut lead, json!({ "action": "vote", "question": "Once more?", "options": ["yes", "no"] })).await;
        let last = says(&mut lead, json!({ "action": "conclude", "text": "15 boats." })).await;
        assert_eq!(last["team"]["assignments"][1]["state"], "completed", "{last:#}");
        let shown = ended(&grace, &team).await;
        assert_eq!((&shown["state"], &shown["answer"]), (&json!("closed"), &json!("15 boats.")), "{shown:#}");
        let said = said(&grace, &team).await;
        let kinds: Vec<&Value> = said.iter().map(|(_, event)| &event["action"]).collect();
        assert_eq!(kinds, ["plan", "assign", "assign", "wait_for", "vote", "ballot", "conclude"], "{said:#?}");
    }

    async fn a_conclusion_includes_long_results_whole_and_names_their_files(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (mut lead, mut hand) = two(&grace).await;
        let file = clerk::file("boats.csv", "text/csv", "Wal,Hai");
        clerk::register(&grace, &clerk::serve(vec![file, clerk::words("Two boats.")]).await, "clerk").await;
        let team = launch(&grace, "plan_and_delegate", &["@grace/lead", "@grace/hand", "@grace/clerk"]).await;
        let census: String = (0..1_500).map(|n| format!("boat {n}, ")).collect();
        for title in ["North", "South"] {
            says(&mut lead, give("now", title)).await;
            answers(&mut hand, &format!("{title}: {census}end")).await;
        }
        let list = json!({ "to": 2, "spec": { "title": "List", "description": "List them." } });
        says(&mut lead, json!({ "action": "assign", "mode": "now", "assignments": [list] })).await;
        let unknown = json!({ "action": "conclude", "text": "The census:", "results": [7] });
        let shown = says(&mut lead, unknown).await;
        let assignments = &shown["team"]["assignments"];
        for at in [0, 1] {
            let length = text_of(&assignments[at]["result"]).chars().count();
            assert!((11_000..12_001).contains(&length) && assignments[at]["is_cut"] == true, "{length} {shown:#}");
        }
        assert_eq!((&assignments[2]["files"], &assignments[2]["is_cut"]), (&json!(["boats.csv"]), &Value::Null), "{shown:#}");
        let again = says(&mut lead, json!({ "action": "conclude", "text": "The census:", "results": [0] })).await;
        assert_eq!(again["problem"], "Assignment 7 has no result.", "{again:#}");
        assert_eq!(ended(&grace, &team).await["answer"], format!("The census:\n\nNorth: {census}end"));
    }

    async fn what_cannot_be_said_is_answered_once_and_then_taken_as_words(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (mut lead, _hand) = two(&grace).await;
        let team = launch(&grace, "plan_and_delegate", &["@grace/lead", "@grace/hand"]).await;
        let to_nobody = json!({ "action": "assign", "mode": "now", "assignments": [{ "to": 9, "spec": { "title": "x", "description": "y" } }] });
        says(&mut lead, to_nobody).await;
        let again = lead.called().await;
        assert_eq!(turn(&again)["problem"], "This team has no member 9 that can do \
            this.", "{:#}", again.message);
        assert_eq!(again.message["contextId"], "c1", "the same conversation goes on");
        again.begin_task().await;
        again.data(&json!({ "action": "ballot", "option": 0 })).await;
        again.artifact("Let us count the boats in the harbour together.").await;
        again.complete().await;
        let first = until(&grace, &team, |team| team["turn"].as_u64() > Some(1)).await;
        assert_eq!(first["ended"], Value::Null, "{first:#}");
        let said = said(&grace, &team).await;
        assert_eq!((&said[0].0, &said[0].1["action"], &said[0].1["text"]), (&json!(0), &json!("discuss"), &json!("Let us count the boats in the harbour together.")));
        grace.call(Method::POST, &format!("/teams/{team}"), &json!({ "action": "cancel_team" })).await.expect(StatusCode::OK);
    }

    async fn nobody_speaks_for_others_or_twice_at_once(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (mut lead, mut hand) = two(&grace).await;
        let team = launch(&grace, "plan_and_delegate", &["@grace/lead", "@grace/hand"]).await;
        let call = lead.called().await;
        call.begin_task().await;
        // Each data part is sent as a separate artifact.
        call.data(&json!([{ "action": "conclude", "text": "Done." }, 1])).await;
        call.complete().await;
        // An invalid utterance is not repaired: the member has no utterance, and the rules decide.
        answers(&mut hand, "7 boats.").await;
        let forged = json!({ "action": "conclude", "text": "7 boats.", "by": 1, "seat": 1, "speaker": "@grace/hand", "turn": 99 });
        // The rules also assigned work to it, requested as from any agent.
        answers(&mut lead, "8 boats.").await;
        says(&mut lead, forged).await;
        let shown = ended(&grace, &team).await;
        assert_eq!(shown["answer"], "7 boats.", "{shown:#}");
        let said = said(&grace, &team).await;
        assert!(said.iter().all(|(seat, _)| *seat == 0), "{said:#?}");
    }

    async fn in_a_conversation_it_votes_and_speaks_like_the_others(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let (mut lead, mut hand) = two(&grace).await;
        let team = launch(&grace, "discuss_only", &["@grace/hand", "@grace/lead"]).await;
        // A member without the extension is asked for text.
        let asked = answers(&mut hand, "I count seven boats in the harbour.").await;
        assert!(asked.to_string().contains("You are member 0 of a team."), "{asked}");
        let heard = says(&mut lead, json!({ "action": "vote", "question": "How many?", "options": ["seven", "eight"] })).await;
        assert_eq!(heard["team"]["transcript"][0], json!({ "seat": 0, "text": "I count seven boats in the harbour." }), "{heard:#}");
        answers(&mut hand, "Seven.").await;
        says(&mut lead, json!({ "action": "conclude", "text": "Seven boats." })).await;
        assert_eq!(ended(&grace, &team).await["answer"], "Seven boats.");
        let said = said(&grace, &team).await;
        assert_eq!(said[2].1["option"], 0, "{said:#?}");
    }
}

/// Runs a test on a hub with the agent `@grace/lead` of a remote hub, which declares the extension. The hub
/// calls it at its URL, or over libp2p if it may not call private addresses.
async fn with_a_lead_elsewhere(may_call_it: &str, play: impl AsyncFnOnce(&Client, &mut Agent, &str)) {
    let (model, dns) = (federation::model().await, Dns::start().await);
    let place = ["--p2p-listen", "127.0.0.1:0", "--dns-server", &dns.address.to_string()];
    let far = Node::start_at(&place, &model, &[], None).await;
    // Hubs do not replicate agents at loopback addresses.
    let named = |url: &str| url.replace("127.0.0.1", "lead.example");
    let mut lead = Agent::with(|url| leading(&named(url))).await;
    let new = json!({ "url": named(&lead.url), "name": "lead", "trust_origins": true, "visibility": "federated",
                      "access": "open" });
    far.admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    let address = format!("@grace/lead@{}", far.id);
    let given =
        [("PLEXUS_P2P_BOOTSTRAP", far.address.as_str()), ("PLEXUS_ALLOW_PRIVATE_NETWORKS", may_call_it)];
    let mut given = settings(&model, &given);
    // The first of two equal settings takes precedence.
    given.reverse();
    hub::run(None, &given, async |home: &Hub| {
        let ada = home.person("ada").await;
        let id = text_of(&ada.api("/hubs").await["local"]["id"]);
        federation::until("the agent is found", async || {
            ada.api("/agents?q=puppetry").await["items"][0]["address"] == address.as_str()
        })
        .await;
        federation::until("the hubs know each other", async || far.knows(&id).await).await;
        play(&ada, &mut lead, &address).await;
    })
    .await;
    far.end().await;
}

async fn it_leads_where_it_is_named(ada: &Client, lead: &mut Agent, address: &str) {
    let team = launch(ada, "plan_and_delegate", &[address, "@plexus/calc"]).await;
    let spec = json!({ "title": "Sum", "description": "17 * 23" });
    let first =
        says(lead, json!({ "action": "assign", "mode": "now", "assignments": [{ "to": 1, "spec": spec }] }))
            .await;
    assert_eq!(first["team"]["members"][0]["name"], address, "{first:#}");
    assert_eq!(first["schema"]["oneOf"].as_array().map(Vec::len), Some(6), "a schema for each: {first:#}");
    let second = says(lead, json!({ "action": "wait_for", "assignments": [7] })).await;
    assert!(text_of(&second["team"]["assignments"][0]["result"]).contains("391"), "{second:#}");
    let again = lead.called().await;
    assert!(turn(&again)["problem"].is_string(), "{:#}", again.message);
    assert_eq!(again.message["contextId"], "c1", "the same conversation goes on");
    act(&again, json!({ "action": "conclude", "text": "391 boats." })).await;
    let shown = ended(ada, &team).await;
    assert_eq!((&shown["state"], &shown["answer"]), (&json!("closed"), &json!("391 boats.")), "{shown:#}");
    let said = said(ada, &team).await;
    let acts: Vec<(&Value, &Value)> = said.iter().map(|(seat, event)| (seat, &event["action"])).collect();
    assert_eq!(acts, [(&json!(0), &json!("assign")), (&json!(0), &json!("conclude"))], "{said:#?}");
}

/// Asserts that the extension is not activated for a remote agent that no user selected: the team's content
/// must not go to its hub.
async fn it_works_where_it_was_found(ada: &Client, lead: &mut Agent, address: &str) {
    let team = team::launch(ada, &json!({ "goal": "puppetry" })).await;
    let asked = answers(lead, "7 boats.").await;
    assert!(!asked.to_string().contains(TEAM), "{asked:#}");
    let shown = ended(ada, &team).await;
    assert_eq!(shown["members"][0]["name"], address, "{shown:#}");
    assert!(text_of(&shown["answer"]).contains("7 boats."), "{shown:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_of_a_hub_on_the_web_leads() {
    with_a_lead_elsewhere("true", it_leads_where_it_is_named).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_of_a_hub_without_an_address_leads() {
    with_a_lead_elsewhere("false", it_leads_where_it_is_named).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_was_only_found_on_another_hub_does_not_lead() {
    with_a_lead_elsewhere("true", it_works_where_it_was_found).await;
}

/// The documentation's examples must parse, because agent authors start from them.
#[test]
fn the_example_is_as_the_hub_has_it() {
    let blocks = DOCS.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let blocks: Vec<Value> = blocks.map(|text| serde_json::from_str(text).expect("JSON")).collect();
    assert!(blocks.iter().any(|block| block["capabilities"]["extensions"][0]["uri"] == TEAM));
    assert!(blocks.iter().any(|block| block["extension"] == TEAM && block["team"]["allowed"].is_array()));
    let acts = DOCS.split('`').filter(|text| text.starts_with("{\"action\""));
    let read = acts
        .map(|act| serde_json::from_str::<Utterance>(act).unwrap_or_else(|error| panic!("{act}: {error}")));
    let kinds: BTreeSet<UtteranceKind> = read.map(|act| act.kind()).collect();
    assert_eq!(kinds.len(), 7, "one of each: {kinds:?}");
}
