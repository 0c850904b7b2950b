//! Tests of the hub and its agents over MCP, with literal requests of both revisions.

use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    agent::{Agent, card},
    clerk,
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    tokens::make,
};

pub const BOTH: &str = "application/json, text/event-stream";
const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

/// Creates an account and returns an API client with a token of it.
pub async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

fn post(client: &Client, path: &str) -> RequestBuilder {
    let request = client.request(Method::POST, path).header(header::ACCEPT, BOTH);
    request.header(header::CONTENT_TYPE, "application/json")
}

/// Builds a request of revision 2025-11-25 or earlier. This server uses no sessions.
pub fn old(client: &Client, path: &str, method: &str, params: &Value) -> RequestBuilder {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    post(client, path).header("MCP-Protocol-Version", OLD).body(body.to_string())
}

/// Builds a request of revision 2026-07-28, which is self-contained.
pub fn new(client: &Client, path: &str, method: &str, params: Value) -> RequestBuilder {
    with_capabilities(client, path, method, params, &json!({}))
}

/// The same for a client with capabilities.
pub fn with_capabilities(
    client: &Client,
    path: &str,
    method: &str,
    mut params: Value,
    capabilities: &Value,
) -> RequestBuilder {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": capabilities,
                       "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" }, "progressToken": "p" });
    let name =
        text_of(params.get("name").or(params.get("uri")).or(params.get("taskId")).unwrap_or(&Value::Null));
    params["_meta"] = meta;
    let body = json!({ "jsonrpc": "2.0", "id": "n", "method": method, "params": params });
    let request = post(client, path).header("MCP-Protocol-Version", NEW).header("Mcp-Method", method);
    let request = if name.is_empty() { request } else { request.header("Mcp-Name", name) };
    request.body(body.to_string())
}

/// Returns the messages of a response, sent as JSON or as events.
pub fn messages(answer: &Answer) -> Vec<Value> {
    if answer.header("content-type").starts_with("text/event-stream") {
        let data = answer.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        return data
            .filter(|data| !data.is_empty())
            .map(|data| serde_json::from_str(data).expect("JSON"))
            .collect();
    }
    vec![answer.json()]
}

pub async fn result(client: &Client, request: RequestBuilder) -> Value {
    let answer = client.send(request).await.expect(StatusCode::OK);
    let last = messages(&answer).pop().expect("an answer");
    assert_eq!(last["error"], Value::Null, "{last}");
    last["result"].clone()
}

