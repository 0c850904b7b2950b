//! Claude: `conversations.json`, a list of conversations with `chat_messages`.

use super::{
    ConversationProblem, MessageList, SourceConversation, SourceFormat, check_complete, markers, parse,
};
use crate::{
    ImportedAuthor,
    citations::CitedSource,
    content::{ImportedPart, join, quoted},
    documents::{DocumentChange, DocumentEdit, Replacement},
    fields::{Fields, items_of, text_of},
    message_tree::{HiddenNode, NodeContent, SourceMessage, SourceNode, SourcePart},
    omission::Omission,
    read_context::{FileReference, ReadContext},
};

/// What the text of a message has in place of a block that a program of the service cannot show.
const UNSUPPORTED: &str = "This block is not supported on your current device yet.";

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let conversation = Fields::of(json);
    let messages: MessageList<'_> = parse(conversation.get("chat_messages"))?;
    check_complete(messages.is_complete)?;
    let model = conversation.text("model");
    let mut nodes: Vec<SourceNode> = Vec::new();
    for (number, message) in messages.items.into_iter().enumerate() {
        let message = Fields::of(message.get());
        let before = nodes.last().map(|node| node.id.clone());
        let id = message.id("uuid").unwrap_or_else(|| format!("message {number}"));
        // Only newer exports have parents. Without them, the messages follow one another.
        let parent = message.id("parent_message_uuid").or(before);
        let content = content(&message, model.as_deref(), context);
        nodes.push(SourceNode { id, parent, content });
    }
    let project = conversation.object("project");
    Ok(SourceConversation {
        id: conversation.text("uuid"),
        title: conversation.text("name").or_else(|| conversation.text("title")).unwrap_or_default(),
        created: conversation.time("created_at"),
        current: conversation
            .id("current_leaf_message_uuid")
            .or_else(|| nodes.last().map(|node| node.id.clone())),
        nodes,
        is_pinned: conversation.is_true("is_starred"),
        is_archived: conversation.is_true("is_archived"),
        folder: project.text("name").or_else(|| conversation.text("project_name")),
    })
}

fn content(message: &Fields<'_>, model: Option<&str>, context: &mut ReadContext) -> NodeContent {
    let author = match message.text("sender").as_deref() {
        Some("human" | "user") => ImportedAuthor::User,
        Some("assistant") => SourceFormat::Claude.assistant(message.text("model").as_deref().or(model)),
        _ => {
            context.omissions.add(Omission::HiddenMessage, 1);
            return NodeContent::Hidden(HiddenNode::Turn);
        }
    };
    let mut blocks = BlockReader { parts: Vec::new(), is_answer: author != ImportedAuthor::User, context };
    for block in message.objects("content") {
        blocks.add(&block);
    }
    let BlockReader { mut parts, is_answer, context } = blocks;
    let has_text = |part: &SourcePart| match part {
        SourcePart::Done(part) => part.as_text().is_some(),
        SourcePart::Edit(_) => true,
    };
    if !parts.iter().any(has_text) {
        let text = message.text("text").unwrap_or_default();
        let text =
            if parts.is_empty() { text } else { text.replace(&format!("```\n{UNSUPPORTED}\n```"), "") };
        push_text(&text, is_answer, &mut parts);
    }
    let files: Vec<ImportedPart> = files(message, context);
    let files = if parts.is_empty() { context.finish(files) } else { files };
    parts.extend(files.into_iter().map(SourcePart::Done));
    NodeContent::Message(SourceMessage::new(author, parts, message.time("created_at")))
}

/// Returns pasted and extracted texts, and files.
fn files(message: &Fields<'_>, context: &mut ReadContext) -> Vec<ImportedPart> {
    let mut parts = Vec::new();
    let mut names = Vec::new();
    for attachment in message.objects("attachments") {
        let name = attachment.text("file_name");
        names.extend(name.clone());
        parts.extend(match attachment.text("extracted_content") {
            Some(text) => Some(quoted(name, text)),
            None => context.file(FileReference { name, ..FileReference::default() }),
        });
    }
    let list =
        ["files", "files_v2"].into_iter().find(|name| !message.list(name).is_empty()).unwrap_or("files");
    for file in message.objects(list) {
        let name = file.text("file_name");
        if let Some(text) = file.text("extracted_content") {
            parts.push(quoted(name, text));
            continue;
        }
        // A file whose text was extracted is in both lists.
        if name.as_ref().is_some_and(|name| names.contains(name)) {
            continue;
        }
        let id = file.id("file_uuid").or_else(|| file.id("uuid")).unwrap_or_default();
        let is_image = file.text("file_kind").is_some_and(|kind| kind.starts_with("image"));
        let media_type = file.text("file_type").or_else(|| file.text("mime_type"));
        parts.extend(context.file(FileReference { ids: vec![&id], name, media_type, is_image }));
    }
    parts
}

/// Appends a text; the artifacts in an answer become code blocks.
fn push_text(text: &str, is_answer: bool, parts: &mut Vec<SourcePart>) {
    let text = if is_answer { markers::artifacts(text) } else { text.to_owned() };
    if text.trim().is_empty() {
        return;
    }
    match parts.last_mut() {
        Some(SourcePart::Done(last)) if last.as_text().is_some() => {
            if let Some(last) = last.text_mut() {
                *last = join([std::mem::take(last), text]);
            }
        }
        _ => parts.push(ImportedPart::text(text).into()),
    }
}

struct BlockReader<'a> {
    parts: Vec<SourcePart>,
    is_answer: bool,
    context: &'a mut ReadContext,
}

