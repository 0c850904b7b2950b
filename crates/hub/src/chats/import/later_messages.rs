//! Adds the messages that a conversation got since it was imported.

use std::collections::HashSet;

use plexus_chat_import::ImportedConversation;
use plexus_domain::{ChatId, MessageId, chat::ChatKind};
use plexus_store::{chats, members, messages, messages::MessageHeader};

use super::{ChatImporter, ImportOutcome, MessageIds, latest};
use crate::{Result, caller::Requester, chats::ChatChangeSet};

impl ChatImporter<'_> {
    /// Adds the messages of a conversation that its chat does not have. They follow the messages that they followed at
    /// the other service: in a chat that was continued here, they are another branch.
    pub(super) async fn add_later(
        &mut self,
        chat: ChatId,
        mut conversation: ImportedConversation,
    ) -> Result<ImportOutcome> {
        let known = messages::list_by_chat(&mut self.hub.store().read().await?, chat).await?;
        let ids = MessageIds::of(chat, &conversation.messages);
        if !is_new(&ids, &known).contains(&true) {
            return Ok(ImportOutcome::AlreadyThere);
        }
        let mut without_parts = is_new(&ids, &known).into_iter();
        for message in &mut conversation.messages {
            if without_parts.next() == Some(false) {
                message.parts.clear();
            }
        }
        let (mut parts, blobs) = self.files.prepare(&mut conversation.messages).await?;
        let hub = self.hub;
        let staged = hub.blobs().write(&blobs).await?;
        let mut tx = self.hub.store().write_background().await?;
        let member = members::find(&mut tx, chat, self.person.principal).await?;
        let Some(member) = member.filter(|member| member.left_at.is_none()) else {
            return Ok(ImportOutcome::AlreadyThere);
        };
        let row = chats::lock(&mut tx, chat).await?.filter(|row| row.kind == ChatKind::Direct);
        let Some(row) = row else { return Ok(ImportOutcome::AlreadyThere) };
        // Read again, as a concurrent import may have added them.
        let known = messages::list_by_chat(&mut tx, chat).await?;
        let is_new = is_new(&ids, &known);
        let count = is_new.iter().filter(|is_new| **is_new).count() as u64;
        if count == 0 {
            return Ok(ImportOutcome::AlreadyThere);
        }
        parts.check_quota(self.hub, &mut tx, &Requester::from(self.person), &mut self.files).await?;
        staged.record(&mut tx).await?;
        let mut changes = ChatChangeSet::new(&row);
        let now = self.hub.env().now();
        changes.set_time(latest(&conversation.messages).map_or(now, |last| last.min(now)));
        let imported: HashSet<MessageId> = ids.0.iter().copied().collect();
        let is_continued = known.iter().any(|message| !imported.contains(&message.id));
        let current = ids.0[conversation.current];
        for ((message, parts), is_new) in
            conversation.messages.into_iter().zip(parts.into_parts()).zip(is_new)
        {
            if is_new {
                let view = self.message(&mut tx, &row, &ids, message, parts).await?;
                changes.add_message(view);
            }
        }
        if !is_continued {
            changes.set_read_position(member.principal, current);
        }
        let committed = changes.commit(self.hub, tx).await?;
        committed.without_views().publish(self.hub, Some(self.person.account)).await;
        Ok(ImportOutcome::Updated(count))
    }
}

/// Returns for each message of a conversation whether it is to be added: nothing is, if the chat has none of them, since
/// its messages have ids of their own. That is a chat of this hub, or one of an import by an earlier version.
fn is_new(ids: &MessageIds, known: &[MessageHeader]) -> Vec<bool> {
    let known: HashSet<MessageId> = known.iter().map(|message| message.id).collect();
    if !ids.0.iter().any(|id| known.contains(id)) {
        return vec![false; ids.0.len()];
    }
    ids.0.iter().map(|id| !known.contains(id)).collect()
}
