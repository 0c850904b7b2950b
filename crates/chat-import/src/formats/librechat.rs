//! LibreChat: one conversation, with its messages as a list or nested by `children`.

use super::{ConversationProblem, SourceConversation, SourceFormat, markers};
use crate::{
    ImportedAuthor,
    citations::{CitedSource, CitedSources, SourcesByPosition},
    content::{ImportedPart, join, quoted},
    fields::Fields,
    json_text::{FlatObject, flatten_nested},
    limits::MAX_MESSAGES,
    message_tree::{NodeContent, SourceMessage, SourceNode, SourcePart},
    omission::Omission,
    read_context::{FileReference, ReadContext},
};

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let conversation = Fields::of(json);
    // `messagesTree` is in some nested exports.
    let list = conversation.get("messagesTree").or_else(|| conversation.get("messages")).unwrap_or("[]");
    if !list.starts_with('[') {
        return Err(ConversationProblem::Unreadable);
    }
    let flat = flatten_nested(list, "children", MAX_MESSAGES).ok_or(ConversationProblem::TooLong)?;
    let options = conversation.object("options");
    let model = conversation.text("model").or_else(|| options.text("model"));
    let mut nodes: Vec<SourceNode> = Vec::with_capacity(flat.len());
    for (number, FlatObject { parent, json }) in flat.into_iter().enumerate() {
        let message = Fields::of(&json);
        let above = parent.map(|parent| nodes[parent].id.clone());
        let id = message.id("messageId").unwrap_or_else(|| format!("message {number}"));
        let parent = above.or_else(|| message.id("parentMessageId"));
        let content = NodeContent::Message(content(&message, model.as_deref(), context));
        nodes.push(SourceNode { id, parent, content });
    }
    let folder = conversation.text("folder").or_else(|| conversation.object("project").text("name"));
    Ok(SourceConversation {
        id: conversation.text("conversationId"),
        title: conversation.text("title").unwrap_or_default(),
        created: conversation.time("createdAt"),
        nodes,
        current: None,
        is_pinned: conversation.is_true("isPinned") || conversation.is_true("pinned"),
        is_archived: conversation.is_true("isArchived"),
        folder,
    })
}

fn content(message: &Fields<'_>, model: Option<&str>, context: &mut ReadContext) -> SourceMessage {
    let sender = message.text("sender");
    let is_user = match message.get("isCreatedByUser") {
        Some("true") => true,
        Some("false") => false,
        _ => sender.as_deref() == Some("User"),
    };
    let author = if is_user {
        ImportedAuthor::User
    } else {
        let own = message.text("model");
        SourceFormat::LibreChat.assistant(own.as_deref().or(model).or(sender.as_deref()))
    };
    let mut parts = Vec::new();
    for block in message.objects("content") {
        add_block(&block, &mut parts, context);
    }
    if !parts.iter().any(|part| part.as_text().is_some()) {
        let text = message.text("text").unwrap_or_default();
        let (thinking, rest) = if is_user { (None, text.as_str()) } else { markers::thinking(&text) };
        parts.extend(thinking.map(|thinking| ImportedPart::reasoning(thinking.to_owned())));
        parts.push(ImportedPart::text(rest));
    }
    if !is_user {
        resolve_citations(message, &mut parts);
    }
    parts.retain(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
    let files =
        message.objects("files").chain(message.objects("attachments").filter(|file| !file.has("web_search")));
    for file in files {
        parts.extend(file_part(&file, context));
    }
    let parts = context.finish(parts).into_iter().map(SourcePart::Done).collect();
    SourceMessage::new(author, parts, message.time("createdAt"))
}

fn add_block(block: &Fields<'_>, parts: &mut Vec<ImportedPart>, context: &mut ReadContext) {
    match block.text("type").as_deref() {
        Some("text" | "error") => {
            let error = block.text("error");
            let Some(text) = text_in(block, "text").or(error) else { return };
            match parts.last_mut() {
                Some(last) if last.as_text().is_some() => {
                    if let Some(last) = last.text_mut() {
                        *last = join([std::mem::take(last), text]);
                    }
                }
                _ => parts.push(ImportedPart::text(text)),
            }
        }
        Some("think") => parts.extend(text_in(block, "think").map(ImportedPart::reasoning)),
        Some("tool_call") => {
            let call = block.object("tool_call");
            let function = call.object("function");
            let name = call.text("name").or_else(|| function.text("name")).or_else(|| call.text("type"));
            let arguments = call.get("args").or_else(|| function.get("arguments")).unwrap_or("{}");
            let arguments = context.argument(arguments);
            let result =
                call.get("output").or_else(|| function.get("output")).map(|json| context.argument(json));
            parts.push(ImportedPart::tool(name.unwrap_or_else(|| "tool".to_owned()), arguments, result));
        }
        Some("image_file") => {
            let mut file = block.object("image_file");
            if !file.has("file_id") && !file.has("filepath") {
                file = block.object("image");
            }
            parts.extend(file_part(&file, context));
        }
        Some("image_url") => {
            let url =
                block.object("image_url").text("url").or_else(|| block.text("image_url")).unwrap_or_default();
            parts.extend(context.file(FileReference {
                ids: vec![&url],
                is_image: true,
                ..FileReference::default()
            }));
        }
        _ => context.omissions.add(Omission::HiddenMessage, 1),
    }
}

/// Returns a text: the text itself, or an object with it.
fn text_in(block: &Fields<'_>, name: &str) -> Option<String> {
    block.text(name).or_else(|| block.object(name).text("value"))
}

fn file_part(file: &Fields<'_>, context: &mut ReadContext) -> Option<ImportedPart> {
    let name = file.text("filename").or_else(|| file.text("name"));
    if let Some(text) = file.text("text") {
        return Some(quoted(name, text));
    }
    let (id, path) = (file.id("file_id").unwrap_or_default(), file.text("filepath").unwrap_or_default());
    let media_type = file.text("type").filter(|kind| kind.contains('/'));
    let is_image = file.has("width") || path.starts_with("/images/");
    context.file(FileReference { ids: vec![&id, &path], name, media_type, is_image })
}

/// Replaces the marks of a search of the web, whose results are attachments.
fn resolve_citations(message: &Fields<'_>, parts: &mut [ImportedPart]) {
    let mut positions = SourcesByPosition::new();
    for attachment in message.objects("attachments") {
        let search = attachment.object("web_search");
        let turn = search.number("turn").unwrap_or_default();
        for (list, kind) in [
            ("organic", "search"),
            ("topStories", "news"),
            ("images", "image"),
            ("references", "ref"),
            ("videos", "video"),
        ] {
            for (number, result) in search.objects(list).enumerate() {
                if let Some(source) = CitedSource::of(&result) {
                    positions.insert(format!("turn{turn}{kind}{number}"), source);
                }
            }
        }
    }
    let sources = CitedSources::new(&positions);
    for text in parts.iter_mut().filter(|part| part.as_text().is_some()).filter_map(ImportedPart::text_mut) {
        *text = sources.resolve(&with_private_use(text));
    }
}

/// Encloses positions that have a separator only, as this service writes them, in a mark.
fn with_private_use(text: &str) -> String {
    if text.contains('\u{e200}') || !text.contains('\u{e202}') {
        return text.to_owned();
    }
    text.replace("\u{e202}turn", "citeturn")
}
