//! Tests of answers side by side: another agent gets the same question, and the chat continues with one of the answers.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    chat_lists::program,
    client::{Client, Said, text_of},
    events::{answer_after, read_answer},
    hub::{Hub, on_both},
    rpc,
};

on_both! {
    async fn same_question_is_answered_side_by_side(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (said, first) = asked(&ada, "2 + 2").await;
        let second = compare(&ada, &said.chat, &first, "@plexus/text").await;
        let shown = messages(&ada, &said.chat).await;
        let places: Vec<_> = shown.iter().map(|message| (text_of(&message["id"]), message["branch"].clone())).collect();
        assert_eq!(places, [(said.message.clone(), json!(0)), (first.clone(), json!(1)), (second.clone(), json!(2))]);
        let page = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
        for text in ["data-branch=\"2\"", &format!("action=\"/chat/{}/continue\"", said.chat), "Continue with this one"] {
            page.says(text);
        }
        // Both agents answer the next message.
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "3 + 3").await;
        answer_after(&ada, &said.chat, at).await;
        let answers = messages(&ada, &said.chat).await.iter().filter(|message| message["branch"] != 0).count();
        assert_eq!(answers, 4);
    }

    async fn chat_continues_with_one_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (said, first) = asked(&ada, "2 + 2").await;
        let second = compare(&ada, &said.chat, &first, "@plexus/text").await;
        let chosen = ada.post(&format!("/chat/{}/continue", said.chat), &[("message", &second)]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(chosen.location(), format!("/chat/{}", said.chat));
        let page = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
        page.says("Answer 2 of 2");
        assert!(page.body.contains(&format!("id=\"m-{second}\"")) && !page.body.contains(&format!("id=\"m-{first}\"")));
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "another text").await;
        answer_after(&ada, &said.chat, at).await;
        let shown = messages(&ada, &said.chat).await;
        assert_eq!(shown.len(), 4);
        assert_eq!(shown[3]["author"]["address"], "@plexus/text");
        // The other answer is an alternative, and the chat can go on with it as well.
        ada.get(&format!("/chat/{}?m={first}", said.chat)).await.expect(StatusCode::OK).says("Answer 1 of 2");
        ada.call(Method::POST, &format!("/messages/{first}/continue"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(messages(&ada, &said.chat).await.len(), 2);
    }

    async fn comparisons_are_bounded_and_belong_to_the_chat(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let (said, first) = asked(&ada, "2 + 2").await;
        let path = |answer: &str, to: &str| format!("/messages/{answer}/compare?to={to}");
        let post = async |client: &Client, path: &str| client.call(Method::POST, path, &json!({})).await;
        let (_, same) = post(&ada, &path(&first, "@plexus/calc")).await.refusal(StatusCode::CONFLICT);
        assert!(same.contains("has answered this message already"), "{same}");
        compare(&ada, &said.chat, &first, "@plexus/text").await;
        compare(&ada, &said.chat, &first, "@plexus/chart").await;
        let (_, full) = post(&ada, &path(&first, "@plexus/guide")).await.refusal(StatusCode::CONFLICT);
        assert!(full.contains("At most 3 answers"), "{full}");
        for wrong in ["@plexus/nothing", "calc", ""] {
            post(&ada, &path(&first, wrong)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        post(&ada, &path(&said.message, "@plexus/guide")).await.expect(StatusCode::NOT_FOUND);
        for path in [path(&first, "@plexus/guide"), format!("/messages/{first}/continue")] {
            post(&eve, &path).await.expect(StatusCode::NOT_FOUND);
            let status = post(&hub.visitor(), &path).await.status;
            assert!(matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), "{status}");
        }
        let fields = [("message", first.as_str()), ("to", "@plexus/text")];
        let again = ada.post(&format!("/chat/{}/compare", said.chat), &fields).await.expect(StatusCode::CONFLICT);
        again.says("has answered this message already");
        eve.post(&format!("/chat/{}/continue", said.chat), &fields[..1]).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(messages(&ada, &said.chat).await.len(), 4);
    }

    async fn programs_compare_answers(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (said, first) = asked(&ada, "2 + 2").await;
        let bots = program(&ada).await;
        let at = seq(&ada, &said.chat).await;
        let sent = rpc::call(&bots, "messages.compare", json!({ "message": first, "to": "@plexus/text" })).await;
        read_answer(&ada, &said.chat, at).await;
        let chosen = json!({ "message": sent["message"] });
        assert_eq!(rpc::call(&bots, "messages.continue", chosen).await, json!(true));
        let shown = messages(&ada, &said.chat).await;
        assert_eq!((shown.len(), &shown[1]["id"]), (2, &sent["message"]));
    }
}

/// Starts a chat with `@plexus/calc`. Returns it with the id of the answer.
async fn asked(client: &Client, text: &str) -> (Said, String) {
    let said = client.begin("@plexus/calc", text).await;
    let answer = answer_after(client, &said.chat, 0).await;
    (said, text_of(&answer["id"]))
}

/// Asks another agent, and waits for its answer. Returns the id of the answer.
async fn compare(client: &Client, chat: &str, answer: &str, to: &str) -> String {
    let at = seq(client, chat).await;
    let path = format!("/messages/{answer}/compare?to={to}");
    let sent = client.call(Method::POST, &path, &json!({})).await.expect(StatusCode::ACCEPTED).json();
    read_answer(client, chat, at).await;
    text_of(&sent["message"])
}

async fn messages(client: &Client, chat: &str) -> Vec<Value> {
    client.api(&format!("/chats/{chat}")).await["messages"].as_array().expect("messages").clone()
}
