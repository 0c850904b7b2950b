//! Tests of what an MCP client gets: files and images it can open, tools it can list beside those of other
//! agents, and a response that stays open while an agent thinks.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};

use crate::{
    agent::{Agent, card},
    clerk,
    client::{Client, text_of},
    hub::{Hub, on_both},
    mcp::{messages, names, new, old, program, result, tool},
    tokens::make,
};

/// The start of a PNG.
const PICTURE: &str = "iVBORw0KGgo=";

on_both! {
    async fn images_are_content_and_files_are_resources_of_the_same_caller(hub: &Hub) {
        let boss = register_clerk(hub, "accounts").await;
        let ada = program(hub, "ada").await;
        let asked = json!({ "agent": "@boss/clerk", "message": "The tides" });
        for (path, name, arguments) in [("/mcp", "send_message", asked), ("/mcp/boss/clerk", "ask", json!({ "message": "The tides" }))] {
            let said = result(&ada, old(&ada, path, "tools/call", &tool(name, &arguments))).await;
            assert_content(&said);
            let uri = text_of(&said["content"][0]["uri"]);
            for server in ["/mcp", "/mcp/boss/clerk"] {
                for request in [old(&ada, server, "resources/read", &json!({ "uri": uri })), new(&ada, server, "resources/read", json!({ "uri": uri }))] {
                    let read = result(&ada, request).await;
                    assert_eq!(read["contents"][0], json!({ "uri": uri, "mimeType": "text/csv", "text": "high,low\n4,9\n" }));
                }
            }
            let binary = text_of(&said["content"][2]["uri"]);
            let read = result(&ada, old(&ada, "/mcp/boss/clerk", "resources/read", &json!({ "uri": binary }))).await;
            assert_eq!(read["contents"][0]["blob"], json!(STANDARD.encode([0, 1, 2])), "{read}");

            let eve = boss.with_token(&make(&boss, &["chat", "read"]).await);
            for (reader, server, uri) in [
                (&eve, "/mcp", uri.clone()), (&eve, "/mcp/boss/clerk", uri.clone()), (&ada, "/mcp/plexus/calc", uri.clone()),
                (&ada, "/mcp/boss/clerk", uri.replace("/clerk/", "/none/")), (&ada, "/mcp", "file:///etc/passwd".to_owned()),
                (&ada, "/mcp", uri.replace(hub.origin(), "https://evil.example")),
            ] {
                let refused = reader.send(old(reader, server, "resources/read", &json!({ "uri": uri }))).await;
                let refused = messages(&refused).pop().expect("an answer");
                assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["uri"]), (&json!(-32002), &json!(uri)), "{refused}");
            }
        }
    }

    async fn files_of_a_public_agent_are_read_without_an_account(hub: &Hub) {
        register_clerk(hub, "open").await;
        let visitor = hub.visitor();
        let asked = tool("ask", &json!({ "message": "The tides" }));
        let said = result(&visitor, old(&visitor, "/mcp/boss/clerk", "tools/call", &asked)).await;
        assert_content(&said);
        let uri = text_of(&said["content"][0]["uri"]);
        for server in ["/mcp", "/mcp/boss/clerk"] {
            let read = result(&visitor, old(&visitor, server, "resources/read", &json!({ "uri": uri }))).await;
            assert_eq!(read["contents"][0]["text"], json!("high,low\n4,9\n"));
        }
        let path = uri.strip_prefix(hub.origin()).expect("at the hub");
        assert_eq!(visitor.get(path).await.expect(StatusCode::OK).body, "high,low\n4,9\n");
    }

    async fn tools_of_two_agents_have_names_of_their_own_and_plain_schemas(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let branch = json!({ "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        let schemas = [
            json!({ "type": "object", "oneOf": [branch] }), json!({ "type": "object", "anyOf": [branch] }),
            json!({ "type": "object", "allOf": [branch] }), json!({ "$ref": "#/$defs/b", "$defs": { "b": branch } }),
            json!({ "type": ["object"] }), json!({}), json!({ "type": "object", "not": {}, "enum": [{}] }),
        ];
        let skills: Vec<Value> = schemas.iter().enumerate().map(|(index, schema)| {
            json!({ "id": format!("skill{index}"), "name": "S", "description": "S.", "tags": [], "inputSchema": schema })
        }).collect();
        let mut listed = Vec::new();
        for name in ["one", "two"] {
            let puppet = Agent::with(|url| {
                let mut card = card(url);
                card["skills"] = json!(skills);
                card
            }).await;
            clerk::register(&admin, &puppet.url, name).await;
            let tools = result(&admin, old(&token(&admin).await, &format!("/mcp/grace/{name}"), "tools/list", &json!({}))).await;
            assert_eq!(names(&tools).len(), schemas.len() + 1, "{tools}");
            for tool in tools["tools"].as_array().expect("a list") {
                let schema = tool["inputSchema"].as_object().expect("an object");
                assert!(schema["type"] == "object" && schema["properties"].is_object(), "{tool}");
                assert!(["oneOf", "anyOf", "allOf", "$ref", "not", "enum"].iter().all(|word| !schema.contains_key(*word)), "{tool}");
                let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
                assert!(text_of(&tool["name"]).chars().all(fits) && text_of(&tool["name"]).len() <= 64, "{tool}");
            }
            for tool in &tools["tools"].as_array().expect("a list")[1..5] {
                assert_eq!(tool["inputSchema"]["properties"]["n"]["type"], json!("integer"), "{tool}");
            }
            listed.extend(names(&tools));
        }
        let count = listed.len();
        listed.sort();
        listed.dedup();
        assert_eq!(listed.len(), count, "clients refuse equal names");
    }

    async fn a_call_opens_a_stream_while_the_agent_thinks(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let grace = token(&admin).await;
        let send = json!({ "agent": "@grace/puppet", "message": "Hello" });
        for (path, name, arguments) in [("/mcp", "send_message", send), ("/mcp/grace/puppet", "ask_grace_puppet", json!({ "message": "Hello" }))] {
            let asked = old(&grace, path, "tools/call", &tool(name, &arguments)).send();
            let (response, call) = tokio::join!(asked, puppet.called());
            let mut response = response.expect("an answer before the agent's");
            assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
            assert_eq!(response.headers()["x-accel-buffering"], "no");
            let first = response.chunk().await.expect("readable").expect("a chunk");
            assert!(first.starts_with(b":"), "{first:?}");
            call.begin_task().await;
            call.artifact("Done.").await;
            call.complete().await;
            drop(call);
            let rest = response.text().await.expect("the rest");
            let last = rest.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().expect("an event");
            let last: Value = serde_json::from_str(last).expect("JSON");
            assert_eq!((&last["id"], &last["result"]["structuredContent"]["text"]), (&json!(7), &json!("Done.")), "{last}");
        }
    }
}

