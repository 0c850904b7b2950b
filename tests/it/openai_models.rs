//! Tests of what reaches a model at `/v1`, and what comes from it: sampling, instructions, reasoning, tools of other types
//! and background responses.

use std::path::Path;

use plexus_store::testing::Database;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    hub::{self, Hub, play_on_both},
    mcp_tools::start,
    openai_tools::{CHAT, Log, RESPONSES, ask, events, flat, nested, post, register, says},
    tokens::make,
};

play_on_both!(what_a_caller_says_reaches_the_model);

async fn what_a_caller_says_reaches_the_model(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let flags = ["--rate", "0", "--tokens", "5", "--asked", asked.to_str().expect("UTF-8")];
    let model = start(Path::new("node"), "model/scripted.mjs", &flags).await;
    let url: &'static str = model.url.clone().leak();
    hub::run(
        database,
        &[("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")],
        async |hub: &Hub| {
            let grace = hub.administrator("grace").await;
            register(&grace, "own", &json!([])).await;
            let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
            let log = Log(&asked);
            callers_choose_words_and_instructions(&program, &log).await;
            instructions_of_responses_are_for_one_call(&program, &log).await;
            reasoning_is_passed_on(&program, &log).await;
            functions_of_namespaces_are_called(&program, &log).await;
            allowed_tools_are_offered(&program, &log).await;
            a_background_response_is_resumed(&program).await;
            tools_of_any_size_are_offered_to_a_model_of_an_unknown_window(&program, &log).await;
        },
    )
    .await;
}

