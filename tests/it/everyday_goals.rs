//! Tests of goals as newcomers type them, on a bare hub: the built-in agents reach what they can, and no agent is invited
//! for anything else. The rules decide.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    attached_programs::Joined,
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    tokens::make,
};

const TABLE: &str = "month,boats\nMay,12\nJune,18\nJuly,30";

/// A goal, its assignments, each with its member, and texts of the answer.
type ReachedGoal = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const REACHED: &[ReachedGoal] = &[
    (
        "convert 5 miles to km and count the words in \"to be or not to be\"",
        &[("calc", "convert 5 miles to km"), ("text", "count the words in \"to be or not to be\"")],
        &["8.04672 km", "**6 words**, 4 different", "18 characters"],
    ),
    (
        "Count the words in ‘to be or not to be’, then convert 5 miles to km",
        &[("text", "Count the words in ‘to be or not to be’"), ("calc", "convert 5 miles to km")],
        &["**6 words**", "8.04672 km"],
    ),
    ("15% of 240", &[("calc", "The goal")], &["**36**"]),
    ("What is 15% of 240?", &[("calc", "The goal")], &["**36**"]),
    ("17 * 23", &[("calc", "The goal")], &["**391**"]),
    ("Sum of 3, 4 and 5", &[("calc", "The goal")], &["**12**"]),
    ("how much is half of 90", &[("calc", "The goal")], &["**45**"]),
    ("5英里等于多少公里？", &[("calc", "The goal")], &["8.04672 km"]),
    (
        "Calculate 15% of 240, and convert 5 miles to km",
        &[("calc", "Calculate 15% of 240"), ("calc", "convert 5 miles to km")],
        &["**36**", "8.04672 km"],
    ),
    (
        "Convert 5 miles to km and convert 70 kg to pounds",
        &[("calc", "Convert 5 miles to km"), ("calc", "convert 70 kg to pounds")],
        &["8.04672 km", "154.32"],
    ),
    (
        "convert 5 miles to km, 70 kg to pounds and 3 m to cm",
        &[
            ("calc", "convert 5 miles to km"),
            ("calc", "convert 70 kg to pounds"),
            ("calc", "convert 3 m to cm"),
        ],
        &["8.04672 km", "154.32", "300 cm"],
    ),
    ("How many words are in: to be or not to be", &[("text", "The goal")], &["**6 words**"]),
    ("count the words in to be or not to be", &[("text", "The goal")], &["**6 words**"]),
    ("Count the words of this text:\nto be or\nnot to be", &[("text", "The goal")], &["**6 words**"]),
    (
        "Draw a chart of Jan 420, Feb 380, Mar 510",
        &[("chart", "The goal")],
        &["| value | 1310 |", "chart.svg](http"],
    ),
];

/// Goals that no built-in agent can reach.
const UNREACHED: [&str; 4] = [
    "Write a poem about the sea",
    "Translate “good morning” into French",
    "Plan a birthday party for 12 children",
    "Find the tide times of Husum",
];

/// The example of the Internet of Agents in ten wordings. The figures follow as a table.
const FIGURES: [&str; 10] = [
    "I want to know the annual revenue of Microsoft from 2014 to 2020. Please generate a figure in text format showing the \
     trend of the annual revenue, and give me an analysis report.",
    "Please draw a diagram of the annual revenue of Microsoft from 2014 to 2020, and write an analysis report.",
    "Make a graph of Microsoft's annual revenue from 2014 to 2020 and write a report.",
    "Generate a figure showing the trend of Microsoft's annual revenue from 2014 to 2020",
    "Plot Microsoft's annual revenue from 2014 to 2020, then give me an analysis report.",
    "Visualize the annual revenue of Microsoft from 2014 to 2020.",
    "Ich möchte den Jahresumsatz von Microsoft von 2014 bis 2020 wissen. Erstelle bitte ein Diagramm, das den Trend zeigt, und \
     schreibe einen Analysebericht.",
    "Zeichne ein Schaubild des Jahresumsatzes von Microsoft von 2014 bis 2020",
    "我想知道微软2014年到2020年的年收入。请生成一张显示年收入趋势的图，并给我一份分析报告。",
    "获取微软2014年到2020年的年收入，绘制图表，撰写报告。",
];
const REVENUE: &str =
    "year,revenue\n2014,86.8\n2015,93.6\n2016,91.2\n2017,96.6\n2018,110.4\n2019,125.8\n2020,143.0";

