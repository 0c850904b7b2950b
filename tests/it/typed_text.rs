//! Tests of what people typed: it is shown as it was written, and a word is an address only where an agent has it.

use axum::{Json, Router, routing::post};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Answer, Client, new_id, text_of},
    events::{answer_after, text_in},
    http_endpoints::serve,
    hub::{Hub, on_both},
    tokens::make,
};

/// Registers `@grace/echo`, which answers with the message that it got.
async fn echo(hub: &Hub) -> Client {
    let origin = serve(Router::new().route("/", post(async |Json(body): Json<Value>| Json(body)))).await;
    let grace = hub.administrator("grace").await;
    let request = json!({ "url": origin, "body": { "said": "{{message}}" }, "response_path": "/said" });
    let new = json!({ "request": request, "name": "echo", "visibility": "public", "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    grace
}

/// Opens the page of an agent by the public name of the hub.
async fn page(hub: &Hub, address: &str) -> Answer {
    let visitor = hub.visitor();
    let request = visitor.request(Method::GET, &format!("/{address}")).header(header::HOST, "hub.example");
    visitor.send(request).await
}

on_both! {
    async fn a_message_is_shown_as_it_was_typed(hub: &Hub) {
        let ada = hub.person("ada").await;
        for text in ["2*3*4*5 __init__", "# x\n\n  1) 2+2", "大约3~5天，价格100~200元", "C:\\_new\\*t $a*b*c$"] {
            let said = ada.begin("@plexus/guide", text).await;
            answer_after(&ada, &said.chat, 0).await;
            let page = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
            page.says(&format!("<div class=\"typed\" dir=\"auto\">{text}</div>"));
        }
    }

    async fn a_word_that_is_no_agent_is_text(hub: &Hub) {
        echo(hub).await;
        let ada = hub.person("ada").await;
        for text in ["@types/node fails to install", "@angular/core NG0900", "@tanstack/react-query: why?"] {
            let said = ada.begin("@grace/echo", text).await;
            assert_eq!(text_in(&answer_after(&ada, &said.chat, 0).await), text);
            let at = seq(&ada, &said.chat).await;
            ada.say(&said.chat, text).await;
            let answer = answer_after(&ada, &said.chat, at).await;
            assert_eq!((text_in(&answer), &answer["author"]["address"]), (text, &json!("@grace/echo")));
        }
        let body = json!({ "id": new_id(), "text": "@types/node fails to install" });
        let made = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        let answer = answer_after(&ada, &text_of(&made["chat"]), 0).await;
        assert_eq!(answer["author"]["address"], "@plexus/guide");
    }

    async fn a_chat_that_names_its_agent_is_not_routed_by_its_text(hub: &Hub) {
        echo(hub).await;
        let ada = hub.person("ada").await;
        let said = ada.begin("@grace/echo", "@plexus/calc 2 + 2").await;
        let answer = answer_after(&ada, &said.chat, 0).await;
        assert_eq!((text_in(&answer), &answer["author"]["address"]), ("@plexus/calc 2 + 2", &json!("@grace/echo")));
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "@plexus/calc 2 + 2").await;
        let answer = answer_after(&ada, &said.chat, at).await;
        assert_eq!((text_in(&answer), &answer["author"]["address"]), ("`2 + 2` = **4**", &json!("@plexus/calc")));
    }

    async fn a_call_of_a_program_keeps_its_text(hub: &Hub) {
        echo(hub).await;
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["chat", "read"]).await);
        for text in ["@types/node fails", "@grace/echo is what I ask about", "@plexus/calc 2 + 2"] {
            let asked = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": {
                "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": text }] } } });
            let request = program.request(Method::POST, "/a2a/grace/echo/").header("A2A-Version", "1.0");
            let request = request.header(header::CONTENT_TYPE, "application/json");
            let answer = program.send(request.body(asked.to_string())).await.expect(StatusCode::OK).json();
            let shown = &answer["result"]["task"]["artifacts"][0]["parts"][0]["text"];
            assert_eq!(shown, text, "{answer}");
            let request = program.request(Method::POST, "/v1/chat/completions");
            let request = request.header(header::CONTENT_TYPE, "application/json");
            let asked = json!({ "model": "grace/echo", "messages": [{ "role": "user", "content": text }] });
            let answer = program.send(request.body(asked.to_string())).await.expect(StatusCode::OK).json();
            assert_eq!(answer["choices"][0]["message"]["content"], text, "{answer}");
        }
    }

    async fn a_hub_knows_its_agents_by_their_full_address(hub: &Hub, [("PLEXUS_PUBLIC_URL", "https://hub.example")]) {
        for address in ["@plexus/calc@hub.example", "@plexus/calc@HUB.example"] {
            page(hub, address).await.expect(StatusCode::OK);
        }
        page(hub, "@plexus/calc@other.example").await.expect(StatusCode::NOT_FOUND);
    }
}
