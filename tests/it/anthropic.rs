//! Tests of Anthropic's Messages API, with model agents and with agents that are none.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    clerk,
    client::{Answer, Client, text_of},
    hub::{self, Hub, on_both, play_on_both},
    mcp_tools::start,
    tokens::make,
};

const MESSAGES: &str = "/v1/messages";

async fn post(client: &Client, body: &Value) -> Answer {
    client.send(client.request(Method::POST, MESSAGES).json(body)).await
}

async fn ask(client: &Client, body: &Value) -> Value {
    post(client, body).await.expect(StatusCode::OK).json()
}

fn user(content: &Value) -> Value {
    json!({ "role": "user", "content": content })
}

async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

/// Returns the data of each event, and asserts that its name is its type.
fn events(answer: &Answer) -> Vec<Value> {
    assert!(answer.header("content-type").starts_with("text/event-stream"), "{}", answer.body);
    let blocks = answer.body.split("\n\n").filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let (name, data) = block.split_once('\n').expect("two lines");
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("JSON");
            assert_eq!(name.strip_prefix("event: "), data["type"].as_str(), "{block}");
            data
        })
        .collect()
}

fn kinds(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| text_of(&event["type"])).filter(|kind| kind != "ping").collect()
}

/// Asserts that an answer is an error in Anthropic's format, and returns its type and message.
fn refusal(answer: Answer, status: StatusCode) -> (String, String) {
    let said = answer.expect(status).json();
    assert_eq!(said["type"], json!("error"), "{said}");
    (text_of(&said["error"]["type"]), text_of(&said["error"]["message"]))
}

fn weather() -> Value {
    json!([{ "name": "weather", "description": "Tells the weather.",
             "input_schema": { "type": "object", "properties": { "city": { "type": "string" } } } }])
}

