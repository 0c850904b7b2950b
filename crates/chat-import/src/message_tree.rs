//! Assembles the messages of a conversation to a tree: without hidden messages and unknown parents, and with cycles cut.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use plexus_domain::{Timestamp, message::MessageState, sanitized_text::byte_prefix};

use crate::{
    ImportedAuthor, ImportedMessage,
    content::{ImportedPart, quoted},
    documents::DocumentEdit,
    limits::{MAX_PIECES, MAX_TEXT_BYTES},
    omission::{Omission, Omissions},
};

/// A node of the tree as exported.
pub struct SourceNode {
    pub id: String,
    pub parent: Option<String>,
    pub content: NodeContent,
}

pub enum NodeContent {
    /// A node that is not shown; its children become those of its parent.
    Hidden(HiddenNode),
    Message(SourceMessage),
    Output(ToolOutput),
}

/// What a node is that is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenNode {
    /// A turn of the user: answers before and after it are two.
    Turn,
    /// Part of an answer, or of what was before the conversation.
    Other,
}

pub struct SourceMessage {
    pub author: ImportedAuthor,
    pub parts: Vec<SourcePart>,
    pub created: Option<Timestamp>,
    pub state: MessageState,
    /// Whether it is joined with an answer directly before it, and stays if it is empty.
    pub joining: Joining,
}

/// How a message relates to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// An answer may have several nodes, which are one message.
    Pieces,
    /// Each node is a message, also without content.
    Whole,
}

pub enum SourcePart {
    Done(ImportedPart),
    Edit(DocumentEdit),
}

impl From<ImportedPart> for SourcePart {
    fn from(part: ImportedPart) -> Self {
        Self::Done(part)
    }
}

/// Output of a tool: the result of the call before it, files of the answer, or a file that the user attached.
pub struct ToolOutput {
    pub tool: String,
    pub text: String,
    pub files: Vec<ImportedPart>,
    pub created: Option<Timestamp>,
    /// Author of an answer that has nothing but this.
    pub author: ImportedAuthor,
    /// Whether the text is that of a file which the user attached.
    pub is_attachment: bool,
}

#[derive(Default)]
pub struct MessageTree {
    pub messages: Vec<ImportedMessage>,
    /// Position of the message that was shown last; 0 without messages.
    pub current: usize,
}

/// A node to be visited.
struct Visit {
    node: usize,
    /// Position of the closest shown message above it.
    parent: Option<usize>,
    /// Whether no message between that one and this one has siblings, and no turn of the user is between them.
    is_only: bool,
}

impl SourceMessage {
    pub fn new(author: ImportedAuthor, parts: Vec<SourcePart>, created: Option<Timestamp>) -> Self {
        Self { author, parts, created, state: MessageState::Done, joining: Joining::Pieces }
    }
}

/// Builds the tree. The children of a message are ordered by time, then as exported. A cycle begins with its first node.
pub fn assemble(mut nodes: Vec<SourceNode>, current: Option<&str>, omissions: &mut Omissions) -> MessageTree {
    omit_duplicates(&mut nodes, omissions);
    omit_unusable(&mut nodes, omissions);
    let (roots, children) = links(&nodes);
    let mut tree = MessageTree::default();
    let mut placed: HashMap<String, Option<usize>> = HashMap::with_capacity(nodes.len());
    let mut is_visited = vec![false; nodes.len()];
    for start in roots.into_iter().chain(0..nodes.len()) {
        let mut open = vec![Visit { node: start, parent: None, is_only: true }];
        while let Some(Visit { node, parent, is_only }) = open.pop() {
            if mem::replace(&mut is_visited[node], true) {
                continue;
            }
            let id = mem::take(&mut nodes[node].id);
            let content = mem::replace(&mut nodes[node].content, NodeContent::Hidden(HiddenNode::Other));
            let (place, continues) = place_node(&mut tree.messages, parent, is_only, &id, content);
            placed.insert(id, place);
            let below = &children[node];
            let is_only = continues && below.len() == 1;
            open.extend(below.iter().rev().map(|node| Visit { node: *node, parent: place, is_only }));
        }
    }
    let current = current.and_then(|id| placed.get(id).copied().flatten());
    tree.current = current.unwrap_or_else(|| tree.messages.len().saturating_sub(1));
    tree
}

