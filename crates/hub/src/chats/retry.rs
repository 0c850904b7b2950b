//! Requests alternative answers, from the same agent or from another one.

use plexus_domain::{
    Address, Error as Refusal, MessageId,
    message::{MessageState, TreeNode, alternatives},
};

use super::{Sent, another_answer::AnsweredQuestion, post_message::PostedMessage};
use crate::{
    Caller, Hub, Result,
    agents::{resolve_callable, resolve_callable_by_principal},
    caller::{Requester, Scope},
    limits::Rate,
    quotas,
};

/// Requests another answer as an alternative to this one: from the agent at `to`, else from its author.
pub async fn retry(hub: &Hub, caller: &Caller, answer: MessageId, to: Option<&Address>) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let asked = AnsweredQuestion::lock(&mut tx, person, answer).await?;
    if asked.answer.state == MessageState::Open {
        return Err(Refusal::conflict("This answer is still being written. Stop it first.").into());
    }
    let requester = Requester::from(person);
    quotas::check_message(hub, &mut tx, &requester, asked.chat.creator, &[]).await?;
    let reached = match to {
        Some(to) => resolve_callable(&mut tx, &requester, to).await?,
        None => resolve_callable_by_principal(&mut tx, &requester, asked.answer.author).await?,
    };
    let agent = asked.check_agent(hub, &mut tx, reached).await?;
    let tree: Vec<_> = asked.headers.iter().map(TreeNode::from).collect();
    let beside = alternatives(&tree, answer);
    let (mut changes, job) = asked.ask(hub, &mut tx, &requester, agent, asked.answer.lane, beside).await?;
    let sent = Sent { chat: asked.chat.id, message: job.answer.id, runs: vec![job.run] };
    changes.set_read_position(person.principal, job.answer.id);
    PostedMessage::of(changes, vec![job]).commit_and_start(hub, &requester, tx).await?;
    Ok(sent)
}
