//! Plexus: the format `plexus-chat/1`, one chat per line.

use serde::Deserialize;

use super::{ConversationProblem, SourceConversation, SourceFormat, check_complete, join, parse};
use crate::{
    ImportedAuthor,
    bounded::BoundedList,
    limits::{MAX_LABEL_CHARS, MAX_MESSAGES, MAX_PIECES},
    message_tree::{SourceMessage, SourceNode},
    omission::{Omission, Omissions},
    timestamps::ExportedTime,
};

/// The field `format`, as JSON.
pub const FORMAT: &str = "\"plexus-chat/1\"";
/// Maximum lane of an answer; a message goes to few agents.
const MAX_LANE: i32 = 64;

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExportedChat {
    id: Option<String>,
    /// URL of the hub.
    hub: Option<String>,
    title: Option<String>,
    created: ExportedTime,
    current_message: Option<String>,
    messages: BoundedList<ExportedMessage, MAX_MESSAGES>,
}

#[derive(Deserialize)]
struct ExportedMessage {
    id: String,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    branch: i32,
    #[serde(default)]
    author: ExportedAuthor,
    #[serde(default)]
    created: ExportedTime,
    #[serde(default)]
    parts: BoundedList<ExportedPart, MAX_PIECES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExportedAuthor {
    address: Option<String>,
    /// Of an answer that was imported before.
    label: Option<String>,
}

#[derive(Deserialize)]
struct ExportedPart {
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    media_type: Option<String>,
}

pub fn read(json: &str) -> Result<SourceConversation, ConversationProblem> {
    let chat: ExportedChat = parse(json)?;
    check_complete(chat.messages.is_complete)?;
    let mut omissions = Omissions::default();
    let host = chat.hub.as_deref().and_then(host).unwrap_or_default();
    let node = |message: ExportedMessage| {
        let author = author(&message, host);
        let text = text(message.parts.items, &mut omissions);
        let created = message.created.0;
        let message_shown = Some(SourceMessage { author, text, created });
        SourceNode { id: message.id, parent: message.parent, message: message_shown }
    };
    Ok(SourceConversation {
        nodes: chat.messages.items.into_iter().map(node).collect(),
        id: chat.id,
        title: chat.title.unwrap_or_default(),
        created: chat.created.0,
        current: chat.current_message,
        omissions,
    })
}

fn author(message: &ExportedMessage, host: &str) -> ImportedAuthor {
    if message.branch <= 0 {
        return ImportedAuthor::User;
    }
    let lane = message.branch.min(MAX_LANE);
    let label = match (&message.author.label, &message.author.address) {
        (Some(label), _) => label.clone(),
        (None, Some(address)) if address.matches('@').count() > 1 => address.clone(),
        (None, Some(address)) => format!("{address}@{host}"),
        (None, None) => SourceFormat::Plexus.service().to_owned(),
    };
    ImportedAuthor::Assistant { label: label.chars().take(MAX_LABEL_CHARS).collect(), lane }
}

/// Returns the host of a URL.
fn host(url: &str) -> Option<&str> {
    url.split_once("://")?.1.split('/').next()
}

fn text(parts: Vec<ExportedPart>, omissions: &mut Omissions) -> String {
    let text = |part: ExportedPart| match part.kind.as_str() {
        "text" => part.text,
        "link" => part.url,
        "file" => {
            super::omit_file(omissions, part.media_type.as_deref().unwrap_or_default());
            None
        }
        "tool" | "approval" => {
            omissions.add(Omission::ToolMessage, 1);
            None
        }
        _ => {
            omissions.add(Omission::HiddenMessage, 1);
            None
        }
    };
    join(parts.into_iter().filter_map(text).collect::<Vec<_>>())
}
