//! Tests of temporary chats: they are in no list, are deleted after their latest message, and can be kept.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat_lists::program,
    client::{Client, new_id, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    rpc,
};

const HOUR_MS: i64 = 3_600_000;

on_both! {
    async fn temporary_chat_is_in_no_list(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (listed, hidden) = (begin(&ada, "lighthouse = 2 m", false).await, begin(&ada, "beacon = 3 m", true).await);
        let shown = ada.api(&format!("/chats/{hidden}")).await;
        assert_eq!((&shown["temporary"], &shown["title"]), (&json!(true), &json!("Temporary chat")));
        assert!(shown["expires"].is_i64(), "{shown}");
        let other = ada.api(&format!("/chats/{listed}")).await;
        assert_eq!((&other["temporary"], &other["expires"]), (&json!(false), &Value::Null));

        assert_eq!(ids(&ada.api("/chats").await), std::slice::from_ref(&listed));
        assert_eq!(ids(&ada.api("/chats?archived=true").await), [""; 0]);
        for word in ["beacon", "temporary"] {
            let found = ada.api(&format!("/chats/search?q={word}")).await;
            assert_eq!((&found["chats"], &found["items"]), (&json!([]), &json!([])), "{word}");
        }
        assert_eq!(hub.number("select count(*) from unindexed_messages").await, 0);
        let all = ada.get("/api/v1/chats/export").await.expect(StatusCode::OK);
        assert!(all.body.contains("lighthouse") && !all.body.contains("beacon"), "{}", all.body);
        let page = ada.get("/chat").await.expect(StatusCode::OK);
        assert!(page.body.contains(&listed) && !page.body.contains(&hidden));
        let page = ada.get("/chat/all").await.expect(StatusCode::OK);
        assert!(page.body.contains(&listed) && !page.body.contains(&hidden));
        // One chat is exported by its own address.
        ada.get(&format!("/api/v1/chats/{hidden}/export?format=json")).await.expect(StatusCode::OK).says("beacon");
    }

    async fn temporary_chat_refuses_what_needs_a_chat_that_stays(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let chat = begin(&ada, "1 + 1", true).await;
        let path = format!("/chats/{chat}");
        for change in [json!({ "title": "x" }), json!({ "pinned": true }), json!({ "archived": true }), json!({ "folder": "x" })] {
            let (code, message) = ada.call(Method::PATCH, &path, &change).await.refusal(StatusCode::CONFLICT);
            assert_eq!(code, "conflict");
            assert!(message.contains("temporary") && message.contains("Keep it first"), "{message}");
        }
        let share = ada.call(Method::POST, &format!("{path}/share"), &json!({})).await;
        let (_, message) = share.refusal(StatusCode::CONFLICT);
        assert!(message.contains("Keep it first"), "{message}");
        let invited = ada.call(Method::POST, &format!("{path}/invitations"), &json!({ "user": "eve", "role": "member" })).await;
        invited.expect(StatusCode::CONFLICT);
        ada.post(&format!("/chat/{chat}/share"), &[("days", "30")]).await.expect(StatusCode::CONFLICT);
        ada.post("/chat/list", &[("chat", &chat), ("action", "archive"), ("back", "/chat/all")]).await.expect(StatusCode::CONFLICT);
        assert_eq!(hub.number("select count(*) from chat_share_links").await, 0);
        assert_eq!(hub.number("select count(*) from chat_invitations").await, 0);

        for answer in [
            eve.get(&format!("/api/v1{path}")).await,
            eve.call(Method::PATCH, &path, &json!({ "temporary": false })).await,
            eve.post(&format!("/chat/{chat}/keep"), &[]).await,
        ] {
            answer.expect(StatusCode::NOT_FOUND);
        }
        ada.post("/chat/nothing/keep", &[]).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(ada.api(&path).await["temporary"], true);
    }

    async fn temporary_chat_is_deleted_after_its_latest_message(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (listed, chat) = (begin(&ada, "1 + 1", false).await, begin(&ada, "2 + 2", true).await);
        let left = || hub.number("select expires_at - last_activity_at from chats where delete_after_ms is not null");
        assert_eq!(left().await, 24 * HOUR_MS);
        // An earlier time of the first message shows that the next one moves the deletion.
        hub.sql("update chats set last_activity_at = 1000, expires_at = 2000 where delete_after_ms is not null").await;
        let at = ada.api(&format!("/chats/{chat}")).await["seq"].as_i64().expect("a number");
        ada.say(&chat, "3 + 3").await;
        answer_after(&ada, &chat, at).await;
        assert_eq!(left().await, 24 * HOUR_MS);
        hub.tidy().await;
        ada.api(&format!("/chats/{chat}")).await;

        hub.sql("update chats set expires_at = 2000 where delete_after_ms is not null").await;
        hub.tidy().await;
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::NOT_FOUND);
        ada.get(&format!("/chat/{listed}")).await.expect(StatusCode::OK);
        assert_eq!(hub.number("select count(*) from chats where kind = 'direct'").await, 1);
    }

    async fn kept_chat_is_like_any_other(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = begin(&ada, "beacon = 3 m", true).await;
        let path = format!("/chats/{chat}");
        let page = ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        page.says("Deleted 24 hours after its last message.");
        page.says(&format!("action=\"/chat/{chat}/keep\""));
        for action in ["share", "rename", "people"] {
            assert!(!page.body.contains(&format!("href=\"/chat/{chat}/{action}")), "{action}");
        }
        ada.post(&format!("/chat/{chat}/keep"), &[]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        assert!(!page.body.contains("last message.</span>") && !page.body.contains("/keep\""));

        let kept = ada.api(&path).await;
        assert_eq!((&kept["temporary"], &kept["expires"]), (&json!(false), &Value::Null));
        assert_eq!(kept["title"], "beacon = 3 m");
        assert_eq!(ids(&ada.api("/chats").await), std::slice::from_ref(&chat));
        // The messages enter the index in the background.
        while hub.number("select count(*) from unindexed_messages").await > 0 {
            tokio::task::yield_now().await;
        }
        assert!(!ada.api("/chats/search?q=beacon").await["items"].as_array().expect("a list").is_empty());
        // Keeping it again changes nothing, and it cannot become temporary again.
        ada.call(Method::PATCH, &path, &json!({ "temporary": false })).await.expect(StatusCode::NO_CONTENT);
        let (code, _) = ada.call(Method::PATCH, &path, &json!({ "temporary": true })).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(code, "invalid");
        ada.call(Method::POST, &format!("{path}/share"), &json!({})).await.expect(StatusCode::CREATED);
        hub.tidy().await;
        ada.api(&path).await;
    }

    async fn temporary_chats_are_started_and_kept_by_programs(hub: &Hub) {
        let ada = hub.person("ada").await;
        let bots = program(&ada).await;
        let start = json!({ "id": new_id(), "text": "7 * 6", "to": "@plexus/calc", "temporary": true });
        let chat = text_of(&rpc::call(&bots, "chats.start", start).await["chat"]);
        assert_eq!(rpc::call(&bots, "chats.get", json!({ "chat": chat })).await["temporary"], true);
        // One request keeps the chat and names it.
        let change = json!({ "chat": chat, "temporary": false, "title": "Answers" });
        assert_eq!(rpc::call(&bots, "chats.update", change).await, json!(true));
        let kept = ada.api(&format!("/chats/{chat}")).await;
        assert_eq!((&kept["temporary"], &kept["title"]), (&json!(false), &json!("Answers")));
        let wrong = json!({ "id": new_id(), "text": "1", "temporary": "yes" });
        ada.call(Method::POST, "/chats", &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let unknown = json!({ "id": new_id(), "text": "1", "temporry": true });
        ada.call(Method::POST, "/chats", &unknown).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn temporary_chat_begins_and_ends_on_pages(hub: &Hub) {
        let ada = hub.person("ada").await;
        let ordinary = ada.get("/chat?to=@plexus/calc").await.expect(StatusCode::OK);
        ordinary.says("id=\"temporary-on\"");
        assert!(!ordinary.body.contains("name=\"temporary\" value=\"yes\""));
        let page = ada.get("/chat?to=@plexus/calc&temporary=yes").await.expect(StatusCode::OK);
        page.says("deleted 24 hours after its last message");
        page.says("id=\"temporary-off\"");
        // The message field, and each example message.
        assert!(page.body.matches("name=\"temporary\" value=\"yes\"").count() > 1, "{}", page.body);
        ada.get("/chat?temporary=yes").await.expect(StatusCode::OK).says("temporary=yes\"");
        let refused = ada.post("/chat", &[("temporary", "yes"), ("text", "")]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("id=\"temporary-off\"");

        let fields = [("to", "@plexus/calc"), ("text", "1 + 1"), ("temporary", "yes")];
        let sent = ada.post("/chat", &fields).await.expect(StatusCode::SEE_OTHER);
        let chat = sent.location().trim_start_matches("/chat/").trim_end_matches("?follow").to_owned();
        let answer = answer_after(&ada, &chat, 0).await;
        assert_eq!(ada.api(&format!("/chats/{chat}")).await["temporary"], true);
        // A copy of a temporary chat is temporary.
        let fork = format!("/messages/{}/fork", text_of(&answer["id"]));
        let copy = ada.call(Method::POST, &fork, &json!({})).await.expect(StatusCode::CREATED).json();
        assert_eq!(ada.api(&format!("/chats/{}", text_of(&copy["chat"]))).await["temporary"], true);
        assert_eq!(ids(&ada.api("/chats").await), [""; 0]);

        ada.get(&format!("/chat/{chat}/delete")).await.expect(StatusCode::OK).says("cannot be restored");
        let deleted = ada.post(&format!("/chat/{chat}/delete"), &[]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(deleted.location(), "/chat");
        assert_eq!(ada.api("/chats/deleted").await["items"], json!([]));
        ada.get(&format!("/api/v1/chats/{chat}")).await.expect(StatusCode::NOT_FOUND);
    }
}

on_both! {
    async fn operator_sets_when_temporary_chats_are_deleted(hub: &Hub, [("PLEXUS_TEMPORARY_CHAT_HOURS", "1")]) {
        let ada = hub.person("ada").await;
        let chat = begin(&ada, "1 + 1", true).await;
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).says("Deleted 1 hour after its last message.");
        assert_eq!(hub.number("select expires_at - last_activity_at from chats where delete_after_ms is not null").await, HOUR_MS);
    }
}

/// Starts a chat and waits for its answer. Returns its id.
async fn begin(client: &Client, text: &str, temporary: bool) -> String {
    let new = json!({ "id": new_id(), "text": text, "to": "@plexus/calc", "temporary": temporary });
    let started = client.call(Method::POST, "/chats", &new).await.expect(StatusCode::CREATED).json();
    let chat = text_of(&started["chat"]);
    answer_after(client, &chat, 0).await;
    chat
}

fn ids(list: &Value) -> Vec<String> {
    list["items"].as_array().expect("items").iter().map(|item| text_of(&item["id"])).collect()
}
