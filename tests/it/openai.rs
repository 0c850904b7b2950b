//! Tests of the OpenAI-compatible API: agents of the hub as models.

use std::{collections::BTreeSet, path::Path};

use futures::StreamExt as _;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    agent::Agent,
    clerk,
    client::{Answer, Client, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    stars::{MODEL, many, register, star},
    tokens::make,
};

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";
/// Maximum length of the model list.
const MAX_ITEMS: usize = 500;

async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

async fn post(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(client.request(Method::POST, path).json(body)).await
}

async fn ask(client: &Client, body: &Value) -> Value {
    post(client, CHAT, body).await.expect(StatusCode::OK).json()
}

fn says(role: &str, content: &str) -> Value {
    json!({ "role": role, "content": content })
}

fn content(completion: &Value) -> String {
    text_of(&completion["choices"][0]["message"]["content"])
}

/// Returns the data of each server-sent event, except the end marker.
fn events(answer: &Answer) -> Vec<Value> {
    assert!(answer.header("content-type").starts_with("text/event-stream"), "{}", answer.body);
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

/// Returns code and parameter of a refused request.
async fn refusal(client: &Client, path: &str, body: &Value, status: StatusCode) -> (String, String) {
    let said = post(client, path, body).await.expect(status).json();
    assert!(!text_of(&said["error"]["message"]).is_empty() && said["error"]["type"].is_string(), "{said}");
    (text_of(&said["error"]["code"]), text_of(&said["error"]["param"]))
}

async fn models(client: &Client) -> Vec<String> {
    let list = client.get("/v1/models").await.expect(StatusCode::OK).json();
    list["data"].as_array().expect("a list").iter().map(|model| text_of(&model["id"])).collect()
}

/// Returns SQL that creates versions for the agents of [`many`], copied from their original agent so that
/// they can answer.
fn versions_of_many(hub: &Hub) -> String {
    format!(
        "insert into agent_versions (id, agent, semver, card, connector, created_at) \
         select {}, copies.id, v.semver, v.card, v.connector, v.created_at from agent_versions v \
         join agents on agents.id = v.agent join agents as copies on copies.name_folded like 'guide_%' \
         where agents.name_folded = 'guide'",
        hub.new_id()
    )
}

/// Returns the caller's tasks with an agent over A2A, latest first.
async fn tasks(client: &Client, agent: &str) -> Vec<Value> {
    let request = client
        .request(Method::POST, &format!("/a2a/{agent}/"))
        .header("A2A-Version", "1.0")
        .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {} }));
    let page = client.send(request).await.expect(StatusCode::OK).json();
    page["result"]["tasks"].as_array().expect("a list").clone()
}

/// Registers a scripted agent and returns it with an API client that may call it.
async fn puppet(hub: &Hub) -> (Agent, Client) {
    let agent = Agent::start().await;
    let boss = hub.administrator("boss").await;
    clerk::register(&boss, &agent.url, "puppet").await;
    let program = boss.with_token(&make(&boss, &["chat", "read"]).await);
    (agent, program)
}

/// Makes a request that the agent answers with `text`. Returns the completion and the message that the agent
/// received.
async fn exchange(agent: &mut Agent, client: &Client, body: &Value, text: &str) -> (Value, Value) {
    tokio::join!(ask(client, body), async {
        let call = agent.called().await;
        call.begin_task().await;
        call.artifact(text).await;
        call.complete().await;
        call.message
    })
}

