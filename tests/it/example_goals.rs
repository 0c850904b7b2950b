//! Tests of the example goals on the page for teams: the built-in agents of a bare hub reach them.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::{Client, text_of},
    hub::{Hub, on_both},
    team,
    tokens::make,
};

/// What the answer to each example contains, and the values in its chart, if there is one.
const EXPECTED: [(&[&str], &[&str]); 3] = [
    (&["12000 seconds", "**14 words**", "in 1 sentence", "| twice | 2 |"], &[]),
    (
        &[
            "4 rows, 3 columns.",
            "| August | 94 | 61 |",
            "| herring | 550 | 137.5 | 94 | 180 |",
            "| cod | 196.5 | 49.125 | 38.5 | 61 |",
        ],
        &["herring and cod by month", ">May</text>", ">August</text>"],
    ),
    (&["| sea | 4 |", "| boat | 2 |", "| count | 10 |"], &["count by term", ">sea</text>", ">boat</text>"]),
];

on_both! {
    async fn each_example_goal_is_reached_from_the_page(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (goal, (words, drawn)) in examples(&ada).await.iter().zip(EXPECTED) {
            let fields = [("goal", goal.as_str()), ("members", ""), ("max_subteam_depth", "2"), ("pattern", "plan_and_delegate")];
            let launched = ada.post("/teams", &fields).await.expect(StatusCode::SEE_OTHER);
            let id = launched.location().trim_start_matches("/teams/").to_owned();
            let view = team::ended(&ada, &id).await;
            let answer = text_of(&view["answer"]);
            for word in words {
                assert!(answer.contains(word), "{goal}\n{word}: {view:#}");
            }
            let page = ada.get(&format!("/teams/{id}")).await.expect(StatusCode::OK);
            let charts = page.body.split('"').filter(|part| part.starts_with("/blobs/")).collect::<Vec<_>>();
            assert_eq!(charts.is_empty(), drawn.is_empty(), "{goal}: {charts:?}");
            for word in drawn {
                ada.get(charts[0]).await.expect(StatusCode::OK).says(word);
            }
        }
    }

    async fn each_example_goal_is_reached_in_one_call(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["team"]).await);
        for (goal, (words, drawn)) in examples(&ada).await.iter().zip(EXPECTED) {
            let request = program.request(Method::POST, "/launch_goal").json(&json!({ "goal": goal }));
            let answer = program.send(request).await.expect(StatusCode::OK).json();
            let text = text_of(&answer[1]);
            for word in words {
                assert!(text.contains(word), "{goal}\n{word}: {text}");
            }
            assert_eq!(text.contains("chart.svg](http"), !drawn.is_empty(), "{text}");
        }
    }
}

/// Returns the goals that the examples of the page fill in. The first one is the placeholder of the empty form.
async fn examples(client: &Client) -> Vec<String> {
    let page = client.get("/teams").await.expect(StatusCode::OK).body;
    let links: Vec<&str> = page.split('"').filter(|part| part.starts_with("/teams?example=")).collect();
    assert_eq!(links.len(), EXPECTED.len());
    let mut goals = Vec::new();
    for link in links {
        let filled = client.get(link).await.expect(StatusCode::OK).body;
        let (_, field) = filled.split_once("<textarea").expect("a field for the goal");
        let (_, goal) = field.split_once('>').expect("its content");
        goals.push(goal.split("</textarea").next().unwrap_or_default().trim_start().to_owned());
    }
    assert!(page.contains(&format!("placeholder=\"{}\"", goals[0])), "{page}");
    goals
}
