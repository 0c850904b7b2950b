//! Tests of what a reverse proxy or another name of the machine adds to a request: credentials of the proxy,
//! and the Host header.

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    client::{Client, new_id, text_of},
    hub::{Hub, on_both},
    mcp::{BOTH, old},
    tokens::make,
};

/// Credentials that browsers repeat to a hub behind a proxy with a password.
const SCHEMES: [&str; 4] =
    ["Basic YWRhOmE=", "Digest username=\"ada\", realm=\"x\"", "Negotiate YIIZ", "NTLM TlRMTVNTUAAB"];

on_both! {
    async fn credentials_of_a_proxy_are_ignored_everywhere(hub: &Hub) {
        let (ada, visitor) = (hub.person("ada").await, hub.visitor());
        for scheme in SCHEMES {
            let new = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1 + 1" });
            let request = ada.request(Method::POST, "/api/v1/chats").header(header::AUTHORIZATION, scheme);
            ada.send(request.json(&new)).await.expect(StatusCode::CREATED);
            for path in ["/api/v1/chats", "/chat", "/settings/tokens"] {
                let request = ada.request(Method::GET, path).header(header::AUTHORIZATION, scheme);
                ada.send(request).await.expect(StatusCode::OK);
            }
            for path in ["/api/v1/agents", "/v1/models", "/ard/v1/agents", "/a2a/plexus/calc/.well-known/agent-card.json"] {
                let request = visitor.request(Method::GET, path).header(header::AUTHORIZATION, scheme);
                let bare = visitor.get(path).await.status;
                visitor.send(request).await.expect(bare);
            }
            for path in ["/mcp", "/mcp/plexus/calc"] {
                let request = old(&visitor, path, "tools/list", &json!({})).header(header::AUTHORIZATION, scheme);
                visitor.send(request).await.expect(StatusCode::OK);
            }
            let request = visitor.request(Method::GET, "/api/v1/chats").header(header::AUTHORIZATION, scheme);
            let refused = visitor.send(request).await.expect(StatusCode::UNAUTHORIZED);
            assert!(refused.header("www-authenticate").starts_with("Bearer scope="), "{scheme}");
        }
    }

    async fn the_scheme_of_a_token_is_read_in_any_case(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["read", "chat"]).await;
        let visitor = hub.visitor();
        for scheme in ["bearer", "BEARER", "bEaReR"] {
            for request in [
                visitor.request(Method::GET, "/api/v1/chats"),
                visitor.request(Method::GET, "/v1/models"),
                old(&visitor, "/mcp", "tools/list", &json!({})),
            ] {
                let request = request.header(header::AUTHORIZATION, format!("{scheme} {token}"));
                visitor.send(request).await.expect(StatusCode::OK);
            }
        }
        let request = visitor.request(Method::GET, "/api/v1/chats");
        let request = request.header(header::AUTHORIZATION, "Basic YWRhOmE=").header(header::AUTHORIZATION, format!("Bearer {token}"));
        visitor.send(request).await.expect(StatusCode::OK);
        let bare = visitor.request(Method::GET, "/api/v1/chats").header(header::AUTHORIZATION, token);
        let (_, words) = visitor.send(bare).await.refusal(StatusCode::UNAUTHORIZED);
        assert!(words.contains("Authorization: Bearer TOKEN"), "{words}");
    }

    async fn metadata_and_challenges_name_the_hub_as_it_was_asked(hub: &Hub) {
        let port = port(hub);
        for (host, origin) in [
            (format!("localhost:{port}"), format!("http://localhost:{port}")),
            (format!("LocalHost:{port}"), format!("http://localhost:{port}")),
            (format!("[::1]:{port}"), format!("http://[::1]:{port}")),
            (format!("127.0.0.1:{port}"), hub.origin().to_owned()),
            (format!("localhost.:{port}"), hub.origin().to_owned()),
        ] {
            let visitor = hub.visitor();
            let asked = |path: &str| visitor.request(Method::GET, path).header(header::HOST, &host);
            for path in ["/mcp", "/mcp/plexus/calc", "/v1", "/api/v1"] {
                let at = format!("/.well-known/oauth-protected-resource{path}");
                let told = visitor.send(asked(&at)).await.expect(StatusCode::OK).json();
                assert_eq!(text_of(&told["resource"]), format!("{origin}{path}"), "{host}");
                assert_eq!(told["authorization_servers"], json!([origin]), "{host}");
            }
            let server = visitor.send(asked("/.well-known/oauth-authorization-server")).await.expect(StatusCode::OK).json();
            assert_eq!(text_of(&server["issuer"]), origin);
            for endpoint in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
                assert!(text_of(&server[endpoint]).starts_with(&format!("{origin}/oauth/")), "{server}");
            }
            let stranger = visitor.with_token("plx_made-up");
            for path in ["/mcp", "/mcp/plexus/calc"] {
                let refused = stranger.request(Method::POST, path).header(header::HOST, &host).header(header::ACCEPT, BOTH);
                let refused = stranger.send(refused).await.expect(StatusCode::UNAUTHORIZED);
                let at = format!("resource_metadata=\"{origin}/.well-known/oauth-protected-resource{path}\"");
                assert!(refused.header("www-authenticate").ends_with(&at), "{}", refused.header("www-authenticate"));
                assert!(refused.body.contains("/settings/tokens"), "{}", refused.body);
            }
        }
    }

    async fn a_wrong_host_is_told_what_came_and_what_is_right(hub: &Hub) {
        let visitor = hub.visitor();
        for path in ["/login", "/mcp", "/v1/models"] {
            let answer = get_as(&visitor, path, "evil.example:8080").await;
            assert!(answer.contains("evil.example:8080") && answer.contains(&format!("127.0.0.1:{}", port(hub))), "{answer}");
        }
    }
}

async fn get_as(client: &Client, path: &str, host: &str) -> String {
    let request = client.request(Method::GET, path).header(header::HOST, host);
    client.send(request).await.expect(StatusCode::MISDIRECTED_REQUEST).body
}

fn port(hub: &Hub) -> &str {
    hub.origin().rsplit_once(':').expect("a port").1
}
