//! Exports chats: every message of every branch, in pages, so that a large chat is never in memory as a whole.

use std::collections::{HashMap, HashSet};

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Timestamp,
    message::{MessageState, TreeNode, visible},
};
use plexus_store::{chats, messages, parts};

use super::membership;
use crate::{
    Caller, Hub, Result, caller::Scope, limits::Rate, message_views, part_access::Reader, views::MessageView,
};

/// Messages that are read at once for an export, and their bytes together, if they are more than one.
const EXPORTED_AT_ONCE: usize = 100;
const EXPORTED_BYTES: u64 = 1 << 20;
/// Maximum number of messages in the print view of a chat, and of their bytes together. The page is in memory as a whole.
const MAX_PRINTED: usize = 1_000;
const MAX_PRINTED_BYTES: u64 = 4 << 20;

/// A chat to be exported. Its messages are read by [`export_messages`].
pub struct ChatExport {
    pub id: ChatId,
    pub title: String,
    /// Name of the account that exports it.
    pub exported_by: String,
    pub created: Timestamp,
    pub at: Timestamp,
    pub pinned: bool,
    pub archived: bool,
    /// The account's folder of the chat.
    pub folder: Option<String>,
    pub current_message: Option<MessageId>,
    /// All messages of all branches, in the order in which they were posted.
    pub tree: Vec<TreeNode>,
    /// The messages of the branch that the caller sees, oldest first.
    pub shown: Vec<MessageId>,
    /// Bytes of each message.
    sizes: HashMap<MessageId, u64>,
}

/// Begins the export of one chat. Rate limited per caller.
pub async fn export(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<ChatExport> {
    caller.may(Scope::Read)?;
    hub.limits().take(Rate::Exports, &caller.key())?;
    export_one(hub, caller, chat).await
}

/// Begins the export of all chats in the caller's lists, archived ones included. Rate limited per caller.
///
/// [`export_one`] exports each of them.
pub async fn export_all(hub: &Hub, caller: &Caller) -> Result<Vec<ChatId>> {
    let person = caller.may(Scope::Read)?;
    hub.limits().take(Rate::Exports, &caller.key())?;
    let mut conn = hub.store().read().await?;
    let titles = chats::list_titles(&mut conn, person.principal, u32::MAX).await?;
    Ok(titles.into_iter().map(|chat| chat.id).collect())
}

/// Begins the export of a chat, without a rate limit.
pub async fn export_one(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<ChatExport> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let member = membership(&mut conn, person, chat).await?;
    let row = chats::find(&mut conn, chat).await?.ok_or_else(|| Refusal::not_found("Chat not found."))?;
    let tree: Vec<_> = messages::list_by_chat(&mut conn, chat).await?.iter().map(TreeNode::from).collect();
    let shown = member.current_message.map(|leaf| visible(&tree, leaf)).unwrap_or_default();
    let sizes = parts::sizes_in_chat(&mut conn, chat).await?;
    Ok(ChatExport {
        id: chat,
        title: row.title.into(),
        exported_by: person.name.to_string(),
        created: row.created_at,
        at: hub.env().now(),
        pinned: member.pinned,
        archived: row.archived_at.is_some(),
        folder: member.folder,
        current_message: member.current_message,
        tree,
        shown,
        sizes,
    })
}

/// Returns messages of a chat of the caller. A message that is deleted has no parts, and one that is still being
/// written has none yet.
pub async fn export_messages(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    wanted: &[MessageId],
) -> Result<Vec<MessageView>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let member = membership(&mut conn, person, chat).await?;
    let mut views = message_views::load(hub, &mut conn, &[], wanted).await?;
    for view in &mut views {
        without_deleted_parts(view);
        Reader::from(&member).redact(view);
    }
    Ok(views)
}

/// A branch of a chat to be printed.
pub struct PrintedChat {
    pub title: String,
    /// Oldest first.
    pub messages: Vec<MessageView>,
    /// Number of earlier messages that are left out.
    pub omitted: usize,
}

/// Returns the newest messages of the branch with the message `asked_for`, else of the branch that the caller sees.
pub async fn printed(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    asked_for: Option<MessageId>,
) -> Result<PrintedChat> {
    let export = export(hub, caller, chat).await?;
    let known = asked_for.filter(|asked_for| export.tree.iter().any(|node| node.id == *asked_for));
    let shown = match known {
        Some(known) => visible(&export.tree, super::queries::newest_below(&export.tree, known)),
        None => export.shown.clone(),
    };
    let omitted = export.too_many_to_print(&shown);
    let messages = export_messages(hub, caller, chat, &shown[omitted..]).await?;
    Ok(PrintedChat { title: export.title, messages, omitted })
}

/// Removes the parts of a message that was deleted.
pub(super) fn without_deleted_parts(view: &mut MessageView) {
    if view.message.state == MessageState::Deleted {
        view.message.parts.clear();
    }
}

impl ChatExport {
    /// Splits messages into pages that are read at once.
    pub fn pages(&self, order: &[MessageId]) -> Vec<Vec<MessageId>> {
        let mut pages: Vec<Vec<MessageId>> = Vec::new();
        let mut bytes = 0;
        for id in order {
            let size = self.size(id);
            match pages.last_mut() {
                Some(page) if page.len() < EXPORTED_AT_ONCE && bytes + size <= EXPORTED_BYTES => {
                    page.push(*id);
                    bytes += size;
                }
                _ => {
                    pages.push(vec![*id]);
                    bytes = size;
                }
            }
        }
        pages
    }

    /// Returns how many of the oldest messages a print view leaves out. It has the newest message in any case.
    fn too_many_to_print(&self, shown: &[MessageId]) -> usize {
        let mut bytes = 0;
        let fits = |id: &&MessageId| {
            bytes += self.size(id);
            bytes <= MAX_PRINTED_BYTES
        };
        let printed = shown.iter().rev().take(MAX_PRINTED).take_while(fits).count();
        shown.len() - printed.max(1).min(shown.len())
    }

    fn size(&self, id: &MessageId) -> u64 {
        self.sizes.get(id).copied().unwrap_or_default()
    }

    /// Returns all messages: those of the branch that the caller sees first, then the others.
    pub fn shown_first(&self) -> Vec<MessageId> {
        let shown: HashSet<_> = self.shown.iter().copied().collect();
        let others = self.tree.iter().map(|node| node.id).filter(|id| !shown.contains(id));
        self.shown.iter().copied().chain(others).collect()
    }
}
