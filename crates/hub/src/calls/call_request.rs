//! Request of a program to an agent, and its validation.

use std::time::Duration;

use plexus_domain::{
    CallOptions, Error as Refusal, MessageAttributes, MessageId, Part, PartBody, RunId, sanitized_text,
};
use plexus_store::runs::Origin;

use super::webhooks;
use crate::{Hub, blobs::NewBlob};

const MAX_PARTS: usize = 256;
const MAX_HISTORY: usize = 1_000;
const MAX_HISTORY_PARTS: usize = 2_000;
const CONTEXT_BYTES: usize = 256;
const MESSAGE_ID_BYTES: usize = 256;

/// A program's request to an agent.
#[derive(Clone, Debug)]
pub struct CallRequest {
    pub origin: Origin,
    /// The caller's context id; none starts a new conversation.
    pub context: Option<String>,
    /// The task that this message continues.
    pub task: Option<RunId>,
    /// The message id from the caller. It makes the request idempotent: see `find_repeated`.
    pub message_id: Option<String>,
    /// What the caller gave its message besides id and parts.
    pub attributes: MessageAttributes,
    /// The answer that this message replies to.
    pub after: Option<MessageId>,
    /// The earlier conversation, oldest first, from stateless callers (OpenAI API). If the hub recognises it,
    /// the existing chat is continued; otherwise its messages are stored.
    pub before: Vec<PriorMessage>,
    pub parts: Vec<Part>,
    /// The contents of the files among the parts.
    pub files: Vec<NewBlob>,
    /// The webhook to notify about this task.
    pub push: Option<webhooks::WebhookRequestInput>,
    /// How long the caller waits for the answer; none uses the run timeout of the hub.
    pub timeout: Option<Duration>,
    /// Options for the agent; tools and formats for a model only.
    pub options: CallOptions,
    /// True if the answer is not returned after this call, and cannot be continued.
    pub is_withheld: bool,
}

impl CallRequest {
    /// Creates a request that starts a new conversation.
    pub fn new(origin: Origin, parts: Vec<Part>) -> Self {
        Self {
            origin,
            context: None,
            task: None,
            message_id: None,
            attributes: MessageAttributes::default(),
            after: None,
            before: Vec::new(),
            parts,
            files: Vec::new(),
            push: None,
            timeout: None,
            options: CallOptions::default(),
            is_withheld: false,
        }
    }
}

/// A message of the earlier conversation, as sent by a stateless caller.
#[derive(Clone, Debug)]
pub struct PriorMessage {
    /// True if the agent wrote it, false if the caller did.
    pub by_agent: bool,
    pub parts: Vec<Part>,
}

/// Validates sizes and normalises text. Removes blank text parts; a message without any other part is
/// invalid.
pub(super) fn acceptable(hub: &Hub, mut call: CallRequest) -> Result<CallRequest, Refusal> {
    let limit = hub.config().limits.max_message_bytes;
    let said = call.before.iter().flat_map(|before| &before.parts).chain(&call.parts);
    let options = serde_json::to_string(&call.options).map_or(0, |options| options.len());
    if said.map(size).sum::<usize>() + options > limit {
        let words = format!("A message has at most {} KiB. Send the rest in another.", limit / 1024);
        return Err(Refusal::too_large(words, limit as u64));
    }
    let parts_before = call.before.iter().map(|before| before.parts.len()).sum::<usize>();
    if call.parts.len() > MAX_PARTS || call.before.len() > MAX_HISTORY || parts_before > MAX_HISTORY_PARTS {
        return Err(Refusal::invalid("message.parts", format!("Send at most {MAX_PARTS} parts.")));
    }
    if call.context.as_ref().is_some_and(|name| name.is_empty() || name.len() > CONTEXT_BYTES) {
        let words = format!("The id of a context has 1 to {CONTEXT_BYTES} bytes.");
        return Err(Refusal::invalid("message.contextId", words));
    }
    if call.message_id.as_ref().is_some_and(|id| id.len() > MESSAGE_ID_BYTES) {
        let words = format!("The id of a message has at most {MESSAGE_ID_BYTES} bytes.");
        return Err(Refusal::invalid("message.messageId", words));
    }
    call.parts.iter_mut().chain(call.before.iter_mut().flat_map(|before| &mut before.parts)).for_each(clean);
    for text in [&mut call.options.instructions, &mut call.options.system].into_iter().flatten() {
        *text = sanitized_text::multi_line(text);
    }
    call.parts.retain(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
    if call.parts.is_empty() {
        return Err(Refusal::invalid("message.parts", "The message is empty. Send at least one part."));
    }
    Ok(call)
}

fn size(part: &Part) -> usize {
    match &part.content {
        PartBody::Text { text } | PartBody::Reasoning { text } => text.len(),
        PartBody::Link { url } => url.len(),
        PartBody::Data { data } => data.to_string().len(),
        PartBody::File { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX),
        PartBody::Tool(call) => {
            call.arguments.to_string().len()
                + call.result.as_ref().map_or(0, |result| result.to_string().len())
        }
        PartBody::Approval { .. } | PartBody::Question { .. } => 0,
    }
}

fn clean(part: &mut Part) {
    if let PartBody::Text { text } = &mut part.content {
        *text = sanitized_text::multi_line(text);
    }
}
