//! Recognises a message that its caller sends again, so that it is answered once.

use plexus_domain::{MessageId, Part, RunId};
use plexus_store::{Tx, messages, messages::MessageHeader, runs};

use super::{AuthorizedAgent, CallRequest, task};
use crate::Result;

/// Maximum number of earlier messages with the id of a message that are compared with it.
const MAX_SAME_ID: u32 = 16;

/// Returns the run that this message created or continued, if the same caller sends it again: with a UUID as
/// its id, or with another id and the same parts in the same context.
///
/// Anonymous callers share one principal, so their ids are never matched.
pub(super) async fn find_repeated(
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<Option<RunId>> {
    let Some(given) = call.message_id.as_deref().filter(|_| !authorized.is_anonymous()) else {
        return Ok(None);
    };
    if let Some(id) = own_id(call) {
        let Some(known) = messages::find(tx, id).await? else { return Ok(None) };
        let is_own = known.author == authorized.requester.principal;
        return if is_own { run_of(tx, authorized, &known).await } else { Ok(None) };
    }
    if call.task.is_none() && call.context.is_none() {
        return Ok(None);
    }
    for known in messages::list_by_external_id(tx, authorized.requester.principal, given, MAX_SAME_ID).await?
    {
        let Some(run) = run_of(tx, authorized, &known).await? else { continue };
        if is_in_context(tx, call, run, &known).await? && has_parts(tx, known.id, &call.parts).await? {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// Returns the run of this agent that a message created or continued.
async fn run_of(tx: &mut Tx, authorized: &AuthorizedAgent, message: &MessageHeader) -> Result<Option<RunId>> {
    let answers = messages::list_by_parent(tx, message.id).await?;
    let answer = answers.iter().find_map(|header| header.run);
    let Some(run) = message.run.or(answer) else { return Ok(None) };
    let run = runs::find(tx, run).await?.filter(|run| run.agent == authorized.reached.agent.id);
    Ok(run.map(|run| run.id))
}

/// Returns whether a call names the task or the context of an earlier message.
async fn is_in_context(tx: &mut Tx, call: &CallRequest, run: RunId, known: &MessageHeader) -> Result<bool> {
    if let Some(task) = call.task {
        return Ok(task == run);
    }
    let Some(name) = call.context.as_deref() else { return Ok(false) };
    let Some(run) = runs::find(tx, run).await? else { return Ok(false) };
    Ok(name == known.chat.to_string() || name == task::context(tx, &run).await?)
}

async fn has_parts(tx: &mut Tx, message: MessageId, parts: &[Part]) -> Result<bool> {
    let stored = messages::load(tx, &[message]).await?.pop();
    Ok(stored.is_some_and(|stored| stored.parts == parts))
}

/// Returns the id of a message that is a UUID.
pub(super) fn own_id(call: &CallRequest) -> Option<MessageId> {
    call.message_id.as_deref()?.parse().ok()
}
