//! Tests of suspending and deleting accounts: agents are hidden and runs cancelled at once, and a restored
//! account gets everything back.

use plexus_domain::{chat_event::Event, message::MessageState};
use plexus_hub::{
    accounts,
    chats::{self, ChatSubscription},
    streaming::FrameKind,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::sheet,
    clerk,
    client::{Client, PASSWORD, new_id},
    events::answer_after,
    hub::{Hub, on_both},
};

on_both! {
    async fn suspending_hides_agents_and_stops_runs_until_it_is_undone(hub: &Hub) {
        let (admin, ada, bob) = world(hub).await;
        let running = run(hub, &bob).await;
        let path = format!("/admin/users/{}", hub.account("bob").await);
        let act = async |action: &str| {
            admin.post(&path, &[("action", action)]).await.expect(StatusCode::SEE_OTHER);
        };
        act("suspend").await;
        assert_hidden(hub, &ada).await;
        assert_stopped(running).await;
        bob.sign_in("bob", PASSWORD).await.expect(StatusCode::FORBIDDEN).says("suspended");

        act("restore").await;
        assert_answers(&ada).await;
    }

    async fn leaving_can_be_undone_by_signing_in(hub: &Hub) {
        let (admin, ada, bob) = world(hub).await;
        let running = run(hub, &bob).await;
        leave(&bob, "bob").await;
        assert!(!bob.is_signed_in().await);
        assert_hidden(hub, &ada).await;
        assert_stopped(running).await;
        admin.get("/admin/users").await.expect(StatusCode::OK).says("Deletion scheduled");
        hub.tidy().await;

        let entered = bob.sign_in("bob", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        bob.get(entered.location()).await.expect(StatusCode::OK).says("Welcome back");
        assert_answers(&ada).await;
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert!(bob.is_signed_in().await, "nothing is left of the leaving");
    }

    async fn leaving_is_for_good_after_its_time(hub: &Hub) {
        let (_, ada, bob) = world(hub).await;
        let said = bob.begin("@plexus/calc", "1 + 1").await;
        answer_after(&bob, &said.chat, 0).await;
        let indexed = "select count(*) from message_terms join principals on principals.id = owner \
                       join accounts on accounts.id = principals.account where purge_at is not null or state = 'deleted'";
        leave(&bob, "bob").await;
        assert!(hub.number(indexed).await > 0);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert_eq!(hub.number(indexed).await, 0);
        bob.sign_in("bob", PASSWORD).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Incorrect name or \
            password");
        assert_hidden(hub, &ada).await;
        let again = bob.post("/signup", &[("name", "Bob"), ("password", PASSWORD)]).await;
        again.expect(StatusCode::UNPROCESSABLE_ENTITY).says("This name is taken.");
    }

    async fn of_two_administrators_one_stays(hub: &Hub) {
        let (admin, _, bob) = world(hub).await;
        leave(&bob, "bob").await;
        let refused = admin.post("/settings/account/delete", &[("name", "boss"), ("current", PASSWORD)]).await;
        refused.expect(StatusCode::CONFLICT).says("You are the only administrator.");
        assert!(hub.first_administrator_link().await.is_none());
    }
}

/// Creates an administrator, the user ada, and bob, another administrator, with the public agent
/// `@bob/clerk`.
async fn world(hub: &Hub) -> (Client, Client, Client) {
    let admin = hub.administrator("boss").await;
    let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
    let url = clerk::serve(vec![text("Good day.")]).await;
    // Only administrators may register agents on this machine.
    let path = format!("/admin/users/{}", hub.account("bob").await);
    admin.post(&path, &[("action", "role"), ("role", "admin")]).await.expect(StatusCode::SEE_OTHER);
    clerk::register(&bob, &url, "clerk").await;
    assert_answers(&ada).await;
    (admin, ada, bob)
}

fn text(words: &str) -> Value {
    json!({ "artifact": { "artifactId": "a", "parts": [{ "text": words }] } })
}

/// Starts an answer for bob and subscribes to it as the operator, who is not signed out with bob.
async fn run(hub: &Hub, bob: &Client) -> ChatSubscription {
    let said = bob.begin("@plexus/calc", &sheet()).await;
    let operator = accounts::impersonate(hub.inner(), Some("bob")).await.expect("bob");
    let chat = said.chat.parse().expect("an id");
    let mut reader = chats::subscribe(hub.inner(), &operator, chat, 0).await.expect("a reader");
    while !matches!(reader.next().await.expect("it goes on").kind, FrameKind::Text { .. }) {}
    reader
}

async fn leave(client: &Client, name: &str) {
    let fields = [("name", name), ("current", PASSWORD)];
    client.post("/settings/account/delete", &fields).await.expect(StatusCode::SEE_OTHER);
}

async fn assert_hidden(hub: &Hub, ada: &Client) {
    let visitor = hub.visitor();
    for path in ["/@bob/clerk", "/@bob"] {
        visitor.get(path).await.expect(StatusCode::NOT_FOUND);
    }
    assert!(!visitor.get("/agents?q=clerk").await.expect(StatusCode::OK).body.contains("/@bob/clerk"));
    let body = json!({ "id": new_id(), "to": "@bob/clerk", "text": "Hello" });
    let refused = ada.call(Method::POST, "/chats", &body).await;
    refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Agent @bob/clerk not found");
}

async fn assert_stopped(mut running: ChatSubscription) {
    loop {
        let frame = running.next().await.expect("it goes on until the answer has ended");
        if let FrameKind::Event { event: Event::MessageCompleted { state, .. }, .. } = &frame.kind {
            assert_eq!(*state, MessageState::Stopped);
            return;
        }
    }
}

async fn assert_answers(client: &Client) {
    client.get("/@bob/clerk").await.expect(StatusCode::OK);
    let said = client.begin("@bob/clerk", "Hello").await;
    assert_eq!(answer_after(client, &said.chat, 0).await["state"], "done");
}
