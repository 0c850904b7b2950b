//! Tests of actions on messages: edit, retry with another agent, fork and delete.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, new_id, text_of},
    events::{Events, Screen, answer_after, read_text, text_in},
    hub::{Hub, on_both},
};

on_both! {
    async fn an_edited_message_is_an_alternative_that_the_same_agent_answers(hub: &Hub) {
        let ada = hub.person("ada").await;
        let first = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &first.chat, 0).await;
        let at = seq(&ada, &first.chat).await;
        let second = ada.say(&first.chat, "2 + 2").await;
        answer_after(&ada, &first.chat, at).await;

        for (edited, sum, result, place) in [(&second.message, "3 + 3", "**6**", 2), (&first.message, "4 + 4", "**8**", 0)] {
            let at = seq(&ada, &first.chat).await;
            let body = json!({ "id": new_id(), "edits": edited, "text": sum });
            ada.try_say(&first.chat, &body).await.expect(StatusCode::ACCEPTED);
            let answer = answer_after(&ada, &first.chat, at).await;
            assert!(text_in(&answer).contains(result), "{answer}");
            assert_eq!(answer["author"]["address"], "@plexus/calc");
            let shown = messages(&ada, &first.chat).await;
            assert_eq!(shown.len(), place + 2, "what followed the edited message is on the other branch");
            assert_eq!(text_in(&shown[place]), sum);
        }
        let page = ada.get(&format!("/chat/{}", first.chat)).await.expect(StatusCode::OK);
        page.says("Branch 2 of 2");
        let before = ada.get(&format!("/chat/{}?m={}", first.chat, first.message)).await.expect(StatusCode::OK);
        before.says("3 + 3");
        before.says(&format!("href=\"/chat/{}?edit={}\"", first.chat, first.message));
    }

    async fn only_ones_own_message_can_be_edited(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        let edit = |message: &str| json!({ "id": new_id(), "edits": message, "text": "5" });
        let theirs = ada.try_say(&said.chat, &edit(&text_of(&answer["id"]))).await;
        assert_eq!(theirs.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], "edits");
        eve.try_say(&said.chat, &edit(&said.message)).await.expect(StatusCode::NOT_FOUND);
        for message in [text_of(&answer["id"]), new_id().to_string()] {
            ada.get(&format!("/chat/{}?edit={message}", said.chat)).await.expect(StatusCode::NOT_FOUND);
        }
    }

    async fn a_message_is_edited_by_a_form(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "@plexus/calc 1 + <b>").await;
        answer_after(&ada, &said.chat, 0).await;
        let chat = format!("/chat/{}", said.chat);
        let page = ada.get(&format!("{chat}?edit={}", said.message)).await.expect(StatusCode::OK);
        page.says("@plexus/calc 1 + &lt;b></textarea>");
        page.says(&format!("name=\"edits\" value=\"{}\"", said.message));
        let refused = ada.post(&chat, &[("edits", &said.message), ("text", " ")]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says(&format!("name=\"edits\" value=\"{}\"", said.message));
        let at = seq(&ada, &said.chat).await;
        ada.post(&chat, &[("edits", &said.message), ("text", "20 + 3")]).await.expect(StatusCode::SEE_OTHER);
        assert!(text_in(&answer_after(&ada, &said.chat, at).await).contains("**23**"));
        assert_eq!(messages(&ada, &said.chat).await.len(), 2);
    }

    async fn another_agent_answers_instead(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "what is 6 * 7").await;
        let first = answer_after(&ada, &said.chat, 0).await;
        let (id, chat) = (text_of(&first["id"]), format!("/chat/{}", said.chat));
        let page = ada.get(&format!("{chat}/retry?message={id}")).await.expect(StatusCode::OK);
        page.says("name=\"to\" value=\"@plexus/guide\"");
        let wrong = ada.post(&format!("{chat}/retry"), &[("message", &id), ("to", "nobody")]).await;
        wrong.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Enter an address");

        let at = seq(&ada, &said.chat).await;
        let form = [("message", id.as_str()), ("to", "@plexus/guide")];
        ada.post(&format!("{chat}/retry"), &form).await.expect(StatusCode::SEE_OTHER);
        let second = answer_after(&ada, &said.chat, at).await;
        assert_eq!(second["author"]["address"], "@plexus/guide");
        assert_eq!((&second["parent"], &second["branch"]), (&first["parent"], &first["branch"]));
        ada.get(&chat).await.expect(StatusCode::OK).says("Answer 2 of 2");

        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "hello").await;
        let next = answer_after(&ada, &said.chat, at).await;
        assert_eq!(next["author"]["address"], "@plexus/guide", "the agent of the shown answer goes on");
        let at = seq(&ada, &said.chat).await;
        let retry = format!("/messages/{}/retry?to=@plexus/calc", text_of(&next["id"]));
        ada.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
        assert_eq!(answer_after(&ada, &said.chat, at).await["author"]["address"], "@plexus/calc");
    }

    async fn a_chat_is_forked_from_a_message(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "side = 3 m").await;
        let first = answer_after(&ada, &said.chat, 0).await;
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "side^3").await;
        answer_after(&ada, &said.chat, at).await;

        let path = format!("/messages/{}/fork", text_of(&first["id"]));
        eve.call(Method::POST, &path, &json!({})).await.expect(StatusCode::NOT_FOUND);
        let question = format!("/messages/{}/fork", said.message);
        ada.call(Method::POST, &question, &json!({})).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let forked = ada.call(Method::POST, &path, &json!({})).await.expect(StatusCode::CREATED).json();
        let copy = text_of(&forked["chat"]);
        assert_ne!(copy, said.chat);
        let copied = messages(&ada, &copy).await;
        let texts: Vec<_> = copied.iter().map(text_in).collect();
        assert_eq!(texts, ["side = 3 m", "`side = 3 m` = **3 m**"]);
        assert_ne!(copied[1]["id"], first["id"]);
        let at = seq(&ada, &copy).await;
        ada.say(&copy, "side^2").await;
        let answer = answer_after(&ada, &copy, at).await;
        assert_eq!(text_in(&answer), "`side^2` = **9 m^2**", "the copy goes on with the same agent");
        assert_eq!(messages(&ada, &said.chat).await.len(), 4, "the original is as it was");

        let id = text_of(&first["id"]);
        let form = [("message", id.as_str())];
        let opened = ada.post(&format!("/chat/{}/fork", said.chat), &form).await.expect(StatusCode::SEE_OTHER);
        ada.get(opened.location()).await.expect(StatusCode::OK).says("<strong>3 m</strong>");
        ada.call(Method::DELETE, &format!("/chats/{}", said.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(messages(&ada, &copy).await.len(), 4, "the copy stays when the original is deleted");
    }

    async fn a_message_is_deleted(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "secret = 5").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        let path = format!("/messages/{}", said.message);
        eve.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NOT_FOUND);
        let mut screen = Screen::from(seq(&ada, &said.chat).await);
        let mut events = Events::open(&ada, &said.chat, seq(&ada, &said.chat).await).await;
        let bytes = hub.number("select bytes from chats").await;
        ada.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        ada.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        crate::events::read_to_end(&mut events, &mut screen).await;
        assert_eq!(screen.messages[&said.message].state, "deleted", "open pages hear of it");
        assert!(hub.number("select bytes from chats").await < bytes);
        assert_eq!(hub.number("select count(*) from parts").await, 1, "only the answer is stored");
        let shown = messages(&ada, &said.chat).await;
        assert_eq!((&shown[0]["state"], &shown[0]["parts"]), (&json!("deleted"), &json!([])));

        let chat = format!("/chat/{}", said.chat);
        let id = text_of(&answer["id"]);
        ada.get(&format!("{chat}/delete-message?message={id}")).await.expect(StatusCode::OK).says("Delete permanently");
        ada.post(&format!("{chat}/delete-message"), &[("message", &id)]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get(&chat).await.expect(StatusCode::OK);
        assert_eq!(page.body.matches("This message was deleted.").count(), 2);
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "secret + 1").await;
        let next = answer_after(&ada, &said.chat, at).await;
        assert!(text_in(&next).contains("unknown identifier"), "agents do not see deleted messages: {next}");
    }

    async fn an_answer_in_progress_is_not_deleted_forked_or_edited_away(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &crate::chat::sheet()).await;
        let mut screen = Screen::default();
        let mut events = Events::open(&ada, &said.chat, 0).await;
        read_text(&mut events, &mut screen, 100).await;
        let (open, _) = screen.answer();
        ada.call(Method::DELETE, &format!("/messages/{open}"), &json!({})).await.expect(StatusCode::CONFLICT);
        ada.call(Method::POST, &format!("/messages/{open}/fork"), &json!({})).await.expect(StatusCode::CONFLICT);
        let edit = json!({ "id": new_id(), "edits": said.message, "text": "1" });
        ada.try_say(&said.chat, &edit).await.expect(StatusCode::CONFLICT);
        ada.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
    }
}

async fn messages(client: &Client, chat: &str) -> Vec<Value> {
    client.api(&format!("/chats/{chat}")).await["messages"].as_array().cloned().expect("messages")
}