/// Places a node. Returns the position of the closest shown message, and whether an answer may go on below it.
fn place_node(
    messages: &mut Vec<ImportedMessage>,
    parent: Option<usize>,
    is_only: bool,
    id: &str,
    content: NodeContent,
) -> (Option<usize>, bool) {
    match content {
        NodeContent::Hidden(hidden) => (parent, is_only && hidden == HiddenNode::Other),
        NodeContent::Message(message) => (Some(place(messages, parent, is_only, id, message)), true),
        NodeContent::Output(output) => {
            let place = place_output(messages, parent, is_only, id, output);
            (place, is_only || place != parent)
        }
    }
}

/// Returns the position of the parent of each node.
pub fn parents(nodes: &[SourceNode]) -> Vec<Option<usize>> {
    let by_id: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    nodes.iter().map(|node| node.parent.as_deref().and_then(|parent| by_id.get(parent).copied())).collect()
}

fn omit_duplicates(nodes: &mut Vec<SourceNode>, omissions: &mut Omissions) {
    let mut known = HashSet::with_capacity(nodes.len());
    let before = nodes.len();
    nodes.retain(|node| known.insert(node.id.clone()));
    omissions.add(Omission::DuplicateMessage, (before - nodes.len()) as u64);
}

/// Hides messages without content and cuts long texts.
fn omit_unusable(nodes: &mut [SourceNode], omissions: &mut Omissions) {
    for node in nodes {
        let NodeContent::Message(message) = &mut node.content else { continue };
        message.parts.truncate(MAX_PIECES);
        message.parts.retain_mut(|part| match part {
            SourcePart::Done(part) => {
                let Some(text) = part.text_mut() else { return true };
                if text.len() > MAX_TEXT_BYTES {
                    omissions.add(Omission::LongText, 1);
                    text.truncate(byte_prefix(text, MAX_TEXT_BYTES).len());
                }
                !text.trim().is_empty()
            }
            SourcePart::Edit(_) => false,
        });
        if message.parts.is_empty() && message.joining == Joining::Pieces {
            omissions.add(Omission::EmptyMessage, 1);
            let is_turn = message.author == ImportedAuthor::User;
            node.content = NodeContent::Hidden(if is_turn { HiddenNode::Turn } else { HiddenNode::Other });
        }
    }
}

