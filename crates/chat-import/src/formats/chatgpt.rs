//! ChatGPT: `conversations.json`, a list of conversations with a `mapping` of message nodes.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

use super::{ConversationProblem, SourceConversation, SourceFormat, check_complete, join, parse};
use crate::{
    ImportedAuthor,
    bounded::{BoundedList, BoundedMap},
    limits::{MAX_MESSAGES, MAX_PIECES},
    message_tree::{SourceMessage, SourceNode},
    omission::{Omission, Omissions},
    timestamps::ExportedTime,
};

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Conversation {
    id: Option<String>,
    conversation_id: Option<String>,
    title: Option<String>,
    create_time: ExportedTime,
    current_node: Option<String>,
    mapping: BoundedMap<MappingNode, MAX_MESSAGES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappingNode {
    parent: Option<String>,
    message: Option<MappedMessage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappedMessage {
    author: MappedAuthor,
    content: Option<MappedContent>,
    create_time: ExportedTime,
    metadata: Option<MappedMetadata>,
    /// Name of the tool that an answer calls; `all` for an answer to the user.
    recipient: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappedAuthor {
    role: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappedContent {
    content_type: Option<String>,
    parts: BoundedList<ContentPiece, MAX_PIECES>,
    /// Of content of the type `code`.
    text: Option<String>,
}

enum ContentPiece {
    Text(String),
    Asset(Asset),
    Other,
}

// Not `untagged`, which copies data of unknown shape to memory.
impl<'de> Deserialize<'de> for ContentPiece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        if raw.starts_with('"') {
            return serde_json::from_str(raw).map(Self::Text).map_err(D::Error::custom);
        }
        Ok(serde_json::from_str(raw).map_or(Self::Other, Self::Asset))
    }
}

#[derive(Deserialize)]
struct Asset {
    content_type: String,
    /// Transcript of speech.
    text: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappedMetadata {
    model_slug: Option<String>,
    is_visually_hidden_from_conversation: Option<bool>,
}

pub fn read(json: &str) -> Result<SourceConversation, ConversationProblem> {
    let conversation: Conversation = parse(json)?;
    check_complete(conversation.mapping.is_complete)?;
    let mut omissions = Omissions::default();
    let node = |(id, node): (String, MappingNode)| {
        let message = node.message.and_then(|message| shown(message, &mut omissions));
        SourceNode { id, parent: node.parent, message }
    };
    let nodes = conversation.mapping.entries.into_iter().map(node).collect();
    Ok(SourceConversation {
        id: conversation.conversation_id.or(conversation.id),
        title: conversation.title.unwrap_or_default(),
        created: conversation.create_time.0,
        nodes,
        current: conversation.current_node,
        omissions,
    })
}

/// Returns the message, or counts it if it is not shown.
fn shown(message: MappedMessage, omissions: &mut Omissions) -> Option<SourceMessage> {
    let metadata = message.metadata.unwrap_or_default();
    let content = message.content.unwrap_or_default();
    let is_to_tool = message.recipient.is_some_and(|recipient| recipient != "all");
    let author = match message.author.role.as_deref() {
        Some("user") => ImportedAuthor::User,
        Some("assistant") if !is_to_tool => SourceFormat::ChatGpt.assistant(metadata.model_slug.as_deref()),
        role => {
            let has_text = !text(content, &mut Omissions::default()).trim().is_empty();
            let omission =
                if role == Some("system") { Omission::HiddenMessage } else { Omission::ToolMessage };
            // Each conversation begins with an empty message of the system.
            omissions.add(omission, u64::from(has_text));
            return None;
        }
    };
    let kind = content.content_type.as_deref().unwrap_or_default();
    let is_conversation = matches!(kind, "text" | "multimodal_text" | "code");
    if !is_conversation || metadata.is_visually_hidden_from_conversation == Some(true) {
        omissions.add(Omission::HiddenMessage, 1);
        return None;
    }
    Some(SourceMessage { author, text: text(content, omissions), created: message.create_time.0 })
}

fn text(content: MappedContent, omissions: &mut Omissions) -> String {
    let piece = |piece| match piece {
        ContentPiece::Text(text) => text,
        ContentPiece::Asset(asset) => match asset.text {
            Some(text) => text,
            None => {
                let is_image = asset.content_type.starts_with("image");
                omissions.add(if is_image { Omission::Image } else { Omission::File }, 1);
                String::new()
            }
        },
        ContentPiece::Other => {
            omissions.add(Omission::File, 1);
            String::new()
        }
    };
    let parts: Vec<String> = content.parts.items.into_iter().map(piece).collect();
    join(parts.into_iter().chain(content.text))
}
