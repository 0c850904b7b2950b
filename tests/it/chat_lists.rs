//! Tests of the lists of chats, pinned and archived ones included, and of the agents for a new chat.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    rpc,
    stars::star,
    tokens::make,
};

on_both! {
    async fn pinned_chats_come_first(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let [old, new] = [chat(&ada, "1 + 1").await, chat(&ada, "2 + 2").await];
        assert_eq!(listed(&ada, "").await, [new.clone(), old.clone()]);
        change(&ada, &old, &json!({ "pinned": true })).await;
        assert_eq!(listed(&ada, "").await, [old.clone(), new.clone()]);
        assert_eq!(ada.api("/chats").await["items"][0]["pinned"], true);
        assert_eq!(ada.api(&format!("/chats/{old}")).await["pinned"], true);
        let page = ada.get("/chat").await.expect(StatusCode::OK);
        page.says("class=\"pinned\"");

        ada.post(&format!("/chat/{old}/pin"), &[("pinned", "no")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(listed(&ada, "").await, [new.clone(), old.clone()]);
        eve.call(Method::PATCH, &format!("/chats/{old}"), &json!({ "pinned": true })).await.expect(StatusCode::NOT_FOUND);
        eve.post(&format!("/chat/{old}/pin"), &[("pinned", "yes")]).await.expect(StatusCode::NOT_FOUND);
        let wrong = ada.call(Method::PATCH, &format!("/chats/{old}"), &json!({ "folder": "x" })).await;
        wrong.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn a_list_with_pinned_chats_has_pages(hub: &Hub) {
        let ada = hub.person("ada").await;
        let mut chats = Vec::new();
        for number in 0..53 {
            chats.push(ada.begin("@plexus/calc", &format!("{number} + 1")).await.chat);
        }
        change(&ada, &chats[0], &json!({ "pinned": true })).await;
        change(&ada, &chats[10], &json!({ "pinned": true })).await;
        let first = ada.api("/chats").await;
        let next = text_of(&first["next"]);
        let second = ada.api(&format!("/chats?after={next}")).await;
        let mut all = ids(&first);
        assert_eq!((all.len(), &all[..2]), (50, &[chats[10].clone(), chats[0].clone()][..]));
        all.extend(ids(&second));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 53);
        ada.get("/api/v1/chats?after=p1").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn an_archived_chat_is_found_and_restored_by_its_next_message(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (kept, away) = (chat(&ada, "1 + 1").await, chat(&ada, "beacon = 2 m").await);
        change(&ada, &away, &json!({ "archived": true, "title": "Beacons" })).await;
        assert_eq!(listed(&ada, "").await, std::slice::from_ref(&kept));
        assert_eq!(listed(&ada, "?archived=true").await, std::slice::from_ref(&away));
        let shown = ada.api(&format!("/chats/{away}")).await;
        assert_eq!((&shown["archived"], &shown["title"]), (&json!(true), &json!("Beacons")));
        ada.get("/chat/archived").await.expect(StatusCode::OK).says("Beacons");
        assert_eq!(ada.api("/chats/search?q=beacons").await["chats"][0]["id"], json!(away));
        assert_eq!(rpc::call(&program(&ada).await, "chats.list", json!({ "archived": true })).await["items"][0]["id"], json!(away));

        ada.say(&away, "beacon * 2").await;
        assert_eq!(listed(&ada, "").await, [away.clone(), kept.clone()]);
        let update = json!({ "chat": away, "archived": true });
        assert_eq!(rpc::call(&program(&ada).await, "chats.update", update).await, json!(true));
        ada.post(&format!("/chat/{away}/archive"), &[("archived", "no")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(listed(&ada, "?archived=true").await, [""; 0]);
        ada.get("/chat/archived").await.expect(StatusCode::OK).says("No archived chats");
    }

    async fn agents_for_a_new_chat_are_in_one_list_each(hub: &Hub) {
        let ada = hub.person("ada").await;
        let addresses = |list: &Value| -> Vec<String> {
            list.as_array().expect("a list").iter().map(|agent| text_of(&agent["address"])).collect()
        };
        let before = ada.api("/agents/suggested").await;
        assert!(addresses(&before["hub"]).contains(&"@plexus/calc".to_owned()), "{before}");
        assert_eq!((&before["own"], &before["recent"], &before["starred"]), (&json!([]), &json!([]), &json!([])));
        chat(&ada, "1 + 1").await;
        star(&ada, "plexus/guide").await;
        let after = ada.api("/agents/suggested").await;
        assert_eq!(addresses(&after["recent"]), ["@plexus/calc"]);
        assert_eq!(addresses(&after["starred"]), ["@plexus/guide"]);
        assert!(!addresses(&after["hub"]).iter().any(|agent| agent == "@plexus/calc" || agent == "@plexus/guide"));
        assert_eq!(rpc::call(&program(&ada).await, "agents.suggested", json!({})).await, after);
        let page = ada.get("/chat").await.expect(StatusCode::OK);
        page.says("Recently used");
        page.says("Starred");
        let found = ada.get("/chat?q=calc").await.expect(StatusCode::OK);
        found.says("Agents found");
        found.says("href=\"/chat?to=");
        ada.get("/chat?q=zzzzzz").await.expect(StatusCode::OK).says("No agents found");
        hub.visitor().get("/api/v1/agents/suggested").await.expect(StatusCode::UNAUTHORIZED);
    }
}

/// Starts a chat and waits for its answer. Returns its id.
async fn chat(client: &Client, text: &str) -> String {
    let said = client.begin("@plexus/calc", text).await;
    answer_after(client, &said.chat, 0).await;
    said.chat
}

/// Returns a client with a token of this person, as JSON-RPC requires.
pub async fn program(person: &Client) -> Client {
    person.with_token(&make(person, &["chat", "read"]).await)
}

async fn change(client: &Client, chat: &str, body: &Value) {
    client.call(Method::PATCH, &format!("/chats/{chat}"), body).await.expect(StatusCode::NO_CONTENT);
}

async fn listed(client: &Client, query: &str) -> Vec<String> {
    ids(&client.api(&format!("/chats{query}")).await)
}

fn ids(list: &Value) -> Vec<String> {
    list["items"].as_array().expect("items").iter().map(|item| text_of(&item["id"])).collect()
}
