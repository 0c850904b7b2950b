//! Tests of feedback on answers: given, changed and taken back by a member of the chat, counted for the owner.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    clerk,
    client::{Answer, Client, new_id, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    tokens::make,
};

const OF_CLERK: &str = "/agents/grace/clerk/feedback";

on_both! {
    async fn feedback_is_given_changed_and_taken_back_and_counts_once(hub: &Hub) {
        let (grace, ada) = world(hub).await;
        let answer = answered(&ada).await;
        let up = json!({ "rating": "up", "reason": "correct", "comment": " Right.\n", "shown_to_owner": true });
        for _ in 0..3 {
            give(&ada, &answer, &up).await.expect(StatusCode::NO_CONTENT);
        }
        let own = ada.api(&format!("/messages/{answer}/feedback")).await;
        assert_eq!(own, json!({ "message": answer, "is_remote": false, "rating": "up", "reason": "correct", "comment": "Right.", "shown_to_owner": true }));
        let seen = grace.api(OF_CLERK).await;
        assert_eq!(seen["weeks"].as_array().map(Vec::len), Some(12));
        assert_eq!(counts(&seen), (1, 0));
        assert_eq!(seen["comments"][0]["comment"], "Right.");

        give(&ada, &answer, &json!({ "rating": "down" })).await.expect(StatusCode::NO_CONTENT);
        let seen = grace.api(OF_CLERK).await;
        assert_eq!((counts(&seen), &seen["comments"]), ((0, 1), &json!([])));
        for _ in 0..2 {
            ada.call(Method::DELETE, &format!("/messages/{answer}/feedback"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        }
        assert!(ada.api(&format!("/messages/{answer}/feedback")).await["rating"].is_null());
        assert_eq!(counts(&grace.api(OF_CLERK).await), (0, 0));
    }

    async fn the_owner_reads_only_what_may_be_read(hub: &Hub) {
        let (grace, ada) = world(hub).await;
        let (first, second) = (answered(&ada).await, answered(&ada).await);
        let hidden = json!({ "rating": "down", "reason": "incorrect", "comment": "Only for me." });
        give(&ada, &first, &hidden).await.expect(StatusCode::NO_CONTENT);
        let shown = json!({ "rating": "down", "reason": "slow", "comment": "<script>alert(1)</script>", "shown_to_owner": true });
        give(&ada, &second, &shown).await.expect(StatusCode::NO_CONTENT);
        let seen = grace.api(OF_CLERK).await;
        assert_eq!(counts(&seen), (0, 2));
        assert_eq!(seen["comments"].as_array().map(Vec::len), Some(1), "{seen}");
        assert_eq!((&seen["comments"][0]["reason"], &seen["comments"][0]["comment"]), (&json!("slow"), &json!("<script>alert(1)</script>")));
        let page = grace.get("/@grace/clerk/feedback").await.expect(StatusCode::OK);
        page.says("Too slow");
        page.says("&lt;script&gt;alert(1)");
        for private in ["Only for me.", "Incorrect", ">ada<", &first, &second] {
            assert!(!page.body.contains(private) && !seen.to_string().contains(private), "{private}: {}", page.body);
        }
        for other in [&ada, &hub.person("eve").await] {
            other.get(&format!("/api/v1{OF_CLERK}")).await.expect(StatusCode::FORBIDDEN);
            other.get("/@grace/clerk/feedback").await.expect(StatusCode::FORBIDDEN);
        }
        hub.visitor().get("/@grace/clerk/feedback").await.expect(StatusCode::SEE_OTHER);

        ada.call(Method::DELETE, &format!("/messages/{second}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let seen = grace.api(OF_CLERK).await;
        assert_eq!((counts(&seen), &seen["comments"]), ((0, 1), &json!([])), "a deleted answer is not rated");
    }

    async fn only_members_rate_and_only_answers_are_rated(hub: &Hub) {
        let (grace, ada) = world(hub).await;
        let said = ada.begin("@grace/clerk", "Hello").await;
        let answer = text_of(&answer_after(&ada, &said.chat, 0).await["id"]);
        let up = json!({ "rating": "up" });
        for other in [&grace, &hub.person("eve").await] {
            give(other, &answer, &up).await.expect(StatusCode::NOT_FOUND);
            other.get(&format!("/api/v1/messages/{answer}/feedback")).await.expect(StatusCode::NOT_FOUND);
            other.post(&format!("/chat/{}/feedback", said.chat), &[("message", &answer), ("rating", "up")]).await.expect(StatusCode::NOT_FOUND);
        }
        give(&hub.visitor(), &answer, &up).await.expect(StatusCode::UNAUTHORIZED);
        give(&ada.with_token(&make(&ada, &["read"]).await), &answer, &up).await.expect(StatusCode::FORBIDDEN);
        give(&ada, &said.message, &up).await.expect(StatusCode::CONFLICT);
        give(&ada, &new_id().to_string(), &up).await.expect(StatusCode::NOT_FOUND);
        for (wrong, field) in [
            (json!({ "rating": "up", "reason": "slow" }), "reason"),
            (json!({ "rating": "up", "comment": "x".repeat(1_001) }), "comment"),
        ] {
            let refused = give(&ada, &answer, &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(refused.json()["error"]["field"], field);
        }
        assert_eq!(hub.number("select count(*) from message_feedback").await, 0);
        give(&ada, &answer, &up).await.expect(StatusCode::NO_CONTENT);
        ada.call(Method::DELETE, &format!("/chats/{}", said.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(hub.number("select count(*) from message_feedback").await, 0);
    }

    async fn forms_do_what_the_api_does(hub: &Hub) {
        let (grace, ada) = world(hub).await;
        let said = ada.begin("@grace/clerk", "Hello").await;
        let answer = text_of(&answer_after(&ada, &said.chat, 0).await["id"]);
        let (chat, form) = (format!("/chat/{}", said.chat), format!("/chat/{}/feedback", said.chat));
        ada.get(&chat).await.expect(StatusCode::OK).says("aria-pressed=\"false\"");
        let rated = ada.post(&form, &[("message", &answer), ("rating", "down")]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get(rated.location()).await.expect(StatusCode::OK);
        page.says("Feedback saved. You can add a reason.");
        let details = [("message", answer.as_str()), ("rating", "down"), ("detail", "yes"), ("reason", "incomplete"), ("comment", "Half \"of\" it"), ("shown", "yes")];
        let saved = ada.post(&form, &details).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(saved.location(), format!("{chat}?m={answer}"));
        let page = ada.get(saved.location()).await.expect(StatusCode::OK);
        assert_eq!(page.body.matches("aria-pressed=\"true\"").count(), 1);
        ada.post(&form, &[("message", &answer), ("rating", "down")]).await.expect(StatusCode::SEE_OTHER);
        let kept = ada.api(&format!("/messages/{answer}/feedback")).await;
        assert_eq!((&kept["comment"], &kept["shown_to_owner"]), (&json!("Half \"of\" it"), &json!(true)), "the same rating keeps its reason");
        let mut wrong = details;
        wrong[1].1 = "up";
        let refused = ada.post(&form, &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("fits the rating");
        refused.says("Half \"of\" it</textarea>");
        grace.get("/@grace/clerk/feedback").await.expect(StatusCode::OK).says("Half \"of\" it");
        let back = ada.post(&form, &[("message", &answer), ("rating", "none")]).await.expect(StatusCode::SEE_OTHER);
        ada.get(back.location()).await.expect(StatusCode::OK).says("Feedback taken back");
        assert_eq!(hub.number("select count(*) from message_feedback").await, 0);
    }

    async fn feedback_on_an_agent_of_another_hub_stays_here(hub: &Hub) {
        let (_, ada) = world(hub).await;
        let said = ada.begin("@grace/clerk", "Hello").await;
        let answer = text_of(&answer_after(&ada, &said.chat, 0).await["id"]);
        let far = "insert into hubs (id, domain, state, head_seq, last_seen_at) values ({id}, 'far.example', 'probation', 0, 0)";
        hub.sql(&far.replace("{id}", hub.new_id())).await;
        hub.sql("update agents set namespace = null, hub = (select id from hubs where domain = 'far.example') where name = 'clerk'").await;
        let shown = json!({ "rating": "down", "comment": "Hm.", "shown_to_owner": true });
        give(&ada, &answer, &shown).await.expect(StatusCode::NO_CONTENT);
        let own = ada.api(&format!("/messages/{answer}/feedback")).await;
        assert_eq!((&own["is_remote"], &own["shown_to_owner"], &own["comment"]), (&json!(true), &json!(false), &json!("Hm.")));
        let page = ada.get(&format!("/chat/{}/feedback?message={answer}", said.chat)).await.expect(StatusCode::OK);
        page.says("Your feedback is kept on this hub.");
        assert!(!page.body.contains("name=\"shown\""), "{}", page.body);
    }

    async fn feedback_is_given_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_FEEDBACK", "1/1h")]) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let answer = text_of(&answer_after(&ada, &said.chat, 0).await["id"]);
        give(&ada, &answer, &json!({ "rating": "up" })).await.expect(StatusCode::NO_CONTENT);
        give(&ada, &answer, &json!({ "rating": "up" })).await.refusal(StatusCode::TOO_MANY_REQUESTS);
    }
}

/// Creates the administrator grace with the public agent `@grace/clerk`, and the user ada.
async fn world(hub: &Hub) -> (Client, Client) {
    let grace = hub.administrator("grace").await;
    let url = clerk::serve(vec![clerk::words("Good day.")]).await;
    clerk::register(&grace, &url, "clerk").await;
    (grace, hub.person("ada").await)
}

/// Returns the id of a new answer of the clerk.
async fn answered(client: &Client) -> String {
    let said = client.begin("@grace/clerk", "Hello").await;
    text_of(&answer_after(client, &said.chat, 0).await["id"])
}

async fn give(client: &Client, message: &str, body: &Value) -> Answer {
    client.call(Method::PUT, &format!("/messages/{message}/feedback"), body).await
}

/// Returns the sums over all weeks.
fn counts(feedback: &Value) -> (u64, u64) {
    let weeks = feedback["weeks"].as_array().expect("weeks");
    let sum = |rating: &str| weeks.iter().filter_map(|week| week[rating].as_u64()).sum();
    (sum("up"), sum("down"))
}
