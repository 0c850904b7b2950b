//! Tests of the usage of a chat: the sums over its answers.

use reqwest::StatusCode;

use crate::{
    chat::seq,
    events::answer_after,
    hub::{Hub, on_both},
};

on_both! {
    async fn tokens_cost_and_time_of_all_answers_are_summed(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "2 + 2").await;
        answer_after(&ada, &said.chat, at).await;
        let other = ada.begin("@plexus/calc", "3 + 3").await;
        answer_after(&ada, &other.chat, 0).await;
        hub.sql("update runs set tokens_in = 500, tokens_out = 70, cost_micro = 1500, ended_at = queued_at + 1250").await;
        let usage = ada.api(&format!("/chats/{}/usage", said.chat)).await;
        assert_eq!(usage, serde_json::json!({
            "answers": 2, "tokens_in": 1_000, "tokens_out": 140, "cost_micro": 3_000, "took_ms": 2_500
        }));
        let page = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
        page.says("All answers: 1,140 tokens, cost 0.003, 2.5 s");
        eve.get(&format!("/api/v1/chats/{}/usage", said.chat)).await.expect(StatusCode::NOT_FOUND);
    }
}