pub fn tool(name: &str, arguments: &Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// Calls a tool in both revisions and compares the results. Returns the newer one.
async fn call(client: &Client, path: &str, name: &str, arguments: Value) -> Value {
    let before = result(client, old(client, path, "tools/call", &tool(name, &arguments))).await;
    let now = result(client, new(client, path, "tools/call", tool(name, &arguments))).await;
    assert_eq!(now["resultType"], "complete");
    assert_eq!(before.get("resultType"), None, "older clients do not know it");
    assert_eq!(before["isError"], now["isError"]);
    now
}

pub fn names(tools: &Value) -> Vec<String> {
    tools["tools"].as_array().expect("a list").iter().map(|tool| text_of(&tool["name"])).collect()
}

on_both! {
    async fn both_revisions_are_answered_at_one_address(hub: &Hub) {
        let visitor = hub.visitor();
        let hello = json!({ "protocolVersion": OLD, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let hello = old(&visitor, "/mcp", "initialize", &hello);
        let answer = visitor.send(hello).await.expect(StatusCode::OK);
        assert_eq!(answer.header("mcp-session-id"), "", "nothing is kept between requests");
        let said = messages(&answer).pop().expect("an answer")["result"].clone();
        assert_eq!((&said["protocolVersion"], &said["serverInfo"]["name"]), (&json!(OLD), &json!("plexus")));
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        visitor.send(post(&visitor, "/mcp").body(ready.to_string())).await.expect(StatusCode::ACCEPTED);

        let found = result(&visitor, new(&visitor, "/mcp", "server/discover", json!({}))).await;
        let versions = found["supportedVersions"].as_array().expect("a list");
        assert!(versions.contains(&json!(OLD)) && versions.contains(&json!(NEW)), "{found}");
        for listed in [
            result(&visitor, old(&visitor, "/mcp", "tools/list", &json!({}))).await,
            result(&visitor, new(&visitor, "/mcp", "tools/list", json!({}))).await,
        ] {
            assert_eq!(names(&listed), ["search_agents", "get_agent", "send_message", "launch_goal"]);
        }
        visitor.get("/mcp").await.expect(StatusCode::METHOD_NOT_ALLOWED);
        let unknown = visitor.send(new(&visitor, "/mcp", "agents/dance", json!({}))).await;
        assert_eq!(unknown.expect(StatusCode::NOT_FOUND).json()["error"]["code"], json!(-32601));
        let gone = new(&visitor, "/mcp", "ping", json!({}));
        assert_eq!(visitor.send(gone).await.json()["error"]["code"], json!(-32601));
        assert_eq!(result(&visitor, old(&visitor, "/mcp", "ping", &json!({}))).await, json!({}));
    }

    async fn agents_are_found_and_their_cards_are_resources(hub: &Hub) {
        let visitor = hub.visitor();
        let found = call(&visitor, "/mcp", "search_agents", json!({ "query": "calculate" })).await;
        let addresses: Vec<_> = found["structuredContent"]["items"].as_array().expect("a list").iter().map(|row| text_of(&row["address"])).collect();
        assert!(addresses.contains(&"@plexus/calc".to_owned()), "{found}");
        assert!(text_of(&found["content"][0]["text"]).contains("@plexus/calc"));
        let first = call(&visitor, "/mcp", "search_agents", json!({ "limit": 1 })).await;
        let next = json!({ "limit": 1, "cursor": first["structuredContent"]["next"] });
        let second = call(&visitor, "/mcp", "search_agents", next).await;
        assert_ne!(first["structuredContent"]["items"], second["structuredContent"]["items"]);

        let read = call(&visitor, "/mcp", "get_agent", json!({ "agent": "plexus/calc" })).await["structuredContent"].clone();
        assert_eq!((&read["address"], &read["open"]), (&json!("@plexus/calc"), &json!(true)));
        assert_eq!(text_of(&read["mcp"]), format!("{}/mcp/plexus/calc", hub.origin()));
        for (name, arguments) in [
            ("get_agent", json!({ "agent": "@plexus/nobody" })), ("get_agent", json!({ "agent": "?" })), ("get_agent", json!({})),
            ("search_agents", json!({ "limit": 0 })), ("search_agents", json!({ "cursor": "x" })),
            ("send_message", json!({ "agent": "@plexus/calc" })),
            ("send_message", json!({ "agent": "@plexus/calc", "message": "1", "task": "x" })),
        ] {
            let refused = call(&visitor, "/mcp", name, arguments.clone()).await;
            assert_eq!(refused["isError"], json!(true), "{name} {arguments}");
        }

        let listed = result(&visitor, new(&visitor, "/mcp", "resources/list", json!({}))).await;
        let uris: Vec<_> = listed["resources"].as_array().expect("a list").iter().map(|one| text_of(&one["uri"])).collect();
        let uri = uris.iter().find(|uri| uri.contains("/calc/")).expect("its card");
        let card = result(&visitor, new(&visitor, "/mcp", "resources/read", json!({ "uri": uri }))).await;
        let card: Value = serde_json::from_str(&text_of(&card["contents"][0]["text"])).expect("a card");
        assert!(card["signatures"][0]["protected"].is_string(), "{card}");
        let templates = result(&visitor, old(&visitor, "/mcp", "resources/templates/list", &json!({}))).await;
        assert!(text_of(&templates["resourceTemplates"][0]["uriTemplate"]).contains("{owner}/{name}"));
        for (request, code) in [
            (old(&visitor, "/mcp", "resources/read", &json!({ "uri": "file:///etc/passwd" })), -32002),
            (new(&visitor, "/mcp", "resources/read", json!({ "uri": uri.replace("calc", "none") })), -32602),
            (new(&visitor, "/mcp", "tools/call", tool("dance", &json!({}))), -32602),
        ] {
            let answer = messages(&visitor.send(request).await).pop().expect("an answer");
            assert_eq!(answer["error"]["code"], json!(code), "{answer}");
        }
    }

    async fn a_message_is_answered_with_progress_and_a_conversation_goes_on(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let sheet: String = (0..20_000).map(|line| format!("{line} * 3 km in m\n")).collect();
        let asked = tool("send_message", &json!({ "agent": "@plexus/calc", "message": sheet }));
        let answer = ada.send(new(&ada, "/mcp", "tools/call", asked)).await.expect(StatusCode::OK);
        assert_eq!(answer.header("x-accel-buffering"), "no");
        let mut told = messages(&answer);
        let last = told.pop().expect("an answer")["result"].clone();
        let answered = text_of(&last["structuredContent"]["text"]);
        let steps: Vec<f64> = told.iter().map(|one| one["params"]["progress"].as_f64().expect("a number")).collect();
        assert!(steps.is_sorted_by(|one, two| one < two) && !steps.is_empty(), "{steps:?}");
        let pieces: String = told.iter().map(|one| text_of(&one["params"]["message"])).collect();
        assert!(answered.starts_with(&pieces), "progress is the beginning of the answer");
        assert!(told.iter().all(|one| one["params"]["progressToken"] == json!("p")));

        let context = last["structuredContent"]["context"].clone();
        let again = json!({ "agent": "@plexus/calc", "message": "6 * 7", "context": context });
        let second = result(&ada, old(&ada, "/mcp", "tools/call", &tool("send_message", &again))).await;
        assert!(text_of(&second["content"][0]["text"]).contains("42"), "{second}");
        assert_eq!(second["structuredContent"]["context"], context);
        assert_eq!(second["structuredContent"]["state"], json!("completed"));
        let third = json!({ "message": "1 + 1", "context": context });
        let third = call(&ada, "/mcp/plexus/calc", "ask", third).await;
        assert_eq!(third["structuredContent"]["context"], context, "the agent's own address has the same conversations");
    }

    async fn an_agent_has_a_tool_for_each_skill_with_a_schema_and_may_ask_back(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let mut puppet = Agent::with(|url| {
            let mut card = card(url);
            let takes = json!({ "type": "object", "properties": { "strings": { "type": "integer" } } });
            card["skills"] = json!([
                { "id": "pull/strings", "name": "Pull", "description": "Pulls.", "tags": [], "inputSchema": takes },
                { "id": "ask", "name": "Ask", "description": "Asks.", "tags": [], "inputSchema": takes },
                { "id": "odd", "name": "Odd", "description": "Odd.", "tags": [], "inputSchema": { "type": "array" } },
                { "id": "talk", "name": "Talk", "description": "Talks.", "tags": [] }]);
            card
        }).await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let grace = admin.with_token(&make(&admin, &["chat"]).await);
        let path = "/mcp/grace/puppet";
        let listed = result(&grace, old(&grace, path, "tools/list", &json!({}))).await;
        // The skill "ask" has the name of the tool that every agent has.
        assert_eq!(names(&listed), ["ask_grace_puppet", "pull_strings_grace_puppet", "ask_grace_puppet_2"]);
        assert_eq!(listed["tools"][1]["inputSchema"]["properties"]["strings"]["type"], json!("integer"));

        let pulled = new(&grace, path, "tools/call", tool("pull_strings_grace_puppet", &json!({ "strings": 3 })));
        let (said, answered) = tokio::join!(result(&grace, pulled), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.ask("Which one?").await;
            call.message
        });
        assert_eq!(answered["parts"][1]["data"], json!({ "skill": "pull/strings", "arguments": { "strings": 3 } }));
        assert_eq!(said["structuredContent"]["state"], json!("input_required"), "{said}");
        let more = json!({ "message": "The left one.", "task": said["structuredContent"]["task"] });
        let (done, ()) = tokio::join!(result(&grace, old(&grace, path, "tools/call", &tool("ask", &more))), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.artifact("Done.").await;
            call.complete().await;
        });
        assert_eq!(done["structuredContent"]["task"], said["structuredContent"]["task"]);
        assert_eq!(done["structuredContent"]["state"], json!("completed"), "{done}");
    }

    async fn a_message_in_the_context_of_a_question_answers_it(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let grace = admin.with_token(&make(&admin, &["chat"]).await);
        for (path, name) in [("/mcp/grace/puppet", "ask"), ("/mcp", "send_message")] {
            let of = |message: &str, context: &Value| {
                let mut arguments = json!({ "message": message, "agent": "@grace/puppet", "context": context });
                arguments.as_object_mut().expect("an object").retain(|name, value| {
                    !value.is_null() && (name != "agent" || path == "/mcp")
                });
                old(&grace, path, "tools/call", &tool(name, &arguments))
            };
            let (said, ()) = tokio::join!(result(&grace, of("Pull.", &Value::Null)), async {
                let call = puppet.called().await;
                call.begin_task().await;
                call.ask("Which one?").await;
            });
            assert_eq!(said["structuredContent"]["state"], json!("input_required"), "{said}");
            let context = &said["structuredContent"]["context"];
            let (done, ()) = tokio::join!(result(&grace, of("The left one.", context)), async {
                let call = puppet.called().await;
                call.begin_task().await;
                call.artifact("Done.").await;
                call.complete().await;
            });
            assert_eq!(done["structuredContent"]["task"], said["structuredContent"]["task"]);
            assert_eq!(done["structuredContent"]["state"], json!("completed"), "{done}");
        }
    }

    async fn who_may_not_is_told_by_the_status(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let visitor = hub.visitor();
        let asked = tool("send_message", &json!({ "agent": "@grace/puppet", "message": "Hello" }));
        for request in [
            old(&visitor, "/mcp", "tools/call", &asked),
            new(&visitor, "/mcp", "tools/call", asked.clone()),
            old(&visitor, "/mcp/grace/puppet", "tools/list", &json!({})),
            // Session cookies are ignored on this endpoint.
            old(&admin, "/mcp/grace/puppet", "tools/list", &json!({})),
            old(&visitor.with_token("plx_made-up"), "/mcp", "tools/list", &json!({})),
        ] {
            let refused = visitor.send(request).await.expect(StatusCode::UNAUTHORIZED);
            assert!(refused.header("www-authenticate").starts_with("Bearer"), "{}", refused.header("www-authenticate"));
        }
        let reader = admin.with_token(&make(&admin, &["read"]).await);
        reader.send(old(&reader, "/mcp/grace/puppet", "tools/list", &json!({}))).await.expect(StatusCode::FORBIDDEN);
        visitor.send(old(&visitor, "/mcp/%2e%2e/%00", "tools/list", &json!({}))).await.expect(StatusCode::NOT_FOUND);
    }

    async fn a_visitor_is_asked_to_sign_in_for_a_private_agent_and_for_none_alike(hub: &Hub) {
        let (grace, eve, visitor) = (hub.administrator("grace").await, hub.person("eve").await, hub.visitor());
        let puppet = Agent::start().await;
        let body = json!({ "url": puppet.url, "name": "hidden", "visibility": "private" });
        grace.call(Method::POST, "/agents", &body).await.expect(StatusCode::CREATED);
        let mut told = Vec::new();
        for name in ["hidden", "absent"] {
            let path = format!("/mcp/grace/{name}");
            for request in [old(&visitor, &path, "tools/list", &json!({})), new(&visitor, &path, "tools/list", json!({}))] {
                let refused = visitor.send(request).await.expect(StatusCode::UNAUTHORIZED);
                let metadata = format!("/.well-known/oauth-protected-resource{path}");
                assert!(refused.header("www-authenticate").contains(&metadata), "{}", refused.header("www-authenticate"));
                visitor.get(&metadata).await.expect(StatusCode::OK);
                told.push(refused.body.replace(name, "NAME"));
            }
            let other = eve.with_token(&make(&eve, &["chat"]).await);
            other.send(old(&other, &path, "tools/list", &json!({}))).await.expect(StatusCode::NOT_FOUND);
        }
        assert!(told.iter().all(|words| *words == told[0]), "{told:?}");
        let own = grace.with_token(&make(&grace, &["chat"]).await);
        own.send(old(&own, "/mcp/grace/hidden", "tools/list", &json!({}))).await.expect(StatusCode::OK);
    }

    async fn a_token_that_is_not_good_for_a_tool_is_told_so_by_the_status(hub: &Hub) {
        let person = hub.person("ada").await;
        let reader = person.with_token(&make(&person, &["read"]).await);
        let send = tool("send_message", &json!({ "agent": "@plexus/calc", "message": "1 + 1" }));
        let launch = tool("launch_goal", &json!({ "goal": "1 + 1" }));
        let refused = reader.send(old(&reader, "/mcp", "tools/call", &send)).await.expect(StatusCode::FORBIDDEN);
        assert!(refused.header("www-authenticate").contains("insufficient_scope"));
        let refused = reader.send(old(&reader, "/mcp", "tools/call", &launch)).await.expect(StatusCode::FORBIDDEN);
        let challenge = refused.header("www-authenticate");
        assert!(challenge.contains("insufficient_scope") && challenge.contains(" team\""), "{challenge}");
        let found = tool("search_agents", &json!({ "query": "calc" }));
        assert_eq!(result(&reader, old(&reader, "/mcp", "tools/call", &found)).await["isError"], json!(false));
    }

    async fn a_goal_is_launched_and_its_steps_are_told(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["read", "team"]).await);
        let goal = tool("launch_goal", &json!({ "goal": "17 * 23", "members": ["calc"] }));
        let answer = ada.send(new(&ada, "/mcp", "tools/call", goal)).await.expect(StatusCode::OK);
        let told = messages(&answer);
        let steps: Vec<String> = told.iter().map(|said| text_of(&said["params"]["message"])).collect();
        assert!(steps.iter().any(|step| step.contains("@plexus/calc takes part.")), "{told:#?}");
        assert!(steps.iter().any(|step| step.contains("completed")), "{told:#?}");
        let result = &told.last().expect("an answer")["result"];
        assert!(text_of(&result["content"][0]["text"]).contains("391"), "{result:#}");
        assert_eq!((&result["isError"], &result["structuredContent"]["state"]), (&json!(false), &json!("closed")));
        for (members, words) in [(json!(["nobody"]), "nobody"), (json!(["@plexus/none"]), "Nobody accepted the invitation.")] {
            let goal = tool("launch_goal", &json!({ "goal": "17 * 23", "members": members }));
            let refused = self::result(&ada, old(&ada, "/mcp", "tools/call", &goal)).await;
            assert_eq!(refused["isError"], json!(true), "{refused:#}");
            assert!(refused["content"].to_string().contains(words), "{refused:#}");
        }
    }

    async fn only_pages_of_named_origins_may_call(hub: &Hub, [("PLEXUS_MCP_ALLOWED_ORIGINS", "https://app.example.org, vscode-webview://one")]) {
        let visitor = hub.visitor();
        let list = |origin: &str| old(&visitor, "/mcp", "tools/list", &json!({})).header(header::ORIGIN, origin);
        for wrong in ["https://evil.example", "null", "https://app.example.org.evil.example", "http://app.example.org", "x"] {
            let refused = visitor.send(list(wrong)).await.expect(StatusCode::FORBIDDEN);
            assert_eq!(refused.header("access-control-allow-origin"), "", "{wrong}");
        }
        for good in [hub.origin(), "https://app.example.org", "vscode-webview://one"] {
            let answer = visitor.send(list(good)).await.expect(StatusCode::OK);
            assert_eq!(answer.header("access-control-allow-origin"), good);
        }
        let first = visitor.request(Method::OPTIONS, "/mcp").header(header::ORIGIN, "https://app.example.org");
        let first = first.header("access-control-request-method", "POST").header("access-control-request-headers", "authorization,mcp-method");
        let allowed = visitor.send(first).await;
        assert_eq!(allowed.header("access-control-allow-headers"), "authorization,mcp-method");
        let foreign = visitor.request(Method::POST, "/mcp").header(header::HOST, "evil.example");
        visitor.send(foreign).await.expect(StatusCode::MISDIRECTED_REQUEST);
    }

    async fn what_cannot_be_read_is_refused_and_the_hub_goes_on(hub: &Hub) {
        let visitor = hub.visitor();
        for (body, code) in [
            ("{", -32700), ("<html>", -32700), ("", -32700), ("\"x\"", -32600), ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32600),
            (&format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)), -32600),
        ] {
            let answer = visitor.send(post(&visitor, "/mcp").body(body.to_owned())).await.expect(StatusCode::BAD_REQUEST);
            assert_eq!(answer.json()["error"]["code"], json!(code), "{body:.80}: {}", answer.body);
        }
        let huge = format!("\"{}\"", "a".repeat(3 << 20));
        visitor.send(post(&visitor, "/mcp").body(huge)).await.expect(StatusCode::PAYLOAD_TOO_LARGE);
        let request = visitor.request(Method::POST, "/mcp").header(header::CONTENT_TYPE, "application/json").body(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        visitor.send(request).await.expect(StatusCode::NOT_ACCEPTABLE);
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
        let other = post(&visitor, "/mcp").header("MCP-Protocol-Version", "1999-01-01").body(list);
        visitor.send(other).await.expect(StatusCode::BAD_REQUEST);
        let other = json!({ "io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {} });
        let other = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": other } }).to_string();
        let other = post(&visitor, "/mcp").header("MCP-Protocol-Version", "2099-01-01").header("Mcp-Method", "tools/list").body(other);
        let other = visitor.send(other).await.expect(StatusCode::BAD_REQUEST).json();
        assert_eq!(other["error"]["code"], json!(-32022), "{other}");
        let differs = new(&visitor, "/mcp", "tools/list", json!({})).header("Mcp-Method", "tools/call");
        assert_eq!(visitor.send(differs).await.expect(StatusCode::BAD_REQUEST).json()["error"]["code"], json!(-32020));
        assert_eq!(names(&result(&visitor, old(&visitor, "/mcp", "tools/list", &json!({}))).await).len(), 4);
    }

    async fn whoever_hangs_up_takes_the_request_back(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let mut puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let token = make(&admin, &["chat", "read"]).await;
        let grace = admin.with_token(&token);
        let asked = new(&grace, "/mcp/grace/puppet", "tools/call", tool("ask", &json!({ "message": "Hello" })));
        let streamed = asked.send().await.expect("an answer");
        let call = puppet.called().await;
        call.begin_task().await;
        drop(streamed);
        let ended = async {
            loop {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {} });
                let request = grace.request(Method::POST, "/a2a/grace/puppet/").header("A2A-Version", "1.0");
                let tasks = grace.send(request.json(&body)).await.json();
                if tasks["result"]["tasks"][0]["status"]["state"] == json!("TASK_STATE_CANCELED") {
                    return;
                }
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), ended).await.expect("the task is cancelled");
    }
}
