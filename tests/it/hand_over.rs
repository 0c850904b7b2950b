//! Tests of questions that a person hands over to another agent of the chat.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    clerk,
    client::{Client, new_id, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    rooms::{add, begin, pair},
};

/// Answer of the clerk. The guide is not in the chats of these tests.
const ANSWER: &str =
    "Ask **@plexus/text**, or @plexus/calc, @grace/clerk, @plexus/guide or grace@plexus/calc.";

on_both! {
    async fn a_question_is_handed_over_to_an_agent_that_the_answer_mentions(hub: &Hub) {
        register_clerk(hub).await;
        let (ada, bob, chat) = pair(hub).await;
        let (rita, eve) = (hub.person("rita").await, hub.person("eve").await);
        add(&ada, &rita, &chat, "rita", "reader").await;
        say(&ada, &chat, "@plexus/text one").await;
        let question = json!({ "id": new_id(), "text": "@ada @grace/clerk one two three", "uploads": [upload(&bob).await] });
        let at = seq(&bob, &chat).await;
        bob.try_say(&chat, &question).await.expect(StatusCode::ACCEPTED);
        let answer = answer_after(&bob, &chat, at).await;
        assert_eq!(answer["mentioned"], json!(["@plexus/text", "@plexus/calc"]), "agents of the chat, in this order");
        let id = text_of(&answer["id"]);
        bob.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).says("Ask @plexus/text");

        let path = format!("/messages/{id}/hand-over");
        let to = json!({ "to": "@plexus/text" });
        rita.call(Method::POST, &path, &to).await.expect(StatusCode::FORBIDDEN);
        eve.call(Method::POST, &path, &to).await.expect(StatusCode::NOT_FOUND);
        for other in ["@plexus/guide", "@grace/clerk", "@plexus/chart"] {
            ada.call(Method::POST, &path, &json!({ "to": other })).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        let first = format!("/messages/{}/hand-over", text_of(&question["id"]));
        ada.call(Method::POST, &first, &to).await.expect(StatusCode::UNPROCESSABLE_ENTITY);

        // The room has continued, so the question goes to its end.
        bob.try_say(&chat, &json!({ "id": new_id(), "text": "@ada what do you think?" })).await.expect(StatusCode::ACCEPTED);
        let end = text_of(&ada.api(&format!("/chats/{chat}")).await["current_message"]);
        let at = seq(&ada, &chat).await;
        let sent = ada.call(Method::POST, &path, &to).await.expect(StatusCode::ACCEPTED).json();
        let next = answer_after(&ada, &chat, at).await;
        assert_eq!(next["author"]["address"], "@plexus/text");
        let posted = ada.api(&format!("/messages/{}", text_of(&sent["message"]))).await;
        assert_eq!((&posted["author"]["name"], &posted["parent"]), (&json!("ada"), &json!(end)));
        assert_eq!(posted["parts"][0]["text"], "@plexus/text one two three");
        assert_eq!(posted["parts"][1]["name"], "tide.txt", "the files of the question come along: {posted}");

        let form = [("message", id.as_str()), ("to", "@plexus/calc")];
        let at = seq(&bob, &chat).await;
        bob.post(&format!("/chat/{chat}/hand-over"), &form).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(answer_after(&bob, &chat, at).await["author"]["address"], "@plexus/calc");
        assert_eq!(hub.number("select count(*) from runs").await, 5, "no agent asks another one by itself");
    }

    async fn an_earlier_answer_of_a_chat_of_one_person_begins_a_branch(hub: &Hub) {
        register_clerk(hub).await;
        let ada = hub.person("ada").await;
        let chat = begin(&ada).await;
        let answer = say(&ada, &chat, "@grace/clerk 6 * 7").await;
        assert_eq!(answer["mentioned"], json!(["@plexus/calc"]));
        let shown = ada.api(&format!("/chats/{chat}")).await;
        assert_eq!(shown["messages"][3]["mentioned"], answer["mentioned"], "also when the chat is opened");
        assert_eq!(shown["messages"][1]["mentioned"], Value::Null);
        say(&ada, &chat, "@plexus/calc 1 + 1").await;
        let at = seq(&ada, &chat).await;
        let path = format!("/messages/{}/hand-over", text_of(&answer["id"]));
        let sent = ada.call(Method::POST, &path, &json!({ "to": "@plexus/calc" })).await.expect(StatusCode::ACCEPTED).json();
        assert!(answer_after(&ada, &chat, at).await["parts"].to_string().contains("42"));
        let posted = ada.api(&format!("/messages/{}", text_of(&sent["message"]))).await;
        assert_eq!(posted["parent"], answer["id"]);
    }
}

/// Registers an agent that answers everything with [`ANSWER`].
async fn register_clerk(hub: &Hub) {
    let grace = hub.administrator("grace").await;
    let url = clerk::serve(vec![clerk::words(ANSWER)]).await;
    clerk::register(&grace, &url, "clerk").await;
}

/// Sends a message, and returns the answer.
async fn say(client: &Client, chat: &str, text: &str) -> Value {
    let at = seq(client, chat).await;
    client.say(chat, text).await;
    answer_after(client, chat, at).await
}

/// Uploads a file, and returns its id.
async fn upload(client: &Client) -> Value {
    let request = client.request(Method::POST, "/api/v1/uploads?name=tide.txt");
    let request = request.header(header::ORIGIN, client.origin()).header(header::CONTENT_TYPE, "text/plain");
    client.send(request.body("high and low")).await.expect(StatusCode::CREATED).json()["id"].clone()
}
