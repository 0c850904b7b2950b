//! Assembles the messages of a conversation to a tree: without hidden messages, cycles and unknown parents.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use plexus_domain::Timestamp;

use crate::{
    ImportedAuthor, ImportedMessage,
    limits::MAX_TEXT_BYTES,
    omission::{Omission, Omissions},
};

/// A node of the tree as exported.
pub struct SourceNode {
    pub id: String,
    pub parent: Option<String>,
    /// `None` for a node that is not shown; its children become those of its parent.
    pub message: Option<SourceMessage>,
}

pub struct SourceMessage {
    pub author: ImportedAuthor,
    pub text: String,
    pub created: Option<Timestamp>,
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
    /// Whether no message between that one and this one has siblings.
    is_only: bool,
}

/// Builds the tree. The children of a message are ordered by time, then as exported.
pub fn assemble(mut nodes: Vec<SourceNode>, current: Option<&str>, omissions: &mut Omissions) -> MessageTree {
    omit_duplicates(&mut nodes, omissions);
    omit_unusable(&mut nodes, omissions);
    let (roots, children) = links(&nodes);
    let mut tree = MessageTree::default();
    let mut placed: HashMap<String, Option<usize>> = HashMap::with_capacity(nodes.len());
    let mut open: Vec<Visit> =
        roots.into_iter().rev().map(|node| Visit { node, parent: None, is_only: true }).collect();
    while let Some(Visit { node, parent, is_only }) = open.pop() {
        let message = nodes[node].message.take();
        let is_shown = message.is_some();
        let place = match message {
            Some(message) => Some(place(&mut tree.messages, parent, is_only, message)),
            None => parent,
        };
        placed.insert(mem::take(&mut nodes[node].id), place);
        let below = &children[node];
        let is_only = (is_only || is_shown) && below.len() == 1;
        open.extend(below.iter().rev().map(|node| Visit { node: *node, parent: place, is_only }));
    }
    let in_cycles = nodes.iter().filter(|node| node.message.is_some()).count();
    omissions.add(Omission::MessageInCycle, in_cycles as u64);
    let current = current.and_then(|id| placed.get(id).copied().flatten());
    tree.current = current.unwrap_or_else(|| tree.messages.len().saturating_sub(1));
    tree
}

fn omit_duplicates(nodes: &mut Vec<SourceNode>, omissions: &mut Omissions) {
    let mut known = HashSet::with_capacity(nodes.len());
    let before = nodes.len();
    nodes.retain(|node| known.insert(node.id.clone()));
    omissions.add(Omission::DuplicateMessage, (before - nodes.len()) as u64);
}

/// Hides messages without text and cuts long texts.
fn omit_unusable(nodes: &mut [SourceNode], omissions: &mut Omissions) {
    for node in nodes {
        let Some(message) = &mut node.message else { continue };
        if message.text.trim().is_empty() {
            omissions.add(Omission::EmptyMessage, 1);
            node.message = None;
        } else if message.text.len() > MAX_TEXT_BYTES {
            omissions.add(Omission::LongText, 1);
            message.text.truncate(message.text.floor_char_boundary(MAX_TEXT_BYTES));
        }
    }
}

/// Returns the roots, and the children of each node. A node with an unknown parent is a root.
fn links(nodes: &[SourceNode]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let by_id: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|at| nodes[*at].message.as_ref().and_then(|message| message.created));
    let mut roots = Vec::new();
    let mut children = vec![Vec::new(); nodes.len()];
    for at in order {
        match nodes[at].parent.as_deref().and_then(|parent| by_id.get(parent)) {
            Some(parent) => children[*parent].push(at),
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
    message: SourceMessage,
) -> usize {
    if let Some(before) = parent.filter(|_| is_only) {
        let SourceMessage { author, text, .. } = &message;
        let earlier = &mut messages[before];
        let fits = earlier.text.len() + text.len() < MAX_TEXT_BYTES;
        if fits && *author != ImportedAuthor::User && *author == earlier.author {
            earlier.text.push_str("\n\n");
            earlier.text.push_str(text);
            return before;
        }
    }
    let SourceMessage { author, text, created } = message;
    messages.push(ImportedMessage { parent, author, text, created });
    messages.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, parent: &str, text: &str) -> SourceNode {
        let author = match text.strip_prefix('a') {
            Some(_) => ImportedAuthor::Assistant { label: "A".to_owned(), lane: 1 },
            None => ImportedAuthor::User,
        };
        let message = SourceMessage { author, text: text.to_owned(), created: None };
        SourceNode {
            id: id.to_owned(),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            message: (text != "hidden").then_some(message),
        }
    }

    fn built(nodes: Vec<SourceNode>, current: &str) -> (Vec<(String, Option<usize>)>, usize, Omissions) {
        let mut omissions = Omissions::default();
        let tree = assemble(nodes, Some(current), &mut omissions);
        (
            tree.messages.into_iter().map(|message| (message.text, message.parent)).collect(),
            tree.current,
            omissions,
        )
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
    fn cycles_and_repeated_ids_are_left_out_and_unknown_parents_are_roots() {
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
        assert_eq!(messages, texts(&[("q4", None)]));
        assert_eq!(omissions.get(Omission::DuplicateMessage), 1);
        assert_eq!(omissions.get(Omission::MessageInCycle), 4);
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
}
