//! Open WebUI: a list of chats, each with a `history` of messages by id.

use super::{
    ConversationProblem, MessageList, MessageMap, SourceConversation, SourceFormat, check_complete, markers,
    parse,
};
use crate::{
    ImportedAuthor,
    citations::CitedSource,
    content::{ImportedPart, join, quoted},
    fields::{Fields, items_of, text_of},
    message_tree::{HiddenNode, NodeContent, SourceMessage, SourceNode, SourcePart},
    omission::Omission,
    read_context::{FileReference, ReadContext},
};

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let exported = Fields::of(json);
    let chat = exported.object("chat");
    let models: Vec<String> = chat.list("models").into_iter().filter_map(text_of).collect();
    let model = match models.as_slice() {
        [model] => Some(model.as_str()),
        _ => None,
    };
    let history = chat.object("history");
    let messages: MessageMap<'_> = parse(history.get("messages")).unwrap_or_default();
    check_complete(messages.is_complete)?;
    let nodes: Vec<SourceNode> = if messages.entries.is_empty() {
        // The shown branch; of interest only without a history.
        let list: MessageList<'_> = parse(chat.get("messages"))?;
        check_complete(list.is_complete)?;
        let node = |(number, message): (usize, &serde_json::value::RawValue)| SourceNode {
            id: number.to_string(),
            parent: number.checked_sub(1).map(|before| before.to_string()),
            content: content(&Fields::of(message.get()), model, context),
        };
        list.items.into_iter().enumerate().map(node).collect()
    } else {
        let node = |(id, message): (String, &serde_json::value::RawValue)| {
            let message = Fields::of(message.get());
            SourceNode { id, parent: message.id("parentId"), content: content(&message, model, context) }
        };
        messages.entries.into_iter().map(node).collect()
    };
    let folder = exported.object("folder");
    Ok(SourceConversation {
        id: exported.text("id"),
        title: exported.text("title").or_else(|| chat.text("title")).unwrap_or_default(),
        created: exported.time("created_at").or_else(|| chat.time("timestamp")),
        nodes,
        current: history.id("currentId").or_else(|| history.id("current_id")),
        is_pinned: exported.is_true("pinned"),
        is_archived: exported.is_true("archived"),
        folder: folder
            .text("name")
            .or_else(|| exported.text("folder"))
            .or_else(|| exported.text("folder_name")),
    })
}

fn content(message: &Fields<'_>, model: Option<&str>, context: &mut ReadContext) -> NodeContent {
    let author = match message.text("role").as_deref() {
        Some("user") => ImportedAuthor::User,
        Some("assistant") => {
            let own = message.text("model").or_else(|| message.text("modelName"));
            SourceFormat::OpenWebUi.assistant(own.as_deref().or(model))
        }
        Some("tool") => {
            context.omissions.add(Omission::ToolMessage, 1);
            return NodeContent::Hidden(HiddenNode::Other);
        }
        Some("system") => {
            context.omissions.add(Omission::HiddenMessage, 1);
            return NodeContent::Hidden(HiddenNode::Other);
        }
        _ => {
            context.omissions.add(Omission::HiddenMessage, u64::from(message.has("content")));
            return NodeContent::Hidden(HiddenNode::Turn);
        }
    };
    let is_answer = author != ImportedAuthor::User;
    let mut parts = Vec::new();
    let text = texts(message.get("content"), &mut parts, context);
    let files = std::mem::take(&mut parts);
    if is_answer {
        parts.extend(markers::details(&text, context));
        link_sources(message, &mut parts);
        if parts.is_empty() {
            let error = message.object("error").text("content").or_else(|| message.text("error"));
            parts.extend(error.map(ImportedPart::text));
        }
    } else if !text.trim().is_empty() {
        parts.push(ImportedPart::text(text));
    }
    parts.extend(files);
    for file in message.objects("files") {
        parts.extend(file_part(&file, context));
    }
    let parts = context.finish(parts).into_iter().map(SourcePart::Done).collect();
    NodeContent::Message(SourceMessage::new(author, parts, message.time("timestamp")))
}

