//! ChatGPT: `conversations.json`, a list of conversations with a `mapping` of message nodes.

use std::collections::HashMap;

use super::{
    ConversationProblem, MessageMap, SourceConversation, SourceFormat,
    chatgpt_content::{MessageContent, add_positions},
    check_complete, parse,
};
use crate::{
    ImportedAuthor,
    citations::{CitedSources, SourcesByPosition},
    content::ImportedPart,
    documents::{DocumentChange, DocumentEdit, Replacement},
    fields::{Fields, text_of},
    message_tree::{HiddenNode, NodeContent, SourceMessage, SourceNode, SourcePart, ToolOutput},
    omission::Omission,
    read_context::ReadContext,
};

/// Content that the service keeps for itself: instructions of the user, memories.
const HIDDEN_KINDS: [&str; 2] = ["user_editable_context", "model_editable_context"];

pub fn read(json: &str, context: &mut ReadContext) -> Result<SourceConversation, ConversationProblem> {
    let conversation = Fields::of(json);
    let mapping: MessageMap<'_> = parse(conversation.get("mapping"))?;
    check_complete(mapping.is_complete)?;
    let nodes: Vec<(String, Fields<'_>)> =
        mapping.entries.into_iter().map(|(id, node)| (id, Fields::of(node.get()))).collect();
    let mut reader = NodeReader { context, shared: SharedData::of(&conversation, &nodes) };
    let by_children = parents_by_children(&nodes);
    let nodes = nodes.into_iter().map(|(id, node)| {
        let parent = node.id("parent").or_else(|| by_children.get(&id).cloned());
        let content = reader.content(&id, &node.object("message"));
        SourceNode { id, parent, content }
    });
    let nodes = nodes.collect();
    Ok(SourceConversation {
        id: conversation.text("conversation_id").or_else(|| conversation.text("id")),
        title: conversation.text("title").unwrap_or_default(),
        created: conversation.time("create_time"),
        nodes,
        current: conversation.id("current_node"),
        is_pinned: conversation.is_true("is_starred") || conversation.time("pinned_time").is_some(),
        is_archived: conversation.is_true("is_archived"),
        folder: project(&conversation),
    })
}

/// Returns the name of the project, which some exports have.
fn project(conversation: &Fields<'_>) -> Option<String> {
    let named = ["project", "folder"].iter().find_map(|name| {
        let project = conversation.object(name);
        conversation.text(name).or_else(|| project.text("name")).or_else(|| project.text("title"))
    });
    named.or_else(|| conversation.text("project_name"))
}

/// Returns parents by the lists of children, for nodes that do not name their parent.
fn parents_by_children(nodes: &[(String, Fields<'_>)]) -> HashMap<String, String> {
    let orphans = nodes.iter().filter(|(_, node)| node.id("parent").is_none()).count();
    // The root has no parent.
    if orphans < 2 {
        return HashMap::new();
    }
    let pairs = nodes.iter().flat_map(|(id, node)| {
        let children = node.list("children").into_iter().filter_map(text_of);
        children.map(move |child| (child, id.clone()))
    });
    pairs.filter(|(child, parent)| child != parent).collect()
}

/// What messages need of others.
struct SharedData {
    /// Model of answers that do not name theirs.
    model: Option<String>,
    /// Results of searches, which answers cite.
    results: SourcesByPosition,
    /// Document that a call edited, by the id of the call's node.
    documents: HashMap<String, String>,
}

impl SharedData {
    fn of(conversation: &Fields<'_>, nodes: &[(String, Fields<'_>)]) -> Self {
        let mut shared = Self {
            model: ["default_model_slug", "model_slug", "model"]
                .iter()
                .find_map(|name| conversation.text(name)),
            results: SourcesByPosition::new(),
            documents: HashMap::new(),
        };
        for (_, node) in nodes {
            let metadata = node.object("message").object("metadata");
            add_positions(&metadata, &mut shared.results);
            let document = metadata.object("canvas").id("textdoc_id");
            if let (Some(parent), Some(document)) = (node.id("parent"), document) {
                shared.documents.insert(parent, document);
            }
        }
        shared
    }
}

struct NodeReader<'a> {
    context: &'a mut ReadContext,
    shared: SharedData,
}