fn assert_content(said: &Value) {
    let kinds: Vec<String> =
        said["content"].as_array().expect("a list").iter().map(|one| text_of(&one["type"])).collect();
    assert_eq!(kinds, ["resource_link", "image", "resource_link"], "{said}");
    assert_eq!(
        (&said["content"][1]["data"], &said["content"][1]["mimeType"]),
        (&json!(PICTURE), &json!("image/png"))
    );
}

async fn token(person: &Client) -> Client {
    person.with_token(&make(person, &["chat", "read"]).await)
}

/// Registers `@boss/clerk`, which answers with a table, an image and a file of bytes. Returns its owner.
pub async fn register_clerk(hub: &Hub, access: &str) -> Client {
    let raw =
        |bytes: &str, name: &str, kind: &str| json!({ "raw": bytes, "filename": name, "mediaType": kind });
    let artifact = |id: &str, part: Value| json!({ "artifact": { "artifactId": id, "parts": [part] } });
    let url = clerk::serve(vec![
        artifact("a1", raw("aGlnaCxsb3cKNCw5Cg==", "tide.csv", "text/csv")),
        artifact("a2", raw(PICTURE, "tide.png", "image/png")),
        artifact("a3", raw(&STANDARD.encode([0, 1, 2]), "tide.png", "image/png")),
    ])
    .await;
    let boss = hub.administrator("boss").await;
    let new = json!({ "url": url, "name": "clerk", "visibility": "public", "access": access, "trust_origins": true });
    boss.call(reqwest::Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    boss
}
