//! Tests of the `/rpc` methods for remote hubs and rules.

use axum::{Router, routing::get};
use serde_json::json;
use tokio::net::TcpListener;

use crate::{
    client::{Client, text_of},
    hub::{Hub, on_both},
    rpc::{call, code},
    tokens::make,
};

on_both! {
    async fn a_program_reads_about_hubs(hub: &Hub) {
        let ada = hub.person("ada").await;
        let reader = ada.with_token(&make(&ada, &["read"]).await);
        let network = call(&reader, "hubs.list", json!({})).await;
        assert_eq!(network, reader.api("/hubs").await);
        assert!(!text_of(&network["local"]["id"]).is_empty(), "{network}");
        assert_eq!(code(&reader, "hubs.show", json!({ "hub": "hub.example" })).await, -32_004, "it is not known here");
        let writer = ada.with_token(&make(&ada, &["chat"]).await);
        for (method, params) in [("hubs.list", json!({})), ("hubs.show", json!(["hub.example"]))] {
            assert_eq!(code(&writer, method, params).await, -32_003, "{method}");
        }
    }

    async fn rules_are_made_handed_on_and_taken_back(hub: &Hub) {
        let boss = boss(hub).await;
        let rule = json!({ "subject": "tag:sea", "action": "block", "reason": "Too wet." });
        assert_eq!(call(&boss, "hubs.rules.set", rule).await, json!(true));
        let rules = call(&boss, "hubs.rules", json!({})).await;
        assert_eq!((&rules["items"][0]["reason"], &rules), (&json!("Too wet."), &boss.api("/hubs/rules").await));
        let signed = call(&boss, "hubs.rules.export", json!({})).await;
        let kept = call(&boss, "hubs.rules.import", signed.clone()).await;
        assert_eq!((&kept["imported"], &kept["already_present"]), (&json!(0), &json!(1)), "{kept}");
        assert_eq!(call(&boss, "hubs.rules.set", json!(["tag:sea", "remove"])).await, json!(true));
        assert_eq!(call(&boss, "hubs.rules", json!({})).await["items"], json!([]));
        let taken = call(&boss, "hubs.rules.import", signed.clone()).await;
        assert_eq!((&taken["imported"], &taken["already_present"]), (&json!(1), &json!(0)), "{taken}");
        assert_eq!(call(&boss, "hubs.rules", json!({})).await["items"][0]["subject"], json!("tag:sea"));
        let forged = text_of(&signed["document"]).replace("tag:sea", "tag:sun");
        assert_eq!(code(&boss, "hubs.rules.import", json!([forged])).await, -32_602);
        assert_eq!(code(&boss, "hubs.rules.set", json!(["tag:sun", "remove"])).await, -32_004);
        assert_eq!(code(&boss, "hubs.rules.set", json!(["tag:sun", "block"])).await, -32_602, "nobody says why");
    }

    async fn a_hub_goes_by_a_list_until_it_is_told_not_to(hub: &Hub) {
        let boss = boss(hub).await;
        let list = serve(rules_of_another_hub().await).await;
        assert_eq!(code(&boss, "hubs.rules.subscribe", json!({ "list": list, "signer": "nobody" })).await, -32_602);
        let subscribed = call(&boss, "hubs.rules.subscribe", json!({ "list": list })).await;
        assert_eq!(subscribed, json!({ "url": list }));
        let lists = call(&boss, "hubs.rules.subscriptions", json!({})).await;
        assert_eq!((&lists["items"][0]["rules"], &lists), (&json!(1), &boss.api("/hubs/rule-subscriptions").await));
        assert_eq!(call(&boss, "hubs.rules.unsubscribe", json!({ "url": list })).await, json!(true));
        assert_eq!(call(&boss, "hubs.rules.subscriptions", json!({})).await, json!({ "items": [], "next": null }));
        assert_eq!(code(&boss, "hubs.rules.unsubscribe", json!([list])).await, -32_004);
    }

    async fn only_administrators_rule(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        let unscoped = grace.with_token(&make(&grace, &["read", "chat", "agents", "team"]).await);
        let unranked = ada.with_token(&make(&ada, &["admin"]).await);
        for (method, params) in [
            ("hubs.rules", json!({})),
            ("hubs.rules.set", json!(["tag:sea", "block", "Too wet."])),
            ("hubs.rules.export", json!({})),
            ("hubs.rules.import", json!(["{}"])),
            ("hubs.rules.subscriptions", json!({})),
            ("hubs.rules.subscribe", json!(["http://127.0.0.1:9/rules"])),
            ("hubs.rules.unsubscribe", json!(["http://127.0.0.1:9/rules"])),
        ] {
            assert_eq!(code(&unscoped, method, params.clone()).await, -32_003, "{method}");
            assert_eq!(code(&unranked, method, params.clone()).await, -32_003, "{method}");
            assert_eq!(code(&hub.visitor(), method, params).await, -32_001, "{method}");
        }
    }
}

/// Returns an API client of the hub's administrator.
async fn boss(hub: &Hub) -> Client {
    let boss = hub.administrator("boss").await;
    boss.with_token(&make(&boss, &["read", "admin"]).await)
}

/// Returns a rule list with one rule, signed by another hub.
async fn rules_of_another_hub() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let other = Hub::within(folder.path(), &[]).await;
    let boss = boss(&other).await;
    call(&boss, "hubs.rules.set", json!(["tag:sea", "block", "Too wet."])).await;
    let signed = call(&boss, "hubs.rules.export", json!({})).await;
    other.end().await;
    text_of(&signed["document"])
}

/// Serves a rule list and returns its URL.
async fn serve(list: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/rules", listener.local_addr().expect("an address"));
    let router = Router::new().route("/rules", get(async move || list));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
