//! Builds the conversation that is sent to an agent, as far as it is visible to the agent.

use std::collections::HashMap;

use bytes::Bytes;
use plexus_domain::{
    Content, Digest, MessageId, Part, PrincipalId,
    message::{Node, path},
};
use plexus_runtime::{Remote, Speaker, Turn, builtin::is_offer};
use plexus_store::{Conn, messages, parts, runs};

use super::{Job, begin::History};
use crate::{Hub, Result, blobs, chats::without_mentions, views, views::Author};

/// Builds the turns up to the question, and the agent's own context if it can be continued.
pub(super) async fn conversation(
    hub: &Hub,
    job: &Job,
    history: History,
) -> Result<(Vec<Turn>, Option<Remote>)> {
    let said = match history {
        History::Read(said) => said,
        History::Unread(seen) => parts::list_said(&mut hub.store().read().await?, &seen).await?,
    };
    let mut authors = known_authors(job);
    let others = said.iter().map(|(author, _)| *author);
    let others: Vec<_> = others.filter(|author| !authors.contains_key(author)).collect();
    if !others.is_empty() {
        authors.extend(views::authors(&mut hub.store().read().await?, others.into_iter()).await?);
    }
    let said = said.into_iter().map(|(author, parts)| (author, without_offers(parts)));
    let turns = said.filter(|(_, parts)| !parts.is_empty());
    let turns = turns.map(|(author, parts)| {
        let speaker = match authors.get(&author) {
            _ if author == job.answer.author => Speaker::Me,
            Some(Author::Agent { address, .. }) => Speaker::Agent { address: address.clone() },
            Some(Author::Person { name }) => Speaker::Person { name: name.clone() },
            Some(Author::Gone) | None => Speaker::Person { name: "Somebody".to_owned() },
        };
        let parts = if matches!(speaker, Speaker::Person { .. }) { plainly(parts) } else { parts };
        Turn { speaker, parts }
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
fn known_authors(job: &Job) -> HashMap<PrincipalId, Author> {
    let asker = job.asker.person.is_some().then(|| (job.asker.principal, Author::from(&job.asker)));
    asker.into_iter().chain([(job.answer.author, Author::from(&job.agent))]).collect()
}

/// Loads the files of the question, if the connector accepts files.
pub(super) async fn files(hub: &Hub, job: &Job, turns: &[Turn]) -> Result<HashMap<Digest, Bytes>> {
    let mut files = HashMap::new();
    if !job.version.connector.takes_files() {
        return Ok(files);
    }
    for part in turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default() {
        if let Content::File { blob, .. } = &part.content
            && let Some(bytes) = blobs::read(hub, blob).await?
        {
            files.insert(*blob, bytes);
        }
    }
    Ok(files)
}

/// Removes the guide's suggestion buttons, which are meaningless to other agents.
fn without_offers(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| !is_offer(part));
    parts
}

/// Strips the addresses at the start of a user's text.
fn plainly(parts: Vec<Part>) -> Vec<Part> {
    let plain = |part: Part| match part.content {
        Content::Text { text } => {
            Part { content: Content::Text { text: without_mentions(&text).to_owned() }, ..part }
        }
        _ => part,
    };
    parts.into_iter().map(plain).collect()
}

/// Returns the context that the agent issued on the path to the question, unless another branch used it
/// since.
async fn earlier_context(conn: &mut Conn, job: &Job) -> Result<Option<Remote>> {
    let headers = messages::list_by_chat(conn, job.chat).await?;
    let tree: Vec<_> = headers.iter().map(Node::from).collect();
    let way: Vec<MessageId> = path(&tree, job.question);
    let mine: Vec<runs::Run> = runs::list_by_chat(conn, job.chat).await?;
    let mine: Vec<_> =
        mine.into_iter().filter(|run| run.agent == job.agent.id && run.id != job.run).collect();
    let on_the_way = |run: &&runs::Run| {
        headers.iter().any(|header| header.run == Some(run.id) && way.contains(&header.id))
    };
    let Some(last) = mine.iter().rev().find(on_the_way) else { return Ok(None) };
    let Some(context) = &last.remote_context else { return Ok(None) };
    let elsewhere = mine.iter().any(|run| run.remote_context.as_ref() == Some(context) && !on_the_way(&run));
    Ok((!elsewhere).then(|| Remote { task: None, context: Some(context.clone()) }))
}
