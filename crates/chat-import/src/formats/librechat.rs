//! LibreChat: one conversation, with its messages as a list or nested by `children`.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

use super::{ConversationProblem, SourceConversation, SourceFormat, join, parse};
use crate::{
    ImportedAuthor,
    bounded::BoundedList,
    json_text::{FlatObject, flatten_nested},
    limits::{MAX_MESSAGES, MAX_PIECES},
    message_tree::{SourceMessage, SourceNode},
    omission::{Omission, Omissions},
    timestamps::ExportedTime,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conversation<'a> {
    conversation_id: Option<String>,
    title: Option<String>,
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    /// Instead of `messages`, in some nested exports.
    #[serde(borrow)]
    messages_tree: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LibreMessage {
    message_id: Option<String>,
    parent_message_id: Option<String>,
    text: Option<String>,
    content: BoundedList<ContentBlock, MAX_PIECES>,
    sender: Option<String>,
    is_created_by_user: Option<bool>,
    created_at: ExportedTime,
    model: Option<String>,
    files: BoundedList<LibreFile, MAX_PIECES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ContentBlock {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<BlockText>,
}

/// Text of a block: the text itself, or an object with it.
struct BlockText(String);

#[derive(Deserialize)]
struct TextObject {
    value: String,
}

// Not `untagged`, which copies data of unknown shape to memory.
impl<'de> Deserialize<'de> for BlockText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let text = match raw.starts_with('"') {
            true => serde_json::from_str(raw),
            false => serde_json::from_str(raw).map(|object: TextObject| object.value),
        };
        text.map(Self).map_err(D::Error::custom)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LibreFile {
    #[serde(rename = "type")]
    media_type: Option<String>,
}

pub fn read(json: &str) -> Result<SourceConversation, ConversationProblem> {
    let conversation: Conversation<'_> = parse(json)?;
    let messages = conversation.messages_tree.or(conversation.messages);
    let list = messages.map_or("[]", RawValue::get);
    if !list.starts_with('[') {
        return Err(ConversationProblem::Unreadable);
    }
    let flat = flatten_nested(list, "children", MAX_MESSAGES).ok_or(ConversationProblem::TooLong)?;
    let mut omissions = Omissions::default();
    let mut nodes: Vec<SourceNode> = Vec::with_capacity(flat.len());
    for (number, FlatObject { parent, json }) in flat.into_iter().enumerate() {
        let message: LibreMessage = parse(&json)?;
        let above = parent.map(|parent| nodes[parent].id.clone());
        let id = message.message_id.clone().unwrap_or_else(|| format!("message {number}"));
        let parent = above.or_else(|| message.parent_message_id.clone());
        nodes.push(SourceNode { id, parent, message: Some(shown(message, &mut omissions)) });
    }
    Ok(SourceConversation {
        id: conversation.conversation_id,
        title: conversation.title.unwrap_or_default(),
        created: None,
        nodes,
        current: None,
        omissions,
    })
}

fn shown(message: LibreMessage, omissions: &mut Omissions) -> SourceMessage {
    let sender = message.sender.as_deref();
    let is_user = message.is_created_by_user.unwrap_or_else(|| sender.is_some_and(|sender| sender == "User"));
    let author = if is_user {
        ImportedAuthor::User
    } else {
        SourceFormat::LibreChat.assistant(message.model.as_deref().or(sender))
    };
    for file in message.files.items {
        super::omit_file(omissions, file.media_type.as_deref().unwrap_or_default());
    }
    let mut texts = Vec::new();
    for block in message.content.items {
        match (block.kind.as_deref(), block.text) {
            (Some("text"), Some(BlockText(text))) => texts.push(text),
            (Some("tool_call"), _) => omissions.add(Omission::ToolMessage, 1),
            (Some("image_file" | "image_url"), _) => omissions.add(Omission::Image, 1),
            _ => omissions.add(Omission::HiddenMessage, 1),
        }
    }
    let blocks = join(texts);
    let text = if blocks.is_empty() { message.text.unwrap_or_default() } else { blocks };
    SourceMessage { author, text, created: message.created_at.0 }
}
