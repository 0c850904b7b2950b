//! The example of the Internet of Agents in many words: figures are looked up, drawn and reported on by three agents of
//! which each has only its own skill. The rules decide, without a model.

use std::fmt::Write as _;

use axum::{
    Json, Router,
    http::header,
    response::IntoResponse as _,
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    agent_lists::until_listed,
    clerk,
    client::{Client, text_of},
    hub::{Hub, on_both},
    tokens::make,
};

/// Microsoft's revenue by fiscal year, in thousand millions of US dollars.
const FIGURES: [(u32, f64); 7] =
    [(2014, 86.8), (2015, 93.6), (2016, 91.2), (2017, 96.6), (2018, 110.4), (2019, 125.8), (2020, 143.0)];

const GOALS: [&str; 20] = [
    "I want to know the annual revenue of Microsoft from 2014 to 2020. Please generate a figure in text format showing the \
     trend of the annual revenue, and give me an analysis report.",
    "Fetch Microsoft's annual revenue from 2014 to 2020, plot it, and write a report.",
    "The annual revenue of Microsoft from 2014 to 2020: look it up, draw a chart of it, report on it.",
    "Write a report with a chart of Microsoft's annual revenue from 2014 to 2020.",
    "Could you get me Microsoft's annual revenue for 2014 to 2020? Then visualize it. Finally, summarize it in a report.",
    "How did Microsoft's annual revenue develop from 2014 to 2020? Show me a graph and a short written report.",
    "Get the annual revenue of Microsoft between 2014 and 2020; make a line chart; write up an analysis.",
    "Prepare a report on Microsoft's annual revenue from 2014 to 2020, including a diagram.",
    "First find Microsoft's annual revenue, 2014 to 2020. Next, chart the numbers. Then write the report.",
    "Microsoft annual revenue 2014-2020: a table, a plot, and an analysis report please",
    "Please analyse how the annual revenue of Microsoft changed between 2014 and 2020, with a chart.",
    "Can you chart Microsoft's yearly revenue (2014–2020) and explain it in a report?",
    "Revenue of Microsoft, 2014-2020, as a graph plus a report.",
    "Compile a report about the annual revenue of Microsoft from 2014 to 2020 and illustrate it with a figure.",
    "Draw Microsoft's annual revenue from 2014 to 2020 and comment on it in a report.",
    "I need a written analysis and a figure of Microsoft's annual revenue from 2014 to 2020.",
    "Generate a trend figure and an analysis report of Microsoft's annual revenue for 2014-2020.",
    "Look up how much revenue Microsoft made annually from 2014 to 2020, visualise the numbers and write everything up as a report.",
    "Show Microsoft's revenue from 2014 to 2020 as a bar chart, then describe what you see in a short report.",
    "Use our agents to get Microsoft's annual revenue 2014 to 2020, and let me have a plotted curve and a summary.",
];
const AT_ONCE: usize = 4;
const MEMBERS: [&str; 3] = ["writer", "ledger", "painter"];

on_both! {
    async fn the_example_in_twenty_phrasings_with_named_and_with_found_members(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        start_agents(&admin).await;
        let caller = admin.with_token(&make(&admin, &["team"]).await);
        let asked = GOALS.iter().flat_map(|goal| [false, true].map(|named| (*goal, named)));
        let attempts = stream::iter(asked).map(|(goal, named)| attempt(&caller, goal, named));
        let results: Vec<Result<String, String>> = attempts.buffered(AT_ONCE).collect().await;
        let (mut failed, mut pages) = (Vec::new(), 0);
        for result in results {
            match result {
                Ok(team) => {
                    admin.get(&format!("/teams/{team}")).await.expect(StatusCode::OK).says("chart.svg");
                    pages += 1;
                }
                Err(missing) => failed.push(missing),
            }
        }
        assert!(failed.is_empty(), "{} failed, {pages} succeeded:\n{}", failed.len(), failed.join("\n"));
    }

    async fn a_goal_that_no_agent_fits_ends_at_once(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let caller = admin.with_token(&make(&admin, &["team"]).await);
        let goal = json!({ "goal": "Zwitch the frumious bandersnatch" });
        let answer = caller.send(caller.request(Method::POST, "/launch_goal").json(&goal)).await;
        answer.expect(StatusCode::BAD_GATEWAY).says("No agent on this hub fits the goal.");
    }
}

/// Launches the goal. Returns the team, or what is missing from its answer.
async fn attempt(caller: &Client, goal: &str, named: bool) -> Result<String, String> {
    let mut body = json!({ "goal": goal });
    if named {
        body["team_member_names"] = json!(MEMBERS);
    }
    let answer = caller.send(caller.request(Method::POST, "/launch_goal").json(&body)).await;
    let who = if named { "named" } else { "found" };
    if answer.status != StatusCode::OK {
        return Err(format!("{who}: {goal}\n  {}", answer.body));
    }
    let answer = answer.json();
    let text = text_of(&answer[1]);
    let wanted = [
        ("the table", text.contains("| 2014 | 86.8 |") && text.contains("| 2020 | 143.0 |")),
        ("the picture", text.contains("chart.svg](http")),
        ("the report", text.contains("rose by 65 %") && text.contains("Figure: chart.svg")),
    ];
    let missing: Vec<&str> =
        wanted.into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect();
    match missing.is_empty() {
        true => Ok(text_of(&answer[0])),
        false => Err(format!("{who}: {goal}\n  without {}: {text}", missing.join(", "))),
    }
}

