//! Stored answers of the OpenAI Responses API: `/v1/responses/{id}` and the paths below it.

use std::convert::Infallible;

use axum::{
    Json,
    body::Body,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use plexus_domain::{Error as Refusal, MessageId, PartBody, RunId, message::Message};
use plexus_hub::{
    Caller, Error,
    calls::{self, AnswerText, AuthorizedAgent, FileLinks, Task, part_to_markdown},
    chats,
    views::Author,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    answer_stream::{AnswerStream, calls_in, outcome},
    error::OpenAiError,
    models,
    reasoning::ReasoningText,
    response::{ResponseProgress, ResponseTemplate, Status, call_item, item_id, message_of, text},
    response_events::{self, Numbering},
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        event_stream::event_stream,
    },
};

type BearerResult = Result<Bearer, InvalidToken>;
type IdResult = Result<Path<String>, PathRejection>;

const DEFAULT_ITEMS: usize = 20;
const MAX_ITEMS: usize = 100;

/// A stored answer that the caller may read.
struct StoredAnswer {
    authorized: AuthorizedAgent,
    message: MessageId,
    task: Task,
}

#[derive(Deserialize)]
pub struct ShowQuery {
    #[serde(default)]
    stream: bool,
    /// Number of the last event of a background response that the client has.
    starting_after: Option<u64>,
}

/// Returns a stored answer of the caller, or follows it as a stream. Members that echo the request have default values,
/// since the request is not stored.
pub async fn show(
    State(site): State<AppState>,
    caller: BearerResult,
    id: IdResult,
    query: Result<Query<ShowQuery>, QueryRejection>,
) -> Result<Response, OpenAiError> {
    let Bearer(caller) = caller?;
    let Query(query) = query.map_err(|_| {
        let words = "The member stream is true or false, and starting_after the number of an event.";
        OpenAiError::invalid(Some("stream"), words)
    })?;
    let found = find(&site, &caller, id).await?;
    if !query.stream {
        return Ok(Json(response(&site, &found).await?).into_response());
    }
    let StoredAnswer { authorized, message, task } = found;
    let answering = AnswerStream::resume(site, &authorized, task.id, message).await?;
    let frame = ResponseTemplate::new(message, answering.created, &answering.model, &Map::new());
    let numbering = Numbering::ByContent { after: query.starting_after };
    let events = response_events::events(frame, answering, numbering);
    Ok(event_stream(Body::from_stream(events.map(Ok::<_, Infallible>))))
}

/// Deletes a stored answer.
pub async fn delete(
    State(site): State<AppState>,
    caller: BearerResult,
    id: IdResult,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let StoredAnswer { authorized, message, task } = find(&site, &caller, id).await?;
    calls::delete_answer(&site.hub, &authorized, task.id, message).await?;
    let id = super::response::id(message);
    Ok(Json(json!({ "id": id, "object": "response.deleted", "deleted": true })))
}

/// Cancels the run of an answer, and returns the answer. One that has ended is returned as it is.
pub async fn cancel(
    State(site): State<AppState>,
    caller: BearerResult,
    id: IdResult,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let mut found = find(&site, &caller, id).await?;
    if !found.task.state.is_terminal() {
        found.task = match calls::cancel(&site.hub, &found.authorized, found.task.id).await {
            // The run has ended meanwhile.
            Err(Error::Refused(Refusal::Conflict { .. })) => {
                calls::get(&site.hub, &found.authorized, found.task.id).await?
            }
            ended => ended?,
        };
    }
    Ok(Json(response(&site, &found).await?))
}

#[derive(Deserialize)]
pub struct InputQuery {
    limit: Option<usize>,
    order: Option<String>,
    after: Option<String>,
}

