//! Tests of MCP clients that show forms (elicitation) and follow tasks (SEP-2663).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::{Agent, Call},
    client::{Client, text_of},
    federation::until,
    hub::{Hub, on_both},
    mcp::{messages, new, program, result, tool, with_capabilities},
    tokens::make,
};

/// The places where an agent is called: path, tool and further arguments.
fn places() -> [(&'static str, &'static str, Value); 2] {
    [("/mcp", "send_message", json!({ "agent": "@grace/puppet" })), ("/mcp/grace/puppet", "ask", json!({}))]
}

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

fn tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} }, "elicitation": {} })
}

fn say(name: &str, arguments: &Value, message: &str) -> Value {
    let mut arguments = arguments.clone();
    arguments["message"] = json!(message);
    tool(name, &arguments)
}

async fn register(hub: &Hub) -> (Client, Agent) {
    let grace = hub.administrator("grace").await;
    let puppet = Agent::start().await;
    let agent = json!({ "url": puppet.url, "name": "puppet", "visibility": "public", "trust_origins": true });
    grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
    (grace.with_token(&make(&grace, &["chat", "read", "team"]).await), puppet)
}

async fn ask(call: Call, question: &str) {
    call.begin_task().await;
    call.ask(question).await;
}

async fn finish(call: Call, answer: &str) {
    call.begin_task().await;
    call.artifact(answer).await;
    call.complete().await;
}

/// Returns the only form of a result or a task: its key and its message.
fn form(waiting: &Value) -> (String, String) {
    let requests = waiting["inputRequests"].as_object().expect("requests");
    let (key, request) = requests.iter().next().expect("one");
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")), "{waiting:#}");
    let schema = &request["params"]["requestedSchema"];
    assert_eq!(
        (&schema["required"], &schema["properties"]["answer"]["type"]),
        (&json!(["answer"]), &json!("string"))
    );
    (key.clone(), text_of(&request["params"]["message"]))
}

fn accepted(key: &str, answer: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "answer": answer } } })
}

