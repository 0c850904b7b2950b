//! Copies the beginning of a chat to a new chat.

use std::collections::HashMap;

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part,
    chat::ChatKind,
    message::{Message, MessageState, TreeNode, visible},
};
use plexus_store::{chats::Chat, members::MemberRole, messages};

use super::{
    ChatChangeSet, membership_or, notify_list_changed,
    post_message::{insert_chat, lock, new_member},
};
use crate::{
    Caller, Hub, Result,
    caller::{Requester, Scope},
    limits::Rate,
    message_views::{Author, MessageView},
    quotas,
};

/// Maximum number of messages that are copied. A longer path is refused.
const MAX_COPIED: usize = 5_000;

/// Creates a chat with copies of the messages up to this answer, as the caller sees them. Returns the new chat.
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
    let asker = Requester::from(person);
    let parts: Vec<Part> = copied.iter().flat_map(|message| message.parts.clone()).collect();
    quotas::check_chat(hub, &mut tx, &asker).await?;
    quotas::check_bytes(hub, &mut tx, &asker, &parts).await?;
    let title = chat.title.clone();
    let new = insert_chat(hub, &mut tx, person.principal, ChatKind::Direct, title, None).await?;
    let mut changes = ChatChangeSet::new(&new);
    let ids: HashMap<_, _> =
        copied.iter().map(|message| (message.id, hub.env().id(MessageId::new))).collect();
    for message in copied {
        if message.author != person.principal {
            changes.join(new_member(hub, new.id, message.author, MemberRole::Guest));
        }
        changes.add_message(copy(message, &ids));
    }
    changes.set_read_position(person.principal, ids[&last]);
    changes.commit_new_chat(hub, &mut tx).await?;
    tx.commit().await?;
    quotas::forget(hub, &asker);
    notify_list_changed(hub, person.account);
    Ok(new.id)
}

fn check_may_fork(chat: &Chat) -> Result<(), Refusal> {
    match chat.kind {
        ChatKind::Direct => Ok(()),
        ChatKind::Room | ChatKind::Team | ChatKind::Api => {
            Err(Refusal::conflict("Only a chat of your own can be continued in a new chat."))
        }
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
    }
}
