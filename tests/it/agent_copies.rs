//! Tests of copies of agents: by their managers, and by others if the owner allows it.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::{Answer, Client},
    events::answer_after,
    hub::{Hub, on_both},
    knowledge::{GUIDE, clerk, put},
    rpc::{call, code},
    tokens::make,
};

const COPY: &str = "/agents/grace/clerk/copy";

async fn copy(client: &Client, name: &str) -> Answer {
    client.call(Method::POST, COPY, &json!({ "name": name })).await
}

async fn allow(grace: &Client, allowed: bool) {
    let change = json!({ "allows_copies": allowed });
    let changed =
        grace.call(Method::PATCH, "/agents/grace/clerk", &change).await.expect(StatusCode::OK).json();
    assert_eq!(changed["allows_copies"], json!(allowed));
}

on_both! {
    async fn others_copy_only_what_the_owner_allows(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        clerk(&grace).await;
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        copy(&ada, "mine").await.refusal(StatusCode::FORBIDDEN);
        ada.get("/@grace/clerk/copy").await.expect(StatusCode::FORBIDDEN);
        assert!(!ada.get("/@grace/clerk").await.body.contains("Copy agent"));

        allow(&grace, true).await;
        ada.get("/@grace/clerk").await.expect(StatusCode::OK).says("Copy agent");
        let copied = copy(&ada, "mine").await.expect(StatusCode::CREATED).json();
        assert_eq!((&copied["address"], &copied["visibility"]), (&json!("@ada/mine"), &json!("private")));
        assert_eq!(copied["allows_copies"], json!(false), "a copy does not allow copies");
        let chat = ada.begin("@ada/mine", "What does a berth cost?").await.chat;
        let answer = answer_after(&ada, &chat, 0).await;
        assert!(answer["parts"].to_string().contains("ten crowns"), "{answer}");
        ada.get("/@ada/mine/edit").await.expect(StatusCode::OK).says("Answer.");
        copy(&ada, "mine").await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        copy(&hub.visitor(), "mine").await.refusal(StatusCode::UNAUTHORIZED);

        allow(&grace, false).await;
        copy(&ada, "second").await.refusal(StatusCode::FORBIDDEN);
        let private = json!({ "allows_copies": true, "access": "owner" });
        grace.call(Method::PATCH, "/agents/grace/clerk", &private).await.expect(StatusCode::OK);
        copy(&ada, "second").await.refusal(StatusCode::FORBIDDEN);
        grace.send(grace.request(Method::DELETE, "/api/v1/agents/grace/clerk/files/guide.md")).await
            .expect(StatusCode::NO_CONTENT);
        assert_eq!(ada.api("/agents/ada/mine/files").await["items"][0]["name"], "guide.md", "a copy has its own files");
    }

    async fn managers_copy_on_the_page_and_over_rpc(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        grace.get("/@grace/clerk/manage").await.expect(StatusCode::OK).says("Allow copies");
        let save = [("action", "save-copies"), ("copies", "yes")];
        grace.post("/@grace/clerk/manage", &save).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(grace.api("/agents/grace/clerk").await["allows_copies"], json!(true));
        grace.get("/@grace/clerk/copy").await.expect(StatusCode::OK).says("Copy agent");
        let taken = grace.post("/@grace/clerk/copy", &[("name", "clerk")]).await;
        taken.expect(StatusCode::UNPROCESSABLE_ENTITY).says("You already have or had an agent with this name.");
        let done = grace.post("/@grace/clerk/copy", &[("name", "second")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(done.location(), "/@grace/second/manage");

        let program = grace.with_token(&make(&grace, &["read", "agents"]).await);
        let copied = call(&program, "agents.copy", json!({ "agent": "@grace/clerk", "name": "third" })).await;
        assert_eq!(copied["address"], "@grace/third");
        let changed = call(&program, "agents.update", json!({ "agent": "@grace/clerk", "allows_copies": false })).await;
        assert_eq!(changed["allows_copies"], json!(false));
        let missing = json!({ "agent": "@plexus/calc", "name": "calc" });
        assert_eq!(code(&program, "agents.copy", missing).await, -32_003);
        let change = json!({ "allows_copies": true });
        grace.call(Method::PATCH, "/agents/plexus/calc", &change).await.refusal(StatusCode::FORBIDDEN);
    }
}