impl BlockReader<'_> {
    fn add(&mut self, block: &Fields<'_>) {
        match block.text("type").as_deref() {
            Some("text") => {
                let text = block.text("text").unwrap_or_default();
                push_text(&with_links(&text, block), self.is_answer, &mut self.parts);
            }
            Some("thinking" | "redacted_thinking") => {
                let summaries = block.objects("summaries").filter_map(|summary| summary.text("summary"));
                let text = block.text("thinking").unwrap_or_else(|| join(summaries));
                if !text.trim().is_empty() {
                    self.parts.push(ImportedPart::reasoning(text).into());
                }
            }
            Some("tool_use" | "server_tool_use") => self.add_call(block),
            Some("tool_result" | "web_search_tool_result") => self.add_result(block),
            Some("image" | "document") => self.add_file(block),
            Some("voice_note") => {
                let text = join(block.text("title").into_iter().chain(block.text("text")));
                push_text(&text, self.is_answer, &mut self.parts);
            }
            Some("token_budget") => {}
            _ => match block.text("text") {
                Some(text) => push_text(&text, self.is_answer, &mut self.parts),
                None => self.context.omissions.add(Omission::HiddenMessage, 1),
            },
        }
    }

    fn add_call(&mut self, block: &Fields<'_>) {
        let tool = block.text("name").unwrap_or_else(|| "tool".to_owned());
        let input = block.object("input");
        if tool == "artifacts"
            && let Some(change) = artifact_change(&input)
        {
            self.parts.push(SourcePart::Edit(DocumentEdit { document: input.id("id"), change }));
            return;
        }
        let arguments = self.context.argument(block.get("input").unwrap_or("{}"));
        self.parts.push(ImportedPart::tool(tool, arguments, None).into());
    }

    /// Sets the result of the first call that has none. Edits of documents have results that say only that they were made.
    fn add_result(&mut self, block: &Fields<'_>) {
        let name = block.text("name");
        if name.as_deref() == Some("artifacts") {
            return;
        }
        let content = block.get("content").unwrap_or("null");
        let texts: Vec<String> =
            items_of(content).into_iter().filter_map(|item| Fields::of(item).text("text")).collect();
        let result = if texts.is_empty() { self.context.argument(content) } else { join(texts).into() };
        let mut calls = self.parts.iter_mut().filter_map(|part| match part {
            SourcePart::Done(part) => part.open_call(),
            SourcePart::Edit(_) => None,
        });
        match calls.find(|call| name.as_ref().is_none_or(|name| *name == call.tool)) {
            Some(call) => call.result = Some(result),
            None => {
                let tool = name.unwrap_or_else(|| "tool".to_owned());
                self.parts.push(ImportedPart::tool(tool, serde_json::json!({}), Some(result)).into());
            }
        }
    }

    fn add_file(&mut self, block: &Fields<'_>) {
        let source = block.object("source");
        let media_type = source.text("media_type");
        let data = source.text("data").map(|data| {
            let kind = media_type.as_deref().unwrap_or_default();
            format!("data:{kind};base64,{data}")
        });
        let id = block.id("file_uuid").or_else(|| block.id("id")).unwrap_or_default();
        let ids = data.iter().map(String::as_str).chain([id.as_str()]).collect();
        let name = block.text("file_name").or_else(|| block.text("title"));
        let is_image = block.text("type").as_deref() == Some("image");
        let part = self.context.file(FileReference { ids, name, media_type, is_image });
        self.parts.extend(part.map(SourcePart::Done));
    }
}

/// Returns the change of a document that a call of the tool `artifacts` describes.
fn artifact_change(input: &Fields<'_>) -> Option<DocumentChange> {
    match input.text("command").as_deref() {
        Some("update") => {
            let new = input.get("new_str").and_then(text_of).unwrap_or_default();
            let replacement =
                Replacement { old: input.text("old_str")?, new, is_pattern: false, is_repeated: false };
            Some(DocumentChange::Replace(vec![replacement]))
        }
        _ => {
            let kind = input.text("type");
            let language = input
                .text("language")
                .or_else(|| kind.as_deref().map(markers::language_of).map(str::to_owned));
            Some(DocumentChange::Write { title: input.text("title"), language, text: input.text("content")? })
        }
    }
}

/// Inserts links after the texts that a block cites.
fn with_links(text: &str, block: &Fields<'_>) -> String {
    let citations = block.objects("citations").filter_map(|citation| {
        let details = citation.object("details");
        let url = citation.text("url").or_else(|| details.text("url"))?;
        let title = citation.text("title").or_else(|| details.text("title")).unwrap_or_default();
        let source = CitedSource { title, url };
        crate::citations::is_web(&source.url).then(|| (citation.number("end_index"), source.link()))
    });
    let mut citations: Vec<(Option<usize>, String)> = citations.collect();
    if citations.is_empty() {
        return text.to_owned();
    }
    citations.sort_by_key(|(end, _)| end.unwrap_or(usize::MAX));
    let mut linked = String::with_capacity(text.len() + 64 * citations.len());
    let mut citations = citations.into_iter().peekable();
    let mut pending: Vec<String> = Vec::new();
    for (at, c) in text.chars().enumerate() {
        while let Some((_, link)) = citations.next_if(|(end, _)| end.is_some_and(|end| end <= at)) {
            if !pending.contains(&link) {
                pending.push(link);
            }
        }
        // A position may be within a word, as services count characters differently.
        if !pending.is_empty() && c.is_whitespace() {
            linked.push_str(&format!(" ({})", std::mem::take(&mut pending).join(", ")));
        }
        linked.push(c);
    }
    pending.extend(citations.map(|(_, link)| link));
    pending.dedup();
    if !pending.is_empty() {
        linked.push_str(&format!(" ({})", pending.join(", ")));
    }
    linked
}