async fn start_agents(admin: &Client) {
    let agents: [(&str, &str, &str, &str, Answer); 3] = [
        (
            "ledger",
            "Ledger",
            "Annual revenue of listed companies, by fiscal year, as a table.",
            "finance",
            ledger,
        ),
        ("painter", "Painter", "Draws line charts from the numbers in a table.", "charts", painter),
        (
            "writer",
            "Writer",
            "Writes reports from the numbers and pictures that it is given.",
            "reports",
            writer,
        ),
    ];
    for (name, title, summary, tag, answer) in agents {
        let url = serve(title, summary, tag, answer).await;
        clerk::register(admin, &url, name).await;
        until_listed(admin, &format!("@grace/{name}")).await;
    }
}

type Answer = fn(&Value) -> Reply;

/// Answer of an agent.
enum Reply {
    Parts(Vec<Value>),
    Failed(&'static str),
}

/// Serves an agent whose answer is a function of the message. Returns its URL.
async fn serve(title: &str, summary: &str, tag: &str, answer: Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let card = json!({
        "name": title, "description": summary, "version": "1.0.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain", "image/svg+xml"], "defaultOutputModes": ["text/plain", "image/svg+xml"],
        "skills": [{ "id": tag, "name": title, "description": summary, "tags": [tag] }]
    });
    let respond = async move |Json(request): Json<Value>| {
        let events = events(answer(&request["params"]["message"]));
        ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
    };
    let router = Router::new()
        .route("/.well-known/agent-card.json", get(async move || Json(card)))
        .route("/", post(respond));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn events(reply: Reply) -> String {
    let ids = |mut update: Value| {
        update["taskId"] = json!("t");
        update["contextId"] = json!("c");
        update
    };
    let working =
        json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } });
    let status = |status: Value| json!({ "statusUpdate": ids(json!({ "status": status })) });
    let rest = match reply {
        Reply::Parts(parts) => vec![
            json!({ "artifactUpdate": ids(json!({ "artifact": { "artifactId": "a", "parts": parts } })) }),
            status(json!({ "state": "TASK_STATE_COMPLETED" })),
        ],
        Reply::Failed(why) => {
            let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": why }] });
            vec![status(json!({ "state": "TASK_STATE_FAILED", "message": message }))]
        }
    };
    let event =
        |result: Value| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
    std::iter::once(working).chain(rest).map(event).collect()
}

/// Reads only the words of its work, as agents that take commands do.
fn ledger(message: &Value) -> Reply {
    let command = text_of(&message["parts"][0]["text"]);
    let years: Vec<u32> = command
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let (Some(first), Some(last)) = (years.iter().min(), years.iter().max()) else {
        return Reply::Failed("Name the years.");
    };
    if !command.contains("Microsoft") {
        return Reply::Failed("Name the company.");
    }
    let mut table = "| year | revenue |\n|---|---|\n".to_owned();
    for (year, revenue) in FIGURES.iter().filter(|(year, _)| (first..=last).contains(&year)) {
        let _ = writeln!(table, "| {year} | {revenue:.1} |");
    }
    Reply::Parts(vec![json!({ "text": table })])
}

/// Returns the rows of the tables in the text parts of a message.
fn rows(message: &Value) -> Vec<(u32, f64)> {
    let parts = message["parts"].as_array().expect("parts").iter().filter_map(|part| part["text"].as_str());
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        Some((cells.next()?.parse().ok()?, cells.next()?.parse().ok()?))
    };
    parts.flat_map(str::lines).filter_map(row).collect()
}

fn painter(message: &Value) -> Reply {
    let rows = rows(message);
    if rows.is_empty() {
        return Reply::Failed("I was given no numbers to draw.");
    }
    let points: String =
        rows.iter().map(|(year, revenue)| format!("{},{:.0} ", year - 2000, 200.0 - revenue)).collect();
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><polyline points=\"{points}\"/></svg>");
    let file = json!({ "raw": STANDARD.encode(svg), "filename": "chart.svg", "mediaType": "image/svg+xml" });
    Reply::Parts(vec![json!({ "text": "The chart is attached." }), file])
}

fn writer(message: &Value) -> Reply {
    let rows = rows(message);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Reply::Failed("I was given no figures to write about.");
    };
    let mut report =
        format!("From {} to {} it rose by {:.0} %.", first.0, last.0, 100.0 * (last.1 / first.1 - 1.0));
    for name in
        message["parts"].as_array().expect("parts").iter().filter_map(|part| part["filename"].as_str())
    {
        let _ = write!(report, " Figure: {name}");
    }
    Reply::Parts(vec![json!({ "text": report })])
}
