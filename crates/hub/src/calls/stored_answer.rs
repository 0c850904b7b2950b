//! Stored answers of programs: what was asked for them, and their deletion.

use plexus_domain::{
    MessageId, RunId,
    chat::ChatKind,
    message::{Message, TreeNode, path},
};
use plexus_store::{chats as chat_rows, messages, runs as run_rows};

use super::{AuthorizedAgent, cancel, task};
use crate::{Error, Hub, Result, chats, quotas};

/// Returns the messages up to the question of a run, oldest first.
pub async fn list_input(hub: &Hub, authorized: &AuthorizedAgent, id: RunId) -> Result<Vec<Message>> {
    let mut conn = hub.store().snapshot().await?;
    let run = task::find(hub, &mut conn, authorized, id).await?;
    let headers = messages::list_by_run(&mut conn, run.id).await?;
    let Some(question) = headers.first().and_then(|first| first.parent) else { return Ok(Vec::new()) };
    let tree: Vec<_> =
        messages::list_by_chat(&mut conn, run.chat).await?.iter().map(TreeNode::from).collect();
    let way: Vec<MessageId> = path(&tree, question);
    Ok(messages::load(&mut conn, &way).await?)
}

/// Deletes an answer, and its whole chat if nothing else was asked there. An unfinished run is cancelled first.
pub async fn delete_answer(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    id: RunId,
    answer: MessageId,
) -> Result<()> {
    let run = task::find(hub, &mut hub.store().read().await?, authorized, id).await?;
    if !run.state.is_terminal() {
        match cancel(hub, authorized, id).await {
            // The run has ended meanwhile.
            Ok(_) | Err(Error::Refused(plexus_domain::Error::Conflict { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let mut tx = hub.store().write().await?;
    let chat = chats::post_message::lock(&mut tx, run.chat).await?;
    let is_only = run_rows::list_by_chat(&mut tx, run.chat).await?.len() == 1;
    run_rows::set_withheld(&mut tx, id).await?;
    messages::erase(&mut tx, answer).await?;
    if is_only && chat.kind == ChatKind::Api && chat.creator == authorized.requester.principal {
        chat_rows::delete(&mut tx, run.chat).await?;
    }
    tx.commit().await?;
    quotas::forget(hub, &authorized.requester);
    Ok(())
}