/// Returns the text of content: a text, or a list of texts and images.
fn texts(content: Option<&str>, files: &mut Vec<ImportedPart>, context: &mut ReadContext) -> String {
    let Some(content) = content else { return String::new() };
    if let Some(text) = text_of(content) {
        return text;
    }
    let mut texts = Vec::new();
    let single = [content];
    let items = if content.starts_with('[') { items_of(content) } else { single.to_vec() };
    for item in items {
        let fields = Fields::of(item);
        let url = fields.object("image_url").text("url").or_else(|| fields.text("image_url"));
        match (text_of(item).or_else(|| fields.text("text")).or_else(|| fields.text("content")), url) {
            (Some(text), _) => texts.push(text),
            (None, Some(url)) => {
                let reference = FileReference { ids: vec![&url], is_image: true, ..FileReference::default() };
                files.extend(context.file(reference));
            }
            (None, None) => {}
        }
    }
    join(texts)
}

/// Returns a file of a message: its text, if the service read it, or its bytes.
fn file_part(file: &Fields<'_>, context: &mut ReadContext) -> Option<ImportedPart> {
    let inner = file.object("file");
    let meta = inner.object("meta");
    let name = file.text("name").or_else(|| inner.text("filename")).or_else(|| meta.text("name"));
    let kind = file.text("type").unwrap_or_default();
    let media_type = [file.text("content_type"), meta.text("content_type"), Some(kind.clone())];
    let media_type = media_type.into_iter().flatten().find(|kind| kind.contains('/'));
    let is_image =
        kind.starts_with("image") || media_type.as_ref().is_some_and(|kind| kind.starts_with("image"));
    let url = file.text("url").unwrap_or_default();
    let text = inner.object("data").text("content").or_else(|| file.object("data").text("content"));
    if let Some(text) = text.or_else(|| file.text("content")).filter(|_| !is_image) {
        return Some(quoted(name.or_else(|| file.text("url")), text));
    }
    let (id, inner_id) = (file.id("id").unwrap_or_default(), inner.id("id").unwrap_or_default());
    context.file(FileReference { ids: vec![&url, &id, &inner_id], name, media_type, is_image })
}

/// Replaces the numbers of sources, such as `[1]`, by links or footnotes.
fn link_sources(message: &Fields<'_>, parts: &mut [ImportedPart]) {
    let list = ["sources", "citations"].into_iter().find(|name| !message.list(name).is_empty());
    let Some(list) = list else { return };
    let mut sources: Vec<CitedSource> = Vec::new();
    for group in message.objects(list) {
        let group_source = CitedSource::of(&group.object("source"));
        // Each passage of a source has metadata; passages of the same source have one number.
        let passages: Vec<CitedSource> =
            group.objects("metadata").filter_map(|metadata| CitedSource::of(&metadata)).collect();
        let found = if passages.is_empty() { group_source.into_iter().collect() } else { passages };
        for source in found {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    for text in parts.iter_mut().filter(|part| part.as_text().is_some()).filter_map(ImportedPart::text_mut) {
        *text = with_numbers(text, &sources);
    }
}

fn with_numbers(text: &str, sources: &[CitedSource]) -> String {
    let mut linked = String::with_capacity(text.len());
    let mut rest = text;
    let mut notes: Vec<usize> = Vec::new();
    while let Some(at) = rest.find('[') {
        let (before, mark) = rest.split_at(at);
        linked.push_str(before);
        let digits = mark[1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_mark =
            digits > 0 && mark[1 + digits..].starts_with(']') && !mark[2 + digits..].starts_with('(');
        let number = is_mark.then(|| mark[1..=digits].parse::<usize>().ok()).flatten();
        match number.and_then(|number| Some((number, sources.get(number.checked_sub(1)?)?))) {
            Some((number, source)) if source.url.is_empty() => {
                linked.push_str(&format!("[^{number}]"));
                notes.push(number);
                rest = &mark[digits + 2..];
            }
            Some((_, source)) => {
                linked.push_str(&source.link());
                rest = &mark[digits + 2..];
            }
            None => {
                linked.push('[');
                rest = &mark[1..];
            }
        }
    }
    linked.push_str(rest);
    notes.sort_unstable();
    notes.dedup();
    for (at, number) in notes.iter().enumerate() {
        let title = sources.get(number - 1).map(|source| source.title.as_str()).unwrap_or_default();
        let space = if at == 0 { "\n\n" } else { "\n" };
        linked.push_str(&format!("{space}[^{number}]: {}", crate::content::escape_inline(title)));
    }
    linked
}
