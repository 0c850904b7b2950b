//! Elicitation: a question of an agent as a form of one field, which the client shows to its user
//! (revision 2026-07-28, multi round-trip requests).
//!
//! The state of a request is the id of its task. It is not secret and not trusted: the caller's right to the task is
//! checked whenever it comes back.

use plexus_domain::{Error as Refusal, RunState, part::plain_text};
use plexus_hub::calls::Task;
use rmcp::{
    RoleServer,
    model::{
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
        InputRequests, InputResponses, ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::Value;

/// Name of the field.
const FIELD: &str = "answer";

/// What the user did with the form.
#[derive(Debug, PartialEq)]
pub enum ElicitationReply {
    Answer(String),
    Declined,
}

/// Returns the form for the question that a task waits for. `None` if the client shows no forms, or if the task waits
/// for something else, such as credentials or an approval, which are given on the hub's pages.
pub fn input_requests(task: &Task, request: &RequestContext<RoleServer>) -> Option<InputRequests> {
    let question = question(task).filter(|_| supports_forms(request))?;
    let form = ElicitationSchema::builder()
        .required_string_property(FIELD, |field| field.title("Answer"))
        .build()
        .ok()?;
    let params =
        ElicitRequestParams::FormElicitationParams { meta: None, message: question, requested_schema: form };
    let request = InputRequest::Elicitation(ElicitRequest::new(params));
    Some(InputRequests::from([(key(task)?, request)]))
}

/// Reads the reply to the question that a task waits for.
///
/// # Errors
/// If there is no reply to that question, because it was answered elsewhere or the task ended, or if the answer is no text.
pub fn read_reply(task: &Task, responses: &InputResponses) -> Result<ElicitationReply, Refusal> {
    let outdated =
        || Refusal::conflict("The agent does not wait for this answer any more. Get the task again.");
    let key = key(task).filter(|_| question(task).is_some()).ok_or_else(outdated)?;
    let reply: ElicitResult = serde_json::from_value(responses.get(&key).ok_or_else(outdated)?.clone())
        .map_err(|error| {
            Refusal::invalid("inputResponses", format!("Not a result of an elicitation: {error}."))
        })?;
    if reply.action != ElicitationAction::Accept {
        return Ok(ElicitationReply::Declined);
    }
    let answer = reply.content.as_ref().and_then(|content| content.get(FIELD)).and_then(Value::as_str);
    let missing = || Refusal::invalid("inputResponses", format!("The content needs the text \"{FIELD}\"."));
    answer.map(|answer| ElicitationReply::Answer(answer.to_owned())).ok_or_else(missing)
}

/// Returns the text of the question that a task waits for.
fn question(task: &Task) -> Option<String> {
    let last = task.agents_messages().last().filter(|_| task.state == RunState::InputRequired)?;
    Some(plain_text(&last.parts)).filter(|text| !text.trim().is_empty())
}

/// Returns the key of the current question, unique in the task.
fn key(task: &Task) -> Option<String> {
    Some(format!("question-{}", task.agents_messages().last()?.id))
}

/// Returns whether the client shows forms. A client that names no mode supports forms only.
fn supports_forms(request: &RequestContext<RoleServer>) -> bool {
    let is_new = request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let elicitation = request.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    is_new && elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}
