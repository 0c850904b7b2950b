//! Read model of messages: rows combined with the text of messages that are still being written.

use std::{collections::HashMap, iter};

use plexus_domain::{
    Address, MessageId, Part, PrincipalId, RunId,
    message::{Message, MessageState, TreeNode, alternatives},
};
use plexus_store::{Conn, messages, principals, runs, runs::Run, stream_journal};

use crate::{
    Hub, Result, chats,
    streaming::OpenMessage,
    views::{Author, MessageView, RunView, Snapshot},
};

/// Loads the messages of `wanted` that exist, in the order of `wanted`. `tree` is the chat's message tree.
pub(crate) async fn load(
    hub: &Hub,
    conn: &mut Conn,
    tree: &[TreeNode],
    wanted: &[MessageId],
) -> Result<Vec<MessageView>> {
    let messages = messages::load(conn, wanted).await?;
    let authors = authors(conn, messages.iter().map(|message| message.author)).await?;
    let ids: Vec<RunId> = messages.iter().filter_map(|message| message.run).collect();
    let runs: HashMap<_, _> = runs::list(conn, &ids).await?.into_iter().map(|run| (run.id, run)).collect();
    let mut mentions = mentions(conn, &messages, &runs).await?;
    let mut views = HashMap::new();
    for message in messages {
        let run = message.run.and_then(|run| runs.get(&run));
        let open = match message.state {
            MessageState::Open => so_far(hub, conn, message.id, run).await?,
            _ => Vec::new(),
        };
        let view = MessageView {
            author: authors.get(&message.author).cloned().unwrap_or(Author::Gone),
            run: run.map(RunView::from),
            alternatives: alternatives(tree, message.id),
            open,
            status: hub.live().status(message.id),
            mentioned: mentions.remove(&message.id).unwrap_or_default(),
            message,
        };
        views.insert(view.message.id, view);
    }
    Ok(wanted.iter().filter_map(|id| views.remove(id)).collect())
}

/// Returns the agents that the answers among these messages of one chat mention. Reads the agents of the chat only if there
/// is an address in one of them.
async fn mentions(
    conn: &mut Conn,
    messages: &[Message],
    runs: &HashMap<RunId, Run>,
) -> Result<HashMap<MessageId, Vec<Address>>> {
    let answers = messages.iter().filter(|message| chats::is_answer(message));
    let found: Vec<_> = answers.map(|answer| (answer, chats::addresses_in(&answer.parts))).collect();
    let first = found.iter().find(|(_, addresses)| !addresses.is_empty());
    let run = first.and_then(|(answer, _)| runs.get(&answer.run?));
    let Some(chat) = run.map(|run| run.chat) else { return Ok(HashMap::new()) };
    let members = chats::agent_members(conn, chat).await?;
    let of = |(answer, addresses): (&Message, _)| {
        (answer.id, chats::mentioned_agents(&members, answer.author, addresses))
    };
    Ok(found.into_iter().map(of).collect())
}

/// Returns the parts of an open message so far: from memory if this instance writes it, else from the stream
/// journal.
async fn so_far(hub: &Hub, conn: &mut Conn, message: MessageId, run: Option<&Run>) -> Result<Vec<Snapshot>> {
    if let Some(snapshots) = hub.live().snapshot(message) {
        return Ok(snapshots);
    }
    match run {
        Some(run) => Ok(replay_journal(conn, message, run).await?.snapshot()),
        None => Ok(Vec::new()),
    }
}

/// Returns the parts so far of a message of this run that is still being written.
pub(crate) async fn parts_so_far(
    hub: &Hub,
    conn: &mut Conn,
    message: MessageId,
    run: &Run,
) -> Result<Vec<Part>> {
    if let Some(parts) = hub.live().parts(message) {
        return Ok(parts);
    }
    Ok(replay_journal(conn, message, run).await?.parts())
}

/// Replays an open message from the stream journal of the instance that runs it.
pub(crate) async fn replay_journal(conn: &mut Conn, message: MessageId, run: &Run) -> Result<OpenMessage> {
    let pieces = match run.instance {
        Some(process) => stream_journal::list_by_message(conn, process, message).await?,
        None => Vec::new(),
    };
    Ok(OpenMessage::replayed(run.chat, message, &pieces))
}

/// Loads the display names of these principals.
pub(crate) async fn authors(
    conn: &mut Conn,
    wanted: impl Iterator<Item = PrincipalId>,
) -> Result<HashMap<PrincipalId, Author>> {
    let mut ids: Vec<PrincipalId> = wanted.collect();
    ids.sort_unstable();
    ids.dedup();
    let known = principals::list_named(conn, &ids).await?;
    Ok(known.into_iter().map(|principal| (principal.id, Author::from(principal))).collect())
}

/// Loads the display name of a principal.
pub(crate) async fn author(conn: &mut Conn, id: PrincipalId) -> Result<Author> {
    Ok(authors(conn, iter::once(id)).await?.remove(&id).unwrap_or(Author::Gone))
}
