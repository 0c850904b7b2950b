//! Plexus: the format `plexus-chat/1`, one chat per line.

use plexus_domain::{
    Part, PartBody,
    form_question::FormAnswer,
    message::MessageState,
    part::{ApprovalDecision, ToolUse},
    sanitized_text::prefix,
};
use serde::Deserialize;

use super::{ConversationProblem, MessageList, SourceConversation, SourceFormat, check_complete, parse};
use crate::{
    ImportedAuthor,
    citations::is_web,
    content::ImportedPart,
    fields::{Fields, parse as parse_json, text_of},
    limits::{MAX_LABEL_CHARS, MAX_VALUE_BYTES},
    message_tree::{HiddenNode, Joining, NodeContent, SourceMessage, SourceNode, SourcePart},
    omission::Omission,
    read_context::{FileReference, ReadContext},
};

/// The field `format`, as JSON.
pub const FORMAT: &str = "\"plexus-chat/1\"";
/// Maximum lane of an answer; a message goes to few agents.
const MAX_LANE: i32 = 64;

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let chat = Fields::of(json);
    let messages: MessageList<'_> = parse(chat.get("messages"))?;
    check_complete(messages.is_complete)?;
    let hub = chat.text("hub");
    let host = hub.as_deref().and_then(host).unwrap_or_default();
    let exporter = chat.text("exported_by");
    let mut nodes = Vec::with_capacity(messages.items.len());
    for (number, message) in messages.items.into_iter().enumerate() {
        let message = Fields::of(message.get());
        let id = message.id("id").unwrap_or_else(|| format!("message {number}"));
        let content = match message.has("parts") || message.has("author") {
            true => NodeContent::Message(content(&message, host, exporter.as_deref(), context)),
            false => NodeContent::Hidden(HiddenNode::Turn),
        };
        nodes.push(SourceNode { id, parent: message.id("parent"), content });
    }
    Ok(SourceConversation {
        nodes,
        id: chat.text("id"),
        title: chat.text("title").unwrap_or_default(),
        created: chat.time("created"),
        current: chat.id("current_message"),
        is_pinned: chat.is_true("pinned"),
        is_archived: chat.is_true("archived"),
        folder: chat.text("folder"),
    })
}

fn content(
    message: &Fields<'_>,
    host: &str,
    exporter: Option<&str>,
    context: &mut ReadContext,
) -> SourceMessage {
    let mut parts: Vec<ImportedPart> =
        message.list("parts").into_iter().filter_map(|part| read_part(part, context)).collect();
    if let Some(name) = other_person(message, exporter) {
        match parts.first_mut().and_then(ImportedPart::text_mut) {
            Some(text) => text.insert_str(0, &format!("{name}: ")),
            None => parts.insert(0, ImportedPart::text(format!("{name}:"))),
        }
    }
    let state = match message.text("state").as_deref() {
        Some("deleted") => MessageState::Deleted,
        Some("failed") => MessageState::Failed,
        Some("stopped" | "open") => MessageState::Stopped,
        _ => MessageState::Done,
    };
    SourceMessage {
        author: author(message, host),
        parts: context.finish(parts).into_iter().map(SourcePart::Done).collect(),
        created: message.time("created"),
        state,
        joining: Joining::Whole,
    }
}

/// Returns the name of another person of a room, whose messages would seem to be those of the importer.
fn other_person(message: &Fields<'_>, exporter: Option<&str>) -> Option<String> {
    let author = message.object("author");
    let is_person = author.text("kind").as_deref() == Some("person");
    author.text("name").filter(|name| is_person && exporter.is_some_and(|exporter| exporter != name))
}

fn author(message: &Fields<'_>, host: &str) -> ImportedAuthor {
    let author = message.object("author");
    let branch: i32 = message.get("branch").and_then(|branch| branch.parse().ok()).unwrap_or(0);
    if branch <= 0 {
        return ImportedAuthor::User;
    }
    let label = match (author.text("label"), author.text("address")) {
        (Some(label), _) => label,
        (None, Some(address)) if address.matches('@').count() > 1 => address,
        (None, Some(address)) => format!("{address}@{host}"),
        (None, None) => SourceFormat::Plexus.service().to_owned(),
    };
    ImportedAuthor::Assistant {
        label: prefix(&label, MAX_LABEL_CHARS).to_owned(),
        lane: branch.min(MAX_LANE),
    }
}

/// Returns the host of a URL.
fn host(url: &str) -> Option<&str> {
    url.split_once("://")?.1.split('/').next()
}

fn read_part(json: &str, context: &mut ReadContext) -> Option<ImportedPart> {
    let fields = Fields::of(json);
    if fields.text("kind").as_deref() == Some("file") {
        let (id, data) = (fields.text("blob").unwrap_or_default(), fields.text("data"));
        let media_type = fields.text("media_type");
        let kind = media_type.as_deref().unwrap_or("application/octet-stream");
        let url = data.map(|data| format!("data:{kind};base64,{data}"));
        let ids = url.iter().map(String::as_str).chain([id.as_str()]).collect();
        return context.file(FileReference {
            ids,
            name: fields.text("name"),
            media_type,
            is_image: fields.has("image"),
        });
    }
    let content = content_of(&fields, context);
    if content.is_none() {
        context.omissions.add(Omission::HiddenMessage, 1);
    }
    let part = Part {
        artifact: fields.text("artifact"),
        name: fields.text("name"),
        media_type: fields.text("media_type"),
        ..Part::from(content?)
    };
    Some(part.into())
}

/// Returns the content of a part, without what would ask for something: a request or a question of another hub cannot be
/// answered here.
fn content_of(fields: &Fields<'_>, context: &mut ReadContext) -> Option<PartBody> {
    let text = |name: &str| fields.get(name).and_then(text_of);
    match fields.text("kind").as_deref() {
        Some("reasoning") => Some(PartBody::Reasoning { text: text("text")? }),
        Some("link") => match text("url")? {
            url if is_web(&url) => Some(PartBody::Link { url }),
            url => Some(PartBody::Text { text: url }),
        },
        Some("data") => Some(PartBody::Data { data: context.value(fields.get("data").unwrap_or("null")) }),
        Some("tool") => Some(PartBody::Tool(ToolUse {
            tool: text("tool")?,
            arguments: context.value(fields.get("arguments").unwrap_or("{}")),
            result: fields.get("result").map(|result| context.value(result)),
            took_ms: fields.get("took_ms").and_then(|took| took.parse().ok()),
            // The caller of the run would execute the call.
            call_id: None,
        })),
        Some("approval") => Some(PartBody::Approval {
            approval: parse_member(fields, "approval")?,
            tool: text("tool")?,
            arguments: context.value(fields.get("arguments").unwrap_or("{}")),
            decision: Some(parse_member(fields, "decision").unwrap_or(ApprovalDecision::Unanswered)),
        }),
        Some("question") => Some(PartBody::Question {
            approval: parse_member(fields, "approval")?,
            tool: text("tool")?,
            question: parse_member(fields, "question")?,
            answer: Some(parse_member(fields, "answer").unwrap_or(FormAnswer::Unanswered)),
        }),
        // Another kind is one of a later version of the format.
        _ => Some(PartBody::Text { text: text("text")? }),
    }
}

/// Parses a member that is not long.
fn parse_member<'a, T: Deserialize<'a>>(fields: &Fields<'a>, name: &str) -> Option<T> {
    fields.get(name).filter(|json| json.len() <= MAX_VALUE_BYTES).and_then(parse_json)
}
