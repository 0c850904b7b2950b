//! Tests of tools, formats and limits of callers at `/v1`, with model agents and with agents that are none.

use std::{fs, path::Path};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    hub::{self, Hub, on_both, play_on_both},
    mcp_tools::{start, tools},
    tokens::make,
};

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const RESPONSES: &str = "/v1/responses";

pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(client.request(Method::POST, path).json(body)).await
}

pub(crate) async fn ask(client: &Client, path: &str, body: &Value) -> Value {
    post(client, path, body).await.expect(StatusCode::OK).json()
}

pub(crate) fn says(role: &str, content: &str) -> Value {
    json!({ "role": role, "content": content })
}

/// Returns the data of each server-sent event, except the end marker.
pub(crate) fn events(answer: &Answer) -> Vec<Value> {
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

fn weather() -> Value {
    json!({ "name": "weather", "description": "Tells the weather.",
            "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } })
}

/// Returns the tool as chat completions describe it.
pub(crate) fn nested() -> Value {
    json!([{ "type": "function", "function": weather() }])
}

/// Returns the tool as the Responses API describes it.
pub(crate) fn flat() -> Value {
    let mut tool = weather();
    tool["type"] = json!("function");
    json!([tool])
}

/// Log of the requests that the model server received.
pub(crate) struct Log<'a>(pub &'a Path);

impl Log<'_> {
    pub fn last(&self) -> Value {
        let log = fs::read_to_string(self.0).expect("the model was asked");
        serde_json::from_str(log.lines().last().expect("a request")).expect("JSON")
    }
}

play_on_both!(options_reach_the_model);

async fn options_reach_the_model(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let flags = ["--rate", "0", "--tokens", "5", "--asked", asked.to_str().expect("UTF-8")];
    let (model, tools) = (start(Path::new("node"), "model/scripted.mjs", &flags).await, tools().await);
    let url: &'static str = model.url.clone().leak();
    let settings = [("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        register(&grace, "own", &json!([])).await;
        register(&grace, "adder", &json!([{ "url": tools.url }])).await;
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        let log = Log(&asked);
        completions_return_calls(&program, &log).await;
        streamed_completions_return_calls(&program).await;
        responses_return_calls(&program, &log).await;
        streamed_responses_return_calls(&program).await;
        formats_and_limits_are_passed_on(&program, &log).await;
        tools_of_the_agent_yield_their_names(&program, &log).await;
        an_answer_is_continued(&program, &log).await;
    })
    .await;
}

pub(crate) async fn register(grace: &Client, name: &str, tools: &Value) {
    let new = json!({ "name": name, "summary": "Answers.", "instructions": "Answer.", "visibility": "public",
                      "access": "open", "tools": tools });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}

async fn completions_return_calls(program: &Client, log: &Log<'_>) {
    let question = says("user", "call=weather {\"city\":\"Bern\"}\ncall=weather {\"city\":\"Rome\"}");
    let mut body = json!({ "model": "grace/own", "messages": [question], "tools": nested(),
                           "tool_choice": "required", "parallel_tool_calls": true });
    let told = ask(program, CHAT, &body).await;
    let choice = &told["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("tool_calls"), &Value::Null)
    );
    let calls = choice["message"]["tool_calls"].as_array().expect("calls").clone();
    assert_eq!(calls.len(), 2, "{told}");
    assert_eq!(calls[0]["function"], json!({ "name": "weather", "arguments": "{\"city\":\"Bern\"}" }));
    let sent = log.last();
    assert_eq!((&sent["tools"], &sent["tool_choice"]), (&nested(), &json!("required")));
    assert_eq!(sent["parallel_tool_calls"], json!(true));

    // The results continue the same chat.
    let results = calls.iter().zip(["rain", "sun"]);
    let results =
        results.map(|(call, text)| json!({ "role": "tool", "tool_call_id": call["id"], "content": text }));
    let messages = body["messages"].as_array_mut().expect("messages");
    messages.push(choice["message"].clone());
    messages.extend(results);
    body["tool_choice"] = json!("auto");
    let told = ask(program, CHAT, &body).await;
    assert_eq!(told["choices"][0]["message"]["content"], json!("The tools said: rain; sun"), "{told}");
    assert_eq!(told["choices"][0]["finish_reason"], json!("stop"));
    let sent = log.last();
    let roles: Vec<_> =
        sent["messages"].as_array().expect("messages").iter().map(|it| text_of(&it["role"])).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"], "{sent}");
    assert_eq!(sent["messages"][2]["tool_calls"], json!(calls));
    assert_eq!(
        sent["messages"][4],
        json!({ "role": "tool", "content": "sun", "tool_call_id": calls[1]["id"] })
    );

    body["tool_choice"] = json!("none");
    ask(program, CHAT, &body).await;
    assert_eq!(log.last().get("tools"), None, "they must not be called");
}

async fn streamed_completions_return_calls(program: &Client) {
    let body = json!({ "model": "grace/own", "messages": [says("user", "call=weather {\"city\":\"Bern\"}")],
                       "tools": nested(), "stream": true });
    let chunks = events(&post(program, CHAT, &body).await.expect(StatusCode::OK));
    let calls: Vec<_> =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0)).collect();
    let [call] = calls.as_slice() else { panic!("{chunks:?}") };
    assert_eq!((&call["index"], &call["function"]["name"]), (&json!(0), &json!("weather")));
    assert_eq!(call["function"]["arguments"], json!("{\"city\":\"Bern\"}"));
    assert_eq!(chunks.last().expect("chunks")["choices"][0]["finish_reason"], json!("tool_calls"));
}

