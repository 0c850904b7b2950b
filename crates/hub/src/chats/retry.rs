//! Requests alternative answers, from the same agent or from another one.

use plexus_domain::{
    Address, CallOptions, Error as Refusal, MessageId,
    chat_event::Event,
    message::{MessageState, TreeNode, alternatives},
};
use plexus_store::{
    members::MemberRole,
    messages::{self, MessageHeader},
    runs::Origin,
};

use super::{
    ChatChangeSet, Sent,
    agent_limits::check_agent_limits,
    check_may_post, membership_or,
    post_message::{PostedMessage, ensure_principal, lock, new_member},
    send::check_kind,
};
use crate::{
    Caller, Hub, Result,
    agents::{resolve_callable, resolve_callable_by_principal},
    caller::{Requester, Scope},
    limits::Rate,
    quotas,
    runs::{self, NewRunSpec},
};

/// Requests another answer as an alternative to this one: from the agent at `to`, else from its author.
pub async fn retry(hub: &Hub, caller: &Caller, answer: MessageId, to: Option<&Address>) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let gone = || Refusal::not_found("Answer not found.");
    let mut tx = hub.store().write().await?;
    let found = messages::find(&mut tx, answer).await?.ok_or_else(gone)?;
    let chat = lock(&mut tx, found.chat).await?;
    let member = membership_or(&mut tx, person, chat.id, gone).await?;
    check_kind(&chat)?;
    check_may_post(&member)?;
    if found.state == MessageState::Open {
        return Err(Refusal::conflict("This answer is still being written. Stop it first.").into());
    }
    // Lane 0 has the users' messages, which cannot be retried.
    let Some(question) = found.parent.filter(|_| found.lane > 0) else { return Err(gone().into()) };
    let asker = Requester::from(person);
    quotas::check_message(hub, &mut tx, &asker, chat.creator, &[]).await?;
    let reached = match to {
        Some(to) => resolve_callable(&mut tx, &asker, to).await?,
        None => resolve_callable_by_principal(&mut tx, &asker, found.author).await?,
    };
    check_agent_limits(hub, &mut tx, &chat, std::slice::from_ref(&reached)).await?;
    let author = ensure_principal(hub, &mut tx, &reached).await?;
    let headers = messages::list_by_chat(&mut tx, chat.id).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).collect();
    let mut telling = ChatChangeSet::new(&chat);
    if !headers.iter().any(|header| header.author == author) {
        telling.join(new_member(hub, chat.id, author, MemberRole::Guest));
        telling.record(Event::MemberChanged { principal: author, joined: true });
    }
    let seen = runs::visible_messages(headers.iter().map(MessageHeader::by), question);
    let beside = alternatives(&tree, answer);
    let (chat, lane, origin) = (chat.id, found.lane, Origin::Page);
    let called = None;
    let ask = NewRunSpec {
        chat,
        question,
        called,
        lane,
        beside,
        seen,
        words: None,
        reached,
        author,
        origin,
        continues: None,
        until: None,
        options: CallOptions::default(),
        is_withheld: false,
    };
    let job = runs::create(hub, &mut tx, &mut telling, &asker, ask).await?;
    let sent = Sent { chat, message: job.answer.id, runs: vec![job.run] };
    telling.set_read_position(person.principal, job.answer.id);
    PostedMessage::of(telling, vec![job]).commit_and_start(hub, &asker, tx).await?;
    Ok(sent)
}
