//! Tests of a goal with a checkable answer, reached by two agents that run real code on a table. A script
//! replaces their model and does not know the figures. `make interop` runs the same with AutoGPT and Open
//! Interpreter.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::{
    attached_programs::Joined,
    client::{Answer, Client, text_of},
    events::{Events, TIMEOUT},
    hub::{Hub, on_both},
    mcp_tools::{Server, start},
    tokens::make,
};

const GOAL: &str =
    "The annual revenue figures from 2014 to 2020 in revenue.csv: find them, plot them, write a report.";
const MEMBERS: [&str; 2] = ["plotter", "writer"];
const DRAWN: &str = "The plot of the annual figures is in revenue.png.";
/// Program that reports its start and then blocks until stdin is closed.
const FOR_EVER: &str = "import sys\nopen('begun', 'w').close()\nsys.stdin.read()\nsys.exit()\n";
/// PNG signature and length of the first chunk (PNG, sections 5.2 and 5.3), its type, and the image size that
/// `plot.py` draws.
const PICTURE: [u8; 24] = *b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\x2c\0\0\0\xc8";

on_both! {
    async fn members_that_run_code_reach_a_goal_in_one_call(hub: &Hub) {
        let ada = hub.person("ada").await;
        let members = team(hub, &ada, "").await;
        let (answer, asked) = reached(&ada, members, None).await;
        assert_eq!(asked, 2, "each asked for leave once");
        let answer = answer.expect(StatusCode::OK).json();
        let conclusion = text_of(&answer[1]);
        assert!(conclusion.contains(DRAWN), "{conclusion}");
        for figure in figures() {
            assert!(conclusion.contains(&figure), "{figure}: {conclusion}");
        }
        let team = ada.api(&format!("/teams/{}", text_of(&answer[0]))).await;
        assert_eq!(states(&team), ["completed", "completed"], "{team:#}");
        let plot = plot(&ada, &text_of(&answer[0])).await.expect("a plot");
        assert!(plot.starts_with(&PICTURE) && plot.len() > 300, "{} bytes", plot.len());
    }

    async fn a_member_that_is_killed_in_the_middle_leaves_the_rest_of_the_goal(hub: &Hub) {
        let ada = hub.person("ada").await;
        let members = team(hub, &ada, FOR_EVER).await;
        let (answer, _) = reached(&ada, members, Some("plotter")).await;
        let answer = answer.expect(StatusCode::OK).json();
        let conclusion = text_of(&answer[1]);
        for figure in figures() {
            assert!(conclusion.contains(&figure), "{figure}: {conclusion}");
        }
        let missing = "1 of 2 members returned no result.";
        assert!(conclusion.contains(missing), "{conclusion}");
        let team = ada.api(&format!("/teams/{}", text_of(&answer[0]))).await;
        assert_eq!(states(&team), ["failed", "completed"], "{team:#}");
        assert!(text_of(&team["assignments"][0]["text"]).contains("broke off"), "{team:#}");
        assert_eq!(plot(&ada, &text_of(&answer[0])).await, None);
    }
}

/// Agent at the hub, with its model and its working folder.
struct Member {
    folder: TempDir,
    joined: Joined,
    _model: Server,
}

/// Returns both members by name. The plotter runs `before` before it draws.
async fn team(hub: &Hub, ada: &Client, before: &str) -> BTreeMap<&'static str, Member> {
    let token = make(ada, &["agents", "read"]).await;
    let programs = [format!("{before}{}", source("plot.py")), source("report.py")];
    let mut members = BTreeMap::new();
    for ((name, program), end) in MEMBERS.into_iter().zip(programs).zip([DRAWN, "The report is above."]) {
        let script = [format!("I write a program.\n\n```python\n{program}```"), end.to_owned()];
        members.insert(name, member(hub, &token, name, &script).await);
    }
    members
}

async fn member(hub: &Hub, token: &str, name: &str, script: &[String]) -> Member {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("revenue.csv"), source("revenue.csv")).expect("written");
    // Keep the script outside the working folder, so that it does not count as output of the agent.
    let answers = tempfile::NamedTempFile::new().expect("a file");
    fs::write(answers.path(), json!(script).to_string()).expect("written");
    let flags = ["--answers", answers.path().to_str().expect("text")];
    let model = start(Path::new("node"), "model/scripted.mjs", &flags).await;
    let coder = agents().join("python/coder.py");
    let program = ["python3", coder.to_str().expect("text"), &model.url];
    let here = [name, "--hub", hub.origin(), "--token", token, "--protocol", "jsonl", "--"];
    let joined = Joined::with(folder.path(), &[here.as_slice(), &program].concat()).await;
    Member { folder, joined, _model: model }
}

