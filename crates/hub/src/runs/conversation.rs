//! Builds the conversation that is sent to an agent, as far as it is visible to the agent.

use std::{collections::HashMap, slice};

use bytes::Bytes;
use plexus_domain::{
    Address, Digest, MessageId, Part, PartBody, PrincipalId,
    message::{TreeNode, path},
};
use plexus_runtime::{ConversationTurn, RemoteConversation, TurnRole, builtin::is_offer};
use plexus_store::{Conn, members, messages, parts, runs, runs::Origin};

use super::{RunJob, create::VisibleHistory};
use crate::{Hub, Result, blobs, chats::without_mentions, message_views, views::Author};

/// Builds the turns up to the question, and the agent's own context if it can be continued.
pub(super) async fn build_turns(
    hub: &Hub,
    job: &RunJob,
    history: VisibleHistory,
) -> Result<(Vec<ConversationTurn>, Option<RemoteConversation>)> {
    let said = match history {
        VisibleHistory::Read(said) => said,
        VisibleHistory::Unread(seen) => {
            parts::list_parts_of_run(&mut hub.store().read().await?, &seen).await?
        }
    };
    let mut authors = known_authors(job);
    let others = said.iter().map(|(author, _)| *author);
    let others: Vec<_> = others.filter(|author| !authors.contains_key(author)).collect();
    if !others.is_empty() {
        authors.extend(message_views::authors(&mut hub.store().read().await?, others.into_iter()).await?);
    }
    let said = without_mentions_of(hub, job, &authors, said).await?;
    let said = said.into_iter().map(|(author, parts)| (author, without_offers(parts)));
    let turns = said.filter(|(_, parts)| !parts.is_empty());
    let turns = turns.map(|(author, parts)| {
        let speaker = match authors.get(&author) {
            _ if author == job.answer.author => TurnRole::Me,
            // The agent continues a conversation that another assistant began: models expect its answers as their own.
            Some(Author::Imported { .. }) => TurnRole::Me,
            Some(Author::Agent { address, .. }) => TurnRole::Agent { address: address.clone() },
            Some(Author::Person { name, .. }) => TurnRole::Person { name: name.clone() },
            Some(Author::Gone) | None => TurnRole::Person { name: "Unknown user".to_owned() },
        };
        ConversationTurn { speaker, parts }
    });
    let turns = turns.collect();
    let remote = match &job.task {
        Some(task) => Some(task.clone()),
        None if job.version.connector.has_contexts() => {
            earlier_context(&mut hub.store().read().await?, job).await?
        }
        None => None,
    };
    Ok((turns, remote))
}

/// Authors that need no read of the store; in most chats these are all authors.
fn known_authors(job: &RunJob) -> HashMap<PrincipalId, Author> {
    let requester =
        job.requester.person.is_some().then(|| (job.requester.principal, Author::from(&job.requester)));
    requester.into_iter().chain([(job.answer.author, Author::from(&job.agent))]).collect()
}

/// Loads the files of the question, if the connector accepts files. For models also those of earlier messages of
/// persons, the newest first, within the limit of one message.
pub(super) async fn files(
    hub: &Hub,
    job: &RunJob,
    turns: &[ConversationTurn],
) -> Result<HashMap<Digest, Bytes>> {
    let mut files = HashMap::new();
    if !job.version.connector.takes_files() {
        return Ok(files);
    }
    let turns = match turns.split_last() {
        Some((question, _)) if !job.version.connector.needs_earlier_files() => slice::from_ref(question),
        _ => turns,
    };
    let question = turns.last();
    let mut left = hub.config().limits.max_file_bytes as u64;
    for turn in turns.iter().rev() {
        let is_person = matches!(turn.speaker, TurnRole::Person { .. });
        for part in turn.parts.iter().filter(|_| is_person || question == Some(turn)) {
            let PartBody::File { blob, size, .. } = &part.content else { continue };
            let is_taken = job.version.connector.takes_file(part.media_type.as_deref().unwrap_or_default());
            // A program may send more with one message, and gets all of it.
            if !is_taken || (question != Some(turn) && *size > left) || files.contains_key(blob) {
                continue;
            }
            if let Some(bytes) = blobs::read(hub, blob).await? {
                left = left.saturating_sub(*size);
                files.insert(*blob, bytes);
            }
        }
    }
    Ok(files)
}

/// Removes the guide's suggestion buttons, which are meaningless to other agents.
fn without_offers(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| !is_offer(part));
    parts
}

/// Strips the mentions at the start of what users said in a chat. Calls of programs name their agent, so their
/// texts have no mentions.
async fn without_mentions_of(
    hub: &Hub,
    job: &RunJob,
    authors: &HashMap<PrincipalId, Author>,
    mut said: Vec<(PrincipalId, Vec<Part>)>,
) -> Result<Vec<(PrincipalId, Vec<Part>)>> {
    let is_agent = |author: &PrincipalId| {
        matches!(authors.get(author), Some(Author::Agent { .. } | Author::Imported { .. }))
    };
    let mut texts: Vec<&mut String> = said
        .iter_mut()
        .filter(|(author, _)| !is_agent(author))
        .flat_map(|(_, parts)| parts)
        .filter_map(|part| match &mut part.content {
            PartBody::Text { text } if Address::split_mention(text).is_some() => Some(text),
            _ => None,
        })
        .collect();
    if texts.is_empty() {
        return Ok(said);
    }
    let mut conn = hub.store().read().await?;
    let run = runs::find(&mut conn, job.run).await?;
    if run.is_none_or(|run| run.origin != Origin::Page) {
        return Ok(said);
    }
    let members = members::list_by_chat(&mut conn, job.chat).await?;
    let members = message_views::authors(&mut conn, members.iter().map(|member| member.principal)).await?;
    let addressed: Vec<_> = members
        .into_values()
        .filter_map(|member| match member {
            Author::Agent { address, .. } => Some(address),
            _ => None,
        })
        .collect();
    for text in &mut texts {
        let kept = without_mentions(&mut conn, &addressed, text).await?.to_owned();
        **text = kept;
    }
    Ok(said)
}

/// Returns the context that the agent issued on the path to the question, unless another branch used it
/// since.
async fn earlier_context(conn: &mut Conn, job: &RunJob) -> Result<Option<RemoteConversation>> {
    let headers = messages::list_by_chat(conn, job.chat).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).collect();
    let way: Vec<MessageId> = path(&tree, job.question);
    let mine: Vec<runs::Run> = runs::list_by_chat(conn, job.chat).await?;
    let mine: Vec<_> =
        mine.into_iter().filter(|run| run.agent == job.agent.id && run.id != job.run).collect();
    let on_the_way = |run: &&runs::Run| {
        headers.iter().any(|header| header.run == Some(run.id) && way.contains(&header.id))
    };
    // A remote agent knows the context as one of the user who asked, so it is not continued for another one.
    let is_own = |run: &&runs::Run| run.caller == job.requester.principal;
    let Some(last) = mine.iter().rev().find(on_the_way).filter(is_own) else { return Ok(None) };
    let Some(context) = &last.remote_context else { return Ok(None) };
    let elsewhere = mine.iter().any(|run| run.remote_context.as_ref() == Some(context) && !on_the_way(&run));
    Ok((!elsewhere).then(|| RemoteConversation { task: None, context: Some(context.clone()) }))
}
