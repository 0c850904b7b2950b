//! A chat as one line of JSON, with all messages of all branches.

use std::sync::Arc;

use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};
use plexus_domain::{ChatId, MessageId, Timestamp};
use plexus_hub::{Caller, Error, Hub, chats::ChatExport};
use serde::Serialize;

use super::{PageWriter, pages};
use crate::api::messages::MessageJson;

/// Fields before the messages.
#[derive(Serialize)]
struct ExportedChat<'a> {
    format: &'static str,
    /// URL of the hub that exported it.
    hub: &'a str,
    exported: Timestamp,
    /// Name of the account: messages of other people in a room are theirs.
    exported_by: &'a str,
    id: ChatId,
    title: &'a str,
    created: Timestamp,
    pinned: bool,
    archived: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'a str>,
    current_message: Option<MessageId>,
}

/// Name and version of the format.
const FORMAT: &str = "plexus-chat/1";

/// Returns the pieces of the line.
pub fn document(
    hub: Hub,
    caller: Caller,
    export: &ChatExport,
) -> impl Stream<Item = Result<String, Error>> + Send + use<> {
    let chat = ExportedChat {
        format: FORMAT,
        hub: hub.config().public_url.as_str(),
        exported: export.at,
        exported_by: &export.exported_by,
        id: export.id,
        title: &export.title,
        created: export.created,
        pinned: export.pinned,
        archived: export.archived,
        folder: export.folder.as_deref(),
        current_message: export.current_message,
    };
    // The messages are the last field, so they are appended to the object that is open.
    let head = serde_json::to_string(&chat).map_err(Error::fault);
    let head = head.map(|head| format!("{},\"messages\":[", head.trim_end_matches('}')));
    let order: Vec<MessageId> = export.tree.iter().map(|node| node.id).collect();
    let write: PageWriter = Arc::new(|views| {
        let lines: Result<Vec<String>, _> =
            views.into_iter().map(|view| serde_json::to_string(&MessageJson::from(view))).collect();
        Ok(lines.map_err(Error::fault)?.join(","))
    });
    let messages = pages(hub, caller, export, &order, write).enumerate().map(|(number, page)| {
        let separator = if number == 0 { "" } else { "," };
        Ok(format!("{separator}{}", page?))
    });
    let tail = stream::once(async { Ok("]}\n".to_owned()) });
    stream::once(async { head }).chain(messages).chain(tail).into_stream()
}
