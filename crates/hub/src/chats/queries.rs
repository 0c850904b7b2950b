//! Queries of chats and messages.

use std::collections::HashMap;

use plexus_a2a::Card;
use plexus_domain::{
    Address, ChatId, MessageId, Timestamp,
    chat::ChatKind,
    message::{TreeNode, visible},
    page::PageSize,
};
use plexus_store::{
    Conn, agent_versions,
    agents::{self, Agent},
    approvals, cards, chats,
    chats::{ChatFilter, ItemCursor},
    messages, runs,
};

use super::{
    membership, membership_or, mentions,
    people::{self, RoomPeople},
    temporary::ChatExpiry,
};
use crate::{
    Caller, Hub, Result,
    agents::{resolve_callable, starters},
    caller::Scope,
    message_views,
    part_access::Reader,
    views::MessageView,
};

/// A chat in the list of the account's chats.
pub struct ChatItem {
    pub id: ChatId,
    pub title: String,
    pub at: Timestamp,
    /// At least one run of the chat is active.
    pub running: bool,
    /// An approval request or a question of an agent waits for the caller.
    pub waiting: bool,
    pub pinned: bool,
    pub folder: Option<String>,
    /// The chat has several people.
    pub is_room: bool,
    /// A room has messages of others that the caller has not read.
    pub is_unread: bool,
}

/// A chat as one member sees it.
pub struct ChatPage {
    pub id: ChatId,
    pub title: String,
    pub pinned: bool,
    pub archived: bool,
    /// The member's folder of the chat.
    pub folder: Option<String>,
    /// Oldest first, along the branch that the member has open.
    pub messages: Vec<MessageView>,
    pub current_message: Option<MessageId>,
    /// The sequence number up to which this page is complete; subscribe to what follows.
    pub seq: i64,
    /// Cursor of the previous page: the oldest message shown, if there are older ones.
    pub older: Option<MessageId>,
    /// The range after this page, unless this page is the newest.
    pub newer: Option<NewerMessages>,
    /// When the chat is deleted, if it is temporary.
    pub expiry: Option<ChatExpiry>,
    /// The people of the chat, if it is a room.
    pub room: Option<RoomPeople>,
    /// The agents that answer a message without a mention.
    pub partners: Vec<ChatRecipient>,
}

/// Messages after a page of a chat.
pub struct NewerMessages {
    /// Cursor of the next page; none if the next page is the newest.
    pub before: Option<MessageId>,
}

/// An agent that a chat is, or could be, with.
pub struct ChatRecipient {
    pub address: Address,
    pub seed: String,
    /// Title on its card; its name if it has no card.
    pub name: String,
    pub summary: String,
    /// Example prompts from its card.
    pub starters: Vec<String>,
    /// Why it would not answer the caller, as a message for users.
    pub obstacle: Option<String>,
    /// Media types of the files that it reads, as patterns such as `image/*`. None if it reads every type.
    pub accepts: Option<Vec<String>>,
}

/// Messages per page of a chat.
const PAGE: usize = 60;

/// Lists the chats of the caller that the filter selects, with the cursor of the next page: pinned chats first, each the most
/// recently active first.
pub async fn list(
    hub: &Hub,
    caller: &Caller,
    filter: ChatFilter<'_>,
    after: Option<ItemCursor>,
) -> Result<(Vec<ChatItem>, Option<ItemCursor>)> {
    let person = caller.may(Scope::Read)?;
    let size = PageSize::new(50)?;
    let mut conn = hub.store().read().await?;
    let rows = chats::list_by_member(&mut conn, person.principal, filter, after, size).await?;
    let next = rows.last().filter(|_| rows.len() == usize::from(size.rows())).map(|last| last.cursor());
    let ids: Vec<ChatId> = rows.iter().map(|row| row.id).collect();
    let has_peers = hub.cluster_notifier().has_peers();
    // A run stays registered for a moment after its end, so the registry only narrows the query.
    let maybe: Vec<ChatId> =
        ids.iter().copied().filter(|chat| has_peers || hub.run_registry().in_chat(*chat)).collect();
    let busy = runs::list_busy(&mut conn, &maybe).await?;
    let now = hub.env().now();
    let mut waiting = approvals::list_waiting_chats(&mut conn, &busy, person.principal, now).await?;
    waiting.extend(runs::list_chats_with_question(&mut conn, &ids, person.principal).await?);
    let item = |row: chats::ChatListItem| ChatItem {
        running: busy.contains(&row.id),
        waiting: waiting.contains(&row.id),
        id: row.id,
        title: row.title.into(),
        at: row.last_activity_at,
        pinned: row.pinned,
        folder: row.folder,
        is_room: row.kind == ChatKind::Room,
        is_unread: row.is_unread,
    };
    Ok((rows.into_iter().map(item).collect(), next))
}

