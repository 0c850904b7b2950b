//! Sends a message to an agent and reports progress while it answers. A question of the agent becomes a form of the
//! client, and a slow answer a task, where the client supports these.

use std::{collections::HashMap, pin::Pin, time::Duration};

use futures::{Stream, StreamExt as _, stream};
use plexus_domain::{Error as Refusal, MessageId, Part, RunId};
use plexus_hub::{
    Result,
    calls::{
        self, AuthorizedAgent, CallRequest, Origin, SubscriptionScope, Task, TaskSubscription, TaskUpdate,
    },
};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, InputRequiredResult, InputResponses, ProtocolVersion},
    service::RequestContext,
};

use super::{
    elicitation::{self, ElicitationReply},
    progress::Progress,
    task_extension::{self, BECOMES_TASK_AFTER, TaskHandle},
    tool_result,
};
use crate::app_state::AppState;

/// Interval of progress notifications.
const PROGRESS: Duration = Duration::from_millis(100);

/// A message for an agent, with its conversation and task.
pub struct AskParams {
    pub context: Option<String>,
    pub task: Option<RunId>,
    pub parts: Vec<Part>,
}

/// Repetition of a call with the user's reply to the agent's question (multi round-trip request, SEP-2322).
pub struct RepeatedCall {
    handle: TaskHandle,
    responses: InputResponses,
}

impl RepeatedCall {
    /// Takes the reply from a call; `None` for a first call.
    pub fn take(request: &mut CallToolRequestParams) -> Result<Option<Self>, Refusal> {
        let Some(state) = request.request_state.take() else { return Ok(None) };
        let responses = request.input_responses.take().unwrap_or_default();
        Ok(Some(Self { handle: state.parse()?, responses }))
    }
}

/// Sends the message, or the user's reply to the agent's question, and waits until the task has settled.
pub async fn ask(
    site: &AppState,
    authorized: &AuthorizedAgent,
    question: AskParams,
    repeated: Option<RepeatedCall>,
    request: &RequestContext<RoleServer>,
) -> Result<CallToolResponse> {
    let AskParams { context, task, parts } = match repeated {
        None => question,
        Some(repeated) => {
            let waiting = waiting_task(site, authorized, &repeated.handle).await?;
            match elicitation::read_reply(&waiting, &repeated.responses)? {
                ElicitationReply::Answer(answer) => AskParams {
                    context: Some(waiting.context),
                    task: Some(waiting.id),
                    parts: vec![Part::text(answer)],
                },
                // The caller's model sees the question and decides how to go on.
                ElicitationReply::Declined => {
                    return Ok(tool_result::of(site, authorized, &waiting).await.into());
                }
            }
        }
    };
    let call = CallRequest { context, task, ..CallRequest::new(Origin::Mcp, parts) };
    let (task, following) = calls::start(&site.hub, authorized, call, SubscriptionScope::Settled).await?;
    let run = task.id;
    let handle = TaskHandle::Run { agent: authorized.address(), run };
    let began = site.hub.env().now();
    let settled = tokio::select! {
        settled = follow(task, following, request) => settled?,
        () = request.ct.cancelled() => {
            // Up to 2025-11-25, losing the connection has no meaning. Since 2026-07-28, clients cancel a
            // request by disconnecting.
            if hangs_up(request) {
                let cancelled = calls::cancel(&site.hub, authorized, run).await?;
                return Ok(tool_result::of(site, authorized, &cancelled).await.into());
            }
            return Err(gone());
        }
        () = site.stop.cancelled() => return Err(gone()),
        () = tokio::time::sleep(BECOMES_TASK_AFTER), if task_extension::is_supported(request) => {
            return Ok(CallToolResponse::Task(task_extension::created(&handle, began)));
        }
    };
    Ok(match elicitation::input_requests(&settled, request) {
        Some(requests) => InputRequiredResult::new(Some(requests), Some(handle.to_string())).into(),
        None => tool_result::of(site, authorized, &settled).await.into(),
    })
}

/// Returns the task that a repeated call continues, if it is one of this agent and the caller.
async fn waiting_task(site: &AppState, authorized: &AuthorizedAgent, handle: &TaskHandle) -> Result<Task> {
    match handle {
        TaskHandle::Run { agent, run } if *agent == authorized.address() => {
            calls::get(&site.hub, authorized, *run).await
        }
        TaskHandle::Run { .. } | TaskHandle::Team(_) => Err(task_extension::unknown_task().into()),
    }
}

fn hangs_up(request: &RequestContext<RoleServer>) -> bool {
    request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn gone() -> plexus_hub::Error {
    Refusal::unavailable("The client stopped waiting. The task continues.").into()
}

async fn follow(
    mut task: Task,
    following: TaskSubscription,
    request: &RequestContext<RoleServer>,
) -> Result<Task> {
    let mut teller = ProgressSender::new(request);
    teller.tell().await;
    let mut changes = changes(following);
    let mut due = tokio::time::interval(PROGRESS);
    due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            news = changes.next() => match news {
                None => return Ok(task),
                Some(Err(error)) => return Err(error),
                Some(Ok(TaskUpdate::State { task: now })) => task = *now,
                Some(Ok(TaskUpdate::Part { message, index, start, part })) => teller.hear(message, index, start, &part),
                Some(Ok(TaskUpdate::Ended { .. } | TaskUpdate::Status { .. })) => {}
            },
            _ = due.tick() => teller.tell().await,
        }
    }
}

/// Returns the changes as a stream. Polling it in `select!` is cancellation safe.
fn changes(following: TaskSubscription) -> Pin<Box<dyn Stream<Item = Result<TaskUpdate>> + Send>> {
    Box::pin(stream::unfold(Some(following), |following| async move {
        let mut following = following?;
        match following.next().await {
            Ok(Some(news)) => Some((Ok(news), Some(following))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    }))
}

/// Sends progress notifications to a caller that requested them: the number of bytes so far, and the new
/// text.
struct ProgressSender {
    progress: Progress,
    known: HashMap<(MessageId, usize), usize>,
    fresh: String,
    said: usize,
    begun: bool,
}

impl ProgressSender {
    fn new(request: &RequestContext<RoleServer>) -> Self {
        let (progress, known) = (Progress::of(request), HashMap::new());
        Self { progress, known, fresh: String::new(), said: 0, begun: false }
    }

    fn hear(&mut self, message: MessageId, index: usize, start: usize, part: &Part) {
        let (true, Some(text)) = (self.progress.is_wanted(), part.as_text()) else { return };
        let known = self.known.entry((message, index)).or_default();
        let Some(fresh) = known.checked_sub(start).and_then(|from| text.get(from..)) else { return };
        *known += fresh.len();
        self.said += fresh.len();
        self.fresh.push_str(fresh);
    }

    /// Sends the new text, if any. The first notification is sent at once: it starts the response stream, so
    /// that proxies do not close the connection.
    async fn tell(&mut self) {
        if !self.begun || !self.fresh.is_empty() {
            self.begun = true;
            self.progress.tell(self.said, std::mem::take(&mut self.fresh)).await;
        }
    }
}
