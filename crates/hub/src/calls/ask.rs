//! Asking an agent and hearing all of its answer.

use plexus_domain::{MessageId, Part};

use super::{
    Call, Door, Following, Task, Until,
    begin::{New, Written, acceptable, write},
    follow::{Watch, follow},
    upload,
};
use crate::{Hub, Result, conformance};

/// What a call came to.
pub enum Asked {
    /// A task as it stood when it began, and a reader of everything that comes after.
    Task(Box<Task>, Box<Following>),
    /// The whole answer. Nothing is kept of it.
    Message(Reply),
}

/// An answer without a task.
pub struct Reply {
    pub id: MessageId,
    /// The caller's name for the conversation, where it gave one.
    pub context: Option<String>,
    pub parts: Vec<Part>,
}

/// Begins a run, or goes on with one that waits; an agent of a test kit may answer without one.
pub async fn ask(hub: &Hub, door: &Door, call: Call, until: Until) -> Result<Asked> {
    let call = accept(hub, door, call)?;
    if let Some(parts) = conformance::reply(hub, door, call.message_id.as_deref()) {
        return Ok(Asked::Message(Reply { id: hub.env().id(MessageId::new), context: call.context, parts }));
    }
    let (task, following) = open(hub, door, call, until).await?;
    Ok(Asked::Task(Box::new(task), Box::new(following)))
}

/// Begins a run, or goes on with one that waits: the task as it stood when it began, and a reader of everything that comes
/// after.
pub async fn begin(hub: &Hub, door: &Door, call: Call, until: Until) -> Result<(Task, Following)> {
    let call = accept(hub, door, call)?;
    open(hub, door, call, until).await
}

fn accept(hub: &Hub, door: &Door, call: Call) -> Result<Call> {
    let call = acceptable(hub, call)?;
    door.take_message(hub)?;
    Ok(call)
}

/// What the agent says first is not missed, however quick it is, and nothing is read that was just written.
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
