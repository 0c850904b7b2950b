//! Calls an agent on behalf of a program, and subscribes to the resulting task.

use plexus_domain::{MessageId, Part};

use super::{
    AuthorizedAgent, CallRequest, SubscriptionScope, Task, TaskSubscription,
    call_request::acceptable,
    create_task::{CreatedCall, PendingCall, write},
    subscribe::{ChatWatch, subscribe},
    upload,
};
use crate::{Hub, Result, conformance};

/// Result of a call.
pub enum CallOutcome {
    /// The task as it was created, and a subscription to everything that follows.
    Task(Box<Task>, Box<TaskSubscription>),
    /// The complete answer. Nothing is stored.
    Message(DirectReply),
}

/// An answer without a task.
pub struct DirectReply {
    pub id: MessageId,
    /// The caller's context id, if it sent one.
    pub context: Option<String>,
    pub parts: Vec<Part>,
}

/// Creates a run, or resumes one that waits for input. A conformance-test agent may reply without a run.
pub async fn invoke(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    call: CallRequest,
    until: SubscriptionScope,
) -> Result<CallOutcome> {
    let call = accept(hub, authorized, call)?;
    if let Some(parts) = conformance::reply(hub, &authorized.address(), call.message_id.as_deref()) {
        return Ok(CallOutcome::Message(DirectReply {
            id: hub.env().id(MessageId::new),
            context: call.context,
            parts,
        }));
    }
    let (task, following) = open(hub, authorized, call, until).await?;
    Ok(CallOutcome::Task(Box::new(task), Box::new(following)))
}

/// Creates a run, or resumes one that waits for input. Returns the task as created and a subscription to what
/// follows.
pub async fn start(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    call: CallRequest,
    until: SubscriptionScope,
) -> Result<(Task, TaskSubscription)> {
    let call = accept(hub, authorized, call)?;
    open(hub, authorized, call, until).await
}

fn accept(hub: &Hub, authorized: &AuthorizedAgent, call: CallRequest) -> Result<CallRequest> {
    let call = acceptable(hub, call)?;
    authorized.check_rate_limits(hub)?;
    Ok(call)
}

/// Subscribes before the run starts, so that no output is missed, and builds the task from memory without a
/// read.
async fn open(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    call: CallRequest,
    until: SubscriptionScope,
) -> Result<(Task, TaskSubscription)> {
    let kept = upload::keep(hub, authorized, &call).await?;
    match write(hub, authorized, &call, kept.as_ref()).await? {
        CreatedCall::Before(run) => subscribe(hub, authorized, run, until).await,
        CreatedCall::New(new) => {
            let PendingCall { tx, said, task, chat } = *new;
            let following = ChatWatch::begin(hub, authorized, chat).subscribe(&task, until);
            said.commit_and_start(hub, &authorized.requester, tx).await?;
            Ok((task, following))
        }
    }
}
