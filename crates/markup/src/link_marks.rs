//! Bare links in Markdown, kept from the parser: it would end them at white space only, and read their `*` and `_` as
//! emphasis.
//!
//! Each link is replaced by a mark before the text is parsed, and put back afterwards: as a link where text is shown, and
//! as it was written in code, formulas, HTML and targets. For the rules of emphasis, a mark is a letter.

use std::{borrow::Cow, collections::HashMap};

use comrak::{
    Arena, Node,
    arena_tree::NodeEdge,
    nodes::{Ast, NodeLink, NodeValue},
};

use crate::bare_link::{BareLink, BareLinks, Syntax};

/// Delimiters of a mark: characters that no text has, because Unicode reserves them for internal use.
const OPEN: char = '\u{fdd0}';
const CLOSE: char = '\u{fdd1}';

/// The links of a text, in the order of their marks.
pub struct LinkMarks<'t> {
    text: &'t str,
    links: Vec<BareLink<'t>>,
}

/// Replaces the bare links of `text` by marks.
pub fn mark(text: &str) -> (Cow<'_, str>, LinkMarks<'_>) {
    let mut marks = LinkMarks { text, links: Vec::new() };
    if text.contains([OPEN, CLOSE]) {
        return (text.into(), marks);
    }
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut marked = String::new();
    let mut copied = 0;
    for link in BareLinks::new(text, Syntax::Markdown) {
        // The parser knows these itself.
        if text[..link.start].ends_with('<') && text[link.end..].starts_with('>') {
            continue;
        }
        let (start, end) = (link.start, link.end);
        // Equal links have equal marks, so that a reference finds its definition.
        let number = *known.entry(&text[start..end]).or_insert_with(|| {
            marks.links.push(link);
            marks.links.len() - 1
        });
        marked.push_str(&text[copied..start]);
        marked.extend([OPEN.to_string(), number.to_string(), CLOSE.to_string()]);
        copied = end;
    }
    if copied == 0 {
        return (text.into(), marks);
    }
    marked.push_str(&text[copied..]);
    (marked.into(), marks)
}

impl<'t> LinkMarks<'t> {
    /// Puts the links back in a parsed document.
    pub fn restore<'a>(&self, arena: &'a Arena<'a>, root: Node<'a>) {
        if self.links.is_empty() {
            return;
        }
        let mut depth = 0_usize;
        let mut nodes: Vec<(Node<'a>, bool)> = Vec::new();
        for edge in root.traverse() {
            match edge {
                NodeEdge::Start(node) => {
                    nodes.push((node, depth > 0));
                    depth += usize::from(is_link(node));
                }
                NodeEdge::End(node) => depth -= usize::from(is_link(node)),
            }
        }
        for (node, is_in_link) in nodes {
            self.restore_node(arena, node, is_in_link);
        }
    }

    fn restore_node<'a>(&self, arena: &'a Arena<'a>, node: Node<'a>, is_in_link: bool) {
        let mut data = node.data_mut();
        match &mut data.value {
            NodeValue::Text(text) if text.contains(OPEN) => {
                let text = std::mem::take(text);
                if is_in_link {
                    data.value = NodeValue::Text(self.labels(&text).into());
                    return;
                }
                drop(data);
                self.split(arena, node, &text);
            }
            NodeValue::Link(target) | NodeValue::Image(target) => {
                for value in [&mut target.url, &mut target.title] {
                    *value = self.labels(value);
                }
            }
            NodeValue::CodeBlock(block) => {
                block.literal = self.sources(&block.literal);
                block.info = self.sources(&block.info);
            }
            NodeValue::Code(code) => code.literal = self.sources(&code.literal),
            NodeValue::Math(formula) => formula.literal = self.sources(&formula.literal),
            NodeValue::HtmlBlock(html) => html.literal = self.sources(&html.literal),
            NodeValue::HtmlInline(html) | NodeValue::Raw(html) => *html = self.sources(html),
            _ => {}
        }
    }

    /// Replaces a text node by its text and its links.
    fn split<'a>(&self, arena: &'a Arena<'a>, node: Node<'a>, text: &str) {
        for piece in self.pieces(text) {
            match piece {
                Piece::Text(text) => node.insert_before(new(arena, text_value(text))),
                Piece::Link(link) => {
                    let target = NodeLink { url: link.href().into_owned(), title: String::new() };
                    let anchor = new(arena, NodeValue::Link(Box::new(target)));
                    anchor.append(new(arena, text_value(&link.label)));
                    node.insert_before(anchor);
                }
            }
        }
        node.detach();
    }

    fn labels(&self, text: &str) -> String {
        self.replaced(text, |link| &link.label)
    }

    fn sources(&self, text: &str) -> String {
        self.replaced(text, |link| &self.text[link.start..link.end])
    }

    fn replaced<'s>(&'s self, text: &str, shown: impl Fn(&'s BareLink<'t>) -> &'s str) -> String {
        let piece = |piece: Piece<'_, 's, 't>| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Link(link) => shown(link).to_owned(),
        };
        self.pieces(text).map(piece).collect()
    }

    fn pieces<'p, 's>(&'s self, text: &'p str) -> impl Iterator<Item = Piece<'p, 's, 't>> {
        text.split(OPEN).enumerate().flat_map(move |(nth, piece)| {
            let mark = piece.split_once(CLOSE).filter(|_| nth > 0);
            let link = mark.and_then(|(number, _)| self.links.get(number.parse::<usize>().ok()?));
            let rest = mark.map_or(piece, |(_, rest)| rest);
            link.map(Piece::Link).into_iter().chain((!rest.is_empty()).then_some(Piece::Text(rest)))
        })
    }
}

/// A piece of a text with marks.
enum Piece<'p, 's, 't> {
    Text(&'p str),
    Link(&'s BareLink<'t>),
}

fn is_link(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::Link(_) | NodeValue::Image(_))
}

fn text_value(text: &str) -> NodeValue {
    NodeValue::Text(text.to_owned().into())
}

fn new<'a>(arena: &'a Arena<'a>, value: NodeValue) -> Node<'a> {
    arena.alloc(Ast::new(value, (0, 0).into()).into())
}
