//! Restores text that an extension of the parser takes for markup: a single `~`.

use comrak::{
    Arena, Node,
    nodes::{Ast, NodeValue},
};

/// Turns single tildes back to text.
pub fn restore<'a>(arena: &'a Arena<'a>, root: Node<'a>) {
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        let is_tilde = matches!(node.data().value, NodeValue::Subscript);
        if is_tilde {
            restore_tildes(arena, node);
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

fn text<'a>(arena: &'a Arena<'a>, text: String) -> Node<'a> {
    arena.alloc(Ast::new(NodeValue::Text(text.into()), (0, 0).into()).into())
}