/// Returns the page of a chat with the message `asked_for` on its branch, else the newest page at the member's saved
/// position. `before` pages to older messages.
pub async fn open(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    asked_for: Option<MessageId>,
    before: Option<MessageId>,
) -> Result<ChatPage> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let member = membership(&mut conn, person, chat).await?;
    let Some(row) = chats::find(&mut conn, chat).await? else {
        return Err(plexus_domain::Error::not_found("Chat not found.").into());
    };
    let headers = messages::list_by_chat(&mut conn, chat).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).collect();
    let known = asked_for.filter(|asked_for| tree.iter().any(|node| node.id == *asked_for));
    let leaf = known.map(|known| newest_below(&tree, known)).or(member.current_message);
    let all = leaf.map(|leaf| visible(&tree, leaf)).unwrap_or_default();
    let position = |id: MessageId| all.iter().position(|known| *known == id);
    let end = match (before.and_then(position), asked_for.and_then(position)) {
        (Some(before), _) => before,
        // The page of a message that is not among the newest has it in the middle.
        (None, Some(at)) if at + PAGE < all.len() => at + PAGE / 2,
        (None, _) => all.len(),
    };
    let begin = end.saturating_sub(PAGE);
    let mut messages = message_views::load(hub, &mut conn, &tree, &all[begin..end]).await?;
    messages.iter_mut().for_each(|view| Reader::from(&member).redact(view));
    let partners = partners(&mut conn, &headers, leaf).await?;
    let room = match row.kind {
        ChatKind::Room => Some(people::of_chat(&mut conn, person, &row, &member).await?),
        ChatKind::Direct | ChatKind::Team | ChatKind::Api => None,
    };
    let older = (begin > 0).then(|| all[begin]);
    let newer = (end < all.len()).then(|| NewerMessages { before: all.get(end + PAGE).copied() });
    let expiry = ChatExpiry::of(&row);
    Ok(ChatPage {
        id: chat,
        expiry,
        title: row.title.into(),
        pinned: member.pinned,
        archived: row.archived_at.is_some(),
        folder: member.folder,
        messages,
        current_message: leaf,
        seq: row.last_seq,
        older,
        newer,
        room,
        partners,
    })
}

