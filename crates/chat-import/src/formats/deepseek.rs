//! DeepSeek: `conversations.json`, a list of conversations with a `mapping` of messages that have `fragments`.

use std::collections::HashMap;

use super::{ConversationProblem, MessageMap, SourceConversation, SourceFormat, check_complete, parse};
use crate::{
    ImportedAuthor,
    citations::CitedSource,
    content::ImportedPart,
    fields::Fields,
    message_tree::{HiddenNode, NodeContent, SourceMessage, SourceNode, SourcePart},
    omission::Omission,
    read_context::{FileReference, ReadContext},
};

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let conversation = Fields::of(json);
    let mapping: MessageMap<'_> = parse(conversation.get("mapping"))?;
    check_complete(mapping.is_complete)?;
    let mut nodes = Vec::new();
    // Whether the messages so far are of the user: old exports have no roles, but take turns.
    let mut users: HashMap<String, bool> = HashMap::new();
    for (id, node) in mapping.entries {
        let node = Fields::of(node.get());
        let parent = node.id("parent");
        let above = parent.as_ref().and_then(|parent| users.get(parent).copied());
        let message = node.object("message");
        let content = content(&message, above, context);
        if let NodeContent::Message(message) = &content {
            users.insert(id.clone(), message.author == ImportedAuthor::User);
        }
        nodes.push(SourceNode { id, parent, content });
    }
    Ok(SourceConversation {
        id: conversation.text("id"),
        title: conversation.text("title").unwrap_or_default(),
        created: conversation.time("inserted_at"),
        nodes,
        current: conversation.id("current_node"),
        is_pinned: conversation.is_true("pinned"),
        ..SourceConversation::default()
    })
}

/// Returns the content of a node; `above` is whether its parent is a message of the user, if it is one.
fn content(message: &Fields<'_>, above: Option<bool>, context: &mut ReadContext) -> NodeContent {
    let fragments: Vec<Fields<'_>> = message.objects("fragments").collect();
    let kind = |fragment: &Fields<'_>| fragment.text("type").unwrap_or_default();
    let is_user = match message.text("role").map(|role| role.to_lowercase()).as_deref() {
        Some("user") => true,
        Some("assistant") => false,
        _ if !fragments.is_empty() => fragments.iter().any(|fragment| kind(fragment) == "REQUEST"),
        _ if message.has("content") => !above.unwrap_or(false),
        _ => return NodeContent::Hidden(HiddenNode::Other),
    };
    let mut parts = Vec::new();
    let mut results: Vec<Fields<'_>> = message.objects("search_results").collect();
    for fragment in &fragments {
        let text = fragment.text("content");
        match kind(fragment).as_str() {
            "REQUEST" | "RESPONSE" => parts.extend(text.map(ImportedPart::text)),
            "THINK" => parts.extend(text.map(ImportedPart::reasoning)),
            "SEARCH" | "TOOL_SEARCH" => results.extend(fragment.objects("results")),
            _ if text.is_some() => parts.extend(text.map(ImportedPart::text)),
            _ => context.omissions.add(Omission::HiddenMessage, 1),
        }
    }
    if fragments.is_empty() {
        let reasoning = message.text("reasoning_content").or_else(|| message.text("thinking_content"));
        parts.extend(reasoning.map(ImportedPart::reasoning));
        parts.extend(message.text("content").map(ImportedPart::text));
    }
    link_citations(&mut parts, &results);
    for file in message.objects("files") {
        let id = file.id("id").or_else(|| file.id("file_id")).unwrap_or_default();
        let name = file.text("file_name").or_else(|| file.text("name"));
        parts.extend(context.file(FileReference { ids: vec![&id], name, ..FileReference::default() }));
    }
    let author = if is_user {
        ImportedAuthor::User
    } else {
        SourceFormat::DeepSeek.assistant(message.text("model").as_deref())
    };
    let parts = context.finish(parts).into_iter().map(SourcePart::Done).collect();
    NodeContent::Message(SourceMessage::new(author, parts, message.time("inserted_at")))
}

/// Replaces marks such as `[citation:3]` by links to the results of the search.
fn link_citations(parts: &mut [ImportedPart], results: &[Fields<'_>]) {
    let links: HashMap<usize, String> = (1..)
        .zip(results)
        .filter_map(|(number, result)| {
            let source = CitedSource::of(result).filter(|source| !source.url.is_empty())?;
            Some((result.number("cite_index").unwrap_or(number), source.link()))
        })
        .collect();
    for text in parts.iter_mut().filter(|part| part.as_text().is_some()).filter_map(ImportedPart::text_mut) {
        const MARK: &str = "[citation:";
        let mut linked = String::new();
        let mut rest = text.as_str();
        while let Some((before, mark)) = rest.split_once(MARK) {
            linked.push_str(before);
            let digits = mark.bytes().take_while(u8::is_ascii_digit).count();
            if !mark[digits..].starts_with(']') || digits == 0 {
                linked.push_str(MARK);
                rest = mark;
                continue;
            }
            if let Some(link) = mark[..digits].parse().ok().and_then(|number: usize| links.get(&number)) {
                linked.push_str(&format!(" ({link})"));
            }
            rest = &mark[digits + 1..];
        }
        linked.push_str(rest);
        *text = linked;
    }
}