on_both! {
    async fn models_are_the_agents_that_would_answer(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let list = ada.get("/v1/models").await.expect(StatusCode::OK).json();
        let model = list["data"].as_array().expect("a list").iter().find(|model| model["id"] == "plexus/calc");
        let model = model.unwrap_or_else(|| panic!("{list}"));
        assert_eq!((&model["object"], &model["owned_by"]), (&json!("model"), &json!("plexus")));
        assert!(model["created"].as_i64().is_some_and(|at| at > 1_000_000_000));

        for path in ["/v1/models/plexus%2Fcalc", "/v1/models/plexus/calc", "/v1/models/@plexus/calc"] {
            assert_eq!(&ada.get(path).await.expect(StatusCode::OK).json(), model, "{path}");
        }
        let missing = ada.get("/v1/models/plexus/nobody").await.expect(StatusCode::NOT_FOUND).json();
        assert_eq!(missing["error"]["code"], json!("model_not_found"));
        let stranger = hub.visitor().with_token("plx_made-up").get("/v1/models").await;
        assert!(stranger.header("www-authenticate").contains("/.well-known/oauth-protected-resource/v1\""));
        assert_eq!(stranger.expect(StatusCode::UNAUTHORIZED).json()["error"]["code"], json!("invalid_api_key"));
        let open = hub.visitor().get("/v1/models").await.expect(StatusCode::OK);
        assert_eq!(open.header("access-control-allow-origin"), "*");
        ada.get("/v1/nothing").await.expect(StatusCode::NOT_FOUND);
    }

    async fn models_are_your_own_then_starred_then_recent_then_the_rest(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        for name in ["dim", "bright"] {
            register(&ada, name, "public").await;
        }
        register(&bob, "own", "private").await;
        let program = bob.with_token(&make(&bob, &["chat", "read"]).await);
        let said = bob.begin("@plexus/calc", "1 + 1").await;
        answer_after(&bob, &said.chat, 0).await;
        star(&bob, "ada/dim").await;
        star(&bob, "bob/own").await;
        assert_eq!(models(&program).await[..3], ["bob/own", "ada/dim", "plexus/calc"]);
        star(&bob, "plexus/guide").await;
        star(&bob, "ada/bright").await;
        let all = models(&program).await;
        assert_eq!(all[..5], ["bob/own", "ada/bright", "plexus/guide", "ada/dim", "plexus/calc"]);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "none comes twice: {all:?}");

        let paused = json!({ "state": "paused" });
        ada.call(Method::PATCH, "/agents/ada/bright", &paused).await.expect(StatusCode::OK);
        assert!(!models(&program).await.contains(&"ada/bright".to_owned()), "it would not answer");
    }

    async fn models_are_of_four_kinds_and_nothing_that_is_kept_from_the_caller(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        register(&bob, "own", "private").await;
        register(&ada, "secret", "private").await;
        // Unlisted agents appear only for callers who know them.
        for name in ["starred", "asked", "linked", "withdrawn"] {
            register(&ada, name, "unlisted").await;
        }
        for agent in ["ada/starred", "ada/withdrawn"] {
            star(&bob, agent).await;
        }
        for agent in ["@ada/asked", "@ada/withdrawn"] {
            bob.begin(agent, "Hello").await;
        }
        let private = json!({ "visibility": "private" });
        ada.call(Method::PATCH, "/agents/ada/withdrawn", &private).await.expect(StatusCode::OK);

        let all = models(&bob.with_token(&make(&bob, &["chat", "read"]).await)).await;
        assert_eq!(all[..3], ["bob/own", "ada/starred", "ada/asked"]);
        assert!(all[3..].contains(&"plexus/calc".to_owned()), "what is used most here: {all:?}");
        for kept in ["ada/secret", "ada/linked", "ada/withdrawn"] {
            assert!(!all.contains(&kept.to_owned()), "{kept}: {all:?}");
        }
        let open = models(&hub.visitor()).await;
        assert!(open.contains(&"plexus/calc".to_owned()), "{open:?}");
        assert!(open.iter().all(|model| model.starts_with("plexus/")), "{open:?}");
    }

    async fn so_many_models_are_named_and_no_more(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let ada = hub.person("ada").await;
        register(&ada, "own", "private").await;
        many(hub).await;
        hub.sql(&versions_of_many(hub)).await;
        let all = models(&ada.with_token(&make(&ada, &["chat", "read"]).await)).await;
        assert_eq!((all.len(), all[0].as_str()), (MAX_ITEMS, "ada/own"));
        assert!(all[1..].iter().all(|model| model.starts_with("plexus/guide") && model != "plexus/guide"), "{all:?}");
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), MAX_ITEMS, "none comes twice");
    }

    async fn a_completion_is_the_same_whole_and_in_pieces(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let mut body = json!({ "model": "plexus/calc", "messages": [says("user", "2 + 3 * 4")],
                               "temperature": 0.2, "tools": [], "made_up": { "by": "nobody" } });
        let whole = ask(&ada, &body).await;
        assert!(content(&whole).contains("14"), "{whole}");
        assert_eq!((&whole["object"], &whole["model"]), (&json!("chat.completion"), &json!("plexus/calc")));
        assert_eq!(whole["choices"][0]["finish_reason"], json!("stop"));
        assert!(whole["usage"]["total_tokens"].is_u64());

        body["stream"] = json!(true);
        body["stream_options"] = json!({ "include_usage": true });
        let answer = post(&ada, CHAT, &body).await.expect(StatusCode::OK);
        assert!(answer.body.ends_with("data: [DONE]\n\n"));
        let chunks = events(&answer);
        let said: String = chunks.iter().map(|chunk| text_of(&chunk["choices"][0]["delta"]["content"])).collect();
        assert_eq!(said, content(&whole));
        assert_eq!(chunks[0]["choices"][0]["delta"]["role"], json!("assistant"));
        assert!(chunks.iter().all(|chunk| chunk["id"] == chunks[0]["id"]));
        let [.., end, usage] = chunks.as_slice() else { panic!("{chunks:?}") };
        assert_eq!(end["choices"][0]["finish_reason"], json!("stop"));
        assert_eq!((&usage["choices"], usage["usage"].is_object()), (&json!([]), true));
    }

    async fn a_history_goes_on_where_it_was_and_an_edited_one_is_another(hub: &Hub) {
        let (mut agent, boss) = puppet(hub).await;
        let told = |messages: &[Value]| json!({ "model": "boss/puppet", "messages": messages });
        let mut said = vec![says("system", "Be brief."), says("user", "Hello")];
        let (request, first) = exchange(&mut agent, &boss, &told(&said), "Good day.").await;
        assert_eq!(content(&request), "Good day.");
        assert_eq!(first.get("contextId"), None);
        assert!(first.to_string().contains("Be brief."), "the agent is told all: {first}");

        // White space around an answer does not change its digest.
        said.extend([says("assistant", "Good day.\n"), says("user", "How are you?")]);
        let (_, second) = exchange(&mut agent, &boss, &told(&said), "Well.").await;
        assert_eq!(second["contextId"], json!("c1"), "the agent's own conversation goes on");
        assert!(!second.to_string().contains("Good day."), "it is not told again: {second}");

        let mut edited = said.clone();
        edited[2] = says("assistant", "Good night.");
        let (_, third) = exchange(&mut agent, &boss, &told(&edited), "Well.").await;
        assert_eq!(third.get("contextId"), None, "another conversation");
        assert!(third.to_string().contains("Good night."), "as it was told: {third}");

        // A repeated request is a branch of the same chat, with a new conversation of the agent.
        let (_, again) = exchange(&mut agent, &boss, &told(&said), "Very well.").await;
        assert_eq!(again.get("contextId"), None);
        let contexts: Vec<Value> =
            tasks(&boss, "boss/puppet").await.into_iter().map(|task| task["contextId"].clone()).collect();
        let [again, third, second, first] = contexts.as_slice() else { panic!("{contexts:?}") };
        assert_eq!((first, first), (second, again));
        assert_ne!(first, third);
        assert_eq!(boss.api("/chats").await["items"], json!([]), "they are not in the list of chats");
    }

    async fn nobody_goes_on_with_the_conversation_of_another(hub: &Hub) {
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        let first = json!({ "model": "@plexus/calc", "messages": [says("user", "1 + 1")] });
        let answer = content(&ask(&ada, &first).await);
        let more = [says("user", "1 + 1"), says("assistant", &answer), says("user", "2 + 2")];
        let more = json!({ "model": "@plexus/calc", "messages": more });
        assert!(content(&ask(&eve, &more).await).contains('4'));
        assert_eq!(tasks(&ada, "plexus/calc").await.len(), 1);
        assert_eq!(tasks(&eve, "plexus/calc").await.len(), 1);
    }

    async fn hanging_up_ends_the_run(hub: &Hub) {
        let (mut agent, boss) = puppet(hub).await;
        for streams in [true, false] {
            let body = json!({ "model": "boss/puppet", "messages": [says("user", "Go on")], "stream": streams });
            let asking = {
                let request = boss.request(Method::POST, CHAT).json(&body);
                tokio::spawn(async move { request.send().await })
            };
            let call = agent.called().await;
            call.begin_task().await;
            call.artifact("Once").await;
            let task = tasks(&boss, "boss/puppet").await.remove(0);
            let subscribe = boss.request(Method::POST, "/a2a/boss/puppet/").header("A2A-Version", "1.0").json(
                &json!({ "jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": { "id": task["id"] } }),
            );
            let mut watched = subscribe.send().await.expect("the hub answers").bytes_stream();
            watched.next().await.expect("the task").expect("bytes");
            if streams {
                let answer = asking.await.expect("no panic").expect("the hub answers");
                let mut pieces = answer.bytes_stream();
                pieces.next().await.expect("a chunk").expect("bytes");
            } else {
                asking.abort();
            }
            let mut rest = String::new();
            while let Some(Ok(bytes)) = watched.next().await {
                rest.push_str(&String::from_utf8_lossy(&bytes));
            }
            assert!(rest.contains("TASK_STATE_CANCELED"), "{streams}: {rest}");
        }
    }

    async fn what_goes_wrong_is_said_before_or_within_the_stream(hub: &Hub) {
        let (mut agent, boss) = puppet(hub).await;
        let mut body = json!({ "model": "boss/puppet", "messages": [says("user", "Hello")] });
        for streams in [false, true] {
            body["stream"] = json!(streams);
            let (refused, ()) = tokio::join!(post(&boss, CHAT, &body), async { drop(agent.called().await) });
            let error = refused.expect(StatusCode::BAD_GATEWAY).json();
            assert_eq!(error["error"]["type"], json!("server_error"), "{error}");
        }
        let (broken, ()) = tokio::join!(post(&boss, CHAT, &body), async {
            let call = agent.called().await;
            call.begin_task().await;
            call.artifact("Once upon").await;
            call.fail("Out of ink.").await;
        });
        let broken = broken.expect(StatusCode::OK);
        let chunks = events(&broken);
        assert!(chunks.iter().any(|chunk| chunk["choices"][0]["delta"]["content"] == json!("Once upon")));
        let last = chunks.last().expect("chunks");
        assert!(!text_of(&last["error"]["message"]).is_empty(), "{last}");
        assert!(!broken.body.contains("[DONE]"));

        let body = json!({ "model": "boss/puppet", "input": "Hello", "stream": true });
        let (failed, ()) = tokio::join!(
            post(&boss, RESPONSES, &body),
            async {
                let call = agent.called().await;
                call.begin_task().await;
                call.artifact("Once upon").await;
                call.fail("Out of ink.").await;
            }
        );
        let events = events(&failed.expect(StatusCode::OK));
        let last = events.last().expect("events");
        assert_eq!((&last["type"], &last["response"]["status"]), (&json!("response.failed"), &json!("failed")));
    }

    async fn what_cannot_be_read_is_refused_with_the_member_named(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let calc = |messages: Value| json!({ "model": "plexus/calc", "messages": messages });
        let image = |url: &str| calc(json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": url } }] }]));
        for (body, param) in [
            (json!([]), ""),
            (json!({ "model": "plexus/calc" }), "messages"),
            (json!({ "messages": [says("user", "1")] }), "model"),
            (calc(json!([])), "messages"),
            (calc(json!("1 + 1")), "messages"),
            (calc(json!([1])), "messages[0]"),
            (calc(json!([{ "role": "user", "content": "" }])), "messages"),
            (calc(json!([says("assistant", "2")])), "messages"),
            (calc(json!([says("nobody", "2")])), "messages[0].role"),
            (calc(json!([{ "role": "user", "content": 7 }])), "messages[0].content"),
            (calc(json!([{ "role": "user", "content": [{ "type": "hologram" }] }])), "messages[0].content[0]"),
            (image("file:///etc/passwd"), "messages[0].content[0]"),
            (image("data:image/png;base64,%%%"), "messages[0].content[0]"),
        ] {
            let (_, named) = refusal(&ada, CHAT, &body, StatusCode::BAD_REQUEST).await;
            assert_eq!(named, param, "{body}");
        }
        let mut wrong = calc(json!([says("user", "1")]));
        wrong["stream"] = json!("yes");
        assert_eq!(refusal(&ada, CHAT, &wrong, StatusCode::BAD_REQUEST).await.1, "stream");
        wrong["stream"] = Value::Null;
        wrong["model"] = json!("gpt-4o");
        let (code, param) = refusal(&ada, CHAT, &wrong, StatusCode::NOT_FOUND).await;
        assert_eq!((code.as_str(), param.as_str()), ("model_not_found", "model"));

        let send = |body: &'static str, kind: &'static str| {
            ada.send(ada.request(Method::POST, CHAT).header(header::CONTENT_TYPE, kind).body(body))
        };
        send("{", "application/json").await.expect(StatusCode::BAD_REQUEST);
        send("{}", "text/plain").await.expect(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let huge = calc(json!([says("user", &"1".repeat(3 << 20))]));
        refusal(&ada, CHAT, &huge, StatusCode::PAYLOAD_TOO_LARGE).await;
        let stranger = hub.visitor().with_token("plx_made-up");
        assert_eq!(refusal(&stranger, CHAT, &wrong, StatusCode::UNAUTHORIZED).await.0, "invalid_api_key");
        assert!(content(&ask(&ada, &calc(json!([says("user", "1 + 1")]))).await).contains('2'));
    }

    async fn a_response_has_every_member_and_the_next_goes_on_from_it(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let body = json!({ "model": "plexus/calc", "input": "6 * 7", "instructions": "Be exact.", "metadata": { "a": "b" } });
        let first = post(&ada, RESPONSES, &body).await.expect(StatusCode::OK).json();
        for member in [
            "id", "object", "created_at", "completed_at", "status", "incomplete_details", "model", "previous_response_id",
            "instructions", "output", "error", "tools", "tool_choice", "truncation", "parallel_tool_calls", "text",
            "top_p", "presence_penalty", "frequency_penalty", "top_logprobs", "temperature", "reasoning", "user",
            "usage", "max_output_tokens", "max_tool_calls", "store", "background", "service_tier", "metadata",
            "safety_identifier", "prompt_cache_key",
        ] {
            assert!(first.get(member).is_some(), "{member} is missing: {first}");
        }
        assert_eq!((&first["status"], &first["metadata"]["a"]), (&json!("completed"), &json!("b")));
        assert!(text_of(&first["output"][0]["content"][0]["text"]).contains("42"), "{first}");

        let body = json!({ "model": "plexus/calc", "previous_response_id": first["id"], "stream": true,
                           "input": [{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "1 + 1" }] }] });
        let events = events(&post(&ada, RESPONSES, &body).await.expect(StatusCode::OK));
        let kinds: Vec<String> = events.iter().map(|event| text_of(&event["type"])).collect();
        let opening = ["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"];
        let ending = ["response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"];
        assert_eq!((&kinds[..4], &kinds[kinds.len() - 4..]), (&opening.map(str::to_owned)[..], &ending.map(str::to_owned)[..]));
        assert!(kinds[4..kinds.len() - 4].iter().all(|kind| kind == "response.output_text.delta") && kinds.len() > 8);
        assert!((0..).zip(&events).all(|(number, event)| event["sequence_number"] == json!(number)));
        let deltas: String = events.iter().map(|event| text_of(&event["delta"])).collect();
        let last = &events[events.len() - 1]["response"];
        assert_eq!(json!(deltas), last["output"][0]["content"][0]["text"]);
        assert_eq!(last["previous_response_id"], first["id"]);
        let contexts: Vec<Value> = tasks(&ada, "plexus/calc").await.iter().map(|task| task["contextId"].clone()).collect();
        assert_eq!((contexts.len(), &contexts[0]), (2, &contexts[1]), "one conversation");

        let eve = program(hub, "eve").await;
        let body = json!({ "model": "plexus/calc", "previous_response_id": first["id"], "input": "1" });
        refusal(&eve, RESPONSES, &body, StatusCode::NOT_FOUND).await;
        for (wrong, param) in [
            (json!({ "model": "plexus/calc" }), "input"),
            (json!({ "model": "plexus/calc", "input": "1", "previous_response_id": "x" }), "previous_response_id"),
            (json!({ "model": "plexus/calc", "input": "1", "background": true, "store": false }), "background"),
        ] {
            assert_eq!(refusal(&ada, RESPONSES, &wrong, StatusCode::BAD_REQUEST).await.1, param);
        }
    }

    async fn a_response_is_had_again_by_its_id(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let body = json!({ "model": "plexus/calc", "input": "6 * 7", "user": "u" });
        let told = post(&ada, RESPONSES, &body).await.expect(StatusCode::OK).json();
        let path = format!("{RESPONSES}/{}", text_of(&told["id"]));
        let again = ada.get(&path).await.expect(StatusCode::OK).json();
        for member in ["id", "object", "status", "model", "output", "usage", "error", "completed_at"] {
            assert_eq!(again[member], told[member], "{member}");
        }
        assert_eq!(again.as_object().map(|all| all.keys().collect::<Vec<_>>()), told.as_object().map(|all| all.keys().collect()));
        assert_eq!(again["user"], Value::Null, "what else the request said is not kept");
        let nobodys = format!("{RESPONSES}/resp_01a1f7fe8f58789b93e8e4574687b706");
        for (who, path) in [(&program(hub, "eve").await, &path), (&ada, &nobodys), (&ada, &format!("{RESPONSES}/x"))] {
            let refused = who.get(path).await.expect(StatusCode::NOT_FOUND).json();
            assert_eq!(refused["error"]["code"], json!("not_found"), "{path}: {refused}");
        }
        hub.visitor().get(&path).await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn files_are_kept_with_the_message(hub: &Hub) {
        let (mut agent, boss) = puppet(hub).await;
        let pieces = json!([
            { "type": "text", "text": "What is this?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } },
            { "type": "file", "file": { "filename": "a.txt", "file_data": "aGVs\r\nbG8" } },
            { "type": "file", "file": { "filename": "b.csv", "file_data": "DATA:text/csv,a%2Cb" } },
            { "type": "image_url", "image_url": { "url": "https://pictures.example/a.png" } },
        ]);
        let body = json!({ "model": "boss/puppet", "messages": [{ "role": "user", "content": pieces }] });
        let (_, message) = exchange(&mut agent, &boss, &body, "A picture.").await;
        let told = message["parts"].to_string();
        for sent in ["a.txt", "aGVsbG8=", "b.csv", "YSxi", "https://pictures.example/a.png"] {
            assert!(told.contains(sent), "{sent}: {told}");
        }
        let chat = text_of(&tasks(&boss, "boss/puppet").await[0]["contextId"]);
        let shown = boss.api(&format!("/chats/{chat}")).await;
        let part = &shown["messages"][0]["parts"][2];
        assert_eq!((&part["name"], &part["kind"]), (&json!("a.txt"), &json!("file")));
        let kept = format!("/api/v1/blobs/{}", text_of(&part["blob"]));
        assert_eq!(boss.get(&kept).await.expect(StatusCode::OK).body, "hello");
        hub.person("eve").await.get(&kept).await.expect(StatusCode::NOT_FOUND);
    }

    async fn chats_of_programs_end_after_their_time(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let body = json!({ "model": "plexus/calc", "messages": [says("user", "1 + 1")] });
        ask(&ada, &body).await;
        hub.tidy().await;
        assert_eq!(tasks(&ada, "plexus/calc").await.len(), 1, "it is kept for a month");
        hub.sql("update chats set expires_at = 1 where kind = 'api'").await;
        let kept = ada.begin("@plexus/calc", "2 + 2").await;
        hub.tidy().await;
        assert_eq!(tasks(&ada, "plexus/calc").await.len(), 1, "the chat of the page stays");
        ada.get(&format!("/api/v1/chats/{}", kept.chat)).await.expect(StatusCode::OK);
    }

    async fn the_makers_own_client_is_served(hub: &Hub) {
        let person = hub.person("ada").await;
        let token = make(&person, &["chat", "read"]).await;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project");
        let python = root.join(".cache/venv/bin/python");
        let client = root.join("tests/clients/openai_client.py");
        let mut command = Command::new(python);
        command.arg(client).arg(format!("{}/v1", hub.origin())).env("OPENAI_API_KEY", token).kill_on_drop(true);
        let output = command.output().await.expect("Python of .cache/venv: run scripts/setup test");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
}