/// Returns the caller's folder of a chat.
pub async fn folder(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Option<String>> {
    let person = caller.may(Scope::Read)?;
    Ok(membership(&mut hub.store().read().await?, person, chat).await?.folder)
}

/// Returns the newest leaf of the branch below `from`.
pub(super) fn newest_below(tree: &[TreeNode], from: MessageId) -> MessageId {
    // The newest answer to each message. Searching all messages at each step would be quadratic.
    let mut newest: HashMap<MessageId, &TreeNode> = HashMap::new();
    for node in tree {
        let Some(parent) = node.parent else { continue };
        let best = newest.entry(parent).or_insert(node);
        if (node.seq, -node.lane) > (best.seq, -best.lane) {
            *best = node;
        }
    }
    let mut at = from;
    // Terminates: each step moves to a later message of the tree.
    while let Some(next) = newest.get(&at) {
        at = next.id;
    }
    at
}

async fn partners(
    conn: &mut Conn,
    headers: &[messages::MessageHeader],
    leaf: Option<MessageId>,
) -> Result<Vec<ChatRecipient>> {
    let mut partners = Vec::new();
    for principal in mentions::last_responders(headers, leaf) {
        if let Some(agent) = agents::by_principal(conn, principal).await? {
            partners.push(described(conn, &agent).await?);
        }
    }
    Ok(partners)
}

pub(super) async fn described(conn: &mut Conn, agent: &Agent) -> Result<ChatRecipient> {
    let version = agent_versions::current(conn, agent.id).await?;
    let card = match &version {
        Some(version) => cards::find(conn, &version.card).await?,
        None => None,
    };
    let card = card.and_then(|bytes| Card::read(&bytes).card);
    let takes_files = version.is_none_or(|version| version.connector.takes_files());
    let modes = card.as_ref().map(|card| card.input_modes.clone()).unwrap_or_default();
    let accepts = if takes_files { Some(modes).filter(|modes| !modes.is_empty()) } else { Some(Vec::new()) };
    Ok(ChatRecipient {
        address: agent.address(),
        seed: agent.identicon_seed(),
        name: card.as_ref().map_or_else(|| agent.name.to_string(), |card| card.name.clone()),
        summary: card.as_ref().map(|card| card.description.clone()).unwrap_or_default(),
        starters: card.as_ref().map(starters).unwrap_or_default(),
        obstacle: None,
        accepts,
    })
}

/// Returns the agent at `address` as a chat recipient. If it would not answer, the reason is part of the
/// result.
pub async fn partner(hub: &Hub, caller: &Caller, address: &Address) -> Result<ChatRecipient> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let found = agents::at(&mut conn, address).await?;
    let missing = || plexus_domain::Error::not_found(format!("Agent {address} not found."));
    let agent = found.ok_or_else(missing)?;
    let obstacle = match resolve_callable(&mut conn, &person.into(), address).await {
        Ok(_) => None,
        Err(crate::Error::Refused(plexus_domain::Error::Invalid { .. })) => return Err(missing().into()),
        Err(crate::Error::Refused(refusal)) => Some(refusal.to_string()),
        Err(fault) => return Err(fault),
    };
    Ok(ChatRecipient { obstacle, ..described(&mut conn, &agent).await? })
}

/// Returns the title of a chat of which the caller is a member.
pub async fn title(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<String> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    membership(&mut conn, person, chat).await?;
    let row = chats::find(&mut conn, chat).await?;
    let row = row.ok_or_else(|| plexus_domain::Error::not_found("Chat not found."))?;
    Ok(row.title.into())
}

/// Returns the chat of a message of which the caller may read.
pub async fn chat_of(hub: &Hub, caller: &Caller, id: MessageId) -> Result<ChatId> {
    let person = caller.may(Scope::Read)?;
    let gone = || plexus_domain::Error::not_found("Message not found.");
    let mut conn = hub.store().read().await?;
    let header = messages::find(&mut conn, id).await?.ok_or_else(gone)?;
    membership_or(&mut conn, person, header.chat, gone).await?;
    Ok(header.chat)
}

/// Returns the text of a message that the caller wrote in this chat.
pub async fn own_text(hub: &Hub, caller: &Caller, chat: ChatId, id: MessageId) -> Result<String> {
    let person = caller.may(Scope::Read)?;
    let gone = || plexus_domain::Error::not_found("Message not found.");
    let mut conn = hub.store().read().await?;
    membership_or(&mut conn, person, chat, gone).await?;
    let is_own = |header: &messages::MessageHeader| {
        header.chat == chat && header.author == person.principal && header.lane == 0
    };
    let own = messages::find(&mut conn, id).await?.filter(is_own).ok_or_else(gone)?;
    let own = messages::load(&mut conn, &[own.id]).await?.pop().ok_or_else(gone)?;
    let texts: Vec<&str> = own.parts.iter().filter_map(plexus_domain::Part::as_text).collect();
    Ok(texts.join("\n\n"))
}

/// Returns one message with its run.
pub async fn message(hub: &Hub, caller: &Caller, id: MessageId) -> Result<MessageView> {
    let person = caller.may(Scope::Read)?;
    let gone = || plexus_domain::Error::not_found("Message not found.");
    let mut conn = hub.store().snapshot().await?;
    let header = messages::find(&mut conn, id).await?.ok_or_else(gone)?;
    let member = membership_or(&mut conn, person, header.chat, gone).await?;
    let tree: Vec<_> =
        messages::list_by_chat(&mut conn, header.chat).await?.iter().map(TreeNode::from).collect();
    let mut view = message_views::load(hub, &mut conn, &tree, &[id]).await?.pop().ok_or_else(gone)?;
    Reader::from(&member).redact(&mut view);
    Ok(view)
}
