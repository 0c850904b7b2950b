//! Tests of what owners, members, readers, former members and others may do in a room, and of what ends with a membership.

use std::time::Duration;

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    acp_programs::{list, register},
    chat::{seq, sheet},
    client::{Answer, Client, PASSWORD, new_id, text_of},
    events::{Events, answer_after, question},
    hub::{Hub, on_both},
    rooms::{add, names, pair},
    tokens::make,
};

/// Time limit. Far below the 15 s after which an idle stream sends a keep-alive.
const AT_ONCE: Duration = Duration::from_secs(8);

on_both! {
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
        let text = json!({ "id": new_id(), "text": "1 + 1" });
        for (method, path, body, [member, reads, others]) in requests(&chat, &question, &answer, &run) {
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
        for stream in [&mut events, &mut program] {
            assert_eq!(unavailable(stream).await, "removed");
            ends(stream).await;
        }
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

    async fn the_streams_of_a_deleted_room_say_that_it_is_gone(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let at = seq(&ada, &chat).await;
        let mut streams = [Events::open(&ada, &chat, at).await, Events::open(&bob, &chat, at).await];
        ada.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        for stream in &mut streams {
            assert_eq!(unavailable(stream).await, "gone");
            ends(stream).await;
        }
    }

    async fn a_stream_of_several_chats_goes_on_without_the_room(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        let own = bob.begin("@plexus/calc", "1 + 1").await.chat;
        let query = format!("chat={chat}:0&chat={own}:0");
        let mut events = Events::resume_all(&bob, &query, "").await;
        remove(&ada, &chat, "bob").await.expect(StatusCode::NO_CONTENT);
        assert_eq!(unavailable(&mut events).await, "removed");
        bob.call(Method::PATCH, &format!("/chats/{own}"), &json!({ "title": "Own" })).await.expect(StatusCode::NO_CONTENT);
        let renamed = async { while events.next().await.expect("the stream goes on").name != "title_changed" {} };
        timeout(AT_ONCE, renamed).await.expect("at once");
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
        assert_eq!(ada.api("/approvals").await["items"], json!([]));
        let path = format!("/approvals/{id}");
        ada.call(Method::POST, &path, &json!({ "allow": true })).await.expect(StatusCode::FORBIDDEN);
        let at = seq(&bob, &chat).await;
        bob.call(Method::POST, &path, &json!({ "allow": true })).await;
        let answer = answer_after(&bob, &chat, at).await;
        assert!(answer["parts"].to_string().contains("selected yes"), "{answer}");
    }
}

/// Returns the requests of a chat, each with its status for a member, for a reader, and for former members and others.
fn requests(chat: &str, question: &str, answer: &str, run: &str) -> Vec<(Method, String, Value, [u16; 3])> {
    let stream = format!("/events?chat={chat}&after=0");
    let chats = |rest: &str| format!("/chats/{chat}{rest}");
    let message = |rest: &str| format!("/messages/{answer}{rest}");
    let rate = json!({ "rating": "up" });
    let (ok, no, hidden) = (204, 403, 404);
    vec![
        (Method::GET, chats(""), json!({}), [200, 200, hidden]),
        (Method::GET, chats("/people"), json!({}), [200, 200, hidden]),
        (Method::GET, chats("/agents"), json!({}), [200, 200, hidden]),
        (
            Method::PUT,
            chats("/agents/plexus/calc/limit"),
            json!({ "unit": "tokens", "amount": 9 }),
            [no, no, hidden],
        ),
        (Method::DELETE, chats("/agents/plexus/calc/limit"), json!({}), [no, no, hidden]),
        (Method::GET, chats("/usage"), json!({}), [200, 200, hidden]),
        (Method::GET, chats("/export?format=json"), json!({}), [200, 200, hidden]),
        (Method::GET, message(""), json!({}), [200, 200, hidden]),
        (Method::POST, chats("/read"), json!({ "seq": 1 }), [ok, ok, hidden]),
        (Method::POST, chats("/typing"), json!({}), [ok, no, hidden]),
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
        (Method::POST, message("/hand-over"), json!({ "to": "@plexus/text" }), [422, no, hidden]),
        (Method::PUT, message("/feedback"), rate, [ok, no, hidden]),
        (Method::GET, message("/feedback"), json!({}), [200, 200, hidden]),
        (Method::DELETE, message("/feedback"), json!({}), [ok, no, hidden]),
        (Method::POST, format!("/runs/{run}/stop"), json!({}), [no, no, hidden]),
        (Method::GET, stream, json!({}), [200, 200, hidden]),
        (Method::POST, message("/retry"), json!({}), [202, no, hidden]),
    ]
}

async fn remove(owner: &Client, chat: &str, name: &str) -> Answer {
    owner.call(Method::DELETE, &format!("/chats/{chat}/people/{name}"), &json!({})).await
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

/// Returns why the chat of a stream is unavailable.
async fn unavailable(events: &mut Events) -> String {
    let told = async {
        loop {
            let event = events.next().await.expect("the stream goes on");
            if event.name == "chat_unavailable" {
                return text_of(&event.data["reason"]);
            }
        }
    };
    timeout(AT_ONCE, told).await.expect("at once")
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