on_both! {
    async fn an_agent_answers_messages_whole_and_streamed(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let mut body = json!({ "model": "plexus/calc", "max_tokens": 1024, "messages": [user(&json!("6 * 7"))] });
        let told = ask(&ada, &body).await;
        assert_eq!((&told["type"], &told["role"], &told["model"]), (&json!("message"), &json!("assistant"), &json!("plexus/calc")));
        assert_eq!((&told["stop_reason"], &told["stop_sequence"]), (&json!("end_turn"), &Value::Null));
        let text = text_of(&told["content"][0]["text"]);
        assert!(text.contains("42") && text_of(&told["id"]).starts_with("msg_"), "{told}");
        assert!(told["usage"]["input_tokens"].is_u64() && told["usage"]["output_tokens"].is_u64(), "{told}");

        body["stream"] = json!(true);
        let events = events(&post(&ada, &body).await.expect(StatusCode::OK));
        let mut kinds = kinds(&events);
        kinds.dedup();
        let expected = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"];
        assert_eq!(kinds, expected);
        let streamed: String = events.iter().map(|event| text_of(&event["delta"]["text"])).collect();
        assert_eq!(streamed, text);
        let started = &events[0]["message"];
        assert_eq!((&started["content"], &started["stop_reason"], &started["role"]), (&json!([]), &Value::Null, &json!("assistant")));
        let ended = &events[events.len() - 2];
        assert_eq!((&ended["delta"]["stop_reason"], ended["usage"]["output_tokens"].is_u64()), (&json!("end_turn"), true));
        assert!(events.iter().any(|event| event["type"] == "ping"), "a sign of life at once");
    }

    async fn limits_cut_the_answer_of_any_agent(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let mut body = json!({ "model": "plexus/calc", "messages": [user(&json!("1 + 1"))], "max_tokens": 1000 });
        let whole = text_of(&ask(&ada, &body).await["content"][0]["text"]);
        body["stop_sequences"] = json!(["="]);
        assert_eq!(ask(&ada, &body).await["content"][0]["text"], json!(whole.split('=').next()));
        body["stop_sequences"] = json!([]);
        body["max_tokens"] = json!(1);
        let told = ask(&ada, &body).await;
        assert_eq!((&told["content"][0]["text"], &told["stop_reason"]), (&json!(&whole[..4]), &json!("max_tokens")));
    }

    async fn a_key_is_a_token_in_either_header(hub: &Hub) {
        let person = hub.person("ada").await;
        let token = make(&person, &["chat", "read"]).await;
        let visitor = hub.visitor();
        let boss = hub.administrator("boss").await;
        let mut puppet = Agent::start().await;
        let new = json!({ "url": puppet.url, "name": "puppet", "visibility": "public", "access": "accounts", "trust_origins": true });
        boss.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let body = json!({ "model": "boss/puppet", "max_tokens": 100, "messages": [user(&json!("Hello"))] });
        let bearer = format!("Bearer {token}");
        for (header, value) in [("x-api-key", token.as_str()), ("authorization", bearer.as_str())] {
            let request = visitor.request(Method::POST, MESSAGES).header(header, value).json(&body);
            let (answer, ()) = tokio::join!(visitor.send(request), async {
                let call = puppet.called().await;
                call.begin_task().await;
                call.artifact("Hello.").await;
                call.complete().await;
            });
            assert_eq!(answer.expect(StatusCode::OK).json()["content"][0]["text"], json!("Hello."));
        }
        let (kind, _) = refusal(post(&visitor, &body).await, StatusCode::UNAUTHORIZED);
        assert_eq!(kind, "authentication_error");
        for wrong in ["plx_made-up", "sk-ant-x", ""] {
            let request = visitor.request(Method::POST, MESSAGES).header("x-api-key", wrong).json(&body);
            let (kind, _) = refusal(visitor.send(request).await, StatusCode::UNAUTHORIZED);
            assert_eq!(kind, "authentication_error", "{wrong}");
        }
        // The header is no credential elsewhere.
        let request = visitor.request(Method::GET, "/v1/models").header("x-api-key", "another's");
        visitor.send(request).await.expect(StatusCode::OK);
    }

    async fn what_cannot_be_honoured_is_refused_in_the_shape_of_the_protocol(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let schema = json!({ "format": { "type": "json_schema", "schema": { "type": "object" } } });
        for (name, value, param) in [
            ("tools", weather(), "tools"),
            ("tools", json!([{ "type": "bash_20250124", "name": "bash" }]), "tools"),
            ("temperature", json!(3), "temperature"),
            ("container", json!("c1"), "container"),
            ("thread", json!({ "type": "create" }), "thread"),
            ("tools", json!([{ "name": "a b", "input_schema": {} }]), "tools.0.name"),
            ("tool_choice", json!({ "type": "any" }), "tool_choice"),
            ("tool_choice", json!({ "type": "tool", "name": "x" }), "tool_choice"),
            ("output_config", schema.clone(), "output_config.format"),
            ("output_format", schema["format"].clone(), "output_config.format"),
            ("mcp_servers", json!([{ "type": "url", "url": "https://a.example", "name": "a" }]), "mcp_servers"),
            ("max_tokens", json!(0), "max_tokens"),
            ("max_tokens", json!("many"), "max_tokens"),
            ("stop_sequences", json!([7]), "stop_sequences"),
            ("stream", json!("yes"), "stream"),
            ("system", json!(7), "system"),
            ("messages", json!([]), "messages"),
            ("messages", json!("Hello"), "messages"),
            ("messages", json!([{ "role": "robot", "content": "Hi" }]), "messages.0.role"),
            ("messages", json!([user(&json!([{ "type": "video" }]))]), "messages.0.content.0.type"),
            ("messages", json!([user(&json!([{ "type": "image", "source": { "type": "file", "file_id": "f" } }]))]), "messages.0.content.0.source"),
            ("messages", json!([user(&json!([{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "%%" } }]))]), "messages.0.content.0.source"),
            ("messages", json!([user(&json!([{ "type": "image", "source": { "type": "url", "url": "file:///etc/passwd" } }]))]), "messages.0.content.0.source"),
        ] {
            let mut body = json!({ "model": "plexus/calc", "max_tokens": 9, "messages": [user(&json!("1 + 1"))] });
            body[name] = value;
            let (kind, words) = refusal(post(&ada, &body).await, StatusCode::BAD_REQUEST);
            assert_eq!(kind, "invalid_request_error");
            assert!(words.starts_with(&format!("{param}: ")), "{param}: {words}");
        }
        for missing in [json!({ "model": "plexus/none" }), json!({ "model": "a b" })] {
            let mut body = missing;
            body["messages"] = json!([user(&json!("1 + 1"))]);
            let (kind, words) = refusal(post(&ada, &body).await, StatusCode::NOT_FOUND);
            assert!(kind == "not_found_error" && words.starts_with("model: "), "{words}");
        }
    }

    async fn errors_of_every_path_and_method_have_its_shape(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH] {
            let answer = ada.send(ada.request(method, MESSAGES)).await;
            assert_eq!(answer.header("allow"), "POST");
            assert_eq!(refusal(answer, StatusCode::METHOD_NOT_ALLOWED).0, "invalid_request_error");
        }
        for path in ["/v1/messages/count_tokens/x", "/v1/messages/batches", "/v1/messages/batches/b1", "/v1/messages/"] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                let (kind, words) = refusal(ada.send(ada.request(method, path)).await, StatusCode::NOT_FOUND);
                assert!(kind == "not_found_error" && words.contains("POST /v1/messages"), "{path}: {words}");
            }
        }
        for (kind, body) in [("text/plain", "{}"), ("application/json", "{"), ("application/json", "[1]")] {
            let request = ada.request(Method::POST, MESSAGES).header("content-type", kind).body(body);
            let answer = ada.send(request).await;
            let status = answer.status;
            assert!(status.is_client_error(), "{kind} {body}");
            assert_eq!(refusal(answer, status).0, "invalid_request_error", "{kind} {body}");
        }
        let long = "x".repeat(4 * 1024 * 1024);
        let body = json!({ "model": "plexus/calc", "messages": [user(&json!(long))] });
        assert_eq!(refusal(post(&ada, &body).await, StatusCode::PAYLOAD_TOO_LARGE).0, "request_too_large");
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let request = ada.request(Method::POST, MESSAGES).header("content-type", "application/json");
        assert_eq!(refusal(ada.send(request.body(deep)).await, StatusCode::BAD_REQUEST).0, "invalid_request_error");
    }

    async fn a_client_falls_back_on_the_code_of_an_unsupported_thread(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for thread in [json!({ "type": "create" }), json!({ "type": "continue", "previous_message_id": "msg_1" })] {
            let body = json!({ "model": "plexus/calc", "max_tokens": 9, "messages": [user(&json!("1 + 1"))], "thread": thread });
            let said = post(&ada, &body).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!(said["error"]["details"]["error_code"], json!("thread_unsupported_request"), "{said}");
            assert_eq!(said["error"]["type"], json!("invalid_request_error"));
        }
    }

    async fn members_of_other_services_are_ignored(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for (name, value) in [
            ("thread", Value::Null),
            ("context_management", json!({ "edits": [{ "type": "clear_tool_uses_20250919" }] })),
            ("thinking", json!({ "type": "adaptive" })),
            ("thinking", json!({ "type": "enabled", "budget_tokens": 2_000 })),
            ("output_config", json!({ "effort": "high" })),
            ("metadata", json!({ "user_id": "u" })),
            ("service_tier", json!("auto")),
            ("betas", json!(["some-beta-2026-01-01"])),
            ("cache_control", json!({ "type": "ephemeral" })),
            ("inference_geo", json!("eu")),
            ("speed", json!("fast")),
            ("fallbacks", json!([{ "model": "other" }])),
            ("diagnostics", json!({ "x": 1 })),
            ("top_k", json!(5)),
            ("mcp_servers", json!([])),
            ("tools", json!([{ "type": "web_search_20250305", "name": "web_search", "max_uses": 3 }])),
            ("tools", json!([{ "type": "code_execution_20250825", "name": "code_execution" }, { "type": "mcp_toolset", "mcp_server_name": "a" }])),
            ("tool_choice", json!({ "type": "auto" })),
            ("an_experiment_of_tomorrow", json!([1, { "a": true }])),
        ] {
            let mut body = json!({ "model": "plexus/calc", "max_tokens": 99, "messages": [user(&json!("6 * 7"))] });
            body[name] = value;
            let told = ask(&ada, &body).await;
            assert!(text_of(&told["content"][0]["text"]).contains("42"), "{name}: {told}");
        }
        let history = json!([
            user(&json!("Search.")),
            { "role": "assistant", "content": [
                { "type": "redacted_thinking", "data": "x" }, { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} },
                { "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] }, { "type": "text", "text": "Done." } ] },
            { "role": "system", "content": "A reminder." },
            user(&json!([{ "type": "text", "text": "6 * 7", "cache_control": { "type": "ephemeral", "ttl": "1h" }, "citations": null }])),
        ]);
        let body = json!({ "model": "plexus/calc", "max_tokens": 99, "messages": history });
        assert!(text_of(&ask(&ada, &body).await["content"][0]["text"]).contains("42"));
    }

    async fn tokens_are_estimated_and_models_listed_for_this_api(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let mut body = json!({ "model": "plexus/calc", "messages": [user(&json!("x".repeat(400)))] });
        let count = async |body: &Value| {
            let answer = ada.send(ada.request(Method::POST, "/v1/messages/count_tokens").json(body)).await;
            answer.expect(StatusCode::OK).json()["input_tokens"].as_u64().expect("a number")
        };
        assert_eq!(count(&body).await, 100);
        body["system"] = json!("y".repeat(40));
        assert_eq!(count(&body).await, 110);
        let request = |path: &str| hub.visitor().request(Method::GET, path).header("anthropic-version", "2023-06-01");
        let send = async |path: &str, key: Option<&str>| {
            let request = match key {
                Some(key) => request(path).header("x-api-key", key),
                None => request(path),
            };
            hub.visitor().send(request).await
        };
        let listed = send("/v1/models", None).await.expect(StatusCode::OK).json();
        let model = &listed["data"][0];
        assert_eq!((&model["type"], &model["display_name"], &listed["has_more"]), (&json!("model"), &model["id"], &json!(false)));
        assert!(text_of(&model["created_at"]).contains('T') && listed["first_id"] == model["id"], "{listed}");
        let one = send(&format!("/v1/models/{}", text_of(&model["id"])), None).await.expect(StatusCode::OK).json();
        assert_eq!(&one, model);
        assert_eq!(refusal(send("/v1/models", Some("wrong")).await, StatusCode::UNAUTHORIZED).0, "authentication_error");
        assert_eq!(refusal(send("/v1/models/plexus/none", None).await, StatusCode::NOT_FOUND).0, "not_found_error");
        assert_eq!(refusal(send("/v1/files", None).await, StatusCode::NOT_FOUND).0, "not_found_error");
    }

    async fn a_failure_of_the_agent_is_an_error(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        let mut puppet = Agent::start().await;
        clerk::register(&boss, &puppet.url, "puppet").await;
        let boss = boss.with_token(&make(&boss, &["chat", "read"]).await);
        let mut body = json!({ "model": "boss/puppet", "messages": [user(&json!("Hello"))] });
        let (answer, ()) = tokio::join!(post(&boss, &body), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.fail("It is broken.").await;
        });
        assert!(answer.status.is_server_error());
        let status = answer.status;
        let (kind, words) = refusal(answer, status);
        assert!(kind == "api_error" && words.contains("It is broken."), "{kind}: {words}");
        body["stream"] = json!(true);
        let (answer, ()) = tokio::join!(post(&boss, &body), async {
            let call = puppet.called().await;
            call.begin_task().await;
            call.artifact("Some").await;
            call.fail("It is broken.").await;
        });
        let events = events(&answer.expect(StatusCode::OK));
        let last = events.last().expect("events");
        assert!(last["type"] == "error" && text_of(&last["error"]["message"]).contains("It is broken."), "{last}");
    }

    async fn blocks_reach_the_agent_and_the_conversation_goes_on(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        let mut puppet = Agent::start().await;
        clerk::register(&boss, &puppet.url, "puppet").await;
        let boss = boss.with_token(&make(&boss, &["chat", "read"]).await);
        let content = json!([
            { "type": "text", "text": "What is this?", "cache_control": { "type": "ephemeral" } },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" } },
            { "type": "image", "source": { "type": "url", "url": "https://pictures.example/a.png" } },
            { "type": "document", "title": "a.pdf", "source": { "type": "base64", "media_type": "application/octet-stream", "data": STANDARD.encode("%PDF") } },
            { "type": "document", "title": "notes", "source": { "type": "text", "media_type": "text/plain", "data": "Plain words." } },
            { "type": "document", "source": { "type": "content", "content": [{ "type": "text", "text": "In blocks." }] } },
            { "type": "thinking", "thinking": "Hm.", "signature": "s" },
            { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "A result." }], "is_error": true },
        ]);
        let mut body = json!({ "model": "boss/puppet", "max_tokens": 100, "system": [{ "type": "text", "text": "Be exact." }],
                               "messages": [user(&content)] });
        let (told, message) = exchange(&mut puppet, &boss, &body).await;
        let parts = message["parts"].to_string();
        for sent in ["What is this?", "iVBORw0KGgo=", "https://pictures.example/a.png", "a.pdf", "Plain words.", "In blocks.", "Error:", "A result."] {
            assert!(parts.contains(sent), "{sent}: {parts}");
        }
        assert!(!parts.contains("Hm."), "{parts}");
        assert!(message["contextId"].is_null(), "a conversation of its own: {message}");
        body["messages"].as_array_mut().expect("messages").extend([
            json!({ "role": "assistant", "content": told["content"] }), user(&json!("And now?")),
        ]);
        let (_, message) = exchange(&mut puppet, &boss, &body).await;
        assert!(message["contextId"].is_string(), "the hub knows the conversation: {message}");
        assert!(!message["parts"].to_string().contains("What is this?"), "{message}");
    }
}

