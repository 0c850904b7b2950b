//! Tests of the use counts of agents: each run of the last 30 days counts once, and the lists follow.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    agent_lists::until,
    client::Client,
    events::answer_after,
    hub::{Hub, on_both},
};

const MONTH: Duration = Duration::from_secs(31 * 24 * 3_600);

on_both! {
    async fn each_run_counts_until_it_is_a_month_old(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        answer_after(&ada, &chat, 0).await;
        for sum in ["2 + 2", "no sum at all", "3 + 3"] {
            let said = ada.begin("@plexus/calc", sum).await;
            answer_after(&ada, &said.chat, 0).await;
        }
        assert_eq!(shown(&ada).await, "4", "at once, and failed ones too");
        for _ in 0..5 {
            let said = ada.begin("@plexus/guide", "Hello").await;
            answer_after(&ada, &said.chat, 0).await;
        }
        let by_use = "/api/v1/agents?owner=plexus&sort=most_used";
        let first = |name: &'static str| move |found: &serde_json::Value| found["items"][0]["address"] == json!(name);
        until(&ada, by_use, first("@plexus/guide")).await;

        let aged = format!("update runs set queued_at = queued_at - {} where agent in \
            (select id from agents where name = 'guide')", MONTH.as_millis());
        hub.sql(&aged).await;
        let said = ada.begin("@plexus/guide", "Hello").await;
        answer_after(&ada, &said.chat, 0).await;
        until(&ada, by_use, first("@plexus/calc")).await;
        assert_eq!(shown(&ada).await, "4");
    }
}

/// Returns the number of runs on the calculator's page.
async fn shown(client: &Client) -> String {
    let page = client.get("/@plexus/calc").await.expect(StatusCode::OK).body;
    let (_, rest) = page.split_once("Runs in 30 days").expect("the number of runs");
    let text: String =
        rest.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text).collect();
    text.chars().skip_while(|letter| !letter.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
}
