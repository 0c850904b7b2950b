//! Tests of links to files in answers that are plain text: they open in a browser of the caller, and nowhere
//! without their signature.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    hub::{Hub, on_both},
    mcp_answers::register_clerk,
    tokens::make,
};

const TABLE: &str = "high,low\n4,9\n";
const CHAT: &str = "/v1/chat/completions";

on_both! {
    async fn links_of_answers_open_for_their_caller_alone(hub: &Hub) {
        let boss = register_clerk(hub, "accounts").await;
        let ada = program(hub, "ada").await;
        let mut links = Vec::new();
        for answer in answers(&ada).await {
            let (table, picture) = linked(hub, &answer);
            let file = hub.visitor().get(&table).await.expect(StatusCode::OK);
            assert_eq!((file.body.as_str(), file.header("cache-control")), (TABLE, "private, no-store"));
            let shown = hub.visitor().get(&picture).await.expect(StatusCode::OK);
            assert_eq!((shown.header("content-type"), shown.header("content-disposition")), ("image/png", "inline; filename*=UTF-8''tide.png"));
            let (plain, signature) = table.split_once('?').expect("a signature");
            hub.visitor().get(plain).await.expect(StatusCode::UNAUTHORIZED);
            let (start, last) = signature.split_at(signature.len() - 1);
            let other = if last == "0" { "1" } else { "0" };
            hub.visitor().get(&format!("{plain}?{start}{other}")).await.expect(StatusCode::NOT_FOUND);
            hub.visitor().get(&table.replace("until=", "until=9")).await.expect(StatusCode::NOT_FOUND);
            links.push(table);
        }
        let stored = json!({ "model": "boss/clerk", "input": "The tides" });
        let id = text_of(&post(&ada, "/v1/responses", &stored).await["id"]);
        let again = ada.get(&format!("/v1/responses/{id}")).await.expect(StatusCode::OK).json();
        let (table, _) = linked(hub, &text_of(&again["output"][0]["content"][0]["text"]));
        assert_eq!(hub.visitor().get(&table).await.expect(StatusCode::OK).body, TABLE);
        let more = json!({ "model": "boss/clerk", "input": "And now?", "previous_response_id": id });
        let more = text_of(&post(&ada, "/v1/responses", &more).await["id"]);
        let items = ada.get(&format!("/v1/responses/{more}/input_items")).await.expect(StatusCode::OK).json();
        let (table, _) = linked(hub, &items["data"][1]["content"].to_string());
        assert_eq!(hub.visitor().get(&table).await.expect(StatusCode::OK).body, TABLE);

        let account = hub.account("ada").await;
        boss.post(&format!("/admin/users/{account}"), &[("action", "suspend")]).await.expect(StatusCode::SEE_OTHER);
        for link in links {
            hub.visitor().get(&link).await.expect(StatusCode::NOT_FOUND);
        }
    }

    async fn links_of_an_open_agent_need_no_signature(hub: &Hub) {
        register_clerk(hub, "open").await;
        let visitor = hub.visitor();
        for answer in answers(&visitor).await {
            let (table, _) = linked(hub, &answer);
            assert!(!table.contains('?'), "{table}");
            assert_eq!(visitor.get(&table).await.expect(StatusCode::OK).body, TABLE);
        }
    }

    async fn a_conversation_with_links_goes_on(hub: &Hub) {
        register_clerk(hub, "accounts").await;
        let ada = program(hub, "ada").await;
        let question = json!({ "role": "user", "content": "The tides" });
        let first = post(&ada, CHAT, &json!({ "model": "boss/clerk", "messages": [question] })).await;
        // The signature of another day.
        let text = text_of(&first["choices"][0]["message"]["content"]).replace("until=1", "until=2");
        let answer = json!({ "role": "assistant", "content": text });
        let next = json!({ "role": "user", "content": "And now?" });
        post(&ada, CHAT, &json!({ "model": "boss/clerk", "messages": [question, answer, next] })).await;
        assert_eq!(hub.number("select count(*) from chats where kind = 'api'").await, 1, "it is one conversation");
    }
}

async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

async fn post(client: &Client, path: &str, body: &Value) -> Value {
    client.send(client.request(Method::POST, path).json(body)).await.expect(StatusCode::OK).json()
}

/// Returns the text of an answer over each protocol.
async fn answers(client: &Client) -> [String; 3] {
    let messages = json!([{ "role": "user", "content": "The tides" }]);
    let body = json!({ "model": "boss/clerk", "messages": messages, "max_tokens": 9_000 });
    let chat = post(client, CHAT, &body).await;
    let message = post(client, "/v1/messages", &body).await;
    let response =
        post(client, "/v1/responses", &json!({ "model": "boss/clerk", "input": "The tides" })).await;
    [
        text_of(&chat["choices"][0]["message"]["content"]),
        text_of(&message["content"][0]["text"]),
        text_of(&response["output"][0]["content"][0]["text"]),
    ]
}

/// Returns the paths of the link to the table and of the first image.
fn linked(hub: &Hub, text: &str) -> (String, String) {
    let link = |label: &str| {
        let (_, rest) = text.split_once(label).unwrap_or_else(|| panic!("{label}: {text}"));
        let (url, _) = rest.split_once(')').expect("a link");
        url.strip_prefix(hub.origin()).expect("at the hub").to_owned()
    };
    (link("[tide.csv]("), link("![tide.png]("))
}