/// Makes a request that the agent answers. Returns the answer and the message that the agent received.
async fn exchange(puppet: &mut Agent, client: &Client, body: &Value) -> (Value, Value) {
    tokio::join!(ask(client, body), async {
        let call = puppet.called().await;
        call.begin_task().await;
        call.artifact("A picture.").await;
        call.complete().await;
        call.message
    })
}

play_on_both!(tools_of_the_caller_are_called_by_a_model);

async fn tools_of_the_caller_are_called_by_a_model(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let flags = ["--rate", "0", "--tokens", "5", "--asked", asked.to_str().expect("UTF-8")];
    let model = start(Path::new("node"), "model/scripted.mjs", &flags).await;
    let url: &'static str = model.url.clone().leak();
    let settings = [("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        let new = json!({ "name": "own", "summary": "Answers.", "instructions": "Answer.", "visibility": "public",
                          "access": "open" });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        let last = || {
            let log = fs::read_to_string(&asked).expect("the model was asked");
            serde_json::from_str::<Value>(log.lines().last().expect("a request")).expect("JSON")
        };
        calls_and_results(&program, last).await;
        streamed_calls(&program).await;
        formats_reach_the_model(&program, last).await;
        thinking_is_shown_to_clients_that_ask_for_it(&program).await;
        tools_known_by_their_type_are_described(&program, last).await;
        system_messages_keep_their_role(&program, last).await;
    })
    .await;
}

