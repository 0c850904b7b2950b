//! Calls an agent on behalf of a program, and subscribes to the resulting task.

use plexus_domain::{MessageId, Part};

use super::{
    Call, Door, Following, Task, Until,
    begin::{New, Written, acceptable, write},
    follow::{Watch, follow},
    upload,
};
use crate::{Hub, Result, conformance};

/// Result of a call.
pub enum Asked {
    /// The task as it was created, and a subscription to everything that follows.
    Task(Box<Task>, Box<Following>),
    /// The complete answer. Nothing is stored.
    Message(Reply),
}

/// An answer without a task.
pub struct Reply {
    pub id: MessageId,
    /// The caller's context id, if it sent one.
    pub context: Option<String>,
    pub parts: Vec<Part>,
}

/// Creates a run, or resumes one that waits for input. A conformance-test agent may reply without a run.
pub async fn ask(hub: &Hub, door: &Door, call: Call, until: Until) -> Result<Asked> {
    let call = accept(hub, door, call)?;
    if let Some(parts) = conformance::reply(hub, door, call.message_id.as_deref()) {
        return Ok(Asked::Message(Reply { id: hub.env().id(MessageId::new), context: call.context, parts }));
    }
    let (task, following) = open(hub, door, call, until).await?;
    Ok(Asked::Task(Box::new(task), Box::new(following)))
}

/// Creates a run, or resumes one that waits for input. Returns the task as created and a subscription to what
/// follows.
pub async fn begin(hub: &Hub, door: &Door, call: Call, until: Until) -> Result<(Task, Following)> {
    let call = accept(hub, door, call)?;
    open(hub, door, call, until).await
}

fn accept(hub: &Hub, door: &Door, call: Call) -> Result<Call> {
    let call = acceptable(hub, call)?;
    door.take_message(hub)?;
    Ok(call)
}

/// Subscribes before the run starts, so that no output is missed, and builds the task from memory without a
/// read.
async fn open(hub: &Hub, door: &Door, call: Call, until: Until) -> Result<(Task, Following)> {
    let kept = upload::keep(hub, door, &call).await?;
    match write(hub, door, &call, kept.as_ref()).await? {
        Written::Before(run) => follow(hub, door, run, until).await,
        Written::New(new) => {
            let New { tx, said, task, chat } = *new;
            let following = Watch::begin(hub, door, chat).follow(&task, until);
            said.go(hub, &door.asker, tx).await?;
            Ok((task, following))
        }
    }
}
