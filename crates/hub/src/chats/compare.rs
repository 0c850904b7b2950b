//! Answers of several agents side by side: adds one to a question, and continues with one of them.

use plexus_domain::{
    Address, Error as Refusal, MessageId,
    chat_event::Event,
    message::{MessageState, TreeNode},
};
use plexus_store::messages::{self, MessageHeader};

use super::{
    ChatChangeSet, Sent, another_answer::AnsweredQuestion, post_message::PostedMessage, queries::newest_below,
};
use crate::{
    Caller, Hub, Result,
    agents::resolve_callable,
    caller::{Requester, Scope},
    limits::Rate,
    quotas,
};

/// Maximum number of answers side by side to which another one can be added.
pub const MAX_COMPARED: usize = 3;

/// Asks the agent at `to` the question of this answer as well. Both answers are side by side; the first one may still be
/// being written.
pub async fn compare(hub: &Hub, caller: &Caller, answer: MessageId, to: &Address) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let asked = AnsweredQuestion::lock(&mut tx, person, answer).await?;
    let requester = Requester::from(person);
    quotas::check_message(hub, &mut tx, &requester, asked.chat.creator, &[]).await?;
    let reached = resolve_callable(&mut tx, &requester, to).await?;
    let agent = asked.check_agent(hub, &mut tx, reached).await?;
    let beside: Vec<_> = answers_to(&asked.headers, asked.question).collect();
    if beside.iter().any(|header| header.author == agent.principal) {
        let words =
            format!("{to} has answered this message already. Choose another agent, or retry its answer.");
        return Err(Refusal::conflict(words).into());
    }
    let mut branches: Vec<i32> = beside.iter().map(|header| header.lane).collect();
    branches.sort_unstable();
    branches.dedup();
    if branches.len() >= MAX_COMPARED {
        let words =
            format!("At most {MAX_COMPARED} answers can be compared. Continue with one of them first.");
        return Err(Refusal::conflict(words).into());
    }
    let lane = branches.last().map_or(1, |last| last + 1);
    let (changes, job) = asked.ask(hub, &mut tx, &requester, agent, lane, Vec::new()).await?;
    let sent = Sent { chat: asked.chat.id, message: job.answer.id, runs: vec![job.run] };
    PostedMessage::of(changes, vec![job]).commit_and_start(hub, &requester, tx).await?;
    Ok(sent)
}

/// Continues the chat with one of several answers side by side. The others become alternatives to it, so agents do not
/// see them any more, and only its author answers the next message.
pub async fn continue_with(hub: &Hub, caller: &Caller, answer: MessageId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let AnsweredQuestion { chat, question, headers, .. } =
        AnsweredQuestion::lock(&mut tx, person, answer).await?;
    let beside: Vec<_> = answers_to(&headers, question).collect();
    if beside.iter().any(|header| header.state == MessageState::Open) {
        let words = "An answer is still being written. Wait for it or stop it.";
        return Err(Refusal::conflict(words).into());
    }
    let first = beside.iter().map(|header| header.lane).min().unwrap_or(1);
    messages::join_branches(&mut tx, question, first).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).collect();
    let mut changes = ChatChangeSet::new(&chat);
    // Readers fetch the answers again, which now name their alternatives.
    for header in beside {
        changes.record(Event::MessageCompleted { message: header.id, state: header.state });
    }
    changes.set_read_position(person.principal, newest_below(&tree, answer));
    changes.commit(hub, tx).await?.publish(hub, Some(person.account)).await;
    Ok(())
}

fn answers_to(headers: &[MessageHeader], question: MessageId) -> impl Iterator<Item = &MessageHeader> {
    headers.iter().filter(move |header| header.parent == Some(question) && header.lane > 0)
}
