//! Reads chats by their share links: what readers without an account see, files, and copies for readers with one.

use std::collections::{HashMap, HashSet};

use plexus_domain::{
    ChatId, Digest, Error as Refusal, MessageId, PartBody, Principal, PrincipalId, Timestamp,
    message::{Message, MessageState, TreeNode, visible},
};
use plexus_runtime::builtin::is_offer;
use plexus_store::{
    Conn, Tx,
    accounts::AccountState,
    agents::{self, AgentState},
    chat_share_links::{self, OwnedShareLink},
    messages::{self, MessageHeader},
    principals,
};

use super::{
    export::without_deleted_parts,
    fork::{MAX_COPIED, insert_copy},
    notify_list_changed,
    post_message::ChatRetention,
    share_links::stored_id,
};
use crate::{
    Caller, Hub, Result,
    agents::is_visible_to,
    blobs::{self, Download},
    caller::{Person, Requester, Scope},
    limits::Rate,
    message_views,
    part_access::{PartAccess, Reader},
    quotas,
    views::{self, MessageView},
};

/// Messages per page of a shared chat.
const PAGE: usize = 100;

/// A page of a shared chat.
pub struct SharedChat {
    pub title: String,
    /// Name of the account that shared it.
    pub owner: String,
    pub shared_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// Oldest first.
    pub messages: Vec<SharedMessage>,
    /// Number of this page, from 1.
    pub page: usize,
    pub pages: usize,
    /// Text of the first message, for a preview of the link.
    pub preview: String,
}

/// A message of a shared chat, without its run.
pub struct SharedMessage {
    pub view: MessageView,
    /// Label instead of the author: an agent that is not public.
    pub label: Option<String>,
}

/// Returns a page of a shared chat. Rate limited per caller.
pub async fn shared(hub: &Hub, caller: &Caller, id: &str, page: usize) -> Result<SharedChat> {
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let SharedBranch { link, headers, shown } = find(hub, &mut conn, id).await?;
    let pages = shown.len().div_ceil(PAGE).max(1);
    let page = page.clamp(1, pages);
    let wanted: Vec<MessageId> = shown.iter().skip((page - 1) * PAGE).take(PAGE).copied().collect();
    let is_shown: HashSet<MessageId> = shown.iter().copied().collect();
    let authors = headers.iter().filter(|header| is_shown.contains(&header.id)).map(|header| header.author);
    let labels = labels(&mut conn, authors.collect()).await?;
    let first: Vec<MessageId> = shown.first().copied().into_iter().collect();
    let preview = messages::load(&mut conn, &first).await?.pop();
    let views = message_views::load(hub, &mut conn, &[], &wanted).await?;
    let owner = message_views::author(&mut conn, link.owner).await?;
    Ok(SharedChat {
        title: link.title.into(),
        owner: match owner {
            views::Author::Person { name, .. } => name,
            views::Author::Agent { .. } | views::Author::Imported { .. } | views::Author::Gone => {
                return Err(gone().into());
            }
        },
        shared_at: link.created_at,
        expires_at: link.expires_at,
        messages: views.into_iter().map(|view| redact(view, &labels)).collect(),
        page,
        pages,
        preview: preview
            .filter(|first| first.state != MessageState::Deleted)
            .map(|message| text_of(&message))
            .unwrap_or_default(),
    })
}

/// Removes what only the members of the chat may see.
fn redact(mut view: MessageView, labels: &HashMap<PrincipalId, String>) -> SharedMessage {
    without_deleted_parts(&mut view);
    Reader::Public.redact(&mut view);
    // Failure messages may contain internal addresses.
    view.run = None;
    view.status = None;
    view.message.parts.retain(|part| !is_offer(part));
    let label = labels.get(&view.message.author).cloned();
    if label.is_some() {
        view.author = views::Author::Gone;
    }
    SharedMessage { view, label }
}

/// Returns the labels of the agents that are not public, in the order in which they answered first.
async fn labels(conn: &mut Conn, authors: Vec<PrincipalId>) -> Result<HashMap<PrincipalId, String>> {
    let mut labels = HashMap::new();
    let mut seen = Vec::new();
    for author in authors {
        if seen.contains(&author) {
            continue;
        }
        seen.push(author);
        let agent = agents::by_principal(conn, author).await?;
        if agent.is_some_and(|agent| !agent.is_listed() || agent.state != AgentState::Active) {
            let label = match labels.len() {
                0 => "Private agent".to_owned(),
                earlier => format!("Private agent {}", earlier + 1),
            };
            labels.insert(author, label);
        }
    }
    Ok(labels)
}

