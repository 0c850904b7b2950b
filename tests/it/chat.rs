//! Tests of chats: answers, persistence and access.

use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, new_id, text_of},
    events::{Events, Screen, answer_after, read_text, read_to_end, text_in},
    hub::{Hub, on_both},
};

/// Keeps the calculator busy long enough to observe a run in progress.
const SHEET_LINES: usize = 20_000;

on_both! {
    async fn the_calculator_answers_and_keeps_the_conversation(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "side = 3 m").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        assert_eq!(text_in(&answer), "`side = 3 m` = **3 m**");
        assert_eq!((&answer["state"], &answer["parent"]), (&json!("done"), &json!(said.message)));
        assert_eq!(answer["author"]["address"], "@plexus/calc");
        assert_eq!(answer["run"]["state"], "completed");

        let seq = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "side^2").await;
        let answer = answer_after(&ada, &said.chat, seq).await;
        assert_eq!(text_in(&answer), "`side^2` = **9 m^2**", "the same agent, and it knows what was said");
        ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK).says("<strong>9 m^2</strong>");
    }

    async fn a_mention_switches_the_agent(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        let mut at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "@plexus/guide who can calculate?").await;
        let answer = answer_after(&ada, &said.chat, at).await;
        assert_eq!(answer["author"]["address"], "@plexus/guide");
        at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "and who else?").await;
        assert_eq!(answer_after(&ada, &said.chat, at).await["author"]["address"], "@plexus/guide");
        let path = ada.api(&format!("/chats/{}", said.chat)).await;
        assert_eq!(path["messages"].as_array().expect("messages").len(), 6);
    }

    async fn two_agents_answer_side_by_side(hub: &Hub) {
        let ada = hub.person("ada").await;
        let body = json!({ "id": new_id(), "text": "@plexus/calc @plexus/guide 2 + 2" });
        let made = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        let mut screen = Screen::default();
        let mut events = Events::open(&ada, &text_of(&made["chat"]), 0).await;
        read_to_end(&mut events, &mut screen).await;
        read_to_end(&mut events, &mut screen).await;
        let mut branches: Vec<i64> = screen.messages.values().map(|shown| shown.branch).collect();
        branches.sort_unstable();
        assert_eq!(branches, [0, 1, 2]);
    }

    async fn a_retry_is_an_alternative(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "6 * 7").await;
        let first = answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        let retry = format!("/messages/{}/retry", text_of(&first["id"]));
        ada.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
        let second = answer_after(&ada, &said.chat, at).await;
        assert_ne!(first["id"], second["id"]);
        assert_eq!((&first["parent"], &first["branch"]), (&second["parent"], &second["branch"]));
        assert_eq!(text_in(&second), text_in(&first));
        let path = ada.api(&format!("/chats/{}", said.chat)).await;
        assert_eq!(path["current_message"], second["id"]);
        assert_eq!(path["messages"].as_array().expect("messages").len(), 2, "one of the two is shown");
        let page = ada.get(&format!("/chat/{}?m={}", said.chat, text_of(&first["id"]))).await;
        page.says(&format!("id=\"m-{}\"", text_of(&first["id"])));
    }

    async fn stopping_keeps_what_was_said(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let mut screen = Screen::default();
        let mut events = Events::open(&ada, &said.chat, 0).await;
        read_text(&mut events, &mut screen, 500).await;
        ada.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
        read_to_end(&mut events, &mut screen).await;
        let (id, shown) = screen.answer();
        assert_eq!(shown.state, "stopped");
        let kept = ada.api(&format!("/messages/{id}")).await;
        let part = &shown.parts[&0];
        assert_eq!(text_in(&kept)[part.from..], part.text);
        assert!(text_in(&kept).lines().count() < SHEET_LINES);
        assert_eq!(kept["run"]["state"], "stopped");
        ada.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
    }

    async fn a_run_can_be_stopped_as_soon_as_it_is_heard_of(hub: &Hub) {
        let ada = hub.person("ada").await;
        for _ in 0..10 {
            let said = ada.begin("@plexus/calc", &sheet()).await;
            let stop = format!("/runs/{}/stop", said.run);
            ada.call(Method::POST, &stop, &json!({})).await.expect(StatusCode::ACCEPTED);
            assert_eq!(answer_after(&ada, &said.chat, 0).await["state"], "stopped");
        }
    }

    async fn sending_twice_is_harmless(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1 + 2" });
        let send = async || ada.call(Method::POST, "/chats", &new).await.expect(StatusCode::CREATED).json();
        let (first, second) = tokio::join!(send(), send());
        assert_eq!(first["chat"], second["chat"]);
        let chat = text_of(&first["chat"]);
        answer_after(&ada, &chat, 0).await;

        let more = json!({ "id": new_id(), "text": "ans" });
        let at = seq(&ada, &chat).await;
        let (one, two) = tokio::join!(ada.try_say(&chat, &more), ada.try_say(&chat, &more));
        assert_eq!((one.status, two.status), (StatusCode::ACCEPTED, StatusCode::ACCEPTED));
        answer_after(&ada, &chat, at).await;
        ada.try_say(&chat, &more).await.expect(StatusCode::ACCEPTED);
        let path = ada.api(&format!("/chats/{chat}")).await;
        assert_eq!(path["messages"].as_array().expect("messages").len(), 4);
    }

    async fn an_id_that_another_message_has_is_refused(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "1").await;
        let (hers, other) = (eve.begin("@plexus/calc", "2").await, ada.begin("@plexus/calc", "3").await);
        answer_after(&eve, &hers.chat, 0).await;
        answer_after(&ada, &other.chat, 0).await;
        let body = json!({ "id": said.message, "text": "mine now" });
        eve.try_say(&hers.chat, &body).await.expect(StatusCode::CONFLICT);
        ada.try_say(&other.chat, &body).await.expect(StatusCode::CONFLICT);
        let start = json!({ "id": said.message, "to": "@plexus/calc", "text": "mine now" });
        eve.call(Method::POST, "/chats", &start).await.expect(StatusCode::NOT_FOUND);
    }

    async fn an_answer_belongs_to_its_chat(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (one, other) = (ada.begin("@plexus/calc", "1").await, ada.begin("@plexus/calc", "2").await);
        answer_after(&ada, &one.chat, 0).await;
        answer_after(&ada, &other.chat, 0).await;
        for parent in [one.message.clone(), new_id().to_string()] {
            let body = json!({ "id": new_id(), "parent": parent, "text": "3" });
            let answer = ada.try_say(&other.chat, &body).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(answer.json()["error"]["field"], "parent");
        }
    }

    async fn a_message_that_would_hide_later_ones_is_refused(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1").await;
        let early = answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        let two = ada.say(&said.chat, "2").await;
        let late = answer_after(&ada, &said.chat, at).await;
        for parent in [text_of(&early["id"]), said.message.clone()] {
            let body = json!({ "id": new_id(), "parent": parent, "text": "3" });
            let refused = ada.try_say(&said.chat, &body).await;
            let (code, words) = refused.refusal(StatusCode::CONFLICT);
            assert_eq!(code, "conflict");
            assert!(words.contains("has continued after this message"), "{words}");
        }
        let chat = format!("/chat/{}", said.chat);
        let id = new_id().to_string();
        let page = ada.post(&chat, &[("id", &id), ("parent", &text_of(&early["id"])), ("text", "3 <kept>")]).await;
        let page = page.expect(StatusCode::CONFLICT);
        page.says("has continued after this message");
        page.says("3 &lt;kept></textarea>");
        page.says(&format!("name=\"parent\" value=\"{}\"", text_of(&late["id"])));
        page.says(&format!("id=\"m-{}\"", text_of(&late["id"])));

        let at = seq(&ada, &said.chat).await;
        let fork = json!({ "id": id, "parent": early["id"], "fork": true, "text": "3" });
        ada.try_say(&said.chat, &fork).await.expect(StatusCode::ACCEPTED);
        answer_after(&ada, &said.chat, at).await;
        let page = ada.get(&chat).await;
        page.says("Branch 2 of 2");
        page.says(&format!("href=\"/chat/{}?m={}\" aria-label=\"Previous branch\"", said.chat, two.message));
        ada.get(&format!("{chat}?m={}", two.message)).await.says(&format!("id=\"m-{}\"", text_of(&late["id"])));
    }

    async fn a_reply_beside_another_answer_is_refused(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/guide", "@plexus/calc 1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "@plexus/calc @plexus/guide 2 + 2").await;
        let mut screen = Screen::from(at);
        let mut events = Events::open(&ada, &said.chat, at).await;
        read_to_end(&mut events, &mut screen).await;
        read_to_end(&mut events, &mut screen).await;
        let of_branch = |branch: i64| {
            let found = screen.messages.iter().find(|(_, shown)| shown.branch == branch);
            found.map(|(id, _)| id.clone()).expect("an answer")
        };
        let next = |parent: String| json!({ "id": new_id(), "parent": parent, "text": "@plexus/calc 3 + 3" });
        ada.try_say(&said.chat, &next(of_branch(2))).await.expect(StatusCode::ACCEPTED);
        ada.try_say(&said.chat, &next(of_branch(1))).await.expect(StatusCode::CONFLICT);
    }

    async fn a_foreign_chat_looks_like_a_missing_one(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        let (made_up, nowhere) = (new_id().to_string(), new_id().to_string());
        for (theirs, missing) in [
            (format!("/chats/{}", said.chat), format!("/chats/{made_up}")),
            (format!("/messages/{}", text_of(&answer["id"])), format!("/messages/{nowhere}")),
            (format!("/events?chat={}", said.chat), format!("/events?chat={made_up}")),
        ] {
            assert_same(&eve, Method::GET, &theirs, &missing, &json!({})).await;
        }
        let message = json!({ "id": new_id(), "text": "hello" });
        let messages = [format!("/chats/{}/messages", said.chat), format!("/chats/{made_up}/messages")];
        assert_same(&eve, Method::POST, &messages[0], &messages[1], &message).await;
        let runs = [format!("/runs/{}/stop", said.run), format!("/runs/{nowhere}/stop")];
        assert_same(&eve, Method::POST, &runs[0], &runs[1], &json!({})).await;
        let retries = [format!("/messages/{}/retry", text_of(&answer["id"])), format!("/messages/{nowhere}/retry")];
        assert_same(&eve, Method::POST, &retries[0], &retries[1], &json!({})).await;
        let chats = [format!("/chats/{}", said.chat), format!("/chats/{made_up}")];
        assert_same(&eve, Method::PATCH, &chats[0], &chats[1], &json!({ "title": "mine" })).await;
        assert_same(&eve, Method::DELETE, &chats[0], &chats[1], &json!({})).await;
        for path in ["", "/rename", "/delete"] {
            eve.get(&format!("/chat/{}{path}", said.chat)).await.expect(StatusCode::NOT_FOUND);
        }
        ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
    }

    async fn many_messages_at_once_all_get_their_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let first = answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        let send = async |n: usize| {
            let body =
                json!({ "id": new_id(), "parent": first["id"], "fork": true, "text": format!("{n} * 2") });
            ada.try_say(&said.chat, &body).await.status
        };
        let statuses = join_all((0..8).map(send)).await;
        let accepted = statuses.iter().filter(|status| **status == StatusCode::ACCEPTED).count();
        assert!(accepted >= 1);
        assert!(statuses.iter().all(|status| matches!(status.as_u16(), 202 | 429)), "{statuses:?}");
        let mut screen = Screen::from(at);
        let mut events = Events::open(&ada, &said.chat, at).await;
        for _ in 0..accepted {
            read_to_end(&mut events, &mut screen).await;
        }
        let answers = screen.messages.values().filter(|shown| shown.branch == 1 && shown.state == "done");
        assert_eq!(answers.count(), accepted);
    }

    async fn an_account_has_so_many_runs_at_once(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_ACCOUNT", "1"), ("PLEXUS_MAX_QUEUED_RUNS_PER_ACCOUNT", "1")]) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let new = || json!({ "id": new_id(), "to": "@plexus/calc", "text": "1" });
        ada.call(Method::POST, "/chats", &new()).await.expect(StatusCode::CREATED);
        let refused = ada.call(Method::POST, "/chats", &new()).await;
        let (code, words) = refused.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(code, "rate_limited");
        assert!(words.contains("Wait for one, or stop one."), "{words}");
        bob.call(Method::POST, "/chats", &new()).await.expect(StatusCode::CREATED);
        ada.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
    }

    async fn a_chat_is_renamed_and_deleted(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let path = format!("/chats/{}", said.chat);
        ada.call(Method::PATCH, &path, &json!({ "title": "Sums" })).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(ada.api("/chats").await["items"][0]["title"], "Sums");
        for title in ["", &"x".repeat(1_000)] {
            let refused = ada.call(Method::PATCH, &path, &json!({ "title": title })).await;
            assert_eq!(refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], "title");
        }
        ada.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        ada.get(&format!("/api/v1{path}")).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(ada.api("/chats").await["items"], json!([]));
        ada.begin("@plexus/calc", "1 + 1").await;
    }

    async fn forms_do_all_that_the_api_does(hub: &Hub) {
        let ada = hub.person("ada").await;
        let fields = [("to", "@plexus/calc"), ("text", "1 + 1")];
        let begun = ada.post("/chat", &fields).await.expect(StatusCode::SEE_OTHER);
        let chat = begun.location().strip_suffix("?follow").expect("it follows").to_owned();
        let id = chat.rsplit_once('/').expect("an id").1.to_owned();
        let answer = answer_after(&ada, &id, 0).await;
        ada.post(&chat, &[("text", "ans + 1")]).await.expect(StatusCode::SEE_OTHER);
        let retry = [("message", answer["id"].as_str().expect("an id"))];
        ada.post(&format!("{chat}/retry"), &retry).await.expect(StatusCode::SEE_OTHER);
        ada.post(&format!("{chat}/rename"), &[("title", "Sums & more")]).await.expect(StatusCode::SEE_OTHER);
        ada.get(&chat).await.expect(StatusCode::OK).says("Sums &amp; more");
        ada.post(&format!("{chat}/rename"), &[("title", "")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let deleted = ada.post(&format!("{chat}/delete"), &[]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(deleted.location(), "/chat");
        ada.get(&chat).await.expect(StatusCode::NOT_FOUND);
    }
}

/// Returns a sheet whose answer takes a while.
pub fn sheet() -> String {
    (0..SHEET_LINES).map(|n| format!("{n} * 2 + sqrt 2\n")).collect()
}

/// Returns the latest event number of a chat.
pub async fn seq(client: &Client, chat: &str) -> i64 {
    client.api(&format!("/chats/{chat}")).await["seq"].as_i64().expect("a number")
}

/// Asserts that another user's resource is refused exactly like a missing one.
async fn assert_same(client: &Client, method: Method, theirs: &str, missing: &str, body: &Value) {
    let theirs = client.call(method.clone(), theirs, body).await.refusal(StatusCode::NOT_FOUND);
    let missing = client.call(method, missing, body).await.refusal(StatusCode::NOT_FOUND);
    assert_eq!(theirs, missing);
}
