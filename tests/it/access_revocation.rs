//! Tests of revoked access: the affected subscriptions end at once, and no others.

use std::time::Duration;

use futures::StreamExt as _;
use reqwest::{Method, StatusCode};
use tokio::time::timeout;

use crate::{
    chat::{seq, sheet},
    client::{Client, PASSWORD, text_of},
    events::{Events, answer_after},
    hub::{Hub, on_both},
    tokens::{make, newest},
};

/// Time limit. Far below the 15 s after which an idle stream sends a keep-alive.
const AT_ONCE: Duration = Duration::from_secs(8);

on_both! {
    async fn a_stream_ends_with_the_session_it_was_opened_with(hub: &Hub) {
        let (ada, phone) = (hub.person("ada").await, hub.visitor());
        phone.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        let chat = &over(&ada).await;
        let (mut here, mut there) = (open(&ada, chat).await, open(&phone, chat).await);

        ada.post("/settings/sessions/revoke", &[("id", "others")]).await.expect(StatusCode::SEE_OTHER);
        ends(&mut there).await;
        ada.call(Method::PATCH, &format!("/chats/{chat}"), &serde_json::json!({ "title": "Still here" })).await;
        let renamed = async {
            loop {
                let event = here.next().await.expect("it goes on");
                if event.name == "title_changed" {
                    return text_of(&event.data["title"]);
                }
            }
        };
        assert_eq!(timeout(AT_ONCE, renamed).await.expect("at once"), "Still here");

        phone.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        let mut there = open(&phone, chat).await;
        let new = [("current", PASSWORD), ("password", "a fresh password of several words")];
        ada.post("/settings/account/password", &new).await.expect(StatusCode::SEE_OTHER);
        ends(&mut there).await;
        ada.post("/logout", &[]).await.expect(StatusCode::SEE_OTHER);
        ends(&mut here).await;
    }

    async fn a_stream_ends_with_the_token_it_was_opened_with(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = &over(&ada).await;
        let kept = ada.with_token(&make(&ada, &["read"]).await);
        let revoked = ada.with_token(&make(&ada, &["read"]).await);
        let (mut kept, mut revoked) = (open(&kept, chat).await, open(&revoked, chat).await);
        let id = newest(&ada).await;
        ada.post("/settings/tokens/revoke", &[("id", &id)]).await.expect(StatusCode::SEE_OTHER);
        ends(&mut revoked).await;
        ada.call(Method::DELETE, &format!("/chats/{chat}"), &serde_json::json!({})).await.expect(StatusCode::NO_CONTENT);
        ends(&mut kept).await;
    }

    async fn a_stream_ends_with_the_account(hub: &Hub) {
        let admin = hub.administrator("boss").await;
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let (mut theirs, mut other) = (open(&ada, &over(&ada).await).await, open(&bob, &over(&bob).await).await);
        let path = format!("/admin/users/{}", hub.account("ada").await);
        admin.post(&path, &[("action", "suspend")]).await.expect(StatusCode::SEE_OTHER);
        ends(&mut theirs).await;
        bob.post("/settings/account/delete", &[("name", "bob"), ("current", PASSWORD)]).await.expect(StatusCode::SEE_OTHER);
        ends(&mut other).await;
    }

    async fn a_page_that_stays_open_ends_with_the_session(hub: &Hub) {
        let (ada, phone) = (hub.person("ada").await, hub.visitor());
        phone.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let response = phone.request(Method::GET, &format!("/chat/{}?follow", said.chat)).send().await.expect("answers");
        let mut bytes = response.bytes_stream();
        let mut page = Vec::new();
        while !String::from_utf8_lossy(&page).contains("\n20 * 2 + sqrt 2 = ") {
            page.extend(bytes.next().await.expect("the page goes on").expect("bytes"));
        }
        ada.post("/settings/sessions/revoke", &[("id", "others")]).await.expect(StatusCode::SEE_OTHER);
        while let Some(piece) = timeout(AT_ONCE, bytes.next()).await.expect("at once") {
            page.extend(piece.expect("bytes"));
        }
        let page = String::from_utf8_lossy(&page).into_owned();
        assert!(!page.ends_with("</html>"), "it ended before the answer did");
        assert!(!page.contains("\n19999 * 2 + sqrt 2 = "));
    }
}

/// Creates a chat whose answer has ended.
async fn over(client: &Client) -> String {
    let said = client.begin("@plexus/calc", "1 + 1").await;
    answer_after(client, &said.chat, 0).await;
    said.chat
}

/// Opens a subscription that has no events pending.
async fn open(client: &Client, chat: &str) -> Events {
    Events::open(client, chat, seq(client, chat).await).await
}

async fn ends(events: &mut Events) {
    let end = async { while events.next().await.is_some_and(|event| event.name != "stream_end") {} };
    timeout(AT_ONCE, end).await.expect("the stream ends at once");
    assert!(timeout(AT_ONCE, events.next()).await.expect("at once").is_none(), "nothing follows");
}
