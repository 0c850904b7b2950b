//! Copies the beginning of a chat to a new chat.

use std::collections::HashMap;

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part,
    chat::{ChatKind, Title},
    message::{Message, MessageState, TreeNode, visible},
};
use plexus_store::{Tx, chats::Chat, members::MemberRole, messages};

use super::{
    ChatChangeSet, membership_or, notify_list_changed,
    post_message::{ChatRetention, insert_chat, lock, new_member},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Requester, Scope},
    limits::Rate,
    message_views, quotas,
    views::{Author, MessageView},
};

/// Maximum number of messages that are copied. A longer path is refused.
pub(super) const MAX_COPIED: usize = 5_000;

/// Creates a chat with copies of the messages up to this answer, as the caller sees them. Returns the new chat. The copy
/// of a temporary chat is temporary.
///
/// The copies have no runs: their answers do not continue the contexts of remote agents.
pub async fn fork(hub: &Hub, caller: &Caller, last: MessageId) -> Result<ChatId> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let gone = || Refusal::not_found("Message not found.");
    let mut tx = hub.store().write().await?;
    let found = messages::find(&mut tx, last).await?.ok_or_else(gone)?;
    let chat = lock(&mut tx, found.chat).await?;
    membership_or(&mut tx, person, chat.id, gone).await?;
    check_may_fork(&chat)?;
    // After a message without an answer, no agent would be there to answer the next one.
    if found.lane == 0 {
        return Err(Refusal::invalid("message", "A chat is forked from an answer.").into());
    }
    let tree = messages::list_by_chat(&mut tx, chat.id).await?;
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let shown = visible(&nodes, last);
    if shown.len() > MAX_COPIED {
        let words = format!("At most {MAX_COPIED} messages can be copied to a new chat.");
        return Err(Refusal::too_large(words, MAX_COPIED as u64).into());
    }
    let mut copied = messages::load(&mut tx, &shown).await?;
    copied.retain(|message| message.state != MessageState::Open);
    if !copied.iter().any(|message| message.id == last) {
        return Err(Refusal::conflict("This answer is still being written. Stop it first.").into());
    }
    let retention = chat
        .delete_after_ms
        .map_or(ChatRetention::UntilDeleted, |delete_after_ms| ChatRetention::Temporary { delete_after_ms });
    let new = insert_copy(hub, &mut tx, person, chat.title, retention, copied, last).await?;
    tx.commit().await?;
    quotas::forget(hub, &Requester::from(person));
    notify_list_changed(hub, person.account);
    Ok(new)
}

/// Inserts a chat of this person with copies of these messages, of which `last` is the current one.
///
/// The agents that wrote some of them become members. Other authors do not: the copy is not theirs.
pub(super) async fn insert_copy(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    title: Title,
    retention: ChatRetention,
    messages: Vec<Message>,
    last: MessageId,
) -> Result<ChatId> {
    let requester = Requester::from(person);
    let parts: Vec<Part> = messages.iter().flat_map(|message| message.parts.clone()).collect();
    quotas::check_chat(hub, tx, &requester).await?;
    quotas::check_bytes(hub, tx, &requester, &parts).await?;
    let new = insert_chat(hub, tx, person.principal, ChatKind::Direct, title, retention).await?;
    let mut changes = ChatChangeSet::new(&new);
    let authors = message_views::authors(tx, messages.iter().map(|message| message.author)).await?;
    for (principal, author) in authors {
        if matches!(author, Author::Agent { .. }) {
            changes.join(new_member(hub, new.id, principal, MemberRole::Guest));
        }
    }
    let ids: HashMap<_, _> =
        messages.iter().map(|message| (message.id, hub.env().id(MessageId::new))).collect();
    for message in messages {
        changes.add_message(copy(message, &ids));
    }
    changes.set_read_position(person.principal, ids[&last]);
    changes.commit_new_chat(hub, tx).await?;
    Ok(new.id)
}

pub(super) fn check_may_fork(chat: &Chat) -> Result<(), Refusal> {
    match chat.kind {
        ChatKind::Direct => Ok(()),
        ChatKind::Room | ChatKind::Team | ChatKind::Api => Err(Refusal::conflict(
            "A chat with several people cannot be forked, because its messages are not yours alone.",
        )),
    }
}

/// Returns the copy of a message. Nothing reads the other fields of the view: a new chat has no subscribers.
fn copy(message: Message, ids: &HashMap<MessageId, MessageId>) -> MessageView {
    let parent = message.parent.and_then(|parent| ids.get(&parent).copied());
    let message = Message { id: ids[&message.id], seq: 0, parent, run: None, ..message };
    MessageView {
        message,
        author: Author::Gone,
        run: None,
        alternatives: Vec::new(),
        open: Vec::new(),
        status: None,
        mentioned: Vec::new(),
    }
}