/// Lists the conversation up to the question of an answer, newest first unless `order` is `asc`.
pub async fn list_input(
    State(site): State<AppState>,
    caller: BearerResult,
    id: IdResult,
    query: Result<Query<InputQuery>, QueryRejection>,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let Query(query) = query.map_err(|_| {
        OpenAiError::invalid(Some("limit"), "The limit is a number, order and after are texts.")
    })?;
    let StoredAnswer { authorized, task, .. } = find(&site, &caller, id).await?;
    let messages = calls::list_input(&site.hub, &authorized, task.id).await?;
    let links = FileLinks::load(&site.hub, &authorized).await?;
    let mut items = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let by_agent = message.author == task.agent;
        // A question belongs to the run of the answer that follows.
        let answer = messages[index..].iter().find(|later| later.author == task.agent);
        let run = answer.and_then(|answer| answer.run).unwrap_or(task.id);
        items.extend(input_items(&links, run, message, by_agent));
    }
    if query.order.as_deref() != Some("asc") {
        items.reverse();
    }
    if let Some(after) = &query.after {
        let at = items.iter().position(|item| item["id"] == json!(after));
        let at = at.ok_or_else(|| OpenAiError::invalid(Some("after"), "Item not found."))?;
        items.drain(..=at);
    }
    let limit = query.limit.unwrap_or(DEFAULT_ITEMS).clamp(1, MAX_ITEMS);
    let has_more = items.len() > limit;
    items.truncate(limit);
    let id = |item: Option<&Value>| item.map_or(Value::Null, |item| item["id"].clone());
    Ok(Json(json!({ "object": "list", "first_id": id(items.first()), "last_id": id(items.last()),
                    "has_more": has_more, "data": items })))
}

async fn find(site: &AppState, caller: &Caller, id: IdResult) -> Result<StoredAnswer, OpenAiError> {
    let missing = || Error::from(Refusal::not_found("Response not found."));
    let Path(id) = id.map_err(|_| missing())?;
    let message = message_of(&id).ok_or_else(missing)?;
    let kept = chats::message(&site.hub, caller, message).await.map_err(|error| match error {
        Error::Refused(Refusal::NotFound { .. }) => missing(),
        error => error,
    })?;
    let (Author::Agent { address, .. }, Some(run)) = (kept.author, kept.run) else {
        return Err(missing().into());
    };
    let authorized = calls::authorize(&site.hub, caller, &address).await?;
    let task = calls::get(&site.hub, &authorized, run.id).await?;
    if task.is_withheld {
        return Err(missing().into());
    }
    Ok(StoredAnswer { authorized, message, task })
}

async fn response(site: &AppState, found: &StoredAnswer) -> Result<Value, OpenAiError> {
    let StoredAnswer { authorized, message, task } = found;
    let words = AnswerText::of(&site.hub, authorized, task).await?;
    let answer = task.messages.iter().find(|known| known.id == *message);
    let calls = answer.filter(|_| authorized.is_model()).map(calls_in).unwrap_or_default();
    let reasoning = ReasoningText::of(answer.map(|answer| answer.parts.as_slice()).unwrap_or_default());
    let said = ResponseProgress {
        message: *message,
        reasoning: reasoning.text(),
        text: words.text(),
        calls: &calls,
        task,
    };
    let failure = if task.is_settled() { outcome(task, said.text).err() } else { None };
    let status = if failure.is_some() { Status::Failed } else { Status::from(task) };
    let created = answer.map_or(task.state_at, |answer| answer.created).millis() / 1_000;
    let frame = ResponseTemplate::new(*message, created, &models::id(&authorized.address()), &Map::new());
    Ok(frame.tell(said, status, failure.as_ref()))
}

/// Returns the items of a message: its text, calls of tools, and results of those.
fn input_items(links: &FileLinks, run: RunId, message: &Message, by_agent: bool) -> Vec<Value> {
    let kind = if by_agent { "output_text" } else { "input_text" };
    let texts = message.parts.iter().filter_map(|part| part_to_markdown(part, |blob| links.url(run, blob)));
    let content: Vec<_> = texts
        .map(|words| if by_agent { text(&words) } else { json!({ "type": kind, "text": words }) })
        .collect();
    let role = if by_agent { "assistant" } else { "user" };
    let said = (!content.is_empty()).then(|| {
        json!({ "type": "message", "id": item_id(message.id), "status": "completed", "role": role, "content": content })
    });
    let tools = message.parts.iter().enumerate().filter_map(|(index, part)| match &part.content {
        PartBody::Tool(tool) if tool.call_id.is_some() => Some(match &tool.result {
            None => call_item(message.id, index, tool, "completed"),
            Some(result) => json!({
                "type": "function_call_output", "id": format!("fco_{}_{index}", message.id.uuid().simple()),
                "call_id": tool.call_id, "status": "completed",
                "output": result.as_str().map_or_else(|| result.to_string(), str::to_owned),
            }),
        }),
        _ => None,
    });
    said.into_iter().chain(tools).collect()
}
