//! Tests of the search over a person's chats.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    chat_lists::program,
    client::{Client, new_id, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
    rpc,
};

on_both! {
    async fn questions_and_answers_are_found_with_a_snippet(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "harbour = 3 m").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        let found = search(&ada, "harbo").await;
        let items = found["items"].as_array().expect("items");
        assert_eq!(items.len(), 2, "{found}");
        assert_eq!(items[0]["message"], answer["id"], "the newest first");
        assert_eq!(items[0]["author"]["address"], "@plexus/calc");
        assert_eq!((&items[1]["message"], &items[1]["chat"]), (&json!(said.message), &json!(said.chat)));
        assert_eq!(items[1]["title"], "harbour = 3 m");
        let snippet = json!([{ "text": "harbo", "match": true }, { "text": "ur = 3 m", "match": false }]);
        assert_eq!(items[1]["snippet"], snippet);
        assert_eq!(found["chats"][0]["id"], json!(said.chat), "its title has the word, too");
        let over_rpc = rpc::call(&program(&ada).await, "chats.search", json!({ "q": "harbo" })).await;
        assert_eq!(over_rpc, found, "the same as over /api/v1");

        let page = ada.get("/chat/search?q=harbo").await.expect(StatusCode::OK);
        page.says("<mark>harbo</mark>ur = 3 m");
        page.says(&format!("href=\"/chat/{0}?m={1}#m-{1}\"", said.chat, said.message));
        page.says("You, to calc");
        ada.get("/chat/search?q=absent").await.expect(StatusCode::OK).says("Nothing found");
        ada.get("/chat/search").await.expect(StatusCode::OK).says("Search chats");
    }

    async fn text_without_spaces_is_found_by_its_parts(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/guide", "请告诉我明天北京的天气预报").await;
        let cases = [("天气", true), ("天气预报", true), ("北京 天气", true), ("京", true), ("天报", false), ("上海", false)];
        for (words, is_found) in cases {
            assert_eq!(found_ids(&ada, words).await.contains(&said.message), is_found, "{words}");
        }
    }

    async fn symbols_and_quoted_phrases_are_found(hub: &Hub) {
        let ada = hub.person("ada").await;
        let texts = [
            "Explain C++ templates on .NET for $5 👍🏽",
            "Explain C templates of a net",
            "templates explain node.js ≠ deno",
        ];
        let mut said = Vec::new();
        for text in texts {
            said.push(ada.begin("@plexus/guide", text).await.message);
        }
        for (words, places) in [
            ("c++", vec![0]),
            ("C++ templates", vec![0]),
            (".net", vec![0]),
            ("$", vec![0]),
            ("👍", vec![0]),
            ("👍🏽", vec![0]),
            ("≠", vec![2]),
            ("node.js", vec![2]),
            ("c explain", vec![0, 1]),
            ("\"explain c\"", vec![0, 1]),
            ("\"explain c templates\"", vec![0, 1]),
            ("\"c++ templates\"", vec![0]),
            ("\"templates explain\"", vec![2]),
            ("???", vec![]),
            ("...", vec![]),
        ] {
            let found = found_ids(&ada, words).await;
            let expected: Vec<bool> = (0..said.len()).map(|place| places.contains(&place)).collect();
            let got: Vec<bool> = said.iter().map(|message| found.contains(message)).collect();
            assert_eq!(got, expected, "{words}");
        }
        ada.get("/chat/search?q=%3F%3F%3F").await.expect(StatusCode::OK).says("has only punctuation");
        ada.get("/agents?q=%3F%3F%3F").await.expect(StatusCode::OK).says("has only punctuation");
    }

    async fn only_ones_own_chats_are_searched(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "lighthouse = 3 m").await;
        answer_after(&ada, &said.chat, 0).await;
        let found = search(&eve, "lighthouse").await;
        assert_eq!((&found["items"], &found["chats"]), (&json!([]), &json!([])));
        hub.visitor().get("/api/v1/chats/search?q=lighthouse").await.expect(StatusCode::UNAUTHORIZED);
        hub.visitor().get("/chat/search?q=lighthouse").await.expect(StatusCode::SEE_OTHER);
    }

    async fn a_deleted_message_or_chat_is_not_found(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "lighthouse = 3 m").await;
        answer_after(&ada, &said.chat, 0).await;
        assert_eq!(found_ids(&ada, "lighthouse").await.len(), 2);
        let path = format!("/messages/{}", said.message);
        ada.call(Method::DELETE, &path, &json!({})).await.expect(StatusCode::NO_CONTENT);
        let left = found_ids(&ada, "lighthouse").await;
        assert!(left.len() == 1 && left[0] != said.message, "{left:?}");
        ada.call(Method::DELETE, &format!("/chats/{}", said.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(found_ids(&ada, "lighthouse").await, [""; 0]);
        assert_eq!(hub.number("select count(*) from message_terms").await, 0);
    }

    async fn results_come_in_pages(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "tide = 1 m").await;
        answer_after(&ada, &said.chat, 0).await;
        for _ in 0..12 {
            let at = seq(&ada, &said.chat).await;
            ada.say(&said.chat, "tide * 2").await;
            answer_after(&ada, &said.chat, at).await;
        }
        let first = search(&ada, "tide").await;
        let next = text_of(&first["next"]);
        let second = ada.api(&format!("/chats/search?q=tide&after={next}")).await;
        let mut all = ids(&first);
        assert_eq!(all.len(), 20);
        all.extend(ids(&second));
        assert_eq!((all.len(), &second["next"], &second["chats"]), (26, &Value::Null, &json!([])));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 26, "no message is on both pages");
        let page = ada.get("/chat/search?q=tide").await.expect(StatusCode::OK);
        page.says(&format!("href=\"/chat/search?q=tide&amp;after={next}\""));

        let long = "x".repeat(201);
        for wrong in [format!("q={long}"), "q=tide&after=1".to_owned()] {
            let path = format!("/api/v1/chats/search?{wrong}");
            ada.get(&path).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        ada.get(&format!("/chat/search?q={long}")).await.expect(StatusCode::OK).says("at most 200 characters");
    }

    async fn a_link_shows_an_old_message_on_its_branch(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "lighthouse = 3 m").await;
        answer_after(&ada, &said.chat, 0).await;
        for number in 0..35 {
            let at = seq(&ada, &said.chat).await;
            ada.say(&said.chat, &format!("{number} + 1")).await;
            answer_after(&ada, &said.chat, at).await;
        }
        let shown = |body: &str| body.contains(&format!("id=\"m-{}\"", said.message));
        let newest = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
        assert!(!shown(&newest.body), "it is on an older page");
        let linked = ada.get(&format!("/chat/{}?m={}", said.chat, said.message)).await.expect(StatusCode::OK);
        assert!(shown(&linked.body));
        linked.says("Newest messages");

        let edit = json!({ "id": new_id(), "edits": said.message, "text": "beacon = 4 m" });
        let at = seq(&ada, &said.chat).await;
        ada.try_say(&said.chat, &edit).await.expect(StatusCode::ACCEPTED);
        answer_after(&ada, &said.chat, at).await;
        let other = ada.get(&format!("/chat/{}?m={}", said.chat, said.message)).await.expect(StatusCode::OK);
        assert!(shown(&other.body), "on the branch before the edit");
    }

    async fn a_message_without_an_earlier_answer_goes_to_the_guide(hub: &Hub) {
        let ada = hub.person("ada").await;
        let first = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &first.chat, 0).await;
        let at = seq(&ada, &first.chat).await;
        let body = json!({ "id": new_id(), "parent": first.message, "fork": true, "text": "hello" });
        ada.try_say(&first.chat, &body).await.expect(StatusCode::ACCEPTED);
        let answer = answer_after(&ada, &first.chat, at).await;
        assert_eq!(answer["author"]["address"], "@plexus/guide", "{}", text_in(&answer));
    }
}

async fn search(client: &Client, words: &str) -> Value {
    let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("q", words).finish();
    client.api(&format!("/chats/search?{query}")).await
}

async fn found_ids(client: &Client, words: &str) -> Vec<String> {
    ids(&search(client, words).await)
}

fn ids(found: &Value) -> Vec<String> {
    found["items"].as_array().expect("items").iter().map(|item| text_of(&item["message"])).collect()
}