fn agents() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("the tests' folder").join("agents")
}

fn source(name: &str) -> String {
    fs::read_to_string(agents().join("revenue").join(name)).expect("it is there")
}

/// Returns the response of `/launch_goal` and the number of approvals, all of which are granted. The member
/// `dies` is killed while its code runs.
async fn reached(ada: &Client, mut members: BTreeMap<&str, Member>, dies: Option<&str>) -> (Answer, usize) {
    let program = ada.with_token(&make(ada, &["team"]).await);
    // Each member has a single conversation, so none forms a subteam.
    let goal = json!({ "goal": GOAL, "team_member_names": MEMBERS, "team_up_depth": 0 });
    let launched = program.send(program.request(Method::POST, "/launch_goal").json(&goal));
    let led = async {
        let id = launched_team(ada).await;
        let (mut events, mut known) = (Events::open(ada, &id, 0).await, BTreeSet::new());
        loop {
            let team = ada.api(&format!("/teams/{id}")).await;
            if !team["ended"].is_null() {
                return known.len();
            }
            for asked in asking(&team).filter(|asked| known.insert(asked["number"].to_string())) {
                let allow = json!({ "action": "answer", "assignment": asked["number"], "text": "y" });
                ada.call(Method::POST, &format!("/teams/{id}"), &allow).await.expect(StatusCode::OK);
            }
            // Members work one after the other, so only the first has asked.
            if !known.is_empty()
                && let Some(dying) = dies.and_then(|name| members.remove(name))
            {
                until_begun(&dying).await;
                drop(dying.joined);
            }
            events.next().await.expect("the stream goes on");
        }
    };
    timeout(TIMEOUT, async { tokio::join!(launched, led) }).await.expect("it ends in time")
}

fn asking(team: &Value) -> impl Iterator<Item = &Value> {
    team["assignments"].as_array().expect("a list").iter().filter(|work| work["state"] == "asking")
}

/// Polls for the team, which exists before its launch is answered.
async fn launched_team(ada: &Client) -> String {
    loop {
        let teams = ada.api("/teams").await;
        if let Some(id) = teams["items"][0]["id"].as_str() {
            return id.to_owned();
        }
        sleep(Duration::from_millis(10)).await;
    }
}

async fn until_begun(member: &Member) {
    while !member.folder.path().join("begun").exists() {
        sleep(Duration::from_millis(10)).await;
    }
}

fn states(team: &Value) -> Vec<String> {
    team["assignments"].as_array().expect("a list").iter().map(|work| text_of(&work["state"])).collect()
}

/// Returns the expected content of a report: each year's figure and change, and the total. Computed here
/// independently, in tenths.
fn figures() -> Vec<String> {
    let mut annual: BTreeMap<i32, i64> = BTreeMap::new();
    for line in source("revenue.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let tenths: i64 = cells[3].replace('.', "").parse().expect("a number with one digit after the point");
        *annual.entry(cells[0].parse().expect("a year")).or_default() += tenths;
    }
    let shown = |tenths: i64| format!("{}.{}", tenths / 10, tenths % 10);
    let each = (2014..=2020).map(|year| {
        let change = annual[&year] - annual[&(year - 1)];
        let sign = if change < 0 { '-' } else { '+' };
        format!("| {year} | {} | {sign}{} |", shown(annual[&year]), shown(change.abs()))
    });
    let total = annual.range(2014..=2020).map(|(_, tenths)| tenths).sum();
    each.chain([format!("Total: {}", shown(total))]).collect()
}

/// Returns the image among the files on a team's page.
async fn plot(ada: &Client, team: &str) -> Option<Vec<u8>> {
    let page = ada.get(&format!("/teams/{team}")).await.expect(StatusCode::OK);
    for href in page.body.split('"').filter(|word| word.starts_with("/blobs/")) {
        let file = ada.request(Method::GET, href).send().await.expect("the hub answers");
        if file.headers()["content-type"] == "image/png" {
            return Some(file.bytes().await.expect("a whole file").to_vec());
        }
    }
    None
}
