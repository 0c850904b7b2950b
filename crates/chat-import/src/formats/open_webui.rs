//! Open WebUI: a list of chats, each with a `history` of messages by id.

use serde::Deserialize;

use super::{ConversationProblem, SourceConversation, SourceFormat, check_complete, parse};
use crate::{
    ImportedAuthor,
    bounded::{BoundedList, BoundedMap},
    limits::{MAX_MESSAGES, MAX_PIECES},
    message_tree::{SourceMessage, SourceNode},
    omission::{Omission, Omissions},
    timestamps::ExportedTime,
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExportedChat {
    id: Option<String>,
    title: Option<String>,
    created_at: ExportedTime,
    chat: ChatBody,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatBody {
    title: Option<String>,
    models: BoundedList<String, MAX_PIECES>,
    history: Option<ChatHistory>,
    /// The shown branch; of interest only without a history.
    messages: BoundedList<HistoryMessage, MAX_MESSAGES>,
    timestamp: ExportedTime,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ChatHistory {
    current_id: Option<String>,
    messages: BoundedMap<HistoryMessage, MAX_MESSAGES>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HistoryMessage {
    parent_id: Option<String>,
    role: Option<String>,
    content: Option<String>,
    model: Option<String>,
    timestamp: ExportedTime,
    files: BoundedList<AttachedFile, MAX_PIECES>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AttachedFile {
    #[serde(rename = "type")]
    kind: Option<String>,
}

pub fn read(json: &str) -> Result<SourceConversation, ConversationProblem> {
    let ExportedChat { id, title, created_at, chat } = parse(json)?;
    let mut omissions = Omissions::default();
    let model = match chat.models.items.as_slice() {
        [model] => Some(model.clone()),
        _ => None,
    };
    let (nodes, current) = match chat.history {
        Some(history) if !history.messages.entries.is_empty() => {
            check_complete(history.messages.is_complete)?;
            let node = |(id, mut message): (String, HistoryMessage)| {
                let parent = message.parent_id.take();
                SourceNode { id, parent, message: shown(message, model.as_deref(), &mut omissions) }
            };
            (history.messages.entries.into_iter().map(node).collect(), history.current_id)
        }
        _ => {
            check_complete(chat.messages.is_complete)?;
            let node = |(number, message): (usize, HistoryMessage)| SourceNode {
                id: number.to_string(),
                parent: number.checked_sub(1).map(|before| before.to_string()),
                message: shown(message, model.as_deref(), &mut omissions),
            };
            (chat.messages.items.into_iter().enumerate().map(node).collect(), None)
        }
    };
    Ok(SourceConversation {
        id,
        title: title.or(chat.title).unwrap_or_default(),
        created: created_at.0.or(chat.timestamp.0),
        nodes,
        current,
        omissions,
    })
}

fn shown(message: HistoryMessage, model: Option<&str>, omissions: &mut Omissions) -> Option<SourceMessage> {
    let author = match message.role.as_deref() {
        Some("user") => ImportedAuthor::User,
        Some("assistant") => SourceFormat::OpenWebUi.assistant(message.model.as_deref().or(model)),
        Some("tool") => {
            omissions.add(Omission::ToolMessage, 1);
            return None;
        }
        _ => {
            omissions.add(Omission::HiddenMessage, 1);
            return None;
        }
    };
    for file in message.files.items {
        super::omit_file(omissions, file.kind.as_deref().unwrap_or_default());
    }
    Some(SourceMessage { author, text: message.content.unwrap_or_default(), created: message.timestamp.0 })
}
