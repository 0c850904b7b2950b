//! Tests of stored answers at `/v1/responses/{id}`, and of paths and methods below `/v1` that do not exist.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    clerk,
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    tokens::make,
};

const RESPONSES: &str = "/v1/responses";

async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

async fn post(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(client.request(Method::POST, path).json(body)).await
}

async fn respond(client: &Client, body: &Value) -> Value {
    post(client, RESPONSES, body).await.expect(StatusCode::OK).json()
}

fn path_of(response: &Value) -> String {
    format!("{RESPONSES}/{}", text_of(&response["id"]))
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.send(client.request(Method::DELETE, path)).await
}

on_both! {
    async fn an_answer_that_is_not_stored_is_not_returned_again(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let told = respond(&ada, &json!({ "model": "plexus/calc", "input": "6 * 7", "store": false })).await;
        assert_eq!(told["store"], json!(false));
        ada.get(&path_of(&told)).await.expect(StatusCode::NOT_FOUND);
        ada.get(&format!("{}/input_items", path_of(&told))).await.expect(StatusCode::NOT_FOUND);
        let next = json!({ "model": "plexus/calc", "input": "1", "previous_response_id": told["id"] });
        post(&ada, RESPONSES, &next).await.expect(StatusCode::NOT_FOUND);

        let kept = respond(&ada, &json!({ "model": "plexus/calc", "input": "6 * 7" })).await;
        ada.get(&path_of(&kept)).await.expect(StatusCode::OK);
    }

    async fn a_deleted_answer_is_gone_and_the_others_stay(hub: &Hub) {
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        let first = respond(&ada, &json!({ "model": "plexus/calc", "input": "6 * 7" })).await;
        let next = json!({ "model": "plexus/calc", "input": "1 + 1", "previous_response_id": first["id"] });
        let second = respond(&ada, &next).await;
        delete(&eve, &path_of(&first)).await.expect(StatusCode::NOT_FOUND);

        let said = delete(&ada, &path_of(&first)).await.expect(StatusCode::OK).json();
        assert_eq!(said, json!({ "id": first["id"], "object": "response.deleted", "deleted": true }));
        ada.get(&path_of(&first)).await.expect(StatusCode::NOT_FOUND);
        delete(&ada, &path_of(&first)).await.expect(StatusCode::NOT_FOUND);
        post(&ada, RESPONSES, &next).await.expect(StatusCode::NOT_FOUND);
        ada.get(&path_of(&second)).await.expect(StatusCode::OK);

        let only = respond(&ada, &json!({ "model": "plexus/calc", "input": "2 + 2" })).await;
        delete(&ada, &path_of(&only)).await.expect(StatusCode::OK);
        ada.get(&path_of(&only)).await.expect(StatusCode::NOT_FOUND);
    }

    async fn the_input_of_an_answer_is_listed_in_pages(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let input = json!([
            { "role": "user", "content": "1 + 1" },
            { "role": "assistant", "content": "2" },
            { "role": "user", "content": "6 * 7" },
        ]);
        let told = respond(&ada, &json!({ "model": "plexus/calc", "input": input, "conversation": "sums" })).await;
        assert_eq!(told["conversation"], json!({ "id": "sums" }));
        let path = format!("{}/input_items", path_of(&told));
        let list = ada.get(&path).await.expect(StatusCode::OK).json();
        let texts: Vec<_> = list["data"].as_array().expect("items").iter().map(|item| text_of(&item["content"][0]["text"])).collect();
        assert_eq!((texts, &list["has_more"]), (vec!["6 * 7".to_owned(), "2".to_owned(), "1 + 1".to_owned()], &json!(false)));
        let page = ada.get(&format!("{path}?order=asc&limit=1")).await.expect(StatusCode::OK).json();
        assert_eq!((&page["has_more"], &page["data"][0]["role"]), (&json!(true), &json!("user")));
        let after = format!("{path}?order=asc&limit=1&after={}", text_of(&page["last_id"]));
        let page = ada.get(&after).await.expect(StatusCode::OK).json();
        assert_eq!(page["data"][0]["role"], json!("assistant"));
        ada.get(&format!("{path}?limit=x")).await.expect(StatusCode::BAD_REQUEST);
    }

    async fn a_background_answer_is_polled_or_cancelled(hub: &Hub) {
        let mut agent = Agent::start().await;
        let boss = hub.administrator("boss").await;
        clerk::register(&boss, &agent.url, "puppet").await;
        let program = boss.with_token(&make(&boss, &["chat", "read"]).await);
        let body = json!({ "model": "boss/puppet", "input": "Hello", "background": true });
        let begun = respond(&program, &body).await;
        assert_eq!((&begun["status"], &begun["background"], &begun["output"]), (&json!("in_progress"), &json!(true), &json!([])));
        let call = agent.called().await;
        call.begin_task().await;
        let polled = program.get(&path_of(&begun)).await.expect(StatusCode::OK).json();
        assert_eq!(polled["status"], json!("in_progress"));
        call.artifact("Good day.").await;
        call.complete().await;
        let done = loop {
            let polled = program.get(&path_of(&begun)).await.expect(StatusCode::OK).json();
            if polled["status"] != "in_progress" {
                break polled;
            }
        };
        assert_eq!((&done["status"], &done["output"][0]["content"][0]["text"]), (&json!("completed"), &json!("Good day.")));

        let begun = respond(&program, &body).await;
        let call = agent.called().await;
        call.begin_task().await;
        let cancelled = post(&program, &format!("{}/cancel", path_of(&begun)), &json!({})).await.expect(StatusCode::OK).json();
        assert_eq!(cancelled["status"], json!("cancelled"));
        let again = program.get(&path_of(&begun)).await.expect(StatusCode::OK).json();
        assert_eq!(again["status"], json!("cancelled"));
        delete(&program, &path_of(&begun)).await.expect(StatusCode::OK);
    }

    async fn every_path_and_method_answers_in_the_shape_of_the_protocol(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for (method, path, status) in [
            (Method::GET, "/v1", StatusCode::NOT_FOUND),
            (Method::POST, "/v1/", StatusCode::NOT_FOUND),
            (Method::POST, "/v1/embeddings", StatusCode::NOT_FOUND),
            (Method::GET, "/v1/responses/resp_x/nothing", StatusCode::NOT_FOUND),
            (Method::DELETE, "/v1/responses/resp_x", StatusCode::NOT_FOUND),
            (Method::GET, "/v1/chat/completions", StatusCode::METHOD_NOT_ALLOWED),
            (Method::PUT, "/v1/responses", StatusCode::METHOD_NOT_ALLOWED),
            (Method::POST, "/v1/responses/resp_x", StatusCode::METHOD_NOT_ALLOWED),
            (Method::POST, "/v1/models", StatusCode::METHOD_NOT_ALLOWED),
            (Method::DELETE, "/v1/models/plexus/calc", StatusCode::METHOD_NOT_ALLOWED),
            (Method::GET, "/v1/responses/resp_x/cancel", StatusCode::METHOD_NOT_ALLOWED),
        ] {
            let answer = ada.send(ada.request(method.clone(), path)).await;
            let has_allow = !answer.header("allow").is_empty();
            let said = answer.expect(status).json();
            assert!(!text_of(&said["error"]["message"]).is_empty() && said["error"]["type"].is_string(), "{method} {path}: {said}");
            assert_eq!(has_allow, status == StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        }
    }
}
