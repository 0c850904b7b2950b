//! Conversation matching for stateless callers, which send the whole conversation with each request
//! (`docs/adr/0012`).
//!
//! Each question is stored under the digest of the conversation up to it. A request whose history has the
//! same digest plus one of our answers continues that chat; any difference starts a new chat.

use plexus_domain::{Digest, MessageId, Part, message::MessageState};
use plexus_store::{Conn, Tx, histories, histories::History, messages, messages::Header};

use super::{Before, Call, Door, Origin, in_words};
use crate::{Hub, Result};

/// Candidate questions with the same digest that are compared by their answers. Older ones are not found any
/// more.
const ALIKE: i64 = 16;

/// Returns the stored answer that the caller's conversation ends with, if the hub knows the conversation.
pub(super) async fn find(hub: &Hub, tx: &mut Tx, door: &Door, call: &Call) -> Result<Option<Header>> {
    let Some((last, before)) = call.before.split_last() else { return Ok(None) };
    if !is_noted(door, call) || !last.by_agent {
        return Ok(None);
    }
    let answer = said(hub, &last.parts);
    let known = history(hub, door, before.iter());
    for question in histories::questions(tx, &known, ALIKE).await? {
        for header in messages::list_by_parent(tx, question).await? {
            if is_answer(&header) && said_by(hub, tx, &header).await? == answer {
                return Ok(Some(header));
            }
        }
    }
    Ok(None)
}

/// Stores the digest of the conversation with this question, so that a later request can continue it.
pub(super) async fn note(
    hub: &Hub,
    tx: &mut Tx,
    door: &Door,
    call: &Call,
    question: MessageId,
) -> Result<()> {
    if !is_noted(door, call) || call.after.is_some() {
        return Ok(());
    }
    let asked = Before { by_agent: false, parts: call.parts.clone() };
    let told = history(hub, door, call.before.iter().chain([&asked]));
    Ok(histories::insert(tx, &told, question).await?)
}

/// Returns whether the call takes part in matching. Anonymous callers share one principal, so theirs do not.
fn is_noted(door: &Door, call: &Call) -> bool {
    call.origin == Origin::OpenAi && call.context.is_none() && call.task.is_none() && !door.is_stranger()
}

fn is_answer(header: &Header) -> bool {
    header.lane > 0 && header.run.is_some() && header.state != MessageState::Open
}

async fn said_by(hub: &Hub, conn: &mut Conn, header: &Header) -> Result<String> {
    let found = messages::load(conn, &[header.id]).await?;
    Ok(found.first().map(|message| said(hub, &message.parts)).unwrap_or_default())
}

/// Returns the text of a message as programs receive it. Trimmed, because some programs drop surrounding
/// white space.
fn said(hub: &Hub, parts: &[Part]) -> String {
    let words = parts.iter().filter_map(|part| in_words(hub, part));
    let words: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
    words.join("\n\n").trim().to_owned()
}

/// Computes the digest of a conversation: author and length-prefixed text of each message.
fn history<'a>(hub: &Hub, door: &Door, told: impl Iterator<Item = &'a Before>) -> History {
    let mut all = Vec::new();
    for turn in told {
        let words = said(hub, &turn.parts);
        all.push(u8::from(turn.by_agent));
        all.extend_from_slice(&(words.len() as u64).to_be_bytes());
        all.extend_from_slice(words.as_bytes());
    }
    History { caller: door.asker.principal, agent: door.reached.agent.id, digest: Digest::of(all) }
}