async fn calls_and_results(program: &Client, last: impl Fn() -> Value) {
    let question = user(&json!("call=weather {\"city\":\"Bern\"}\ncall=weather {\"city\":\"Rome\"}"));
    let mut body = json!({ "model": "grace/own", "max_tokens": 500, "messages": [question], "tools": weather(),
                           "tool_choice": { "type": "any", "disable_parallel_tool_use": false } });
    let told = ask(program, &body).await;
    assert_eq!(told["stop_reason"], json!("tool_use"), "{told}");
    let calls = told["content"].as_array().expect("blocks").clone();
    assert_eq!(calls.len(), 2, "{told}");
    assert_eq!(
        (&calls[0]["type"], &calls[0]["name"], &calls[0]["input"]),
        (&json!("tool_use"), &json!("weather"), &json!({ "city": "Bern" }))
    );
    let sent = last();
    assert_eq!((&sent["tool_choice"], &sent["parallel_tool_calls"]), (&json!("required"), &json!(true)));
    assert_eq!(sent["tools"][0]["function"]["parameters"], weather()[0]["input_schema"]);

    let results = calls.iter().zip(["rain", "sun"]);
    let results: Vec<_> = results
        .map(|(call, text)| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": text }))
        .collect();
    let messages = body["messages"].as_array_mut().expect("messages");
    messages.extend([json!({ "role": "assistant", "content": calls }), user(&json!(results))]);
    body["tool_choice"] = json!({ "type": "auto" });
    let told = ask(program, &body).await;
    assert_eq!(told["content"][0]["text"], json!("The tools said: rain; sun"), "{told}");
    assert_eq!(told["stop_reason"], json!("end_turn"));
    let roles: Vec<_> =
        last()["messages"].as_array().expect("messages").iter().map(|it| text_of(&it["role"])).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"], "{}", last());

    body["tool_choice"] = json!({ "type": "none" });
    ask(program, &body).await;
    assert_eq!(last().get("tools"), None, "they must not be called");
}

async fn streamed_calls(program: &Client) {
    let question = user(&json!("call=weather {\"city\":\"Bern\"}"));
    let body = json!({ "model": "grace/own", "max_tokens": 500, "messages": [question], "tools": weather(),
                       "tool_choice": { "type": "tool", "name": "weather" }, "stream": true });
    let events = events(&post(program, &body).await.expect(StatusCode::OK));
    let expected = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(kinds(&events), expected);
    let of = |kind: &str| events.iter().find(|event| event["type"] == kind).expect("an event");
    let block = &of("content_block_start")["content_block"];
    assert_eq!((&block["name"], &block["input"]), (&json!("weather"), &json!({})));
    let delta = &of("content_block_delta")["delta"];
    assert_eq!(
        (&delta["type"], &delta["partial_json"]),
        (&json!("input_json_delta"), &json!("{\"city\":\"Bern\"}"))
    );
    assert_eq!(of("message_delta")["delta"]["stop_reason"], json!("tool_use"));
}

async fn formats_reach_the_model(program: &Client, last: impl Fn() -> Value) {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let body = json!({ "model": "grace/own", "max_tokens": 3, "messages": [user(&json!("tokens=9"))],
                       "output_config": { "format": { "type": "json_schema", "schema": schema } },
                       "stop_sequences": ["END"] });
    let told = ask(program, &body).await;
    assert_eq!(told["stop_reason"], json!("max_tokens"), "{told}");
    let sent = last();
    assert_eq!(sent["response_format"]["json_schema"]["schema"], schema);
    assert_eq!((&sent["stop"], &sent["max_tokens"]), (&json!(["END"]), &json!(3)));
}

async fn thinking_is_shown_to_clients_that_ask_for_it(program: &Client) {
    let question = user(&json!("think=Hmm tokens=2"));
    let mut body = json!({ "model": "grace/own", "max_tokens": 500, "messages": [question] });
    assert_eq!(ask(program, &body).await["content"], json!([{ "type": "text", "text": "t1 t2 " }]));
    for kind in ["enabled", "adaptive"] {
        body["stream"] = json!(false);
        body["thinking"] = json!({ "type": kind });
        let told = ask(program, &body).await;
        let thinking = json!({ "type": "thinking", "thinking": "Hmm", "signature": "" });
        assert_eq!(told["content"], json!([thinking, { "type": "text", "text": "t1 t2 " }]));
        body["stream"] = json!(true);
        let events = events(&post(program, &body).await.expect(StatusCode::OK));
        let blocks: Vec<_> = events.iter().filter(|event| event["type"] == "content_block_start").collect();
        assert_eq!(
            blocks.iter().map(|event| text_of(&event["content_block"]["type"])).collect::<Vec<_>>(),
            ["thinking", "text"]
        );
        assert_eq!(blocks.iter().map(|event| &event["index"]).collect::<Vec<_>>(), [&json!(0), &json!(1)]);
        let told: String = events.iter().map(|event| text_of(&event["delta"]["thinking"])).collect();
        assert_eq!(told, "Hmm");
        assert!(events.iter().any(|event| event["delta"]["type"] == "signature_delta"), "{events:?}");
        // The client gives it back.
        let next = json!([question, { "role": "assistant", "content": [thinking, { "type": "text", "text": "t1 t2 " }] }, user(&json!("tokens=1"))]);
        let next = json!({ "model": "grace/own", "max_tokens": 500, "messages": next });
        assert_eq!(ask(program, &next).await["content"][0]["text"], json!("t1 "));
    }
}

async fn tools_known_by_their_type_are_described(program: &Client, last: impl Fn() -> Value) {
    let tools = json!([{ "type": "bash_20250124", "name": "bash" }, { "type": "web_search_20250305", "name": "web_search" },
                       { "type": "custom", "name": format!("mcp__{}", "n".repeat(100)), "input_schema": { "type": "object" },
                         "defer_loading": true, "cache_control": { "type": "ephemeral" }, "eager_input_streaming": true }]);
    let body = json!({ "model": "grace/own", "max_tokens": 500, "messages": [user(&json!("call=bash {\"command\":\"ls\"}"))],
                       "tools": tools, "tool_choice": { "type": "tool", "name": "web_search" } });
    let told = ask(program, &body).await;
    assert_eq!(
        (&told["content"][0]["name"], &told["content"][0]["input"]),
        (&json!("bash"), &json!({ "command": "ls" }))
    );
    let sent = last();
    assert_eq!((sent["tools"].as_array().map(Vec::len), sent.get("tool_choice")), (Some(2), None), "{sent}");
    assert!(sent["tools"][0]["function"]["parameters"]["properties"]["command"].is_object(), "{sent}");
}

async fn system_messages_keep_their_role(program: &Client, last: impl Fn() -> Value) {
    let body = json!({ "model": "grace/own", "max_tokens": 500, "temperature": 0, "top_p": 0.5,
                       "system": [{ "type": "text", "text": "Be exact.", "cache_control": { "type": "ephemeral" } }],
                       "messages": [user(&json!("tokens=1")), { "role": "system", "content": "A reminder." }] });
    ask(program, &body).await;
    let sent = last();
    assert_eq!((sent["temperature"].as_f64(), sent["top_p"].as_f64()), (Some(0.0), Some(0.5)), "{sent}");
    let system = json!({ "role": "system", "content": "Answer.\n\nBe exact.\n\nA reminder." });
    assert_eq!(sent["messages"], json!([system, { "role": "user", "content": "tokens=1" }]));
}