async fn responses_return_calls(program: &Client, log: &Log<'_>) {
    let choice = json!({ "type": "function", "name": "weather" });
    let body = json!({ "model": "grace/own", "input": "call=weather {\"city\":\"Bern\"}", "tools": flat(),
                       "tool_choice": choice });
    let told = ask(program, RESPONSES, &body).await;
    let [call] = told["output"].as_array().expect("items").as_slice() else { panic!("{told}") };
    assert_eq!((&call["type"], &call["name"]), (&json!("function_call"), &json!("weather")));
    assert_eq!((&told["status"], &told["tools"]), (&json!("completed"), &flat()));
    let sent = log.last();
    assert_eq!((&sent["tools"], &sent["tool_choice"]["function"]["name"]), (&nested(), &json!("weather")));
    let again =
        program.get(&format!("{RESPONSES}/{}", text_of(&told["id"]))).await.expect(StatusCode::OK).json();
    assert_eq!(again["output"], told["output"]);

    let result = json!({ "type": "function_call_output", "call_id": call["call_id"], "output": "rain" });
    let next = json!({ "model": "grace/own", "previous_response_id": told["id"], "input": [result], "tools": flat() });
    let next = ask(program, RESPONSES, &next).await;
    assert_eq!(next["output"][0]["content"][0]["text"], json!("The tools said: rain"), "{next}");

    // The same without stored state: every item is sent again.
    let question = says("user", "call=weather {\"city\":\"Bern\"}");
    let whole =
        json!({ "model": "grace/own", "input": [question, call, result], "tools": flat(), "store": false });
    let whole = ask(program, RESPONSES, &whole).await;
    assert_eq!(whole["output"][0]["content"][0]["text"], json!("The tools said: rain"), "{whole}");

    let path = format!("{RESPONSES}/{}/input_items?order=asc", text_of(&next["id"]));
    let items = program.get(&path).await.expect(StatusCode::OK).json();
    let kinds: Vec<_> =
        items["data"].as_array().expect("items").iter().map(|item| text_of(&item["type"])).collect();
    assert_eq!(kinds, ["message", "function_call", "function_call_output"], "{items}");
}

async fn streamed_responses_return_calls(program: &Client) {
    let body = json!({ "model": "grace/own", "input": "call=weather {\"city\":\"Bern\"}", "tools": flat(), "stream": true });
    let events = events(&post(program, RESPONSES, &body).await.expect(StatusCode::OK));
    let kinds: Vec<String> = events.iter().map(|event| text_of(&event["type"])).collect();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(events[4]["arguments"], json!("{\"city\":\"Bern\"}"));
    assert_eq!(events[6]["response"]["output"][0], events[5]["item"]);
}

