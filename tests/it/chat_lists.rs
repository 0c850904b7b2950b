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

const DAY_MS: i64 = 24 * 3_600_000;

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
        let wrong = ada.call(Method::PATCH, &format!("/chats/{old}"), &json!({ "colour": "x" })).await;
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

    async fn chats_are_in_folders_of_their_members(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let [one, two, free] = [chat(&ada, "1 + 1").await, chat(&ada, "2 + 2").await, chat(&ada, "3 + 3").await];
        change(&ada, &one, &json!({ "folder": " Tides & waves " })).await;
        ada.post(&format!("/chat/{two}/folder"), &[("folder", "Tides & waves")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(listed(&ada, "?folder=Tides+%26+waves").await, [two.clone(), one.clone()]);
        assert_eq!(listed(&ada, "").await, [free.clone(), two.clone(), one.clone()], "they stay in the list");
        assert_eq!(ada.api("/chats").await["items"][1]["folder"], "Tides & waves");
        assert_eq!(ada.api(&format!("/chats/{one}")).await["folder"], "Tides & waves");
        assert_eq!(ada.api("/chats/folders").await["items"], json!([{ "name": "Tides & waves", "chats": 2 }]));
        ada.get("/chat/folder?name=Tides+%26+waves").await.expect(StatusCode::OK).says("Tides &amp; waves");
        ada.get(&format!("/chat/{two}/folder")).await.expect(StatusCode::OK).says("value=\"Tides &amp; waves\"");

        let bots = program(&ada).await;
        rpc::call(&bots, "chats.update", json!({ "chat": free, "folder": "Home" })).await;
        assert_eq!(rpc::call(&bots, "chats.list", json!({ "folder": "Home" })).await["items"][0]["id"], json!(free));
        assert_eq!(rpc::call(&bots, "chats.list_folders", json!({})).await["items"][0]["name"], "Home");

        change(&ada, &one, &json!({ "archived": true })).await;
        assert_eq!(listed(&ada, "?folder=Tides+%26+waves").await, std::slice::from_ref(&two));
        change(&ada, &two, &json!({ "folder": "" })).await;
        let folders = json!([{ "name": "Home", "chats": 1 }, { "name": "Tides & waves", "chats": 0 }]);
        assert_eq!(ada.api("/chats/folders").await["items"], folders);

        assert_eq!(eve.api("/chats/folders").await["items"], json!([]));
        eve.call(Method::PATCH, &format!("/chats/{free}"), &json!({ "folder": "x" })).await.expect(StatusCode::NOT_FOUND);
        eve.post(&format!("/chat/{free}/folder"), &[("folder", "x")]).await.expect(StatusCode::NOT_FOUND);
        let long = json!({ "folder": "x".repeat(61) });
        let refused = ada.call(Method::PATCH, &format!("/chats/{free}"), &long).await;
        assert_eq!(refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], "folder");
        let form = [("folder", long["folder"].as_str().expect("a text"))];
        let page = ada.post(&format!("/chat/{free}/folder"), &form).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        page.says("has 1 to 60 characters");
        ada.get("/api/v1/chats?archived=true&folder=Home").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn an_account_has_so_many_folders(hub: &Hub) {
        let ada = hub.person("ada").await;
        let mut chats = Vec::new();
        for number in 0..101 {
            let said = ada.begin("@plexus/calc", &format!("{number} + 1")).await;
            if number < 100 {
                change(&ada, &said.chat, &json!({ "folder": format!("Folder {number}") })).await;
            }
            chats.push(said.chat);
        }
        let path = format!("/chats/{}", chats[100]);
        ada.call(Method::PATCH, &path, &json!({ "folder": "One more" })).await.expect(StatusCode::CONFLICT);
        change(&ada, &chats[100], &json!({ "folder": "Folder 7" })).await;
    }

    async fn several_chats_are_changed_at_once(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let chats = [chat(&ada, "1 + 1").await, chat(&ada, "2 + 2").await, chat(&ada, "3 + 3").await];
        let all = async |action: &str, back: &str| {
            let mut form = vec![("action", action), ("folder", "Work"), ("back", back)];
            form.extend(chats.iter().map(|chat| ("chat", chat.as_str())));
            ada.post("/chat/list", &form).await
        };
        let moved = all("move", "/chat/folder?name=Work").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(moved.location(), "/chat/folder?name=Work");
        assert_eq!(listed(&ada, "?folder=Work").await.len(), 3);
        all("archive", "/chat/all").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(listed(&ada, "").await, [""; 0]);
        let restored = all("restore", "https://evil.example/").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(restored.location(), "/chat/all", "a form leads to no other site");
        all("burn", "/chat/all").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let stolen = [("action", "delete"), ("chat", chats[0].as_str())];
        eve.post("/chat/list", &stolen).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(listed(&ada, "").await.len(), 3);
        all("delete", "/chat/all").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(listed(&ada, "").await, [""; 0]);
        let deleted = ada.api("/chats/deleted").await;
        assert_eq!(deleted["items"].as_array().map(Vec::len), Some(3), "{deleted}");
        ada.post("/chat/list", &[("action", "delete")]).await.expect(StatusCode::SEE_OTHER);
    }

    async fn a_deleted_chat_is_restored(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let gone = chat(&ada, "lighthouse = 3 m").await;
        let path = format!("/chats/{gone}");
        let made = ada.call(Method::POST, &format!("{path}/share"), &json!({})).await.expect(StatusCode::CREATED).json();
        let link = text_of(&made["url"]).rsplit_once("/share/").map(|(_, id)| format!("/share/{id}")).expect("a link");
        ada.get(&link).await.expect(StatusCode::OK);
        let restore = format!("{path}/restore");
        let delete = async || ada.call(Method::DELETE, &format!("{path}?restorable=true"), &json!({})).await;

        delete().await.expect(StatusCode::NO_CONTENT);
        ada.get(&format!("/api/v1{path}")).await.expect(StatusCode::NOT_FOUND);
        ada.get(&format!("/chat/{gone}")).await.expect(StatusCode::NOT_FOUND);
        ada.get(&link).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(ada.api("/shares").await["items"], json!([]));
        let found = ada.api("/chats/search?q=lighthouse").await;
        assert_eq!((&found["chats"], &found["items"]), (&json!([]), &json!([])));
        let deleted = ada.api("/chats/deleted").await;
        assert_eq!((&deleted["items"][0]["id"], deleted["items"].as_array().map(Vec::len)), (&json!(gone), Some(1)));
        ada.get("/chat/deleted").await.expect(StatusCode::OK).says("lighthouse = 3 m");
        delete().await.expect(StatusCode::NOT_FOUND);

        eve.call(Method::POST, &restore, &json!({})).await.expect(StatusCode::NOT_FOUND);
        eve.post(&format!("/chat/{gone}/undelete"), &[]).await.expect(StatusCode::NOT_FOUND);
        ada.call(Method::POST, &restore, &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(listed(&ada, "").await, std::slice::from_ref(&gone));
        ada.get(&link).await.expect(StatusCode::OK);
        assert_eq!(ada.api("/chats/deleted").await["items"], json!([]));
        let at = ada.api(&path).await["seq"].as_i64().expect("a number");
        ada.say(&gone, "lighthouse * 2").await;
        answer_after(&ada, &gone, at).await;

        ada.post(&format!("/chat/{gone}/delete"), &[]).await.expect(StatusCode::SEE_OTHER);
        let back = ada.post(&format!("/chat/{gone}/undelete"), &[]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(back.location(), format!("/chat/{gone}"));

        ada.post(&format!("/chat/{gone}/delete"), &[]).await.expect(StatusCode::SEE_OTHER);
        eve.post(&format!("/chat/{gone}/delete"), &[("permanent", "yes")]).await.expect(StatusCode::NOT_FOUND);
        ada.post(&format!("/chat/{gone}/delete"), &[("permanent", "yes")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(hub.number("select count(*) from chats where kind = 'direct'").await, 0);
        ada.call(Method::POST, &restore, &json!({})).await.expect(StatusCode::NOT_FOUND);
    }

    async fn a_deleted_chat_is_gone_after_a_day(hub: &Hub) {
        let ada = hub.person("ada").await;
        let gone = chat(&ada, "1 + 1").await;
        let bots = program(&ada).await;
        rpc::call(&bots, "chats.delete", json!({ "chat": gone, "restorable": true })).await;
        hub.tidy().await;
        assert_eq!(hub.number("select count(*) from chats where kind = 'direct'").await, 1);
        let left = hub.number("select expires_at - last_activity_at from chats where kind = 'direct'").await;
        assert!((DAY_MS..DAY_MS + 600_000).contains(&left), "{left}");
        hub.sql("update chats set expires_at = 1 where kind = 'direct'").await;
        assert_eq!(rpc::call(&bots, "chats.list_deleted", json!({})).await["items"], json!([]));
        ada.call(Method::POST, &format!("/chats/{gone}/restore"), &json!({})).await.expect(StatusCode::NOT_FOUND);
        hub.tidy().await;
        assert_eq!(hub.number("select count(*) from chats where kind = 'direct'").await, 0);
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
