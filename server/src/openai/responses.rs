//! `POST /v1/responses`.

use std::convert::Infallible;

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use plexus_hub::calls::Call;
use serde_json::{Map, Value};

use super::{
    answering::Answering,
    failure::Failure,
    flag,
    input::Input,
    model, read,
    response::{Frame, Status, message_of},
    response_events, text,
};
use crate::{
    state::Site,
    web::{
        bearer::{Bearer, Unknown},
        event_stream::event_stream,
    },
};

pub async fn answer(
    State(site): State<Site>,
    caller: Result<Bearer, Unknown>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Failure> {
    let Bearer(caller) = caller?;
    let asked = read(&site, &headers, body)?;
    let streams = flag(&asked, "stream")?;
    if flag(&asked, "background")? {
        let words = "This hub answers while the caller waits. Leave background out, or set it to false.";
        return Err(Failure::invalid(Some("background"), words));
    }
    let mut answering = Answering::begin(site, &caller, model(&asked)?, call(&asked)?).await?;
    let frame = Frame::new(&answering, &asked);
    if !streams {
        answering.whole().await?;
        return Ok(Json(frame.tell(&answering, Status::Completed, None)).into_response());
    }
    let first = answering.first().await?;
    let events = response_events::events(frame, answering, first);
    Ok(event_stream(Body::from_stream(events.map(Ok::<_, Infallible>))))
}

fn call(asked: &Map<String, Value>) -> Result<Call, Failure> {
    let mut input = Input::default();
    if let Some(instructions) = text(asked, "instructions")? {
        input.say(instructions);
    }
    match asked.get("input") {
        Some(Value::String(words)) => input.say(words),
        Some(Value::Array(items)) => input.messages(items, "input")?,
        _ => return Err(Failure::invalid(Some("input"), "The input is a text or a list of messages.")),
    }
    let call = input.call("input")?;
    let (after, context) = (text(asked, "previous_response_id")?, conversation(asked)?);
    match (after, context) {
        (Some(_), Some(_)) => {
            let words = "Name a conversation or a previous response, not both.";
            Err(Failure::invalid(Some("previous_response_id"), words))
        }
        (Some(after), None) => {
            let after = message_of(after).ok_or_else(|| {
                Failure::invalid(
                    Some("previous_response_id"),
                    "This is not the id of a response of this hub.",
                )
            })?;
            Ok(Call { after: Some(after), ..call })
        }
        (None, context) => Ok(Call { context, ..call }),
    }
}

/// The caller's own name for a conversation, as a text or as `{"id"}`.
fn conversation(asked: &Map<String, Value>) -> Result<Option<String>, Failure> {
    match asked.get("conversation") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.clone())),
        Some(Value::Object(named)) if named.get("id").is_some_and(Value::is_string) => {
            Ok(named["id"].as_str().map(str::to_owned))
        }
        Some(_) => Err(Failure::invalid(Some("conversation"), "A conversation is named by its id.")),
    }
}