on_both! {
    async fn goals_in_the_words_of_newcomers_are_reached(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["team", "read"]).await);
        let mut failed = Vec::new();
        for (goal, assigned, said) in REACHED {
            let answer = launch(&program, goal).await;
            if answer.status != StatusCode::OK {
                failed.push(format!("{goal}: {}", answer.body));
                continue;
            }
            let answer = answer.json();
            let text = text_of(&answer[1]);
            let found = assignments(&ada, &text_of(&answer[0])).await;
            let expected: Vec<(String, String)> =
                assigned.iter().map(|(member, title)| (format!("@plexus/{member}"), (*title).to_owned())).collect();
            if found != expected || !said.iter().all(|words| text.contains(words)) {
                failed.push(format!("{goal}: {found:?}\n{text}"));
            }
        }
        assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), REACHED.len(), failed.join("\n\n"));
    }

    async fn what_no_agent_can_do_is_said_at_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["team", "read"]).await);
        for goal in UNREACHED {
            launch(&program, goal).await.expect(StatusCode::BAD_GATEWAY).says("No agent on this hub fits the goal.");
        }
        launch(&program, "Convert 10 USD to EUR").await.expect(StatusCode::BAD_GATEWAY);
        let goal = format!("Draw a chart of the table, then tell me how many minutes are in a week:\n{TABLE}");
        let answer = launch(&program, &goal).await.expect(StatusCode::OK).json();
        let text = text_of(&answer[1]);
        assert!(text.contains("| boats | 60 | 20 |") && text.contains("10080 minutes"), "{text}");
    }

    async fn the_revenue_in_ten_wordings_gives_a_chart(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["team", "read"]).await);
        let mut failed = Vec::new();
        for goal in FIGURES {
            let answer = launch(&program, &format!("{goal}\n{REVENUE}")).await;
            let text = if answer.status == StatusCode::OK { text_of(&answer.json()[1]) } else { answer.body };
            if !(text.contains("| revenue | 747.4 |") && text.contains("chart.svg](http")) {
                failed.push(format!("{goal}: {text}"));
            }
        }
        assert!(failed.is_empty(), "{} of 10:\n{}", failed.len(), failed.join("\n\n"));
    }

    async fn a_program_reads_its_assignment_and_no_context(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["agents", "read"]).await;
        let here = ["shouter", "--hub", hub.origin(), "--token", &token, "--protocol", "text", "--", "tr", "a-z", "A-Z"];
        let folder = tempfile::tempdir().expect("a folder");
        let _joined = Joined::with(folder.path(), &here).await;
        let program = ada.with_token(&make(&ada, &["team", "read"]).await);
        let goal = json!({
            "goal": "Convert 5 miles to km, then shout hello to the harbour",
            "team_member_names": ["@plexus/calc", "@ada/shouter"],
        });
        let answer = program.send(program.request(Method::POST, "/launch_goal").json(&goal)).await;
        let text = text_of(&answer.expect(StatusCode::OK).json()[1]);
        assert!(text.contains("SHOUT HELLO TO THE HARBOUR") && !text.contains("GOAL OF THE TEAM"), "{text}");
    }

    async fn a_debate_needs_two_members(hub: &Hub) {
        let ada = hub.person("ada").await;
        let debate = json!({ "goal": "15% of 240", "pattern": "debate", "members": ["@plexus/calc"] });
        ada.call(Method::POST, "/teams", &debate).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("at least two members");
    }
}

async fn launch(program: &Client, goal: &str) -> Answer {
    program.send(program.request(Method::POST, "/launch_goal").json(&json!({ "goal": goal }))).await
}

/// Returns the members and titles of the assignments of a team.
async fn assignments(ada: &Client, team: &str) -> Vec<(String, String)> {
    let view = ada.api(&format!("/teams/{team}")).await;
    let name = |seat: &Value| {
        let members = view["members"].as_array().expect("members");
        let member = members.iter().find(|member| member["seat"] == *seat);
        member.map(|member| text_of(&member["name"])).unwrap_or_default()
    };
    let works = view["assignments"].as_array().expect("assignments");
    works.iter().map(|work| (name(&work["to"]), text_of(&work["title"]))).collect()
}
