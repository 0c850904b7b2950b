//! Conversation matching for stateless callers, which send the whole conversation with each request
//! (`docs/adr/0012`).
//!
//! Each question is stored under the digest of the conversation up to it. A request whose history has the
//! same digest plus one of our answers continues that chat; any difference starts a new chat.

use plexus_domain::{Digest, MessageId, Part, PartBody, message::MessageState};
use plexus_store::{
    Conn, Tx, conversation_digests, conversation_digests::ConversationKey, messages, messages::MessageHeader,
    runs,
};
use serde_json::json;

use super::{
    AuthorizedAgent, CallRequest, Origin, PriorMessage, part_to_markdown, signed_links::without_signatures,
    task,
};
use crate::{Hub, Result};

/// Candidate questions with the same digest that are compared by their answers. Older ones are not found any
/// more.
const ALIKE: i64 = 16;

/// Returns the stored answer that the caller's conversation ends with, if the hub knows the conversation.
pub(super) async fn find(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<Option<MessageHeader>> {
    let Some((last, before)) = call.before.split_last() else { return Ok(None) };
    if !is_noted(authorized, call) || !last.by_agent {
        return Ok(None);
    }
    let answer = text_of_parts(&last.parts, |blob| sent_file(hub, blob));
    let known = history(hub, authorized, before.iter());
    for question in conversation_digests::matching_questions(tx, &known, ALIKE).await? {
        for header in messages::list_by_parent(tx, question).await? {
            if is_answer(&header)
                && !is_withheld(tx, &header).await?
                && text_of_answer(hub, tx, authorized, &header).await? == answer
            {
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
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    question: MessageId,
) -> Result<()> {
    if !is_noted(authorized, call) || call.after.is_some() || call.is_withheld {
        return Ok(());
    }
    let asked = PriorMessage { by_agent: false, parts: call.parts.clone() };
    let told = history(hub, authorized, call.before.iter().chain([&asked]));
    Ok(conversation_digests::insert(tx, &told, question).await?)
}

/// Returns whether the call takes part in matching. Anonymous callers share one principal, so theirs do not.
fn is_noted(authorized: &AuthorizedAgent, call: &CallRequest) -> bool {
    call.origin == Origin::OpenAi
        && call.context.is_none()
        && call.task.is_none()
        && !authorized.is_anonymous()
}

fn is_answer(header: &MessageHeader) -> bool {
    header.lane > 0 && header.run.is_some() && header.state != MessageState::Open
}

async fn is_withheld(conn: &mut Conn, header: &MessageHeader) -> Result<bool> {
    let Some(run) = header.run else { return Ok(false) };
    Ok(runs::find(conn, run).await?.is_some_and(|run| run.is_withheld))
}

async fn text_of_answer(
    hub: &Hub,
    conn: &mut Conn,
    authorized: &AuthorizedAgent,
    header: &MessageHeader,
) -> Result<String> {
    let found = messages::load(conn, &[header.id]).await?;
    let file = |blob: &Digest| match header.run {
        Some(run) => task::file_url(hub, &authorized.address(), run, blob),
        None => sent_file(hub, blob),
    };
    Ok(found.first().map(|message| text_of_parts(&message.parts, file)).unwrap_or_default())
}

/// Returns the text that stands for a file of the caller.
fn sent_file(hub: &Hub, blob: &Digest) -> String {
    format!("{}api/v1/blobs/{blob}", hub.config().public_url)
}

/// Returns the text of a message as programs receive it, without signatures of links. Trimmed, because some
/// programs drop surrounding white space.
fn text_of_parts(parts: &[Part], file: impl Fn(&Digest) -> String) -> String {
    let words =
        parts.iter().filter_map(|part| caller_tool_text(part).or_else(|| part_to_markdown(part, &file)));
    let words: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
    without_signatures(words.join("\n\n").trim())
}

/// Returns the text that stands for a call of the caller's tool, or for its result.
fn caller_tool_text(part: &Part) -> Option<String> {
    let PartBody::Tool(tool) = &part.content else { return None };
    let call_id = tool.call_id.as_ref()?;
    Some(
        json!({ "id": call_id, "name": tool.tool, "arguments": tool.arguments, "result": tool.result })
            .to_string(),
    )
}

/// Computes the digest of a conversation: author and length-prefixed text of each message.
fn history<'a>(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    told: impl Iterator<Item = &'a PriorMessage>,
) -> ConversationKey {
    let mut all = Vec::new();
    for turn in told {
        let words = text_of_parts(&turn.parts, |blob| sent_file(hub, blob));
        all.push(u8::from(turn.by_agent));
        all.extend_from_slice(&(words.len() as u64).to_be_bytes());
        all.extend_from_slice(words.as_bytes());
    }
    ConversationKey {
        caller: authorized.requester.principal,
        agent: authorized.reached.agent.id,
        digest: Digest::of(all),
    }
}
