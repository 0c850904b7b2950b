//! A2A methods implemented with the hub's call API, using the 1.0 messages.

use plexus_a2a::{
    card::with_v03_fields,
    client::{IncomingPart, receive, send},
    wire::{
        Method,
        rpc::{Error, ErrorKind},
        v1,
    },
};
use plexus_domain::{
    CallOptions, Digest, Error as Refusal, Part, RunId, Timestamp, agent::A2aProtocol, page::PageSize,
};
use plexus_hub::{
    Caller,
    blobs::NewBlob,
    calls::{
        self, AuthorizedAgent, CallOutcome, CallRequest, DirectReply, Origin, SubscriptionScope, Task,
        TaskFilter, TaskSubscription,
    },
};
use serde_json::Value;

use super::{
    error::{self, MethodError},
    forwarded::{self, ForwardedHeaders},
    page_token, push,
    stream::{TaskEventStream, events, only},
};
use crate::app_state::AppState;

type Result<T> = std::result::Result<T, MethodError>;

/// Default number of tasks per page (specification section 3.1.4).
const PAGE: u32 = 50;

/// The methods for one caller and one agent.
pub struct Methods {
    pub site: AppState,
    pub caller: Caller,
    pub authorized: AuthorizedAgent,
    /// Protocol version of webhook payloads.
    pub protocol: A2aProtocol,
    pub headers: ForwardedHeaders,
}

impl Methods {
    /// Sends a message and waits until the task has settled, unless `return_immediately` is set.
    pub async fn send(&self, request: v1::SendMessageRequest) -> Result<v1::SendMessageResponse> {
        let configuration = request.configuration.clone().unwrap_or_default();
        let method = Method::SendMessage;
        let task = match self.ask(method, request).await? {
            CallOutcome::Message(reply) => return Ok(v1::SendMessageResponse::Message(self.say(&reply))),
            CallOutcome::Task(task, _) if configuration.return_immediately => *task,
            CallOutcome::Task(task, following) => {
                following.wait_settled(*task).await.map_err(|error| error::of(method, error))?
            }
        };
        Ok(v1::SendMessageResponse::Task(self.tell(&task, configuration.history_length)))
    }

    pub async fn stream(&self, request: v1::SendMessageRequest) -> Result<TaskEventStream> {
        Ok(match self.ask(Method::SendStreamingMessage, request).await? {
            CallOutcome::Task(task, following) => self.events(&task, *following),
            CallOutcome::Message(reply) => only(self.say(&reply)),
        })
    }

    pub async fn subscribe(&self, request: v1::SubscribeToTaskRequest) -> Result<TaskEventStream> {
        let run = id(&request.id)?;
        let method = Method::SubscribeToTask;
        let task = calls::get(&self.site.hub, &self.authorized, run).await;
        let task = task.map_err(|error| error::of(method, error))?;
        if task.state.is_terminal() {
            let words =
                format!("The task has ended ({}), so there is no stream. Get the task instead.", task.state);
            return Err(Error::new(ErrorKind::UnsupportedOperation, words).into());
        }
        let followed =
            calls::subscribe(&self.site.hub, &self.authorized, run, SubscriptionScope::Ended).await;
        let (task, following) = followed.map_err(|error| error::of(method, error))?;
        Ok(self.events(&task, following))
    }

    pub async fn get(&self, request: v1::GetTaskRequest) -> Result<v1::Task> {
        let task = calls::get(&self.site.hub, &self.authorized, id(&request.id)?).await;
        let task = task.map_err(|error| error::of(Method::GetTask, error))?;
        Ok(self.tell(&task, request.history_length))
    }

    pub async fn cancel(&self, request: v1::CancelTaskRequest) -> Result<v1::Task> {
        let task = calls::cancel(&self.site.hub, &self.authorized, id(&request.id)?).await;
        let task = task.map_err(|error| error::of(Method::CancelTask, error))?;
        Ok(self.tell(&task, None))
    }

