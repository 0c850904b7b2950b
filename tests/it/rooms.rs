//! Tests of rooms: how people join them, and what they see.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    chat::{seq, sheet},
    client::{Answer, Client, new_id, text_of},
    events::{Events, answer_after, text_in},
    hub::{Hub, on_both},
};

/// Time limit. Far below the 15 s after which an idle stream sends a keep-alive.
const AT_ONCE: Duration = Duration::from_secs(8);

on_both! {
    async fn an_invited_user_joins_and_both_see_all_messages(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let people = bob.api(&format!("/chats/{chat}/people")).await;
        assert_eq!(people["role"], "member");
        assert_eq!(names(&people), [("ada", "owner"), ("bob", "member")]);
        assert_eq!(ada.api(&format!("/chats/{chat}")).await["people"]["items"], people["items"]);

        let at = seq(&ada, &chat).await;
        let mut ada_events = Events::open(&ada, &chat, at).await;
        let said = bob.say(&chat, "2 + 3").await;
        let answer = answer_after(&bob, &chat, at).await;
        assert!(text_in(&answer).contains("**5**"), "{answer}");
        let seen = timeout(AT_ONCE, async {
            loop {
                let event = ada_events.next().await.expect("the stream goes on");
                if event.name == "message_created" && event.data["id"] == json!(said.message) {
                    return event.data;
                }
            }
        });
        let seen = seen.await.expect("at once");
        assert!(text_of(&seen["html"]).contains("data-author=\"bob\""), "{seen}");
        for reader in [&ada, &bob] {
            let shown = reader.api(&format!("/chats/{chat}")).await;
            assert_eq!(shown["messages"].as_array().expect("messages").len(), 4, "{shown}");
            assert_eq!(shown["current_message"], answer["id"]);
        }
        let at = seq(&ada, &chat).await;
        ada.say(&chat, "@plexus/calc 10 * 10").await;
        assert!(text_in(&answer_after(&ada, &chat, at).await).contains("**100**"));
        let by_bob = "select count(*) from runs join principals on principals.id = runs.caller \
                      join accounts on accounts.id = principals.account join namespaces on namespaces.id = accounts.namespace \
                      where namespaces.name = 'bob'";
        assert_eq!(hub.number(by_bob).await, 1, "a run is charged to the user whose message started it");
    }

    async fn people_write_at_the_same_time_without_branches(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let end = text_of(&ada.api(&format!("/chats/{chat}")).await["current_message"]);
        let first = json!({ "id": new_id(), "parent": end, "text": "@bob are you there?" });
        let second = json!({ "id": new_id(), "parent": end, "text": "@ada hello" });
        let posted = ada.try_say(&chat, &first).await.expect(StatusCode::ACCEPTED).json();
        assert_eq!(posted["runs"], json!([]), "a message to people starts no run");
        bob.try_say(&chat, &second).await.expect(StatusCode::ACCEPTED);
        let shown = ada.api(&format!("/chats/{chat}")).await;
        assert_eq!(shown["messages"][3]["parent"], json!(first["id"]), "{shown}");
        assert_eq!(shown, bob_view(&bob, &chat, &shown).await);
        let mixed = json!({ "id": new_id(), "text": "@ada, @plexus/calc 4 * 4" });
        let at = seq(&bob, &chat).await;
        let posted = bob.try_say(&chat, &mixed).await.expect(StatusCode::ACCEPTED).json();
        assert_eq!(posted["runs"].as_array().map(Vec::len), Some(1), "an agent that is mentioned answers");
        answer_after(&bob, &chat, at).await;
        let text = json!({ "id": new_id(), "text": "@nothing 3 * 3" });
        let at = seq(&bob, &chat).await;
        let posted = bob.try_say(&chat, &text).await.expect(StatusCode::ACCEPTED).json();
        assert_eq!(posted["runs"].as_array().map(Vec::len), Some(1), "a word that names no person is text");
        answer_after(&bob, &chat, at).await;
    }

    async fn the_list_marks_rooms_and_what_is_unread(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let other = begin(&ada).await;
        assert_eq!(listed(&ada, &other).await["room"], false);
        assert_eq!(listed(&bob, &chat).await["room"], true);
        assert_eq!(unread(&bob, &chat).await, true, "a new member has read nothing");
        bob.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        assert_eq!((unread(&ada, &chat).await, unread(&bob, &chat).await), (json!(false), json!(false)));
        ada.say(&chat, "@bob hello").await;
        assert_eq!((unread(&ada, &chat).await, unread(&bob, &chat).await), (json!(false), json!(true)));
        bob.get("/chat/all").await.expect(StatusCode::OK).says("Unread, Room, ");
        let read = json!({ "seq": seq(&bob, &chat).await });
        bob.call(Method::POST, &format!("/chats/{chat}/read"), &read).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(unread(&bob, &chat).await, false);
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).says("People: ");
    }

    async fn an_invitation_is_declined_revoked_and_checked(hub: &Hub) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let chat = begin(&ada).await;
        let path = format!("/chats/{chat}/invitations");
        for (body, status) in [
            (json!({ "user": "unknown-user" }), StatusCode::UNPROCESSABLE_ENTITY),
            (json!({ "user": "ada" }), StatusCode::UNPROCESSABLE_ENTITY),
            (json!({ "user": "bob", "role": "owner" }), StatusCode::UNPROCESSABLE_ENTITY),
            (json!({ "user": "bob", "expires_in_days": 31 }), StatusCode::UNPROCESSABLE_ENTITY),
            (json!({ "user": "bob", "expires_in_days": 0 }), StatusCode::UNPROCESSABLE_ENTITY),
            (json!({ "user": "bob@hub.example" }), StatusCode::UNPROCESSABLE_ENTITY),
        ] {
            ada.call(Method::POST, &path, &body).await.expect(status);
        }
        invite(&ada, &chat, json!({ "user": "@Bob" })).await;
        ada.call(Method::POST, &path, &json!({ "user": "bob" })).await.expect(StatusCode::CONFLICT);
        bob.get("/chat").await.expect(StatusCode::OK).says("Invitations: 1");
        let invitation = received(&bob).await;
        bob.get(&format!("/chat/{chat}")).await.expect(StatusCode::NOT_FOUND);
        ada.call(Method::POST, &format!("/invitations/{invitation}/accept"), &json!({})).await.expect(StatusCode::NOT_FOUND);
        let answer = [("invitation", invitation.as_str()), ("answer", "decline")];
        bob.post("/chat/invitations", &answer).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(bob.api("/invitations").await["items"], json!([]));
        assert_eq!(ada.api(&path).await["items"], json!([]));

        invite(&ada, &chat, json!({ "user": "bob", "role": "reader" })).await;
        let sent = ada.api(&path).await;
        assert_eq!((&sent["items"][0]["user"], &sent["items"][0]["role"]), (&json!("bob"), &json!("reader")));
        let id = text_of(&sent["items"][0]["id"]);
        ada.call(Method::DELETE, &format!("{path}/{id}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        bob.call(Method::POST, &format!("/invitations/{id}/accept"), &json!({})).await.expect(StatusCode::NOT_FOUND);

        invite(&ada, &chat, json!({ "user": "bob" })).await;
        let id = received(&bob).await;
        ada.call(Method::DELETE, &format!("/chats/{chat}?restorable=true"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        bob.call(Method::POST, &format!("/invitations/{id}/accept"), &json!({})).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(bob.api("/chats").await["items"], json!([]));
    }

    async fn a_link_admits_until_it_expires_or_is_revoked(hub: &Hub) {
        let (ada, bob, eve) = (hub.person("ada").await, hub.person("bob").await, hub.person("eve").await);
        let chat = begin(&ada).await;
        let link = invite(&ada, &chat, json!({ "role": "reader" })).await;
        let url = text_of(&link["url"]);
        let token = url.rsplit('/').next().expect("a token").to_owned();
        let page = format!("/join/{token}");
        let visitor = hub.visitor().get(&page).await.expect(StatusCode::SEE_OTHER);
        assert!(visitor.location().starts_with("/login?next="), "{}", visitor.location());
        let shown = bob.get(&page).await.expect(StatusCode::OK);
        shown.says("Join chat");
        shown.says("as a reader");
        assert_eq!(shown.header("referrer-policy"), "no-referrer");
        let joined = bob.post(&page, &[]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(joined.location(), format!("/chat/{chat}"));
        bob.get(joined.location()).await.expect(StatusCode::OK).says("You can only read this chat.");
        bob.post(&page, &[]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(hub.number("select count(*) from chat_members where role = 'guest' and left_at is null \
            and principal in (select id from principals where account is not null)").await, 1);
        assert_eq!(hub.number(&format!("select count(*) from chat_invitations where cast(hash as text) like '%{token}%'")).await, 0);

        bob.call(Method::POST, &format!("/chats/{chat}/leave"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        join(&bob, &url).await.expect(StatusCode::FORBIDDEN);
        hub.sql("update chat_invitations set expires_at = 1").await;
        join(&eve, &url).await.expect(StatusCode::NOT_FOUND);
        hub.tidy().await;
        assert_eq!(hub.number("select count(*) from chat_invitations").await, 0);
        let link = invite(&ada, &chat, json!({})).await;
        let revoke = format!("/chats/{chat}/invitations/{}", text_of(&link["id"]));
        ada.call(Method::DELETE, &revoke, &json!({})).await.expect(StatusCode::NO_CONTENT);
        join(&eve, &text_of(&link["url"])).await.expect(StatusCode::NOT_FOUND);
        let link = invite(&ada, &chat, json!({})).await;
        join(&bob, &text_of(&link["url"])).await.expect(StatusCode::OK);
        assert_eq!(bob.api(&format!("/chats/{chat}/people")).await["role"], "member", "a later link lets a former member return");
    }

    async fn people_see_who_has_the_room_open(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let mut here = Events::open(&ada, &chat, seq(&ada, &chat).await).await;
        present(&mut here, &["ada"]).await;
        let there = Events::open(&bob, &chat, 0).await;
        present(&mut here, &["ada", "bob"]).await;
        drop(there);
        present(&mut here, &["ada"]).await;
    }

    async fn each_running_answer_is_stopped_by_its_requester_or_the_owner(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let rita = hub.person("rita").await;
        add(&ada, &rita, &chat, "rita", "member").await;
        let text = format!("@plexus/calc @plexus/text {}", sheet());
        let said = json!({ "id": new_id(), "text": text });
        let sent = bob.try_say(&chat, &said).await.expect(StatusCode::ACCEPTED).json();
        let runs: Vec<String> = sent["runs"].as_array().expect("runs").iter().map(text_of).collect();
        assert_eq!(runs.len(), 2, "each agent has a run of its own");
        let stop = |run: &str| format!("/runs/{run}/stop");
        rita.call(Method::POST, &stop(&runs[0]), &json!({})).await.expect(StatusCode::FORBIDDEN);
        bob.call(Method::POST, &stop(&runs[0]), &json!({})).await.expect(StatusCode::ACCEPTED);
        ada.call(Method::POST, &stop(&runs[1]), &json!({})).await.expect(StatusCode::ACCEPTED);
    }

    async fn only_who_may_stop_an_answer_sees_the_button(hub: &Hub, [("PLEXUS_MAX_RUNS_PER_AGENT", "1")]) {
        let (ada, bob, chat) = pair(hub).await;
        let other = begin(&ada).await;
        // The answer of the room waits behind this one, so that it is open while the pages are read.
        ada.say(&other, &format!("@plexus/calc {}", sheet())).await;
        let run = bob.say(&chat, &format!("@plexus/calc {}", sheet())).await.run;
        let rita = hub.person("rita").await;
        add(&ada, &rita, &chat, "rita", "member").await;
        for (client, is_own, role) in [(&ada, false, "owner"), (&bob, true, "member"), (&rita, false, "member")] {
            let page = client.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
            page.says(&format!("data-role=\"{role}\""));
            page.says("data-run-by=\"");
            assert_eq!(page.body.contains(" open own-run"), is_own, "{role}");
        }
        bob.call(Method::POST, &format!("/runs/{run}/stop"), &json!({})).await.expect(StatusCode::ACCEPTED);
    }

    async fn the_owner_limits_what_an_agent_answers_in_a_day(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let eve = hub.person("eve").await;
        let path = format!("/chats/{chat}/agents/plexus/calc/limit");
        let two = json!({ "unit": "answers", "amount": 2 });
        bob.call(Method::PUT, &path, &two).await.expect(StatusCode::FORBIDDEN);
        eve.call(Method::PUT, &path, &two).await.expect(StatusCode::NOT_FOUND);
        let other = format!("/chats/{chat}/agents/@plexus/text/limit");
        ada.call(Method::PUT, &other, &two).await.expect(StatusCode::NOT_FOUND);
        for amount in [json!(0), json!(1_000_000_001), json!(-1), json!("2")] {
            let body = json!({ "unit": "answers", "amount": amount });
            assert!(ada.call(Method::PUT, &path, &body).await.status.is_client_error(), "{amount}");
        }
        assert_eq!(calc(&bob, &chat).await["limit"], Value::Null);
        ada.call(Method::PUT, &path, &two).await.expect(StatusCode::NO_CONTENT);
        let shown = calc(&bob, &chat).await;
        assert_eq!((&shown["limit"], &shown["answers_today"]), (&two, &json!(1)), "the first answer of the chat counts");
        bob.get(&format!("/chat/{chat}/people")).await.expect(StatusCode::OK).says("2 answers");

        let at = seq(&bob, &chat).await;
        bob.say(&chat, "2 + 3").await;
        let second = text_of(&answer_after(&bob, &chat, at).await["id"]);
        let more = json!({ "id": new_id(), "text": "3 + 4" });
        for client in [&ada, &bob] {
            let (code, message) = client.try_say(&chat, &more).await.refusal(StatusCode::TOO_MANY_REQUESTS);
            assert_eq!(code, "rate_limited");
            assert!(message.contains("lets @plexus/calc use 2 answers a day here"), "{message}");
            let page = client.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
            page.says("@plexus/calc has reached its limit in this chat: 2 answers a day.");
        }
        bob.post(&format!("/chat/{chat}"), &[("text", "3 + 4")]).await.expect(StatusCode::TOO_MANY_REQUESTS).says("Ask another agent.");
        ada.call(Method::POST, &format!("/messages/{second}/retry"), &json!({})).await.expect(StatusCode::TOO_MANY_REQUESTS);
        bob.try_say(&chat, &json!({ "id": new_id(), "text": "@ada look" })).await.expect(StatusCode::ACCEPTED);
        let at = seq(&bob, &chat).await;
        bob.say(&chat, "@plexus/text one two").await;
        let other = text_of(&answer_after(&bob, &chat, at).await["id"]);
        let compared = format!("/messages/{other}/compare?to=@plexus/calc");
        ada.call(Method::POST, &compared, &json!({})).await.expect(StatusCode::TOO_MANY_REQUESTS);
        begin(&bob).await;

        hub.sql("update runs set queued_at = queued_at - 86400000").await;
        let at = seq(&bob, &chat).await;
        bob.say(&chat, "@plexus/calc 3 + 4").await;
        answer_after(&bob, &chat, at).await;
        assert_eq!(calc(&ada, &chat).await["answers_today"], 1, "answers of yesterday do not count");

        let tokens = json!({ "unit": "tokens", "amount": 100 });
        ada.call(Method::PUT, &path, &tokens).await.expect(StatusCode::NO_CONTENT);
        hub.sql("update runs set tokens_in = 60, tokens_out = 40").await;
        let refused = bob.try_say(&chat, &json!({ "id": new_id(), "text": "@plexus/calc 1 + 1" })).await;
        assert!(refused.refusal(StatusCode::TOO_MANY_REQUESTS).1.contains("100 tokens"));
        ada.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        bob.say(&chat, "@plexus/calc 1 + 1").await;
    }

    async fn limits_of_agents_are_set_without_scripts(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let page = format!("/chat/{chat}/people");
        let form = |amount: &'static str| [("action", "limit"), ("agent", "@plexus/calc"), ("amount", amount), ("unit", "tokens")];
        for amount in ["0", "-3", "1.5", "many", "1000000001"] {
            let refused = ada.post(&page, &form(amount)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            refused.says("Enter a whole number from 1 to 1,000,000,000.");
        }
        bob.post(&page, &form("5")).await.expect(StatusCode::FORBIDDEN);
        ada.post(&page, &form("5")).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(calc(&bob, &chat).await["limit"], json!({ "unit": "tokens", "amount": 5 }));
        ada.post(&page, &form("")).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(calc(&bob, &chat).await["limit"], Value::Null);
        let chats = ada.api("/chats").await;
        assert_eq!(chats["items"].as_array().map(Vec::len), Some(1));
        ada.call(Method::PUT, &format!("/chats/{chat}/agents/plexus/calc/limit"), &json!({ "unit": "tokens", "amount": 5 })).await;
        ada.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(hub.number("select count(*) from chat_agent_limits").await, 0, "limits go with their chat");
    }

    async fn people_see_who_types_in_a_room(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let rita = hub.person("rita").await;
        add(&ada, &rita, &chat, "rita", "reader").await;
        let mut events = Events::open(&ada, &chat, seq(&ada, &chat).await).await;
        report_typing(&rita, &chat).await.expect(StatusCode::FORBIDDEN);
        report_typing(&hub.person("eve").await, &chat).await.expect(StatusCode::NOT_FOUND);
        report_typing(&bob, &chat).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(typist(&mut events).await, "bob", "the first report is that of a member");

        ada.call(Method::DELETE, &format!("/chats/{chat}/people/bob"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        report_typing(&bob, &chat).await.expect(StatusCode::NOT_FOUND);
        report_typing(&ada, &chat).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(typist(&mut events).await, "ada");

        let alone = begin(&ada).await;
        let mut events = Events::open(&ada, &alone, seq(&ada, &alone).await).await;
        report_typing(&ada, &alone).await.expect(StatusCode::NO_CONTENT);
        ada.call(Method::PATCH, &format!("/chats/{alone}"), &json!({ "title": "Alone" })).await.expect(StatusCode::NO_CONTENT);
        loop {
            let next = timeout(AT_ONCE, events.next()).await.expect("at once").expect("an event");
            assert_ne!(next.name, "typing", "a chat of one person has no reports");
            if next.name == "title_changed" {
                break;
            }
        }
    }

    async fn typing_is_reported_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_TYPING", "1/1h")]) {
        let (_ada, bob, chat) = pair(hub).await;
        report_typing(&bob, &chat).await.expect(StatusCode::NO_CONTENT);
        report_typing(&bob, &chat).await.refusal(StatusCode::TOO_MANY_REQUESTS);
    }

    async fn the_people_page_does_everything_without_scripts(hub: &Hub) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let chat = begin(&ada).await;
        let page = format!("/chat/{chat}/people");
        ada.get(&page).await.expect(StatusCode::OK).says("Invite a user");
        let invite = [("action", "invite"), ("user", "bob"), ("role", "member"), ("days", "7")];
        let done = ada.post(&page, &invite).await.expect(StatusCode::SEE_OTHER);
        ada.get(done.location()).await.expect(StatusCode::OK).says("User invited.");
        let wrong = [("action", "invite"), ("user", "unknown-user"), ("role", "member"), ("days", "7")];
        ada.post(&page, &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("not found on this hub");
        let id = received(&bob).await;
        bob.get("/chat/invitations").await.expect(StatusCode::OK).says("From <bdi>ada</bdi>");
        let accepted = bob.post("/chat/invitations", &[("invitation", id.as_str()), ("answer", "accept")]).await;
        assert_eq!(accepted.expect(StatusCode::SEE_OTHER).location(), format!("/chat/{chat}"));
        let link = [("action", "link"), ("role", "reader"), ("days", "1")];
        ada.post(&page, &link).await.expect(StatusCode::OK).says("/join/");
        let role = [("action", "role"), ("user", "bob"), ("role", "reader")];
        ada.post(&page, &role).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(bob.api(&format!("/chats/{chat}/people")).await["role"], "reader");
        let shown = bob.get(&page).await.expect(StatusCode::OK);
        assert!(!shown.body.contains("Invite a user") && shown.body.contains("Leave chat"), "{}", shown.body);
        ada.post(&page, &[("action", "remove"), ("user", "bob")]).await.expect(StatusCode::SEE_OTHER);
        bob.get(&page).await.expect(StatusCode::NOT_FOUND);
        ada.post(&page, &[("action", "remove"), ("user", "bob")]).await.expect(StatusCode::NOT_FOUND);
    }

    async fn invitations_are_sent_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_CHAT_INVITATIONS", "1/1h")]) {
        let ada = hub.person("ada").await;
        let chat = begin(&ada).await;
        invite(&ada, &chat, json!({})).await;
        let again = ada.call(Method::POST, &format!("/chats/{chat}/invitations"), &json!({})).await;
        again.refusal(StatusCode::TOO_MANY_REQUESTS);
    }

    async fn a_chat_has_a_maximum_number_of_people(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = begin(&ada).await;
        let url = text_of(&invite(&ada, &chat, json!({})).await["url"]);
        let full = plexus_hub::chats::MAX_PEOPLE;
        for number in 1..full {
            join(&hub.person(&format!("user{number}")).await, &url).await.expect(StatusCode::OK);
        }
        join(&hub.person("late").await, &url).await.expect(StatusCode::CONFLICT);
        let more = ada.call(Method::POST, &format!("/chats/{chat}/invitations"), &json!({})).await;
        more.expect(StatusCode::CONFLICT);
    }
}

/// Creates a chat of Ada with an answer, and Bob as its member.
pub async fn pair(hub: &Hub) -> (Client, Client, String) {
    let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
    let chat = begin(&ada).await;
    add(&ada, &bob, &chat, "bob", "member").await;
    (ada, bob, chat)
}

/// Creates a chat with an answer that has ended.
pub async fn begin(client: &Client) -> String {
    let said = client.begin("@plexus/calc", "1 + 1").await;
    answer_after(client, &said.chat, 0).await;
    said.chat
}

pub async fn invite(owner: &Client, chat: &str, body: Value) -> Value {
    let answer = owner.call(Method::POST, &format!("/chats/{chat}/invitations"), &body).await;
    answer.expect(StatusCode::CREATED).json()
}

/// Returns the id of the only invitation of a user.
async fn received(client: &Client) -> String {
    text_of(&client.api("/invitations").await["items"][0]["id"])
}

pub async fn add(owner: &Client, user: &Client, chat: &str, name: &str, role: &str) {
    invite(owner, chat, json!({ "user": name, "role": role })).await;
    let accept = format!("/invitations/{}/accept", received(user).await);
    let joined = user.call(Method::POST, &accept, &json!({})).await.expect(StatusCode::OK).json();
    assert_eq!(joined["chat"], json!(chat));
}

async fn join(client: &Client, url: &str) -> Answer {
    client.call(Method::POST, "/invitations/join", &json!({ "link": url })).await
}

pub fn names(people: &Value) -> Vec<(&str, &str)> {
    let items = people["items"].as_array().expect("people");
    items.iter().map(|one| (one["name"].as_str().unwrap(), one["role"].as_str().unwrap())).collect()
}

/// Returns a chat in the list of a user.
async fn listed(client: &Client, chat: &str) -> Value {
    let list = client.api("/chats").await;
    let items = list["items"].as_array().expect("chats");
    items.iter().find(|item| item["id"] == json!(chat)).cloned().unwrap_or_default()
}

/// Returns whether a chat in the list of a user has an unread message.
async fn unread(client: &Client, chat: &str) -> Value {
    listed(client, chat).await["unread"].clone()
}

/// Returns the chat as Bob sees it, with the fields of the viewer as in `other`.
async fn bob_view(bob: &Client, chat: &str, other: &Value) -> Value {
    let mut shown = bob.api(&format!("/chats/{chat}")).await;
    shown["people"]["role"] = other["people"]["role"].clone();
    shown
}

/// Returns the calculator in the list of agents of a chat.
async fn calc(client: &Client, chat: &str) -> Value {
    let agents = client.api(&format!("/chats/{chat}/agents")).await;
    let items = agents["items"].as_array().expect("agents");
    items.iter().find(|item| item["address"] == "@plexus/calc").cloned().expect("the calculator")
}

pub async fn report_typing(client: &Client, chat: &str) -> Answer {
    client.call(Method::POST, &format!("/chats/{chat}/typing"), &json!({})).await
}

/// Returns the person of the next report of typing.
pub async fn typist(events: &mut Events) -> String {
    let reported = async {
        loop {
            let event = events.next().await.expect("the stream goes on");
            if event.name == "typing" {
                return text_of(&event.data["name"]);
            }
        }
    };
    timeout(AT_ONCE, reported).await.expect("at once")
}

/// Waits until exactly these people are reported as present.
async fn present(events: &mut Events, people: &[&str]) {
    let reported = async {
        loop {
            let event = events.next().await.expect("the stream goes on");
            if event.name == "presence" && event.data["people"] == json!(people) {
                return;
            }
        }
    };
    timeout(2 * AT_ONCE, reported).await.expect("soon");
}
