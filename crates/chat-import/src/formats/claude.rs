//! Claude: `conversations.json`, a list of conversations with `chat_messages`.

use serde::{Deserialize, de::IgnoredAny};

use super::{ConversationProblem, SourceConversation, SourceFormat, check_complete, join, parse};
use crate::{
    ImportedAuthor,
    bounded::BoundedList,
    limits::{MAX_MESSAGES, MAX_PIECES},
    message_tree::{SourceMessage, SourceNode},
    omission::{Omission, Omissions},
    timestamps::ExportedTime,
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Conversation {
    uuid: Option<String>,
    name: Option<String>,
    model: Option<String>,
    created_at: ExportedTime,
    current_leaf_message_uuid: Option<String>,
    chat_messages: BoundedList<ChatMessage, MAX_MESSAGES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatMessage {
    uuid: Option<String>,
    /// Only in newer exports. Without it, the messages follow one another.
    parent_message_uuid: Option<String>,
    sender: Option<String>,
    text: Option<String>,
    content: BoundedList<ContentBlock, MAX_PIECES>,
    created_at: ExportedTime,
    attachments: BoundedList<IgnoredAny, MAX_PIECES>,
    files: BoundedList<FileEntry, MAX_PIECES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ContentBlock {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FileEntry {
    file_kind: Option<String>,
}

pub fn read(json: &str) -> Result<SourceConversation, ConversationProblem> {
    let conversation: Conversation = parse(json)?;
    check_complete(conversation.chat_messages.is_complete)?;
    let mut omissions = Omissions::default();
    let author = SourceFormat::Claude.assistant(conversation.model.as_deref());
    let mut nodes: Vec<SourceNode> = Vec::new();
    for (number, message) in conversation.chat_messages.items.into_iter().enumerate() {
        let before = nodes.last().map(|node| node.id.clone());
        let id = message.uuid.clone().unwrap_or_else(|| format!("message {number}"));
        let parent = message.parent_message_uuid.clone().or(before);
        nodes.push(SourceNode { id, parent, message: shown(message, &author, &mut omissions) });
    }
    Ok(SourceConversation {
        id: conversation.uuid,
        title: conversation.name.unwrap_or_default(),
        created: conversation.created_at.0,
        current: conversation.current_leaf_message_uuid.or_else(|| nodes.last().map(|node| node.id.clone())),
        nodes,
        omissions,
    })
}

fn shown(
    message: ChatMessage,
    assistant: &ImportedAuthor,
    omissions: &mut Omissions,
) -> Option<SourceMessage> {
    let author = match message.sender.as_deref() {
        Some("human") => ImportedAuthor::User,
        Some("assistant") => assistant.clone(),
        _ => {
            omissions.add(Omission::HiddenMessage, 1);
            return None;
        }
    };
    omissions.add(Omission::File, message.attachments.items.len() as u64);
    for file in message.files.items {
        super::omit_file(omissions, file.file_kind.as_deref().unwrap_or_default());
    }
    let mut texts = Vec::new();
    for block in message.content.items {
        match block.kind.as_deref() {
            Some("text") => texts.extend(block.text),
            Some("tool_use" | "tool_result") => omissions.add(Omission::ToolMessage, 1),
            Some("image") => omissions.add(Omission::Image, 1),
            _ => omissions.add(Omission::HiddenMessage, 1),
        }
    }
    let blocks = join(texts);
    let text = if blocks.is_empty() { message.text.unwrap_or_default() } else { blocks };
    Some(SourceMessage { author, text, created: message.created_at.0 })
}
