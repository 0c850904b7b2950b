//! Deletes single messages. Their places in the tree stay.

use plexus_domain::{Error as Refusal, MessageId, chat_event::Event, message::MessageState};
use plexus_store::{members::MemberRole, messages};

use super::{ChatChangeSet, check_may_post, membership_or, post_message::lock, send::check_kind};
use crate::{
    Caller, Hub, Result,
    caller::{Requester, Scope},
    quotas,
};

/// Deletes the content of a message that the caller wrote, or that is in a chat of the caller. Idempotent.
pub async fn delete_message(hub: &Hub, caller: &Caller, id: MessageId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let gone = || Refusal::not_found("Message not found.");
    let mut tx = hub.store().write().await?;
    let found = messages::find(&mut tx, id).await?.ok_or_else(gone)?;
    let chat = lock(&mut tx, found.chat).await?;
    let member = membership_or(&mut tx, person, chat.id, gone).await?;
    check_kind(&chat)?;
    check_may_post(&member)?;
    if found.author != person.principal && member.role != MemberRole::Owner {
        return Err(
            Refusal::forbidden("Only its author or the owner of the chat can delete this message.").into()
        );
    }
    // Read after the lock: the run may have ended meanwhile.
    let state = messages::find(&mut tx, id).await?.ok_or_else(gone)?.state;
    match state {
        MessageState::Open => {
            return Err(Refusal::conflict("This answer is still being written. Stop it first.").into());
        }
        MessageState::Deleted => return Ok(()),
        MessageState::Done | MessageState::Stopped | MessageState::Failed => {}
    }
    messages::erase(&mut tx, id).await?;
    let mut changes = ChatChangeSet::new(&chat);
    changes.record(Event::MessageCompleted { message: id, state: MessageState::Deleted });
    changes.commit(hub, tx).await?.publish(hub, None).await;
    quotas::forget(hub, &Requester::from(person));
    Ok(())
}
