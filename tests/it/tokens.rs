//! Tests of API tokens: scopes, expiry, revocation.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::{Client, new_id},
    hub::{Hub, on_both},
};

on_both! {
    async fn a_token_is_shown_once_and_good_for_its_scopes(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["read"]).await;
        assert!(!ada.get("/settings/tokens").await.body.contains(&token), "it is not shown again");

        let reader = ada.with_token(&token);
        reader.get("/api/v1/chats").await.expect(StatusCode::OK);
        let new = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1 + 1" });
        let (code, words) = reader.call(Method::POST, "/chats", &new).await.refusal(StatusCode::FORBIDDEN);
        assert_eq!(code, "forbidden");
        assert!(words.contains("\"chat\""), "{words}");

        let writer = ada.with_token(&make(&ada, &["chat"]).await);
        writer.call(Method::POST, "/chats", &new).await.expect(StatusCode::CREATED);
        writer.get("/api/v1/chats").await.expect(StatusCode::FORBIDDEN);
    }

    async fn a_token_ends(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["read"]).await);
        program.get("/api/v1/chats").await.expect(StatusCode::OK);
        hub.sql("update api_tokens set expires_at = 1").await;
        let (code, _) = program.get("/api/v1/chats").await.refusal(StatusCode::UNAUTHORIZED);
        assert_eq!(code, "unauthenticated");

        let program = ada.with_token(&make(&ada, &["read"]).await);
        let newest = newest(&ada).await;
        let id = [("id", newest.as_str())];
        hub.person("eve").await.post("/settings/tokens/revoke", &id).await.expect(StatusCode::NOT_FOUND);
        program.get("/api/v1/chats").await.expect(StatusCode::OK);
        ada.post("/settings/tokens/revoke", &id).await.expect(StatusCode::SEE_OTHER);
        program.get("/api/v1/chats").await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn a_token_that_is_none_is_refused_and_the_cookie_beside_it_ignored(hub: &Hub) {
        let ada = hub.person("ada").await;
        for wrong in ["plx_made-up", "", "plx_", "a b"] {
            let request = ada.request(Method::GET, "/api/v1/chats");
            let answer = ada.send(request.header("authorization", format!("Bearer {wrong}"))).await;
            answer.expect(StatusCode::UNAUTHORIZED);
        }
        hub.visitor().get("/api/v1/chats").await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn tokens_stay_valid_when_the_public_url_changes(hub: &Hub) {
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["read"]).await);
        hub.sql("update api_tokens set audience = 'https://earlier.example:8443/'").await;
        program.get("/api/v1/chats").await.expect(StatusCode::OK);
        hub.sql("update api_tokens set audience = 'https://earlier.example:8443/mcp'").await;
        let (_, words) = program.get("/api/v1/chats").await.refusal(StatusCode::UNAUTHORIZED);
        assert!(words.contains(&format!("{}/mcp", hub.origin())), "{words}");
    }

    async fn a_token_opens_no_page_and_makes_no_token(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["read", "chat", "agents", "team", "admin"]).await;
        let program = ada.with_token(&token);
        program.get("/settings/account").await.expect(StatusCode::SEE_OTHER);
        program.post("/settings/tokens", &[("name", "more"), ("scope", "read")]).await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn a_token_is_chosen_with_care(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (fields, field) in [
            (vec![("name", ""), ("scope", "read")], "name"),
            (vec![("name", "report")], "scope"),
            (vec![("name", "report"), ("scope", "everything")], "scope"),
            (vec![("name", "report"), ("scope", "read"), ("days", "0")], "days"),
            (vec![("name", "report"), ("scope", "read"), ("days", "4000")], "days"),
            (vec![("name", "report"), ("scope", "read"), ("days", "many")], "days"),
        ] {
            let refused = ada.post("/settings/tokens", &fields).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            refused.says(&format!("href=\"#f-{field}\""));
        }
    }
}

pub async fn make(client: &Client, scopes: &[&str]) -> String {
    let scopes = scopes.iter().map(|scope| ("scope", *scope));
    let fields: Vec<(&str, &str)> = [("name", "report"), ("days", "30")].into_iter().chain(scopes).collect();
    let page = client.post("/settings/tokens", &fields).await.expect(StatusCode::OK).body;
    let at = page.find("plx_").expect("the token is shown");
    page[at..].chars().take_while(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '-')).collect()
}

/// Returns the id of the newest token on the page.
pub async fn newest(client: &Client) -> String {
    let page = client.get("/settings/tokens").await.body;
    let newest = page.split("name=\"id\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    newest.expect("a button for each").to_owned()
}