/// Returns the roots, and the children of each node. A node with an unknown parent is a root.
fn links(nodes: &[SourceNode]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let parents = parents(nodes);
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|at| match &nodes[*at].content {
        NodeContent::Message(message) => message.created,
        NodeContent::Output(output) => output.created,
        NodeContent::Hidden(_) => None,
    });
    let mut roots = Vec::new();
    let mut children = vec![Vec::new(); nodes.len()];
    for at in order {
        match parents[at] {
            Some(parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    (roots, children)
}

/// Adds a message and returns its position. The continuation of an answer, after the call of a tool, is joined with it.
fn place(
    messages: &mut Vec<ImportedMessage>,
    parent: Option<usize>,
    is_only: bool,
    id: &str,
    message: SourceMessage,
) -> usize {
    let SourceMessage { author, parts, created, state, joining } = message;
    let parts: Vec<ImportedPart> = parts.into_iter().filter_map(done).collect();
    if let Some(before) = parent.filter(|_| is_only && joining == Joining::Pieces) {
        let earlier = &mut messages[before];
        if continues(earlier, &author, &parts) {
            // The model of the answer is known from the piece with its text.
            if earlier.parts.iter().all(ImportedPart::is_work) {
                earlier.author = author;
            }
            append(&mut earlier.parts, parts);
            return before;
        }
    }
    messages.push(ImportedMessage { source_id: id.to_owned(), parent, author, parts, created, state });
    messages.len() - 1
}

fn done(part: SourcePart) -> Option<ImportedPart> {
    match part {
        SourcePart::Done(part) => Some(part),
        SourcePart::Edit(_) => None,
    }
}

/// Returns whether an answer goes on with these parts.
fn continues(earlier: &ImportedMessage, author: &ImportedAuthor, parts: &[ImportedPart]) -> bool {
    let is_answer = |author: &ImportedAuthor| *author != ImportedAuthor::User;
    let is_work = |parts: &[ImportedPart]| parts.iter().all(ImportedPart::is_work);
    let length = |parts: &[ImportedPart]| -> usize {
        parts.iter().filter_map(ImportedPart::as_text).map(str::len).sum()
    };
    is_answer(author)
        && is_answer(&earlier.author)
        && (*author == earlier.author || is_work(&earlier.parts) || is_work(parts))
        && earlier.parts.len() + parts.len() <= MAX_PIECES
        && length(&earlier.parts) + length(parts) + 2 <= MAX_TEXT_BYTES
}

/// Appends parts; a text after a text is one with it.
fn append(parts: &mut Vec<ImportedPart>, more: Vec<ImportedPart>) {
    for part in more {
        let text = part.as_text().map(str::to_owned);
        let last = parts.last_mut().filter(|last| last.as_text().is_some());
        match (last.and_then(ImportedPart::text_mut), text) {
            (Some(last), Some(text)) => {
                last.push_str("\n\n");
                last.push_str(&text);
            }
            _ => parts.push(part),
        }
    }
}

/// Places the output of a tool. Returns the position of its message, or of the message above it.
fn place_output(
    messages: &mut Vec<ImportedMessage>,
    parent: Option<usize>,
    is_only: bool,
    id: &str,
    output: ToolOutput,
) -> Option<usize> {
    let ToolOutput { tool, mut text, files, created, author, is_attachment } = output;
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    let above = parent.map(|parent| &mut messages[parent]);
    match above {
        Some(above) if above.author == ImportedAuthor::User && is_attachment => {
            let part = quoted(None, text);
            // Each answer to a message may have read the file again.
            let is_blank = part.as_text().is_some_and(|text| text.trim().is_empty());
            if !is_blank && !above.parts.contains(&part) && above.parts.len() < MAX_PIECES {
                above.parts.push(part);
                above.parts.extend(files);
            }
            return parent;
        }
        Some(above) if above.author != ImportedAuthor::User => {
            if let Some(call) = above.parts.iter_mut().rev().find_map(ImportedPart::open_call) {
                call.result = Some(text.into());
                above.parts.extend(files);
                return parent;
            }
            if is_only && above.parts.len() < MAX_PIECES {
                above.parts.extend(output_parts(tool, text, files));
                return parent;
            }
        }
        _ => {}
    }
    let parts = output_parts(tool, text, files);
    if parts.is_empty() {
        return parent;
    }
    let parts = parts.into_iter().map(SourcePart::Done).collect();
    Some(place(messages, parent, is_only, id, SourceMessage::new(author, parts, created)))
}

fn output_parts(tool: String, text: String, files: Vec<ImportedPart>) -> Vec<ImportedPart> {
    let result =
        (!text.trim().is_empty()).then(|| ImportedPart::tool(tool, serde_json::json!({}), Some(text.into())));
    result.into_iter().chain(files).collect()
}

#[cfg(test)]
mod tests {
    use plexus_domain::PartBody;

    use super::*;

    fn message(author: ImportedAuthor, part: ImportedPart) -> NodeContent {
        NodeContent::Message(SourceMessage::new(author, vec![part.into()], None))
    }

    fn node(id: &str, parent: &str, text: &str) -> SourceNode {
        let author = match text.strip_prefix('a') {
            Some(_) => ImportedAuthor::Assistant { label: "A".to_owned(), lane: 1 },
            None => ImportedAuthor::User,
        };
        let content = match text {
            "hidden" => NodeContent::Hidden(HiddenNode::Other),
            "turn" => NodeContent::Hidden(HiddenNode::Turn),
            "output" => NodeContent::Output(ToolOutput {
                tool: "search".to_owned(),
                text: "found".to_owned(),
                files: Vec::new(),
                created: None,
                author: ImportedAuthor::Assistant { label: "A".to_owned(), lane: 1 },
                is_attachment: false,
            }),
            "acall" => message(author, ImportedPart::tool("search".to_owned(), serde_json::json!({}), None)),
            text => message(author, ImportedPart::text(text)),
        };
        SourceNode { id: id.to_owned(), parent: (!parent.is_empty()).then(|| parent.to_owned()), content }
    }

    fn built(nodes: Vec<SourceNode>, current: &str) -> (Vec<(String, Option<usize>)>, usize, Omissions) {
        let mut omissions = Omissions::default();
        let tree = assemble(nodes, Some(current), &mut omissions);
        (
            tree.messages.into_iter().map(|message| (outline(&message), message.parent)).collect(),
            tree.current,
            omissions,
        )
    }

    /// Returns the texts of a message; a tool call as its name and result.
    fn outline(message: &ImportedMessage) -> String {
        let parts = message.parts.iter().map(|part| match part {
            ImportedPart::Content(part) => match &part.content {
                PartBody::Text { text } => text.clone(),
                PartBody::Tool(call) => format!("{}={}", call.tool, call.result.clone().unwrap_or_default()),
                _ => String::new(),
            },
            ImportedPart::File(file) => file.name.clone(),
        });
        parts.collect::<Vec<_>>().join("|")
    }

    fn texts(list: &[(&str, Option<usize>)]) -> Vec<(String, Option<usize>)> {
        list.iter().map(|(text, parent)| ((*text).to_owned(), *parent)).collect()
    }

    #[test]
    fn children_of_hidden_messages_move_up_and_continued_answers_are_joined() {
        let nodes = vec![
            node("3", "2", "a1"),
            node("0", "", "hidden"),
            node("1", "0", "q1"),
            node("2", "1", "hidden"),
            node("4", "3", "hidden"),
            node("5", "4", "a2"),
            node("6", "5", "q2"),
            node("7", "5", "q3"),
            node("8", "7", "hidden"),
        ];
        let (messages, current, omissions) = built(nodes, "8");
        let expected = [("q1", None), ("a1\n\na2", Some(0)), ("q2", Some(1)), ("q3", Some(1))];
        assert_eq!(messages, texts(&expected));
        assert_eq!(current, 3);
        assert_eq!(omissions, Omissions::default());
    }

    #[test]
    fn alternative_answers_are_not_joined() {
        let nodes = vec![
            node("1", "", "q"),
            node("2", "1", "a1"),
            node("3", "1", "a2"),
            node("4", "3", "a3"),
            node("5", "3", "a4"),
        ];
        let (messages, current, _) = built(nodes, "nowhere");
        let expected = [("q", None), ("a1", Some(0)), ("a2", Some(0)), ("a3", Some(2)), ("a4", Some(2))];
        assert_eq!(messages, texts(&expected));
        assert_eq!(current, 4);
    }

    #[test]
    fn cycles_are_cut_repeated_ids_left_out_and_unknown_parents_are_roots() {
        let nodes = vec![
            node("1", "2", "q1"),
            node("2", "1", "a1"),
            node("3", "2", "q2"),
            node("4", "4", "q3"),
            node("5", "unknown", "q4"),
            node("5", "", "q5"),
            node("6", "5", "  "),
        ];
        let (messages, _, omissions) = built(nodes, "6");
        let expected = [("q4", None), ("q1", None), ("a1", Some(1)), ("q2", Some(2)), ("q3", None)];
        assert_eq!(messages, texts(&expected));
        assert_eq!(omissions.get(Omission::DuplicateMessage), 1);
        assert_eq!(omissions.get(Omission::EmptyMessage), 1);
    }

    #[test]
    fn long_chains_and_long_texts_are_handled() {
        let count = 10_000;
        let nodes = (0..count)
            .map(|at| node(&at.to_string(), &(at + 1).to_string(), if at % 2 == 0 { "a" } else { "q" }));
        let (messages, current, _) = built(nodes.collect(), "0");
        assert_eq!((messages.len(), current), (count, count - 1));
        let long = "é".repeat(MAX_TEXT_BYTES);
        let (messages, _, omissions) = built(vec![node("1", "", &long)], "1");
        assert_eq!(messages[0].0.len(), MAX_TEXT_BYTES);
        assert_eq!(omissions.get(Omission::LongText), 1);
    }

    #[test]
    fn calls_get_their_results_and_are_part_of_the_answer() {
        let nodes = vec![
            node("1", "", "q"),
            node("2", "1", "acall"),
            node("3", "2", "output"),
            node("4", "3", "output"),
            node("5", "4", "a1"),
            node("6", "", "output"),
        ];
        let (messages, ..) = built(nodes, "5");
        let answer = "search=\"found\"|search=\"found\"|a1";
        assert_eq!(messages, texts(&[("q", None), (answer, Some(0)), ("search=\"found\"", None)]));
    }

    #[test]
    fn answers_with_a_turn_of_the_user_between_them_are_two() {
        for between in ["turn", " "] {
            let nodes =
                vec![node("1", "", "q"), node("2", "1", "a1"), node("3", "2", between), node("4", "3", "a2")];
            let (messages, ..) = built(nodes, "4");
            assert_eq!(messages, texts(&[("q", None), ("a1", Some(0)), ("a2", Some(1))]), "{between}");
        }
    }
}
