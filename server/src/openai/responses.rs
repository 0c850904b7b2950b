//! OpenAI Responses API: `POST /v1/responses`, and `GET /v1/responses/{id}` for stored answers.

use std::convert::Infallible;

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    calls::{self, AnswerText, CallRequest},
    chats,
    message_views::Author,
};
use serde_json::{Map, Value};

use super::{
    answer_stream::{AnswerStream, outcome},
    error::OpenAiError,
    flag, model, models, read,
    request_messages::Input,
    response::{ResponseProgress, ResponseTemplate, Status, message_of},
    response_events, text,
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        event_stream::event_stream,
    },
};

pub async fn answer(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, OpenAiError> {
    let Bearer(caller) = caller?;
    let asked = read(&site, &headers, body)?;
    let streams = flag(&asked, "stream")?;
    if flag(&asked, "background")? {
        let words = "Background responses are not supported. Omit background, or set it to false.";
        return Err(OpenAiError::invalid(Some("background"), words));
    }
    let mut answering = AnswerStream::begin(site, &caller, model(&asked)?, call(&asked)?).await?;
    let frame = ResponseTemplate::new(answering.id, answering.created, &answering.model, &asked);
    if !streams {
        answering.whole().await?;
        return Ok(Json(frame.tell(answering.said(), Status::Completed, None)).into_response());
    }
    let first = answering.first().await?;
    let events = response_events::events(frame, answering, first);
    Ok(event_stream(Body::from_stream(events.map(Ok::<_, Infallible>))))
}

/// Returns a stored answer of the caller. Members that echo the request have default values, since the
/// request is not stored.
pub async fn show(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let missing = || Error::from(Refusal::not_found("Response not found."));
    let Path(id) = id.map_err(|_| missing())?;
    let message = message_of(&id).ok_or_else(missing)?;
    let kept = chats::message(&site.hub, &caller, message).await.map_err(|error| match error {
        Error::Refused(Refusal::NotFound { .. }) => missing(),
        error => error,
    })?;
    let (Author::Agent { address, .. }, Some(run)) = (kept.author, kept.run) else {
        return Err(missing().into());
    };
    let door = calls::authorize(&site.hub, &caller, &address).await?;
    let task = calls::get(&site.hub, &door, run.id).await?;
    let words = AnswerText::of(&site.hub, &task);
    let said = ResponseProgress { message, text: words.text(), task: &task };
    let failure = if task.is_settled() { outcome(&task, said.text).err() } else { None };
    let status = match (task.is_settled(), &failure) {
        (false, _) => Status::InProgress,
        (true, None) => Status::Completed,
        (true, Some(_)) => Status::Failed,
    };
    let frame =
        ResponseTemplate::new(message, run.queued.millis() / 1_000, &models::id(&address), &Map::new());
    Ok(Json(frame.tell(said, status, failure.as_ref())))
}

fn call(asked: &Map<String, Value>) -> Result<CallRequest, OpenAiError> {
    let mut input = Input::default();
    if let Some(instructions) = text(asked, "instructions")? {
        input.say(instructions);
    }
    match asked.get("input") {
        Some(Value::String(words)) => input.say(words),
        Some(Value::Array(items)) => input.messages(items, "input")?,
        _ => return Err(OpenAiError::invalid(Some("input"), "The input is a text or a list of messages.")),
    }
    let call = input.call("input")?;
    let (after, context) = (text(asked, "previous_response_id")?, conversation(asked)?);
    match (after, context) {
        (Some(_), Some(_)) => {
            let words = "Set either conversation or previous_response_id, not both.";
            Err(OpenAiError::invalid(Some("previous_response_id"), words))
        }
        (Some(after), None) => {
            let after = message_of(after)
                .ok_or_else(|| OpenAiError::invalid(Some("previous_response_id"), "Invalid response id."))?;
            Ok(CallRequest { after: Some(after), ..call })
        }
        (None, context) => Ok(CallRequest { context, ..call }),
    }
}

/// Returns the caller's name for the conversation, given as a string or as `{"id"}`.
fn conversation(asked: &Map<String, Value>) -> Result<Option<String>, OpenAiError> {
    match asked.get("conversation") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.clone())),
        Some(Value::Object(named)) if named.get("id").is_some_and(Value::is_string) => {
            Ok(named["id"].as_str().map(str::to_owned))
        }
        Some(_) => Err(OpenAiError::invalid(Some("conversation"), "A conversation is named by its id.")),
    }
}
