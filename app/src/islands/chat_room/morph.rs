//! DOM morphing: changes an element into another one in place, as morphdom does.
//!
//! Equal nodes stay: the browser does not lay them out again, and a selection or an open menu in them is kept.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTemplateElement, Node};

use super::dom;

/// Changes `old` into the only element of `html`. Replaces it if their tags differ.
pub fn morph(old: &Element, html: &str) -> Option<()> {
    let template: HtmlTemplateElement = dom::element("template", "", "")?.dyn_into().ok()?;
    template.set_inner_html(html);
    morph_node(old, template.content().first_element_child()?.as_ref())
}

fn morph_node(old: &Node, new: &Node) -> Option<()> {
    if old.is_equal_node(Some(new)) {
        return Some(());
    }
    match (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) {
        (Some(old), Some(new)) if is_same_code(old, new) => Some(()),
        (Some(old), Some(new)) if old.tag_name() == new.tag_name() => {
            morph_attributes(old, new)?;
            morph_children(old, new)
        }
        (None, None) if old.node_type() == new.node_type() => {
            old.set_node_value(new.node_value().as_deref());
            Some(())
        }
        _ => old.parent_node()?.replace_child(new, old).ok().map(drop),
    }
}

/// True for code blocks with the same code: only the buttons differ that `site.js` has added to the old one.
fn is_same_code(old: &Element, new: &Element) -> bool {
    let code = |block: &Element| dom::find::<Element>(block, ":scope > pre").map(Node::from);
    old.class_list().contains("code")
        && new.class_list().contains("code")
        && code(old).is_some_and(|code_before| code_before.is_equal_node(code(new).as_ref()))
}

fn morph_attributes(old: &Element, new: &Element) -> Option<()> {
    for name in names(new) {
        let value = new.get_attribute(&name)?;
        if old.get_attribute(&name).as_ref() != Some(&value) {
            old.set_attribute(&name, &value).ok()?;
        }
    }
    for name in names(old) {
        // What the reader opened, and what can have the focus.
        let is_state = (name == "open" && old.tag_name() == "DETAILS") || name == "tabindex";
        if !is_state && !new.has_attribute(&name) {
            old.remove_attribute(&name).ok()?;
        }
    }
    Some(())
}

fn names(element: &Element) -> Vec<String> {
    element.get_attribute_names().iter().filter_map(|name| name.as_string()).collect()
}

fn morph_children(old: &Node, new: &Node) -> Option<()> {
    let (mut old_child, mut new_child) = (old.first_child(), new.first_child());
    while let Some(wanted) = new_child {
        new_child = wanted.next_sibling();
        let Some(present) = old_child else {
            old.append_child(&wanted).ok()?;
            continue;
        };
        old_child = present.next_sibling();
        morph_node(&present, &wanted)?;
    }
    while let Some(surplus) = old_child {
        old_child = surplus.next_sibling();
        old.remove_child(&surplus).ok()?;
    }
    Some(())
}