fn text_of(message: &Message) -> String {
    let texts: Vec<&str> = message.parts.iter().filter_map(plexus_domain::Part::as_text).collect();
    texts.join(" ")
}

/// Opens a file of a shared chat. Rate limited per caller.
pub async fn shared_file(hub: &Hub, caller: &Caller, id: &str, sha256: &str) -> Result<Download> {
    let sha256: Digest = sha256.parse().map_err(|_| gone())?;
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let SharedBranch { shown, .. } = find(hub, &mut conn, id).await?;
    let messages = messages::load(&mut conn, &shown).await?;
    let parts = messages.into_iter().filter(|message| message.state != MessageState::Deleted);
    let is_it = |content: &PartBody| matches!(content, PartBody::File { blob, .. } if *blob == sha256);
    let part = parts.flat_map(|message| message.parts).find(|part| is_it(&part.content)).ok_or_else(gone)?;
    drop(conn);
    blobs::open(hub, &sha256, part.name, part.media_type).await
}

/// Copies a shared chat to a new chat of the caller. Returns the new chat.
///
/// An agent that the caller cannot see is replaced by an anonymous author.
pub async fn continue_shared(hub: &Hub, caller: &Caller, id: &str) -> Result<ChatId> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let SharedBranch { link, shown, .. } = find(hub, &mut tx, id).await?;
    if shown.len() > MAX_COPIED {
        let words = format!("At most {MAX_COPIED} messages can be copied to a new chat.");
        return Err(Refusal::too_large(words, MAX_COPIED as u64).into());
    }
    let mut copied = messages::load(&mut tx, &shown).await?;
    hide_agents(hub, &mut tx, person, &mut copied).await?;
    for message in &mut copied {
        message.attributes = None;
        message.parts.retain(|part| message.state != MessageState::Deleted && !is_offer(part));
        for part in &mut message.parts {
            PartAccess::Other.redact(part);
            (part.metadata, part.artifact) = (None, None);
        }
    }
    let new =
        insert_copy(hub, &mut tx, person, link.title, ChatRetention::UntilDeleted, copied, link.last_message)
            .await?;
    tx.commit().await?;
    quotas::forget(hub, &Requester::from(person));
    notify_list_changed(hub, person.account);
    Ok(new)
}

/// Replaces the authors that are agents which this person cannot see.
async fn hide_agents(hub: &Hub, tx: &mut Tx, person: &Person, copied: &mut [Message]) -> Result<()> {
    let mut known: HashMap<PrincipalId, bool> = HashMap::new();
    for message in copied {
        let is_hidden = match known.get(&message.author) {
            Some(is_hidden) => *is_hidden,
            None => {
                let is_hidden = match agents::by_principal(tx, message.author).await? {
                    Some(agent) => !is_visible_to(tx, Some(person), &agent).await?,
                    None => false,
                };
                known.insert(message.author, is_hidden);
                is_hidden
            }
        };
        if is_hidden {
            let new = hub.env().id(PrincipalId::new);
            message.author = principals::ensure(tx, &Principal::Anonymous, new).await?;
        }
    }
    Ok(())
}

/// The branch of a chat that a share link shows.
struct SharedBranch {
    link: OwnedShareLink,
    /// All messages of the chat, in the order in which they were posted.
    headers: Vec<MessageHeader>,
    /// The messages of the branch, oldest first.
    shown: Vec<MessageId>,
}

/// Returns the branch of a link that works.
///
/// Revoked, expired and unknown links give the same error, and those of suspended and deleted accounts, so that they
/// cannot be distinguished.
async fn find(hub: &Hub, conn: &mut Conn, id: &str) -> Result<SharedBranch> {
    let link = chat_share_links::find(conn, &stored_id(id), id, hub.env().now()).await?;
    let link = link.filter(|link| link.owner_state == AccountState::Active).ok_or_else(gone)?;
    let headers = messages::list_by_chat(conn, link.chat).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).filter(|node| node.seq <= link.last_seq).collect();
    let shown = visible(&tree, link.last_message);
    Ok(SharedBranch { link, headers, shown })
}

fn gone() -> Refusal {
    Refusal::not_found("This link does not exist, or it has ended.")
}