async fn formats_and_limits_are_passed_on(program: &Client, log: &Log<'_>) {
    let schema = json!({ "name": "city", "schema": { "type": "object" }, "strict": true });
    let format = json!({ "type": "json_schema", "json_schema": schema });
    let body = json!({ "model": "grace/own", "messages": [says("user", "tokens=9")], "response_format": format,
                       "stop": ["END"], "max_completion_tokens": 3 });
    let told = ask(program, CHAT, &body).await;
    assert_eq!(told["choices"][0]["finish_reason"], json!("length"), "{told}");
    let sent = log.last();
    assert_eq!(
        (&sent["response_format"], &sent["stop"], &sent["max_tokens"]),
        (&format, &json!(["END"]), &json!(3))
    );

    let mut flat = schema;
    flat["type"] = json!("json_schema");
    let body = json!({ "model": "grace/own", "input": "tokens=9", "text": { "format": flat }, "max_output_tokens": 3 });
    let told = ask(program, RESPONSES, &body).await;
    assert_eq!(
        (&told["status"], &told["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
    assert_eq!((&log.last()["response_format"], &told["text"]["format"]), (&format, &flat));
    let again = program.get(&format!("{RESPONSES}/{}", text_of(&told["id"]))).await.json();
    assert_eq!((&again["status"], &again["output"]), (&told["status"], &told["output"]));
    let mut streamed = body;
    streamed["stream"] = json!(true);
    let events = events(&post(program, RESPONSES, &streamed).await);
    assert_eq!(events.last().expect("events")["type"], json!("response.incomplete"));
}

async fn tools_of_the_agent_yield_their_names(program: &Client, log: &Log<'_>) {
    let own = json!({ "type": "function", "function": { "name": "add", "description": "The caller's.",
                      "parameters": { "type": "object", "properties": {} } } });
    let body = json!({ "model": "grace/adder", "messages": [says("user", "call=add_2 {\"a\":1,\"b\":2}\nthen\ncall=add {}")],
                       "tools": [own] });
    let told = ask(program, CHAT, &body).await;
    let calls = &told["choices"][0]["message"]["tool_calls"];
    assert_eq!((calls[0]["function"]["name"].clone(), calls.get(1)), (json!("add"), None), "{told}");
    let sent = log.last();
    assert_eq!(sent["tools"][0], own);
    assert!(
        sent["tools"].as_array().expect("tools").iter().any(|tool| tool["function"]["name"] == "add_2"),
        "{sent}"
    );
    assert!(
        text_of(&sent["messages"][3]["content"]).contains("> 3"),
        "the agent's own tool was called: {sent}"
    );
}

async fn an_answer_is_continued(program: &Client, log: &Log<'_>) {
    let messages = [says("user", "tokens=2"), says("assistant", "Once upon")];
    ask(program, CHAT, &json!({ "model": "grace/own", "messages": messages })).await;
    let sent = log.last();
    assert_eq!(
        (&sent["messages"][2], &sent["messages"][3]["role"]),
        (&messages[1], &json!("user")),
        "{sent}"
    );
}

on_both! {
    async fn what_cannot_be_honoured_is_refused_by_name(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let schema = json!({ "type": "json_schema", "json_schema": { "name": "n", "schema": {} } });
        for (name, value) in [
            ("tools", nested()),
            ("response_format", schema),
            ("response_format", json!({ "type": "json_object" })),
            ("n", json!(2)),
            ("logprobs", json!(true)),
            ("top_logprobs", json!(3)),
            ("modalities", json!(["text", "audio"])),
            ("audio", json!({ "voice": "alloy" })),
            ("functions", json!([weather()])),
            ("logit_bias", json!({ "1": 2 })),
        ] {
            let mut body = json!({ "model": "plexus/calc", "messages": [says("user", "1 + 1")] });
            body[name] = value;
            let said = post(&ada, CHAT, &body).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!((&said["error"]["code"], &said["error"]["param"]), (&json!("unsupported_parameter"), &json!(name)));
        }
        for (body, param) in [
            (json!({ "tools": flat() }), "tools"),
            (json!({ "text": { "format": { "type": "json_object" } } }), "text.format"),
            (json!({ "top_logprobs": 2 }), "top_logprobs"),
            (json!({ "include": ["message.output_text.logprobs"] }), "include"),
        ] {
            let mut body = body;
            body["model"] = json!("plexus/calc");
            body["input"] = json!("1 + 1");
            let said = post(&ada, RESPONSES, &body).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!((&said["error"]["code"], &said["error"]["param"]), (&json!("unsupported_parameter"), &json!(param)));
        }
        // Values that ask for nothing are no obstacle, nor are tools that must not be called.
        let harmless = json!({ "model": "plexus/calc", "messages": [says("user", "1 + 1")], "n": 1, "logprobs": false,
                               "modalities": ["text"], "response_format": { "type": "text" }, "tools": nested(),
                               "web_search_options": {}, "prompt_cache_key": "k", "verbosity": "low", "temperature": 0,
                               "tool_choice": "none", "stop": null, "max_tokens": null });
        assert!(text_of(&ask(&ada, CHAT, &harmless).await["choices"][0]["message"]["content"]).contains('2'));
        let tools = json!([{ "type": "web_search" }, { "type": "custom", "name": "apply_patch" }, { "type": "local_shell" },
                           { "type": "namespace", "name": "empty", "tools": [{ "type": "custom", "name": "exec" }] }]);
        let items = json!([{ "type": "additional_tools", "role": "developer", "tools": tools }, says("user", "1 + 1")]);
        for choice in [Value::Null, json!("auto"), json!("required"), json!({ "type": "web_search" })] {
            let harmless = json!({ "model": "plexus/calc", "input": items, "tools": tools, "tool_choice": choice,
                                   "context_management": [{ "type": "compaction" }], "max_tool_calls": 3 });
            assert_eq!(ask(&ada, RESPONSES, &harmless).await["status"], json!("completed"), "{choice}");
        }
        for (name, value) in [
            ("max_tokens", json!(0)), ("stop", json!([7])), ("tool_choice", json!("required")), ("temperature", json!(3)),
            ("temperature", json!("hot")), ("top_p", json!(-1)), ("seed", json!(1.5)), ("presence_penalty", json!(9)),
            ("frequency_penalty", json!("x")), ("reasoning_effort", json!("Very much")),
        ] {
            let mut body = json!({ "model": "plexus/calc", "messages": [says("user", "1 + 1")] });
            body[name] = value;
            let said = post(&ada, CHAT, &body).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!(said["error"]["param"], json!(name));
        }
    }

    async fn any_agent_stops_where_its_caller_says(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let mut body = json!({ "model": "plexus/calc", "messages": [says("user", "1 + 1")] });
        let whole = text_of(&ask(&ada, CHAT, &body).await["choices"][0]["message"]["content"]);
        let (before, _) = whole.split_once('=').expect("a result");
        for streams in [false, true] {
            body["stream"] = json!(streams);
            body["stop"] = json!("=");
            let (text, reason) = answer_of(&ada, &body, streams).await;
            assert_eq!((text.as_str(), reason), (before, json!("stop")));
            body["stop"] = Value::Null;
            body["max_tokens"] = json!(1);
            let (text, reason) = answer_of(&ada, &body, streams).await;
            assert_eq!((text.as_str(), reason), (&whole[..4], json!("length")));
            body["max_tokens"] = Value::Null;
        }
        let body = json!({ "model": "plexus/calc", "input": "1 + 1", "max_output_tokens": 1 });
        let told = ask(&ada, RESPONSES, &body).await;
        assert_eq!((&told["status"], &told["max_output_tokens"]), (&json!("incomplete"), &json!(1)));
        assert_eq!(told["output"][0]["content"][0]["text"], json!(&whole[..4]));
    }
}

/// Returns the text of a completion and its finish reason.
async fn answer_of(client: &Client, body: &Value, streams: bool) -> (String, Value) {
    let answer = post(client, CHAT, body).await.expect(StatusCode::OK);
    if !streams {
        let choice = &answer.json()["choices"][0];
        return (text_of(&choice["message"]["content"]), choice["finish_reason"].clone());
    }
    let chunks = events(&answer);
    let text = chunks.iter().map(|chunk| text_of(&chunk["choices"][0]["delta"]["content"])).collect();
    (text, chunks.last().expect("chunks")["choices"][0]["finish_reason"].clone())
}