async fn callers_choose_words_and_instructions(program: &Client, log: &Log<'_>) {
    let body = json!({ "model": "grace/own", "temperature": 0, "top_p": 0.5, "seed": 7, "presence_penalty": -1.5,
                       "frequency_penalty": 0.25, "reasoning_effort": "low", "user": "u",
                       "messages": [says("system", "Be exact."), says("developer", "Answer in German."), says("user", "tokens=2"),
                                    says("assistant", "So."), says("system", "No lists."), says("user", "tokens=1")] });
    ask(program, CHAT, &body).await;
    let sent = log.last();
    for name in ["temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "reasoning_effort"]
    {
        assert_eq!(sent[name].as_f64(), body[name].as_f64(), "{name}: {sent}");
        assert_eq!(sent[name].as_str(), body[name].as_str(), "{name}: {sent}");
    }
    assert_eq!(sent.get("user"), None);
    let system = says("system", "Answer.\n\nBe exact.\n\nAnswer in German.\n\nNo lists.");
    let expected = [system, says("user", "tokens=2"), says("assistant", "So."), says("user", "tokens=1")];
    assert_eq!(sent["messages"], json!(expected));

    let plain = json!({ "model": "grace/own", "messages": [says("user", "tokens=1")] });
    ask(program, CHAT, &plain).await;
    let sent = log.last();
    for name in ["temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "reasoning_effort"]
    {
        assert_eq!(
            sent.get(name),
            None,
            "an option that neither caller nor owner chose is left to the server"
        );
    }
    assert_eq!(sent["messages"], json!([says("system", "Answer."), says("user", "tokens=1")]));
    let only = json!({ "model": "grace/own", "messages": [says("system", "tokens=1")] });
    ask(program, CHAT, &only).await;
    assert_eq!(system_and_question(log), (says("system", "Answer."), says("user", "tokens=1")));
}

fn system_and_question(log: &Log<'_>) -> (Value, Value) {
    let sent = log.last();
    (sent["messages"][0].clone(), sent["messages"][1].clone())
}

async fn instructions_of_responses_are_for_one_call(program: &Client, log: &Log<'_>) {
    let body = json!({ "model": "grace/own", "instructions": "Be brief.", "temperature": 0.25, "reasoning": { "effort": "high" },
                       "input": [says("developer", "Answer in German."), says("user", "tokens=1")] });
    let first = ask(program, RESPONSES, &body).await;
    assert_eq!((&first["temperature"], &first["reasoning"]["effort"]), (&json!(0.25), &json!("high")));
    let sent = log.last();
    assert_eq!((&sent["temperature"], &sent["reasoning_effort"]), (&json!(0.25), &json!("high")));
    assert_eq!(sent["messages"][0], says("system", "Answer.\n\nBe brief.\n\nAnswer in German."));
    let next = json!({ "model": "grace/own", "previous_response_id": first["id"], "input": "tokens=2" });
    ask(program, RESPONSES, &next).await;
    let sent = log.last();
    assert_eq!(sent["messages"][0], says("system", "Answer."), "instructions are for one call");
    assert_eq!(sent["messages"][1], says("user", "tokens=1"), "{sent}");
}

async fn reasoning_is_passed_on(program: &Client, log: &Log<'_>) {
    let mut body = json!({ "model": "grace/own", "messages": [says("user", "think=Hmm tokens=2")] });
    let told = ask(program, CHAT, &body).await;
    let message = &told["choices"][0]["message"];
    assert_eq!((&message["reasoning_content"], &message["content"]), (&json!("Hmm"), &json!("t1 t2 ")));
    body["stream"] = json!(true);
    let chunks = events(&post(program, CHAT, &body).await.expect(StatusCode::OK));
    let told = |name: &str| -> String {
        chunks.iter().map(|chunk| text_of(&chunk["choices"][0]["delta"][name])).collect()
    };
    assert_eq!((told("reasoning_content").as_str(), told("content").as_str()), ("Hmm", "t1 t2 "));
    let again =
        json!({ "model": "grace/own", "messages": [body["messages"][0], message, says("user", "tokens=1")] });
    ask(program, CHAT, &again).await;
    assert_eq!(log.last()["messages"][1], says("user", "think=Hmm tokens=2"), "{}", log.last());

    let mut body = json!({ "model": "grace/own", "input": "think=Hmm tokens=2" });
    let told = ask(program, RESPONSES, &body).await;
    let kinds = |told: &Value| -> Vec<String> {
        told["output"].as_array().expect("items").iter().map(|item| text_of(&item["type"])).collect()
    };
    assert_eq!(kinds(&told), ["reasoning", "message"], "{told}");
    assert_eq!(
        (&told["output"][0]["summary"][0]["text"], &told["output"][0]["content"][0]["text"]),
        (&json!("Hmm"), &json!("Hmm"))
    );
    let stored =
        program.get(&format!("{RESPONSES}/{}", text_of(&told["id"]))).await.expect(StatusCode::OK).json();
    assert_eq!(stored["output"], told["output"]);
    body["stream"] = json!(true);
    let events = events(&post(program, RESPONSES, &body).await.expect(StatusCode::OK));
    let done: Vec<_> = events.iter().filter(|event| event["type"] == "response.output_item.done").collect();
    let last = &events.last().expect("events")["response"];
    for (index, event) in done.iter().enumerate() {
        assert_eq!((&event["output_index"], &event["item"]), (&json!(index), &last["output"][index]));
    }
    assert_eq!((done.len(), kinds(last)), (2, vec!["reasoning".to_owned(), "message".to_owned()]));
    let deltas = events.iter().filter(|event| event["type"] == "response.reasoning_summary_text.delta");
    assert_eq!(deltas.map(|event| text_of(&event["delta"])).collect::<String>(), "Hmm");
    let next = json!([
        says("user", "think=Hmm tokens=2"),
        last["output"][0],
        last["output"][1],
        says("user", "tokens=1")
    ]);
    ask(program, RESPONSES, &json!({ "model": "grace/own", "input": next, "store": false })).await;
}

async fn functions_of_namespaces_are_called(program: &Client, log: &Log<'_>) {
    let tools = json!([
        { "type": "namespace", "name": "sky", "description": "Weather.", "tools": flat() },
        { "type": "web_search", "external_web_access": true }, { "type": "custom", "name": "apply_patch", "format": {} },
        { "type": "local_shell" }, { "type": "tool_search" },
        { "type": "namespace", "name": "n".repeat(70), "tools": flat() },
    ]);
    let question = says("user", "call=sky__weather {\"city\":\"Bern\"}");
    for stream in [false, true] {
        for (tools, items) in [
            (tools.clone(), json!([question])),
            (
                json!([]),
                json!([{ "type": "additional_tools", "role": "developer", "tools": tools }, question]),
            ),
        ] {
            let body = json!({ "model": "grace/own", "input": items, "tools": tools, "stream": stream });
            let call = if stream {
                let events = events(&post(program, RESPONSES, &body).await.expect(StatusCode::OK));
                let done = events
                    .iter()
                    .find(|event| event["type"] == "response.output_item.done")
                    .expect("an item");
                done["item"].clone()
            } else {
                ask(program, RESPONSES, &body).await["output"][0].clone()
            };
            assert_eq!((&call["name"], &call["namespace"]), (&json!("weather"), &json!("sky")), "{call}");
            let names: Vec<_> = log.last()["tools"]
                .as_array()
                .expect("tools")
                .iter()
                .map(|tool| text_of(&tool["function"]["name"]))
                .collect();
            assert_eq!(names, ["sky__weather"]);
            let result =
                json!({ "type": "function_call_output", "call_id": call["call_id"], "output": "rain" });
            let whole = json!({ "model": "grace/own", "input": [question, call, result], "tools": tools, "store": false });
            ask(program, RESPONSES, &whole).await;
            let sent = log.last();
            assert_eq!(
                sent["messages"][2]["tool_calls"][0]["function"]["name"],
                json!("sky__weather"),
                "{sent}"
            );
        }
    }
    // The same members at chat completions.
    let mut given = nested().as_array().expect("a list").clone();
    given.extend([json!({ "type": "custom", "custom": { "name": "x" } }), json!({ "type": "web_search" })]);
    let body = json!({ "model": "grace/own", "messages": [says("user", "call=weather {}")], "tools": given,
                       "tool_choice": { "type": "custom", "custom": { "name": "x" } } });
    assert_eq!(ask(program, CHAT, &body).await["choices"][0]["finish_reason"], json!("tool_calls"));
    assert_eq!((&log.last()["tools"], log.last().get("tool_choice")), (&nested(), None));
}

async fn allowed_tools_are_offered(program: &Client, log: &Log<'_>) {
    let mut tools = flat().as_array().expect("a list").clone();
    tools.push(json!({ "type": "function", "name": "other", "parameters": {} }));
    let choice = json!({ "type": "allowed_tools", "mode": "required", "tools": [{ "type": "function", "name": "weather" }] });
    let body =
        json!({ "model": "grace/own", "input": "call=weather {}", "tools": tools, "tool_choice": choice });
    ask(program, RESPONSES, &body).await;
    let sent = log.last();
    assert_eq!(
        (&sent["tool_choice"], sent["tools"].as_array().map(Vec::len)),
        (&json!("required"), Some(1)),
        "{sent}"
    );
}

async fn a_background_response_is_resumed(program: &Client) {
    let body =
        json!({ "model": "grace/own", "input": "think=Hmm tokens=25", "background": true, "stream": true });
    let whole = events(&post(program, RESPONSES, &body).await.expect(StatusCode::OK));
    let number = |event: &Value| event["sequence_number"].as_u64().expect("a number");
    assert!(whole.windows(2).all(|pair| number(&pair[0]) < number(&pair[1])), "{whole:?}");
    let text = |events: &[Value]| -> String {
        let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
        deltas.map(|event| text_of(&event["delta"])).collect()
    };
    let path = format!("{RESPONSES}/{}", text_of(&whole[0]["response"]["id"]));
    let last = whole.last().expect("events");
    for (at, event) in whole.iter().enumerate() {
        let path = format!("{path}?stream=true&starting_after={}", number(event));
        let rest = events(&program.get(&path).await.expect(StatusCode::OK));
        assert_eq!(text(&rest), text(&whole[at + 1..]), "after {event}");
        assert!(rest.iter().all(|later| number(later) > number(event)), "{rest:?}");
        assert_eq!(rest.last().map(&number), (at + 1 < whole.len()).then(|| number(last)));
    }
    let all = events(&program.get(&format!("{path}?stream=true")).await.expect(StatusCode::OK));
    assert_eq!(all.last().expect("events")["response"]["output"], last["response"]["output"]);
    assert_eq!(program.get(&path).await.expect(StatusCode::OK).json()["output"], last["response"]["output"]);
    for wrong in ["stream=maybe", "stream=true&starting_after=-1"] {
        program.get(&format!("{path}?{wrong}")).await.expect(StatusCode::BAD_REQUEST);
    }
}

/// Returns tools of about 130 KB as JSON.
pub(crate) fn large_tools() -> Value {
    let tool = |index: usize| {
        json!({ "type": "function", "function": { "name": format!("tool_{index}"), "description": "d".repeat(1_000),
                                      "parameters": { "type": "object", "properties": {} } } })
    };
    (0..120).map(tool).collect()
}

async fn tools_of_any_size_are_offered_to_a_model_of_an_unknown_window(program: &Client, log: &Log<'_>) {
    let body = json!({ "model": "grace/own", "messages": [says("user", &"long ".repeat(30_000)), says("assistant", "So?"), says("user", "tokens=1")],
                       "tools": large_tools() });
    ask(program, CHAT, &body).await;
    let sent = log.last();
    assert_eq!(
        (sent["tools"].as_array().map(Vec::len), sent["messages"].as_array().map(Vec::len)),
        (Some(120), Some(4))
    );
}
