//! Restores text that extensions of the parser take for markup: a single `~`, and the text after a URL.

use comrak::{
    Arena, Node,
    nodes::{Ast, NodeValue},
};

use crate::typed_text::is_cjk_punctuation;

/// Turns single tildes back to text, and ends bare URLs before CJK punctuation.
pub fn restore<'a>(arena: &'a Arena<'a>, root: Node<'a>) {
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        let is_tilde = matches!(node.data().value, NodeValue::Subscript);
        if is_tilde {
            restore_tildes(arena, node);
        } else if let Some(rest) = shorten_autolink(node) {
            node.insert_after(text(arena, rest));
        }
    }
}

fn restore_tildes<'a>(arena: &'a Arena<'a>, node: Node<'a>) {
    node.insert_before(text(arena, "~".to_owned()));
    while let Some(child) = node.first_child() {
        child.detach();
        node.insert_before(child);
    }
    node.insert_before(text(arena, "~".to_owned()));
    node.detach();
}

/// Ends a link whose label is its URL before the first CJK punctuation, and returns the text after it.
fn shorten_autolink(node: Node<'_>) -> Option<String> {
    let label = node.first_child().filter(|label| label.next_sibling().is_none())?;
    let mut data = node.data_mut();
    let NodeValue::Link(target) = &mut data.value else { return None };
    let mut label = label.data_mut();
    let NodeValue::Text(shown) = &mut label.value else { return None };
    let cut = shown.find(is_cjk_punctuation)?;
    let rest = shown[cut..].to_owned();
    if cut == 0 || !target.url.ends_with(&rest) {
        return None;
    }
    target.url.truncate(target.url.len() - rest.len());
    *shown = shown[..cut].to_owned().into();
    Some(rest)
}

fn text<'a>(arena: &'a Arena<'a>, text: String) -> Node<'a> {
    arena.alloc(Ast::new(NodeValue::Text(text.into()), (0, 0).into()).into())
}
