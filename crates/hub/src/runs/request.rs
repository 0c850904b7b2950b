//! What an agent is told: the conversation so far, as it may see it.

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

/// The turns up to the question, and the agent's own context where it may go on.
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

/// Those whom nobody needs to be asked about: in most chats, everybody.
fn known_authors(job: &Job) -> HashMap<PrincipalId, Author> {
    let asker = job.asker.person.is_some().then(|| (job.asker.principal, Author::from(&job.asker)));
    asker.into_iter().chain([(job.answer.author, Author::from(&job.agent))]).collect()
}

/// The files of the question, for an agent that can be sent any.
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

/// Another agent has no use for the guide's buttons.
fn without_offers(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| !is_offer(part));
    parts
}

/// A person's words without the addresses at their start.
fn plainly(parts: Vec<Part>) -> Vec<Part> {
    let plain = |part: Part| match part.content {
        Content::Text { text } => {
            Part { content: Content::Text { text: without_mentions(&text).to_owned() }, ..part }
        }
        _ => part,
    };
    parts.into_iter().map(plain).collect()
}

/// The context that this agent gave on the way to the question, unless another branch went on in it.
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