impl NodeReader<'_> {
    fn content(&mut self, id: &str, message: &Fields<'_>) -> NodeContent {
        let (metadata, content) = (message.object("metadata"), MessageContent::of(message));
        let is_hidden = metadata.is_true("is_visually_hidden_from_conversation");
        match message.object("author").text("role").as_deref() {
            Some("user") if is_hidden || HIDDEN_KINDS.contains(&content.kind()) => {
                self.context.omissions.add(Omission::HiddenMessage, 1);
                let is_turn = !HIDDEN_KINDS.contains(&content.kind());
                NodeContent::Hidden(if is_turn { HiddenNode::Turn } else { HiddenNode::Other })
            }
            Some("user") => {
                let parts = content.user_parts(&metadata, self.context);
                let parts = parts.into_iter().map(SourcePart::Done).collect();
                NodeContent::Message(SourceMessage::new(
                    ImportedAuthor::User,
                    parts,
                    message.time("create_time"),
                ))
            }
            Some("assistant") => self.assistant(id, message, &metadata, &content, is_hidden),
            Some("tool") => self.tool(message, &metadata, &content),
            role => {
                // Each conversation begins with an empty message of the system.
                self.context
                    .omissions
                    .add(Omission::HiddenMessage, u64::from(!content.plain_text().is_empty()));
                let is_other = role == Some("system") || content.plain_text().is_empty();
                NodeContent::Hidden(if is_other { HiddenNode::Other } else { HiddenNode::Turn })
            }
        }
    }

    fn author(&self, metadata: &Fields<'_>) -> ImportedAuthor {
        let model = metadata.text("model_slug").or_else(|| self.shared.model.clone());
        SourceFormat::ChatGpt.assistant(model.as_deref())
    }

    fn assistant(
        &mut self,
        id: &str,
        message: &Fields<'_>,
        metadata: &Fields<'_>,
        content: &MessageContent<'_>,
        is_hidden: bool,
    ) -> NodeContent {
        let recipient = message.text("recipient").filter(|recipient| recipient != "all");
        let parts = match (content.kind(), recipient) {
            ("thoughts", _) => {
                content.thoughts().map(|text| ImportedPart::reasoning(text).into()).into_iter().collect()
            }
            // How long the model thought.
            ("reasoning_recap", _) => return NodeContent::Hidden(HiddenNode::Other),
            (_, Some(tool)) => vec![self.call(id, tool, content)],
            (kind, None) if is_hidden || HIDDEN_KINDS.contains(&kind) => {
                self.context.omissions.add(Omission::HiddenMessage, 1);
                return NodeContent::Hidden(HiddenNode::Other);
            }
            (_, None) => {
                let sources = content.sources(metadata, &self.shared.results);
                content
                    .answer_parts(metadata, &sources, self.context)
                    .into_iter()
                    .map(SourcePart::Done)
                    .collect()
            }
        };
        if parts.is_empty() {
            return NodeContent::Hidden(HiddenNode::Other);
        }
        NodeContent::Message(SourceMessage::new(self.author(metadata), parts, message.time("create_time")))
    }

    /// Returns the call of a tool, or the edit of a document.
    fn call(&mut self, id: &str, tool: String, content: &MessageContent<'_>) -> SourcePart {
        let text = content.plain_text();
        if let Some(change) = document_change(&tool, &text) {
            return SourcePart::Edit(DocumentEdit {
                document: self.shared.documents.get(id).cloned(),
                change,
            });
        }
        let arguments = self.context.value_in(text);
        ImportedPart::tool(tool, arguments, None).into()
    }

    fn tool(
        &mut self,
        message: &Fields<'_>,
        metadata: &Fields<'_>,
        content: &MessageContent<'_>,
    ) -> NodeContent {
        let tool = message.object("author").text("name").unwrap_or_else(|| "tool".to_owned());
        // The answer to the edit of a document says only that it was done.
        if metadata.has("canvas") || tool.starts_with("canmore") {
            return NodeContent::Hidden(HiddenNode::Other);
        }
        let is_attachment = tool.contains("file") || content.kind() == "tether_quote";
        let sources = CitedSources::new(&self.shared.results);
        let (text, files) = content.output(&sources, self.context);
        NodeContent::Output(ToolOutput {
            tool,
            text,
            files,
            created: message.time("create_time"),
            author: self.author(metadata),
            is_attachment,
        })
    }
}

/// Returns the change of a document that a call of `canmore` describes.
fn document_change(tool: &str, arguments: &str) -> Option<DocumentChange> {
    let name = tool.strip_prefix("canmore.")?;
    let fields = Fields::of(arguments);
    match name {
        "create_textdoc" => {
            let kind = fields.text("type").unwrap_or_default();
            let language =
                if kind == "document" { "markdown" } else { kind.rsplit('/').next().unwrap_or_default() };
            let text = fields.text("content")?;
            Some(DocumentChange::Write {
                title: fields.text("name"),
                language: Some(language.to_owned()),
                text,
            })
        }
        "update_textdoc" => {
            let replacements = fields.objects("updates").map(|update| Replacement {
                old: update.text("pattern").unwrap_or_default(),
                new: update.get("replacement").and_then(text_of).unwrap_or_default(),
                is_pattern: true,
                is_repeated: update.is_true("multiple"),
            });
            Some(DocumentChange::Replace(replacements.collect())).filter(|_| fields.has("updates"))
        }
        _ => None,
    }
}