on_both! {
    async fn a_question_is_a_form_whose_answer_continues_the_task(hub: &Hub) {
        let (grace, mut puppet) = register(hub).await;
        let ada = program(hub, "ada-lee").await;
        for (path, name, arguments) in places() {
            let call = say(name, &arguments, "Which tides?");
            let sent = result(&grace, with_capabilities(&grace, path, "tools/call", call.clone(), &forms()));
            let (waiting, ()) = tokio::join!(sent, async { ask(puppet.called().await, "Which harbour?").await });
            assert_eq!(waiting["resultType"], "input_required", "{waiting:#}");
            let (key, message) = form(&waiting);
            assert_eq!(message, "Which harbour?");
            let again = |responses: Value, state: &Value| {
                let mut call = call.clone();
                (call["inputResponses"], call["requestState"]) = (responses, state.clone());
                call
            };
            let state = &waiting["requestState"];

            let declined = again(json!({ key.clone(): { "action": "decline" } }), state);
            let declined = result(&grace, with_capabilities(&grace, path, "tools/call", declined, &forms())).await;
            assert_eq!(declined["structuredContent"]["state"], "input_required", "{declined:#}");

            let no_text = json!({ key.clone(): { "action": "accept", "content": { "answer": 5 } } });
            for (client, responses, state) in [
                (&ada, accepted(&key, "Husum"), state.clone()), (&grace, accepted("other", "Husum"), state.clone()),
                (&grace, no_text, state.clone()), (&grace, accepted(&key, "Husum"), json!("@grace/puppet#1")),
            ] {
                let refused = result(client, with_capabilities(client, path, "tools/call", again(responses, &state), &forms())).await;
                assert_eq!(refused["isError"], true, "{refused:#}");
            }

            let answered = again(accepted(&key, "Husum"), state);
            let sent = result(&grace, with_capabilities(&grace, path, "tools/call", answered.clone(), &forms()));
            let (done, ()) = tokio::join!(sent, async {
                let call = puppet.called().await;
                assert!(call.message.to_string().contains("Husum"), "{:#}", call.message);
                finish(call, "High at four.").await;
            });
            assert_eq!((&done["resultType"], &done["structuredContent"]["text"]), (&json!("complete"), &json!("High at four.")), "{done:#}");
            let late = result(&grace, with_capabilities(&grace, path, "tools/call", answered, &forms())).await;
            assert_eq!(late["isError"], true, "it was answered: {late:#}");
        }
    }

    async fn a_slow_call_becomes_a_task_that_is_polled_answered_and_cancelled(hub: &Hub) {
        let (grace, mut puppet) = register(hub).await;
        for (path, name, arguments) in places() {
            let send = |method: &str, params: Value| with_capabilities(&grace, path, method, params, &tasks());
            let sent = result(&grace, send("tools/call", say(name, &arguments, "Which tides?")));
            let (created, call) = tokio::join!(sent, puppet.called());
            assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")), "{created:#}");
            let task = json!({ "taskId": created["taskId"] });
            let state = || result(&grace, send("tasks/get", task.clone()));
            assert_eq!(state().await["status"], "working");

            ask(call, "Which harbour?").await;
            until("it waits", async || state().await["status"] == "input_required").await;
            let (key, message) = form(&state().await);
            assert_eq!(message, "Which harbour?");
            let mut update = task.clone();
            update["inputResponses"] = accepted(&key, "Husum");
            let (_, call) = tokio::join!(result(&grace, send("tasks/update", update)), puppet.called());
            assert!(call.message.to_string().contains("Husum"), "{:#}", call.message);
            finish(call, "High at four.").await;
            until("it is done", async || state().await["status"] == "completed").await;
            let done = state().await;
            assert_eq!(done["result"]["structuredContent"]["text"], "High at four.", "{done:#}");

            assert_strangers_see_no_task(hub, path, &task).await;
            let refused = grace.send(new(&grace, path, "tasks/get", task)).await;
            let refused = messages(&refused).pop().expect("an answer");
            assert_eq!(refused["error"]["code"], -32021, "it did not declare the extension: {refused:#}");
        }
        let send = |method: &str, params: Value| with_capabilities(&grace, "/mcp", method, params, &tasks());
        let (_, name, arguments) = &places()[0];
        let sent = result(&grace, send("tools/call", say(name, arguments, "Wait")));
        let (created, _call) = tokio::join!(sent, puppet.called());
        let task = json!({ "taskId": created["taskId"] });
        result(&grace, send("tasks/cancel", task.clone())).await;
        until("it is cancelled", async || result(&grace, send("tasks/get", task.clone())).await["status"] == "cancelled").await;
    }

    async fn a_goal_becomes_a_task(hub: &Hub) {
        let (grace, mut puppet) = register(hub).await;
        let send = |method: &str, params: Value| with_capabilities(&grace, "/mcp", method, params, &tasks());
        let launch = tool("launch_goal", &json!({ "goal": "Tell the tides", "members": ["@grace/puppet"] }));
        let (created, call) = tokio::join!(result(&grace, send("tools/call", launch)), puppet.called());
        assert_eq!(created["resultType"], "task", "{created:#}");
        let task = json!({ "taskId": created["taskId"] });
        let state = || result(&grace, send("tasks/get", task.clone()));
        assert_eq!(state().await["status"], "working");
        finish(call, "High at four.").await;
        until("it is done", async || state().await["status"] == "completed").await;
        assert!(state().await["result"]["content"][0].to_string().contains("High at four."));
        // Cancelling what has ended changes nothing.
        result(&grace, send("tasks/cancel", task.clone())).await;
        assert_eq!(state().await["status"], "completed");
        assert_strangers_see_no_task(hub, "/mcp", &task).await;
    }
}

async fn assert_strangers_see_no_task(hub: &Hub, path: &str, task: &Value) {
    let eve = program(hub, &format!("eve{}", path.len())).await;
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = eve.send(with_capabilities(&eve, path, method, task.clone(), &tasks())).await;
        let refused = messages(&refused).pop().expect("an answer");
        let code = &refused["error"]["code"];
        assert!([json!(-32602), json!(-32600)].contains(code), "{method}: {refused:#}");
    }
}
