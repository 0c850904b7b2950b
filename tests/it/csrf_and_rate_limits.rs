//! Tests of cross-site protection, host checks and rate limits.

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    client::{Answer, PASSWORD, new_id},
    hub::{Hub, on_both},
};

on_both! {
    async fn a_form_of_another_site_changes_nothing(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (name, value) in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "https://evil.example"), ("origin", "null")] {
            let request = ada.request(Method::POST, "/logout").header(name, value);
            ada.send(request).await.expect(StatusCode::FORBIDDEN);
            let request = ada.request(Method::POST, "/api/v1/chats").header(name, value).json(&json!({}));
            ada.send(request).await.expect(StatusCode::FORBIDDEN);
        }
        assert!(ada.is_signed_in().await);
        let link = ada.request(Method::GET, "/settings/account").header("sec-fetch-site", "cross-site");
        ada.send(link).await.expect(StatusCode::OK);
    }

    async fn the_hub_answers_to_its_own_name_only(hub: &Hub) {
        let visitor = hub.visitor();
        let port = hub.origin().rsplit_once(':').expect("a port").1.to_owned();
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "", "evil.example@127.0.0.1", &format!("127.0.0.1:{port}.evil.example")] {
            let request = visitor.request(Method::GET, "/login").header(header::HOST, host);
            let status = visitor.send(request).await.status;
            assert!(matches!(status.as_u16(), 400 | 421), "{host}: {status}");
        }
        for host in [format!("localhost:{port}"), format!("LOCALHOST:{port}")] {
            let request = visitor.request(Method::GET, "/login").header(header::HOST, host);
            visitor.send(request).await.expect(StatusCode::OK);
        }
    }

    async fn signing_in_too_often_says_when_to_come_back(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1")]) {
        let visitor = hub.visitor();
        let refused = until_refused(async || visitor.sign_in("nobody", "not the right password").await).await;
        refused.says("Too many sign-in attempts from here. Try again in");
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=20).contains(&wait), "{wait}");
        visitor.get("/login").await.expect(StatusCode::OK);
    }

    async fn signing_up_too_often_is_refused(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1")]) {
        for n in 0..5 {
            hub.person(&format!("person{n}")).await;
        }
        let refused = hub.visitor().post("/signup", &[("name", "one-more"), ("password", PASSWORD)]).await;
        refused.expect(StatusCode::TOO_MANY_REQUESTS).says("Too many new accounts from here.");
    }

    async fn sending_too_often_is_refused_and_the_text_kept(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_MAX_RUNS_PER_ACCOUNT", "1000")]) {
        let ada = hub.person("ada").await;
        let form = async || ada.post("/chat", &[("to", "@plexus/calc"), ("text", "40 + 2 keep me")]).await;
        let refused = until_refused(form).await;
        assert!(!refused.header("retry-after").is_empty());
        refused.says("40 + 2 keep me");
        let call = async || {
            let new = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1" });
            ada.call(Method::POST, "/chats", &new).await
        };
        let refused = until_refused(call).await;
        assert!(!refused.header("retry-after").is_empty());
        assert!(refused.json()["error"]["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0));
    }
}

/// Repeats an attempt until it is rate-limited. Many attempts may be needed: on a slow machine the limit
/// partly recovers meanwhile.
pub async fn until_refused(attempt: impl AsyncFn() -> Answer) -> Answer {
    for _ in 0..200 {
        let answer = attempt().await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            return answer;
        }
    }
    panic!("nothing was refused");
}
