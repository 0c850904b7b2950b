//! Tests of rooms: invitations, roles, what people of a room see, and what readers, former members and others cannot do.

use std::time::Duration;

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    acp_programs::{list, register},
    chat::{seq, sheet},
    client::{Answer, Client, PASSWORD, new_id, text_of},
    events::{Events, answer_after, question, text_in},
    hub::{Hub, on_both},
    tokens::make,
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
            (json!({ "user": "nobody" }), StatusCode::UNPROCESSABLE_ENTITY),
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

    async fn each_role_may_do_what_it_should_and_no_more(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let (reader, gone, eve) = (hub.person("rita").await, hub.person("gus").await, hub.person("eve").await);
        add(&ada, &reader, &chat, "rita", "reader").await;
        add(&ada, &gone, &chat, "gus", "member").await;
        gone.say(&chat, "@ada bye").await;
        remove(&ada, &chat, "gus").await.expect(StatusCode::NO_CONTENT);
        let shown = ada.api(&format!("/chats/{chat}")).await;
        let (question, answer) = (text_of(&shown["messages"][0]["id"]), text_of(&shown["messages"][1]["id"]));
        let run = text_of(&shown["messages"][1]["run"]["id"]);
        let stream = format!("/events?chat={chat}&after=0");
        let chats = |rest: &str| format!("/chats/{chat}{rest}");
        let message = |rest: &str| format!("/messages/{answer}{rest}");
        let text = json!({ "id": new_id(), "text": "1 + 1" });
        let rate = json!({ "rating": "up" });
        // Per request: the status for a member, a reader, and for a former member and a stranger.
        let (ok, no, hidden) = (204, 403, 404);
        let requests = [
            (Method::GET, chats(""), json!({}), [200, 200, hidden]),
            (Method::GET, chats("/people"), json!({}), [200, 200, hidden]),
            (Method::GET, chats("/usage"), json!({}), [200, 200, hidden]),
            (Method::GET, chats("/export?format=json"), json!({}), [200, 200, hidden]),
            (Method::GET, message(""), json!({}), [200, 200, hidden]),
            (Method::POST, chats("/read"), json!({ "seq": 1 }), [ok, ok, hidden]),
            (Method::PATCH, chats(""), json!({ "pinned": true }), [ok, ok, hidden]),
            (Method::PATCH, chats(""), json!({ "folder": "Work" }), [ok, ok, hidden]),
            (Method::PATCH, chats(""), json!({ "title": "Mine" }), [no, no, hidden]),
            (Method::PATCH, chats(""), json!({ "archived": true }), [no, no, hidden]),
            (Method::POST, chats("/share"), json!({}), [no, no, hidden]),
            (Method::GET, chats("/invitations"), json!({}), [no, no, hidden]),
            (Method::POST, chats("/invitations"), json!({ "user": "eve" }), [no, no, hidden]),
            (Method::POST, chats("/invitations"), json!({}), [no, no, hidden]),
            (Method::PATCH, chats("/people/ada"), json!({ "role": "reader" }), [no, no, hidden]),
            (Method::PATCH, chats("/people/bob"), json!({ "role": "owner" }), [no, no, hidden]),
            (Method::DELETE, chats("/people/ada"), json!({}), [no, no, hidden]),
            (Method::DELETE, chats(""), json!({}), [no, no, hidden]),
            (Method::DELETE, chats("?restorable=true"), json!({}), [no, no, hidden]),
            (Method::DELETE, message(""), json!({}), [no, no, hidden]),
            (Method::DELETE, format!("/messages/{question}"), json!({}), [no, no, hidden]),
            (Method::POST, message("/fork"), json!({}), [409, 409, hidden]),
            (Method::PUT, message("/feedback"), rate.clone(), [ok, no, hidden]),
            (Method::GET, message("/feedback"), json!({}), [200, 200, hidden]),
            (Method::DELETE, message("/feedback"), json!({}), [ok, no, hidden]),
            (Method::POST, format!("/runs/{run}/stop"), json!({}), [no, no, hidden]),
            (Method::GET, stream, json!({}), [200, 200, hidden]),
            (Method::POST, message("/retry"), json!({}), [202, no, hidden]),
        ];
        for (method, path, body, [member, reads, others]) in requests {
            let clients = [("bob", &bob, member), ("rita", &reader, reads), ("gus", &gone, others), ("eve", &eve, others)];
            for (name, client, expected) in clients {
                let status = status(client, method.clone(), &path, &body).await;
                assert_eq!(status, expected, "{name}: {method} {path} {body}");
            }
            let visitor = status(&hub.visitor(), method.clone(), &path, &body).await;
            assert_eq!(visitor, 401, "{method} {path}");
        }
        let messages = "select count(*) from messages where lane = 0";
        let before = hub.number(messages).await;
        for (client, expected) in [(&reader, StatusCode::FORBIDDEN), (&gone, StatusCode::NOT_FOUND), (&eve, StatusCode::NOT_FOUND)] {
            client.try_say(&chat, &text).await.expect(expected);
            client.try_say(&chat, &json!({ "id": new_id(), "text": "x", "edits": question })).await.expect(expected);
        }
        let edit = json!({ "id": new_id(), "text": "x", "edits": question });
        bob.try_say(&chat, &edit).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(hub.number(messages).await, before, "nothing was posted");
        pages_of_others(&chat, &question, &answer, &[&gone, &eve]).await;
        for path in ["/rename", "/delete", "/share"] {
            let path = format!("/chat/{chat}{path}");
            assert!(bob.post(&path, &[("title", "x"), ("days", "1")]).await.status.is_client_error(), "{path}");
            assert!(reader.post(&path, &[("title", "x"), ("days", "1")]).await.status.is_client_error(), "{path}");
        }
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
    }

    async fn a_removed_member_reads_nothing_any_more(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let token = bob.with_token(&make(&bob, &["read", "chat"]).await);
        let file = upload(&bob, "tide.txt", "high and low").await.expect(StatusCode::CREATED).json();
        let blob = format!("/blobs/{}", text_of(&file["blob"]));
        let sent = json!({ "id": new_id(), "text": "@ada xylophone", "uploads": [file["id"]] });
        bob.try_say(&chat, &sent).await.expect(StatusCode::ACCEPTED);
        for client in [&ada, &bob] {
            client.get(&blob).await.expect(StatusCode::OK);
            assert_eq!(found(client).await, 1, "people of a room find its messages");
        }
        let running = bob.say(&chat, &format!("@plexus/calc {}", sheet())).await;
        let at = seq(&bob, &chat).await;
        let (mut events, mut program) = (Events::open(&bob, &chat, at).await, Events::open(&token, &chat, at).await);
        let mut still = Events::open(&ada, &chat, at).await;
        remove(&ada, &chat, "bob").await.expect(StatusCode::NO_CONTENT);
        ends(&mut events).await;
        ends(&mut program).await;
        timeout(AT_ONCE, async { while still.next().await.expect("Ada's goes on").name != "message_completed" {} })
            .await
            .expect("the answer that Bob started is stopped");
        let stopped = "select count(*) from runs where state = 'stopped'";
        assert_eq!(hub.number(stopped).await, 1, "{}", running.run);

        for path in [blob.clone(), format!("{blob}/preview"), format!("/api/v1{blob}")] {
            bob.get(&path).await.expect(StatusCode::NOT_FOUND);
        }
        ada.get(&blob).await.expect(StatusCode::OK);
        assert_eq!((found(&bob).await, found(&ada).await), (0, 1));
        assert_eq!(bob.api("/chats").await["items"], json!([]));
        let all = bob.get("/api/v1/chats/export").await.expect(StatusCode::OK);
        assert!(!all.body.contains("xylophone"), "{}", all.body);
        let shown = ada.api(&format!("/chats/{chat}")).await;
        assert!(shown.to_string().contains("xylophone"), "the messages stay");
        let task = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": running.run } });
        let a2a = token.request(Method::POST, "/a2a/plexus/calc/").header("a2a-version", "1.0").json(&task);
        let refused = token.send(a2a).await.json();
        assert!(refused["result"].is_null() && refused["error"].is_object(), "{refused}");
    }

    async fn over_a2a_a_member_has_its_own_tasks_and_a_reader_posts_nothing(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let rita = hub.person("rita").await;
        add(&ada, &rita, &chat, "rita", "reader").await;
        let run = text_of(&ada.api(&format!("/chats/{chat}")).await["messages"][1]["run"]["id"]);
        for (client, may_post) in [(&bob, true), (&rita, false)] {
            let program = client.with_token(&make(client, &["read", "chat"]).await);
            let read = a2a(&program, "GetTask", json!({ "id": run })).await;
            assert!(read["error"].is_object(), "a task of Ada: {read}");
            let message = json!({ "messageId": new_id(), "contextId": chat, "role": "ROLE_USER", "parts": [{ "text": "7 * 7" }] });
            let sent = a2a(&program, "SendMessage", json!({ "message": message })).await;
            assert_eq!(sent["result"].is_object(), may_post, "{sent}");
        }
        let shown = ada.api(&format!("/chats/{chat}")).await;
        assert!(shown.to_string().contains("49"), "{shown}");
    }

    async fn a_room_is_handed_over_before_its_owner_leaves(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let leave = format!("/chats/{chat}/leave");
        ada.say(&chat, "@bob xylophone").await;
        ada.call(Method::POST, &leave, &json!({})).await.expect(StatusCode::CONFLICT);
        ada.call(Method::POST, &format!("/chats/{chat}/share"), &json!({})).await.expect(StatusCode::CREATED);
        let people = format!("/chat/{chat}/people");
        let form = [("action", "role"), ("user", "bob"), ("role", "owner")];
        ada.post(&people, &form).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(names(&ada.api(&format!("/chats/{chat}/people")).await), [("ada", "member"), ("bob", "owner")]);
        assert_eq!(hub.number("select count(*) from chat_share_links").await, 0, "share links named the earlier owner");
        assert_eq!(hub.number("select count(*) from chats join principals on principals.id = creator \
            join accounts on accounts.id = principals.account join namespaces on namespaces.id = accounts.namespace \
            where namespaces.name = 'bob'").await, 1);
        timeout(AT_ONCE, async { while found(&ada).await + found(&bob).await < 2 {} })
            .await
            .expect("the messages are indexed again");
        ada.post(&people, &[("action", "leave")]).await.expect(StatusCode::SEE_OTHER);
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::NOT_FOUND);
        bob.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(hub.number("select count(*) from chats").await, 0);
    }

    async fn the_people_page_does_everything_without_scripts(hub: &Hub) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let chat = begin(&ada).await;
        let page = format!("/chat/{chat}/people");
        ada.get(&page).await.expect(StatusCode::OK).says("Invite a user");
        let invite = [("action", "invite"), ("user", "bob"), ("role", "member"), ("days", "7")];
        let done = ada.post(&page, &invite).await.expect(StatusCode::SEE_OTHER);
        ada.get(done.location()).await.expect(StatusCode::OK).says("User invited.");
        let wrong = [("action", "invite"), ("user", "nobody"), ("role", "member"), ("days", "7")];
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

    async fn an_account_that_is_erased_leaves_its_rooms(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        bob.say(&chat, "@ada I was here").await;
        let rita = hub.person("rita").await;
        add(&ada, &rita, &chat, "rita", "reader").await;
        let exported = bob.get("/api/v1/chats/export").await.expect(StatusCode::OK);
        assert!(exported.body.contains("I was here"), "an export has the rooms of the user");
        let leaving = [("name", "ada"), ("current", PASSWORD)];
        ada.post("/settings/account/delete", &leaving).await.expect(StatusCode::SEE_OTHER);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert_eq!(names(&bob.api(&format!("/chats/{chat}/people")).await), [("bob", "owner"), ("rita", "reader")]);
        bob.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).says("Deleted account");
        bob.call(Method::PATCH, &format!("/chats/{chat}"), &json!({ "title": "Ours" })).await.expect(StatusCode::NO_CONTENT);
    }

    async fn tool_calls_are_decided_by_the_user_whose_message_started_the_run(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        register(&hub.administrator("grace").await, "parrot").await;
        let (ada, bob, chat) = pair(hub).await;
        bob.say(&chat, "@grace/parrot ask").await;
        let id = question(&bob, &chat).await;
        assert_eq!(ada.api("/approvals").await["approvals"], json!([]));
        let path = format!("/approvals/{id}");
        ada.call(Method::POST, &path, &json!({ "allow": true })).await.expect(StatusCode::FORBIDDEN);
        let at = seq(&bob, &chat).await;
        bob.call(Method::POST, &path, &json!({ "allow": true })).await;
        let answer = answer_after(&bob, &chat, at).await;
        assert!(answer["parts"].to_string().contains("selected yes"), "{answer}");
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
async fn pair(hub: &Hub) -> (Client, Client, String) {
    let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
    let chat = begin(&ada).await;
    add(&ada, &bob, &chat, "bob", "member").await;
    (ada, bob, chat)
}

/// Creates a chat with an answer that has ended.
async fn begin(client: &Client) -> String {
    let said = client.begin("@plexus/calc", "1 + 1").await;
    answer_after(client, &said.chat, 0).await;
    said.chat
}

async fn invite(owner: &Client, chat: &str, body: Value) -> Value {
    let answer = owner.call(Method::POST, &format!("/chats/{chat}/invitations"), &body).await;
    answer.expect(StatusCode::CREATED).json()
}

/// Returns the id of the only invitation of a user.
async fn received(client: &Client) -> String {
    text_of(&client.api("/invitations").await["items"][0]["id"])
}

async fn add(owner: &Client, user: &Client, chat: &str, name: &str, role: &str) {
    invite(owner, chat, json!({ "user": name, "role": role })).await;
    let accept = format!("/invitations/{}/accept", received(user).await);
    let joined = user.call(Method::POST, &accept, &json!({})).await.expect(StatusCode::OK).json();
    assert_eq!(joined["chat"], json!(chat));
}

async fn join(client: &Client, url: &str) -> Answer {
    client.call(Method::POST, "/invitations/join", &json!({ "link": url })).await
}

async fn remove(owner: &Client, chat: &str, name: &str) -> Answer {
    owner.call(Method::DELETE, &format!("/chats/{chat}/people/{name}"), &json!({})).await
}

fn names(people: &Value) -> Vec<(&str, &str)> {
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

/// Returns the status of a request without reading its body, which may be a stream.
async fn status(client: &Client, method: Method, path: &str, body: &Value) -> u16 {
    let request =
        client.request(method.clone(), &format!("/api/v1{path}")).header(header::ORIGIN, client.origin());
    let request = if method == Method::GET { request } else { request.json(body) };
    request.send().await.expect("an answer").status().as_u16()
}

async fn pages_of_others(chat: &str, question: &str, answer: &str, others: &[&Client]) {
    for client in others {
        for path in
            ["", "/people", "/rename", "/delete", "/folder", "/share", "/print", "/export?format=markdown"]
        {
            client.get(&format!("/chat/{chat}{path}")).await.expect(StatusCode::NOT_FOUND);
        }
        for path in [
            format!("?edit={question}"),
            format!("/retry?message={answer}"),
            format!("/feedback?message={answer}"),
        ] {
            client.get(&format!("/chat/{chat}{path}")).await.expect(StatusCode::NOT_FOUND);
        }
        let fields =
            [("action", "leave"), ("text", "x"), ("message", answer), ("title", "x"), ("rating", "up")];
        for path in
            ["", "/people", "/rename", "/pin", "/archive", "/retry", "/fork", "/delete-message", "/feedback"]
        {
            let status = client.post(&format!("/chat/{chat}{path}"), &fields).await.status;
            assert!(status.is_client_error(), "{path}: {status}");
        }
    }
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

async fn ends(events: &mut Events) {
    let end = async { while events.next().await.is_some_and(|event| event.name != "stream_end") {} };
    timeout(AT_ONCE, end).await.expect("the stream ends at once");
}

/// Counts the messages with the word "xylophone" that a user finds.
async fn found(client: &Client) -> usize {
    client.api("/chats/search?q=xylophone").await["items"].as_array().map_or(0, Vec::len)
}

async fn upload(client: &Client, name: &str, content: &str) -> Answer {
    let request = client.request(Method::POST, &format!("/api/v1/uploads?name={name}"));
    let request = request.header(header::ORIGIN, client.origin()).header(header::CONTENT_TYPE, "text/plain");
    client.send(request.body(content.to_owned())).await
}

async fn a2a(client: &Client, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = client.request(Method::POST, "/a2a/plexus/calc/").header("a2a-version", "1.0").json(&body);
    client.send(request).await.json()
}
