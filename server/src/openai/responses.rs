//! OpenAI Responses API: `POST /v1/responses`. `stored_responses` has the paths of stored answers.

use std::{convert::Infallible, ops::Not as _};

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use plexus_domain::CallOptions;
use plexus_hub::calls::{AuthorizedAgent, CallRequest};
use serde_json::{Map, Value};

use super::{
    answer_stream::{AnswerStream, authorize},
    call_options,
    error::OpenAiError,
    flag, flag_or, model, read,
    request_messages::Input,
    response::{ResponseTemplate, Status, message_of},
    response_events::{self, Numbering},
    text,
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
    let background = flag(&asked, "background")?;
    let model = model(&asked)?;
    let authorized = authorize(&site, &caller, model).await?;
    let call = call(&asked, &authorized)?;
    if background && (call.is_withheld || authorized.is_anonymous()) {
        let words =
            "A background response is fetched later. Use an account, and leave store out or set it to true.";
        return Err(OpenAiError::invalid(Some("background"), words));
    }
    let mut answering = AnswerStream::begin(site, &authorized, model, call).await?;
    if background {
        answering.detach();
    }
    let frame = ResponseTemplate::new(answering.id, answering.created, &answering.model, &asked);
    if !streams {
        let status = if background { Status::from(&answering.task) } else { answering.ended().await? };
        return Ok(Json(frame.tell(answering.said(), status, None)).into_response());
    }
    answering.wait_first().await?;
    let numbering = match background {
        true => Numbering::ByContent { after: None },
        false => Numbering::Consecutive,
    };
    let events = response_events::events(frame, answering, numbering);
    Ok(event_stream(Body::from_stream(events.map(Ok::<_, Infallible>))))
}

fn call(asked: &Map<String, Value>, authorized: &AuthorizedAgent) -> Result<CallRequest, OpenAiError> {
    let options = call_options::of_response(asked, authorized.is_model())?;
    let is_withheld = flag_or(asked, "store", true)?.not();
    let mut input = Input::new(authorized.is_model());
    let instructions = text(asked, "instructions")?.filter(|text| !text.trim().is_empty());
    let options = match instructions {
        Some(instructions) if authorized.is_model() => {
            CallOptions { instructions: Some(instructions.to_owned()), ..options }
        }
        Some(instructions) => {
            input.say(instructions);
            options
        }
        None => options,
    };
    match asked.get("input") {
        Some(Value::String(words)) => input.say(words),
        Some(Value::Array(items)) => input.messages(items, "input")?,
        _ => return Err(OpenAiError::invalid(Some("input"), "The input is a text or a list of messages.")),
    }
    let call = CallRequest { is_withheld, ..input.call(options, "input")? };
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
