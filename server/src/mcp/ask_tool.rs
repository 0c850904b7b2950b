//! Sends a message to an agent and reports progress while it answers.

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
    model::{CallToolResult, ProtocolVersion},
    service::RequestContext,
};

use super::{progress::Progress, tool_result};
use crate::app_state::AppState;

/// Interval of progress notifications.
const PROGRESS: Duration = Duration::from_millis(100);

/// A message for an agent, with its conversation and task.
pub struct AskParams {
    pub context: Option<String>,
    pub task: Option<RunId>,
    pub parts: Vec<Part>,
}

/// Sends the message and waits until the task has settled.
pub async fn ask(
    site: &AppState,
    door: &AuthorizedAgent,
    question: AskParams,
    request: &RequestContext<RoleServer>,
) -> Result<CallToolResult> {
    let AskParams { context, task, parts } = question;
    let call = CallRequest { context, task, ..CallRequest::new(Origin::Mcp, parts) };
    let (task, following) = calls::start(&site.hub, door, call, SubscriptionScope::Settled).await?;
    let run = task.id;
    let settled = tokio::select! {
        settled = follow(task, following, request) => settled?,
        () = request.ct.cancelled() => {
            // Up to 2025-11-25, losing the connection has no meaning. Since 2026-07-28, clients cancel a
            // request by disconnecting.
            if hangs_up(request) {
                return Ok(tool_result::of(site, door, &calls::cancel(&site.hub, door, run).await?).await);
            }
            return Err(gone());
        }
        () = site.stop.cancelled() => return Err(gone()),
    };
    Ok(tool_result::of(site, door, &settled).await)
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
                Some(Ok(TaskUpdate::Ended { .. } | TaskUpdate::Waits { .. })) => {}
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
