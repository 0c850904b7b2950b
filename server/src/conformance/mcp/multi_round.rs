//! Multi round-trip requests (MCP 2026-07-28): the input requests of each round, and the check whether they
//! are answered.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, ClientCapabilities, GetPromptResponse, GetPromptResult, InputRequiredResult,
        InputResponses, RequestStateCodec,
    },
};
use serde_json::{Value, json};

use super::{Answer, made, said};

pub const PROMPT: &str = "test_input_required_result_prompt";
pub const TOOLS: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// What a client sends with a repeated request: its input responses, and the request state from the previous
/// round.
type Carried = (Option<InputResponses>, Option<String>);

pub struct Rounds(RequestStateCodec);

/// The input requests of each round, and whether the request state carries the number of the round.
struct Plan {
    rounds: Vec<Value>,
    carries: bool,
}

impl Rounds {
    pub fn new(key: [u8; 32]) -> Self {
        Self(RequestStateCodec::new_unchecked(key))
    }

    pub fn tool(
        &self,
        name: &str,
        carried: Carried,
        can: Option<ClientCapabilities>,
    ) -> Answer<CallToolResponse> {
        let can = can.map(|can| json!(can)).unwrap_or_default();
        let plan = plan(name, &can).ok_or_else(|| ErrorData::invalid_params("Unknown tool", None))?;
        Ok(match self.next(name, &plan, carried)? {
            Next::Ask(asked) => asked.into(),
            Next::Done(answers) => said(told(name, &answers)).into(),
        })
    }

    pub fn prompt(&self, name: &str, carried: Carried) -> Answer<GetPromptResponse> {
        let plan = plan(name, &Value::Null).filter(|_| name == PROMPT);
        let plan = plan.ok_or_else(|| ErrorData::invalid_params("Unknown prompt", None))?;
        Ok(match self.next(name, &plan, carried)? {
            Next::Ask(asked) => asked.into(),
            Next::Done(answers) => {
                let words = format!("Use this context: {}", answers["user_context"]["content"]["context"]);
                let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
                GetPromptResult::new(vec![made(message)?]).into()
            }
        })
    }

    fn next(&self, name: &str, plan: &Plan, (responses, state): Carried) -> Answer<Next> {
        let round = match state {
            Some(state) => self.open(name, &state)?,
            None => 0,
        };
        let asked = plan
            .rounds
            .get(round)
            .ok_or_else(|| ErrorData::invalid_params("There is no such round.", None))?;
        let answers = json!(responses.unwrap_or_default());
        let answered =
            asked.as_object().into_iter().flatten().all(|(key, request)| answers_it(request, &answers[key]));
        let round = if answered { round + 1 } else { round };
        let Some(asked) = plan.rounds.get(round) else { return Ok(Next::Done(answers)) };
        let state = plan.carries.then(|| self.seal(name, round)).transpose()?;
        Ok(Next::Ask(InputRequiredResult::new(Some(made(asked.clone())?), state)))
    }

    fn seal(&self, name: &str, round: usize) -> Answer<String> {
        self.0.seal_json(&(name, round)).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn open(&self, name: &str, state: &str) -> Answer<usize> {
        let opened = self.0.open_json::<(String, usize)>(state).ok().filter(|(of, _)| of == name);
        let (_, round) =
            opened.ok_or_else(|| ErrorData::invalid_params("This requestState was not given here.", None))?;
        Ok(round)
    }
}

enum Next {
    Ask(InputRequiredResult),
    Done(Value),
}

fn plan(name: &str, can: &Value) -> Option<Plan> {
    let once = |requests: Value| Plan { rounds: vec![requests], carries: false };
    let confirm = || json!({ "confirm": elicitation("Please confirm", "ok", "boolean") });
    Some(match name {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            once(json!({ "user_name": name_asked() }))
        }
        "test_input_required_result_sampling" => {
            once(json!({ "capital_question": sampling("What is the capital of France?", 100) }))
        }
        "test_input_required_result_list_roots" => once(json!({ "client_roots": roots() })),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            Plan { rounds: vec![confirm()], carries: true }
        }
        "test_input_required_result_multiple_inputs" => {
            let greeting = sampling("Generate a greeting", 50);
            let all = json!({ "user_name": name_asked(), "greeting": greeting, "client_roots": roots() });
            Plan { rounds: vec![all], carries: true }
        }
        "test_input_required_result_multi_round" => {
            let first = json!({ "step1": elicitation("Step 1: What is your name?", "name", "string") });
            let second =
                json!({ "step2": elicitation("Step 2: What is your favorite color?", "color", "string") });
            Plan { rounds: vec![first, second], carries: true }
        }
        "test_input_required_result_capabilities" => once(only_what_it_can(can)),
        PROMPT => once(
            json!({ "user_context": elicitation("What context should the prompt use?", "context", "string") }),
        ),
        _ => return None,
    })
}

fn only_what_it_can(can: &Value) -> Value {
    let mut asked = json!({});
    for (capability, key, request) in [
        ("sampling", "capital_question", sampling("What is the capital of France?", 100)),
        ("elicitation", "user_name", name_asked()),
        ("roots", "client_roots", roots()),
    ] {
        if can[capability].is_object() {
            asked[key] = request;
        }
    }
    asked
}

fn name_asked() -> Value {
    elicitation("What is your name?", "name", "string")
}

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn sampling(question: &str, tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": question } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Returns whether a response is a valid answer to this input request.
fn answers_it(request: &Value, response: &Value) -> bool {
    match request["method"].as_str() {
        Some("elicitation/create") => match response["action"].as_str() {
            Some("accept") => {
                let mut required =
                    request["params"]["requestedSchema"]["required"].as_array().into_iter().flatten();
                required
                    .all(|field| field.as_str().is_some_and(|field| !response["content"][field].is_null()))
            }
            Some("decline" | "cancel") => true,
            _ => false,
        },
        Some("sampling/createMessage") => response["content"].is_object(),
        _ => response["roots"].is_array(),
    }
}

fn told(name: &str, answers: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match name {
        "test_input_required_result_elicitation" => {
            format!("Hello, {}!", text(&answers["user_name"]["content"]["name"]))
        }
        "test_input_required_result_sampling" => text(&answers["capital_question"]["content"]["text"]),
        "test_input_required_result_list_roots" => {
            format!("The roots are {}.", answers["client_roots"]["roots"])
        }
        _ => format!("state-ok: {answers}"),
    }
}
