//! Tests of dynamic client registration (RFC 7591), with the steps that the clients of the MCP SDKs take.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    mcp::{old, result, tool},
    oauth::{VERIFIER, decide, list_tools, page, request, said, with},
};

const REDIRECT: &str = "http://localhost:4711/callback";

on_both! {
    async fn a_client_registers_itself_and_is_let_in_by_any_name_of_the_hub(hub: &Hub) {
        let ada = hub.person("ada").await;
        for origin in [hub.origin().to_owned(), hub.origin().replace("127.0.0.1", "localhost")] {
            let (ada, visitor) = (ada.at(&origin), hub.visitor().at(&origin));
            let refused = list_tools(&visitor.with_token("plx_old"), "/mcp").await.expect(StatusCode::UNAUTHORIZED);
            let (_, at) = refused.header("www-authenticate").split_once("resource_metadata=\"").expect("where to read on");
            let resource = visitor.get(below(&origin, at.trim_end_matches('"'))).await.expect(StatusCode::OK).json();
            assert_eq!(text_of(&resource["resource"]), format!("{origin}/mcp"), "clients compare it with their URL");
            let issuer = text_of(&resource["authorization_servers"][0]);
            let server = visitor.get("/.well-known/oauth-authorization-server").await.expect(StatusCode::OK).json();
            assert_eq!(text_of(&server["issuer"]), issuer);
            let endpoint = text_of(&server["registration_endpoint"]);
            let registered = register(&visitor, below(&origin, &endpoint), &metadata()).await.expect(StatusCode::CREATED);
            assert_eq!((registered.header("access-control-allow-origin"), registered.header("cache-control")), ("*", "no-store"));
            let registered = registered.json();
            assert_eq!(registered["redirect_uris"], json!([REDIRECT]));
            assert_eq!(registered["token_endpoint_auth_method"], json!("none"), "{registered}");
            assert_eq!(registered.get("client_secret"), None);
            let client = text_of(&registered["client_id"]);

            let asked = with(with(request(hub, &client), "redirect_uri", REDIRECT), "resource", &format!("{origin}/mcp"));
            let consent = ada.get(&page(&asked)).await.expect(StatusCode::OK);
            consent.says("Tide Desk");
            consent.says("name is not verified");
            let sent = decide(&ada, asked, "allow").await;
            assert!(sent.as_str().starts_with(REDIRECT), "{sent}");
            assert_eq!(said(&sent, "iss"), issuer);
            let resource = format!("{origin}/mcp");
            let given = token(&visitor, &[
                ("grant_type", "authorization_code"), ("client_id", &client), ("code", &said(&sent, "code")),
                ("code_verifier", VERIFIER), ("redirect_uri", REDIRECT), ("resource", &resource),
            ]).await.expect(StatusCode::OK).json();
            list_tools(&visitor.with_token(&text_of(&given["access_token"])), "/mcp").await.expect(StatusCode::OK);
            // The grant goes on under another public URL.
            hub.sql("update oauth_grants set resource = 'https://earlier.example/mcp'").await;
            let refresh = text_of(&given["refresh_token"]);
            let next = [("grant_type", "refresh_token"), ("client_id", &*client), ("refresh_token", &*refresh), ("resource", &*resource)];
            let given = token(&visitor, &next).await.expect(StatusCode::OK).json();
            let program = visitor.with_token(&text_of(&given["access_token"]));
            list_tools(&program, "/mcp").await.expect(StatusCode::OK);
            program.get("/api/v1/chats").await.expect(StatusCode::UNAUTHORIZED);
        }
        ada.get("/settings/tokens").await.expect(StatusCode::OK).says("Tide Desk");
    }

    async fn a_redirect_uri_that_was_not_registered_is_refused(hub: &Hub) {
        let (ada, visitor) = (hub.person("ada").await, hub.visitor());
        let client = text_of(&register(&visitor, "/oauth/register", &metadata()).await.expect(StatusCode::CREATED).json()["client_id"]);
        for (client, redirect) in [
            (client.as_str(), "https://evil.example/callback"), (&client, "http://localhost:4711/other"), (&client, ""),
            ("plxc_made-up", REDIRECT), ("plxc_", REDIRECT),
        ] {
            let pairs = with(request(hub, client), "redirect_uri", redirect);
            let refused = ada.get(&page(&pairs)).await;
            assert!(refused.status.is_client_error() && refused.location().is_empty(), "{client} {redirect}: {refused:?}");
        }
    }

    async fn native_applications_register_the_schemes_of_their_own(hub: &Hub) {
        let (ada, visitor) = (hub.person("ada").await, hub.visitor());
        let own = "cursor://anysphere.cursor-mcp/oauth/callback";
        let uris = json!([own, "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback",
                          "vscode://publisher.extension/back", "claude://oauth/back", "com.example.app:/back"]);
        let registered = register(&visitor, "/oauth/register", &json!({ "client_name": "Editor", "redirect_uris": uris })).await;
        let registered = registered.expect(StatusCode::CREATED).json();
        assert_eq!(registered["redirect_uris"], uris);
        let client = text_of(&registered["client_id"]);
        for redirect in [own, "http://localhost:9999/callback", "com.example.app:/back"] {
            let asked = with(request(hub, &client), "redirect_uri", redirect);
            ada.get(&page(&asked)).await.expect(StatusCode::OK).says("Editor");
            let sent = decide(&ada, asked, "allow").await;
            assert!(sent.as_str().starts_with(redirect) && !said(&sent, "code").is_empty(), "{sent}");
        }
        let refused = json!({ "redirect_uris": [own, "javascript://x/%0aalert(1)"] });
        let refused = register(&visitor, "/oauth/register", &refused).await.expect(StatusCode::BAD_REQUEST).json();
        assert_eq!(refused["error"], json!("invalid_redirect_uri"));
        assert!(text_of(&refused["error_description"]).contains("javascript://x/%0aalert(1)"), "{refused}");
        for path in ["/mcp", "/mcp/plexus/calc"] {
            let path = format!("/.well-known/oauth-authorization-server{path}");
            let metadata = visitor.get(&path).await.expect(StatusCode::OK).json();
            assert_eq!(text_of(&metadata["issuer"]), hub.origin());
        }
    }

    async fn metadata_that_cannot_be_registered_are_refused(hub: &Hub) {
        let visitor = hub.visitor();
        let uris = |uris: Value| json!({ "redirect_uris": uris });
        for (metadata, error) in [
            (json!({}), "invalid_redirect_uri"),
            (uris(json!([])), "invalid_redirect_uri"),
            (uris(json!(["javascript:alert(1)"])), "invalid_redirect_uri"),
            (uris(json!(["http://app.example.org/back"])), "invalid_redirect_uri"),
            (uris(json!([REDIRECT, "https://app.example.org/#x"])), "invalid_redirect_uri"),
            (uris(json!([format!("https://app.example.org/{}", "x".repeat(5_000))])), "invalid_redirect_uri"),
            (uris(json!(7)), "invalid_client_metadata"),
            (json!("x".repeat(20_000)), "invalid_client_metadata"),
            (json!({ "redirect_uris": [REDIRECT], "grant_types": ["client_credentials"] }), "invalid_client_metadata"),
        ] {
            let refused = register(&visitor, "/oauth/register", &metadata).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!(text_of(&refused["error"]), error, "{metadata}");
        }
    }

    async fn registrations_are_limited_by_address(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1")]) {
        let visitor = hub.visitor();
        let mut statuses = Vec::new();
        while statuses.last() != Some(&StatusCode::TOO_MANY_REQUESTS) && statuses.len() < 1_000 {
            statuses.push(register(&visitor, "/oauth/register", &metadata()).await.status);
        }
        assert_eq!(statuses.pop(), Some(StatusCode::TOO_MANY_REQUESTS));
        assert!(statuses.iter().all(|status| *status == StatusCode::CREATED) && statuses.len() >= 60, "{statuses:?}");
    }

    async fn a_client_gets_the_scope_of_launch_goal_if_the_user_agrees(hub: &Hub) {
        let (ada, visitor) = (hub.person("ada").await, hub.visitor());
        let server = visitor.get("/.well-known/oauth-authorization-server").await.expect(StatusCode::OK).json();
        assert!(server["scopes_supported"].as_array().expect("a list").contains(&json!("team")));
        let client = text_of(&register(&visitor, "/oauth/register", &metadata()).await.expect(StatusCode::CREATED).json()["client_id"]);
        for (scope, granted) in [("", "chat read"), ("chat read team", "chat read team")] {
            let asked = with(with(request(hub, &client), "redirect_uri", REDIRECT), "scope", scope);
            assert_eq!(ada.get(&page(&asked)).await.expect(StatusCode::OK).body.contains("Start teams"), scope.contains("team"));
            let sent = decide(&ada, asked, "allow").await;
            let given = token(&visitor, &[
                ("grant_type", "authorization_code"), ("client_id", &client), ("code", &said(&sent, "code")),
                ("code_verifier", VERIFIER), ("redirect_uri", REDIRECT),
            ]).await.expect(StatusCode::OK).json();
            let mut scopes: Vec<String> = text_of(&given["scope"]).split(' ').map(str::to_owned).collect();
            scopes.sort();
            assert_eq!(scopes.join(" "), granted);
            let program = visitor.with_token(&text_of(&given["access_token"]));
            let launch = old(&program, "/mcp", "tools/call", &tool("launch_goal", &json!({ "goal": "17 * 23", "members": ["calc"] })));
            if scope.is_empty() {
                program.send(launch).await.expect(StatusCode::FORBIDDEN);
            } else {
                assert_eq!(result(&program, launch).await["isError"], json!(false));
            }
        }
    }
}

/// The metadata that the clients of the MCP SDKs send.
fn metadata() -> Value {
    json!({ "client_name": "Tide Desk", "redirect_uris": [REDIRECT], "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "token_endpoint_auth_method": "client_secret_post", "scope": "chat read" })
}

async fn register(client: &Client, path: &str, metadata: &Value) -> Answer {
    let request = client.request(Method::POST, path).header(header::ORIGIN, "https://app.example.org");
    client.send(request.json(metadata)).await
}

async fn token(client: &Client, pairs: &[(&str, &str)]) -> Answer {
    client.post("/oauth/token", pairs).await
}

fn below<'a>(origin: &str, url: &'a str) -> &'a str {
    url.strip_prefix(origin).expect("at the name that was asked")
}
