use serde_json::{Value, json};

use super::DecisionRequest;
use crate::team::{AssignmentSpec, Utterance, UtteranceKind};

/// Returns the JSON Schema of the allowed answers, for models with structured output.
pub fn schema(request: &DecisionRequest) -> Value {
    let choices: Vec<Value> = request.allowed.iter().map(|&kind| choice(request, kind)).collect();
    json!({ "oneOf": choices })
}

fn choice(request: &DecisionRequest, kind: UtteranceKind) -> Value {
    let seats: Vec<u16> = request.members.iter().map(|member| member.seat.0).collect();
    let known: Vec<u32> = request.assignments.iter().map(|work| work.number.0).collect();
    let text = json!({ "type": "string", "minLength": 1, "maxLength": 16_000 });
    let note = json!({ "type": "string", "minLength": 1, "maxLength": 500 });
    match kind {
        UtteranceKind::Discuss => {
            object("discuss", &["text"], json!({ "text": text, "next": { "enum": seats } }))
        }
        UtteranceKind::AssignNow => assign("now", request, &seats, &note),
        UtteranceKind::AssignBackground => assign("background", request, &seats, &note),
        UtteranceKind::WaitFor => {
            let assignments = json!({ "type": "array", "minItems": 1, "items": { "enum": known } });
            object("wait_for", &["assignments"], json!({ "assignments": assignments }))
        }
        UtteranceKind::Plan => {
            let step = json!({
                "type": "object",
                "properties": { "title": note, "done": { "type": "boolean" } },
                "required": ["title", "done"],
            });
            let steps =
                json!({ "type": "array", "minItems": 1, "maxItems": Utterance::MAX_STEPS, "items": step });
            object("plan", &["steps"], json!({ "steps": steps }))
        }
        UtteranceKind::Vote => {
            let options =
                json!({ "type": "array", "minItems": 2, "maxItems": Utterance::MAX_OPTIONS, "items": note });
            object("vote", &["question", "options"], json!({ "question": note, "options": options }))
        }
        UtteranceKind::Ballot => {
            let options = request.vote.as_ref().map_or(0, |vote| vote.options.len());
            let places: Vec<usize> = (0..options).collect();
            object("ballot", &[], json!({ "option": { "enum": places } }))
        }
        UtteranceKind::Conclude => conclude(request, &text),
    }
}

/// Returns the schema of a conclusion: a text, and the assignments whose whole results follow it.
fn conclude(request: &DecisionRequest, text: &Value) -> Value {
    let done = with_result(request);
    let mut properties = json!({ "text": text });
    if !done.is_empty() {
        properties["results"] = json!({ "type": "array", "maxItems": done.len(), "uniqueItems": true, "items": { "enum": done } });
    }
    object("conclude", &["text"], properties)
}

/// Returns the numbers of the assignments with results.
fn with_result(request: &DecisionRequest) -> Vec<u32> {
    request.assignments.iter().filter(|work| work.result.is_some()).map(|work| work.number.0).collect()
}

/// Returns the schema of an assignment. Its inputs can only be assignments with results.
fn assign(mode: &str, request: &DecisionRequest, seats: &[u16], note: &Value) -> Value {
    let most = request.remaining.assignments;
    let done = with_result(request);
    let mut spec = json!({
        "type": "object",
        "properties": {
            "title": note,
            "description": { "type": "string", "minLength": 1, "maxLength": 8_000 },
            "criteria": note,
        },
        "required": ["title", "description"],
    });
    if !done.is_empty() {
        spec["properties"]["inputs"] =
            json!({ "type": "array", "maxItems": AssignmentSpec::MAX_INPUTS, "items": { "enum": done } });
    }
    let task = json!({
        "type": "object",
        "properties": { "to": { "enum": seats }, "spec": spec },
        "required": ["to", "spec"],
    });
    let assignments = json!({ "type": "array", "minItems": 1, "maxItems": most, "items": task });
    let properties = json!({ "mode": { "const": mode }, "assignments": assignments });
    object("assign", &["mode", "assignments"], properties)
}

fn object(action: &str, required: &[&str], mut properties: Value) -> Value {
    properties["action"] = json!({ "const": action });
    let required: Vec<&str> = ["action"].into_iter().chain(required.iter().copied()).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