    pub async fn list(&self, request: v1::ListTasksRequest) -> Result<v1::ListTasksResponse> {
        let wrong = |field, words: &str| Error::invalid_params(words, &[(field, words)]);
        let size = request.page_size.unwrap_or(PAGE);
        let rows = u16::try_from(size).ok().and_then(|size| PageSize::new(size).ok());
        let rows = rows.ok_or_else(|| wrong("pageSize", "A page has 1 to 100 tasks."))?;
        let after = request.page_token.as_deref().map(page_token::cursor);
        if after == Some(None) {
            return Err(wrong("pageToken", "Invalid page token.").into());
        }
        let since = request.status_timestamp_after.as_deref().map(Timestamp::from_rfc3339);
        if since == Some(None) {
            return Err(wrong("statusTimestampAfter", "A time is written as 2026-11-20T10:00:00Z.").into());
        }
        let state = match request.status {
            None => None,
            Some(status) => Some(status.run_state().ok_or_else(|| wrong("status", "Unknown state."))?),
        };
        let filter = TaskFilter { context: request.context_id, state, since: since.flatten() };
        let page = calls::list(&self.site.hub, &self.authorized, &filter, after.flatten(), rows).await;
        let page = page.map_err(|error| error::of(Method::ListTasks, error))?;
        let whole = request.include_artifacts == Some(true);
        let task = |task: &Task| {
            let mut told = self.tell(task, Some(request.history_length.unwrap_or(0)));
            if !whole {
                told.artifacts.clear();
            }
            told
        };
        Ok(v1::ListTasksResponse {
            tasks: page.tasks.iter().map(task).collect(),
            next_page_token: page.next.map(page_token::token).unwrap_or_default(),
            page_size: size,
            total_size: u32::try_from(page.total).unwrap_or(u32::MAX),
        })
    }

    /// Returns the extended card. It requires authentication and equals the public card.
    pub async fn extended_card(&self) -> Result<Value> {
        if self.caller.person.is_none() {
            let refusal = Refusal::unauthenticated("Sign in with a bearer token to see this card.");
            return Err(error::of(Method::GetExtendedCard, refusal.into()));
        }
        let card = calls::card(&self.site.hub, &self.caller, &self.authorized.address()).await;
        Ok(with_v03_fields(&card.map_err(|error| error::of(Method::GetExtendedCard, error))?))
    }

    async fn ask(&self, method: Method, request: v1::SendMessageRequest) -> Result<CallOutcome> {
        let call = call(request, self.protocol, &self.headers)?;
        let asked = calls::invoke(&self.site.hub, &self.authorized, call, SubscriptionScope::Settled).await;
        asked.map_err(|error| error::of(method, error))
    }

    fn events(&self, task: &Task, following: TaskSubscription) -> TaskEventStream {
        events(&self.site, &self.authorized, task, following)
    }

    fn say(&self, reply: &DirectReply) -> v1::Message {
        // Nothing of such an answer is stored, so it has no files.
        let parts = reply.parts.iter().filter_map(|part| send(part, &|_| String::new()));
        let message = v1::Message::new(reply.id.to_string(), v1::Role::Agent, parts.collect());
        v1::Message { context_id: reply.context.clone(), ..message }
    }

    fn tell(&self, task: &Task, history: Option<u32>) -> v1::Task {
        let history = history.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        let file = |blob: &Digest| self.authorized.file_url(&self.site.hub, task.id, blob);
        task.as_run().to_task(&file).with_history(history)
    }
}

pub fn id(text: &str) -> Result<RunId> {
    if text.is_empty() {
        return Err(Error::invalid_params("The id of the task is missing.", &[("id", "It is empty.")]).into());
    }
    let missing = || Error::new(ErrorKind::TaskNotFound, "Task not found.");
    text.parse().map_err(|_| missing().into())
}

fn call(
    mut request: v1::SendMessageRequest,
    protocol: A2aProtocol,
    headers: &ForwardedHeaders,
) -> Result<CallRequest> {
    let push = request.configuration.as_mut().and_then(|given| given.task_push_notification_config.take());
    let push = push.map(|config| push::webhook_request(config, protocol)).transpose()?;
    let forwarded = forwarded::of(&mut request, headers)?;
    let message = request.message;
    let missing = |field| {
        Error::invalid_params("The message is not complete.", &[(field, "It is missing or empty.")]).into()
    };
    if message.message_id.is_empty() {
        return Err(missing("message.messageId"));
    }
    if message.parts.is_empty() {
        return Err(missing("message.parts"));
    }
    if message.role != v1::Role::User {
        let words = "A sent message must have the role user.";
        return Err(Error::invalid_params(words, &[("message.role", words)]).into());
    }
    let mut files = Vec::new();
    let parts = message.parts.into_iter().map(|given| part(given, &mut files)).collect();
    Ok(CallRequest {
        context: message.context_id,
        task: message.task_id.as_deref().map(id).transpose()?,
        message_id: Some(message.message_id),
        files,
        push,
        timeout: forwarded.timeout,
        attributes: forwarded.attributes.message.clone(),
        options: CallOptions { forwarded: forwarded.attributes.non_empty(), ..CallOptions::default() },
        ..CallRequest::new(Origin::A2a, parts)
    })
}

/// Converts a part. Bytes become a file part and a new blob in `files`.
fn part(part: v1::Part, files: &mut Vec<NewBlob>) -> Part {
    match receive(part) {
        IncomingPart::Part(part) => *part,
        IncomingPart::Bytes { bytes, name, media_type, metadata } => {
            let file = NewBlob::new(media_type, bytes);
            let part = Part { metadata, ..file.part(name) };
            files.push(file);
            part
        }
    }
}
