//! Anthropic's Messages API: `POST /v1/messages`, and `/v1/messages/count_tokens`. As at the OpenAI endpoints, an agent is a model, clients send
//! their whole conversation, and cancel an answer by disconnecting.

mod call_options;
mod client_tools;
mod count_tokens;
pub mod error;
mod message;
mod message_events;
mod request_blocks;

use std::convert::Infallible;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use plexus_hub::calls::{AuthorizedAgent, CallRequest};
use serde_json::{Map, Value};

use self::error::AnthropicError;
use crate::{
    app_state::AppState,
    openai::{
        self,
        answer_stream::{AnswerStream, authorize},
        error::OpenAiError,
    },
    web::{
        bearer::{ApiKey, InvalidToken},
        event_stream::event_stream,
        routing::{any, post},
    },
};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/messages", post(answer).fallback(error::method_not_allowed))
        .route("/v1/messages/count_tokens", post(count_tokens::count).fallback(error::method_not_allowed))
        .route("/v1/messages/", any(error::missing))
        .route("/v1/messages/{*rest}", any(error::missing))
}

async fn answer(
    State(site): State<AppState>,
    caller: Result<ApiKey, InvalidToken>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, AnthropicError> {
    let ApiKey(caller) = caller?;
    let asked = openai::read(&site, &headers, body)?;
    let streams = openai::flag(&asked, "stream")?;
    let model = openai::model(&asked)?;
    let authorized = authorize(&site, &caller, model).await?;
    let call = call(&asked, &authorized)?;
    let shows_thinking = call_options::shows_thinking(&asked);
    let mut answering = AnswerStream::begin(site, &authorized, model, call).await?;
    if !streams {
        answering.whole().await?;
        return Ok(Json(message::of(&answering, shows_thinking)).into_response());
    }
    answering.wait_first().await?;
    let events = message_events::events(answering, shows_thinking);
    Ok(event_stream(Body::from_stream(events.map(Ok::<_, Infallible>))))
}

fn call(asked: &Map<String, Value>, authorized: &AuthorizedAgent) -> Result<CallRequest, OpenAiError> {
    let options = call_options::parse(asked, authorized.is_model())?;
    let input = request_blocks::parse(asked, authorized.is_model())?;
    input.call(options, "messages")
}
