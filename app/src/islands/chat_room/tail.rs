//! Element that shows the block that is still being written.

use wasm_bindgen::JsCast;
use web_sys::Element;

use super::{
    dom,
    open_block::{OpenBlock, quoted, rows},
    texts::texts,
};

/// Shows the text of an open block.
pub fn draw(tail: &Element, text: &str) {
    let block = OpenBlock::of(text);
    tail.set_class_name(class(block));
    match block {
        OpenBlock::Text => tail.set_text_content(Some(text)),
        OpenBlock::Quote => tail.set_text_content(Some(&quoted(text))),
        OpenBlock::Code { language, start } => {
            let label = if language.is_empty() { texts().code.as_str() } else { language };
            let _ = tail.set_attribute("data-language", label);
            tail.set_text_content(Some(text.get(start..).unwrap_or_default()));
        }
        OpenBlock::Table => {
            tail.set_text_content(None);
            let _ = table(text).map(|table| tail.append_child(&table));
        }
    }
}

/// Appends `new`, the end of `text`. Costs the same however long the text is, unless its form changes.
pub fn append(tail: &Element, text: &str, new: &str) {
    let block = OpenBlock::of(text);
    let shown_before = match block {
        OpenBlock::Text => true,
        OpenBlock::Code { start, .. } => text.len() - new.len() > start,
        OpenBlock::Quote | OpenBlock::Table => false,
    };
    let node = tail.last_child().and_then(|node| node.dyn_into::<web_sys::Text>().ok());
    match node.filter(|_| shown_before && tail.class_name() == class(block)) {
        Some(node) => {
            let _ = node.append_data(new);
        }
        None => draw(tail, text),
    }
}

/// Returns the class of the element for a kind of block.
const fn class(block: OpenBlock<'_>) -> &'static str {
    match block {
        OpenBlock::Text => "tail",
        OpenBlock::Code { .. } => "tail open-code",
        OpenBlock::Quote => "tail open-quote",
        OpenBlock::Table => "tail open-table",
    }
}

fn table(text: &str) -> Option<Element> {
    let table = dom::element("table", "", "")?;
    for (index, cells) in rows(text).into_iter().enumerate() {
        let row = dom::element("tr", "", "")?;
        for cell in cells {
            let cell = dom::element(if index == 0 { "th" } else { "td" }, "", cell)?;
            row.append_child(&cell).ok()?;
        }
        table.append_child(&row).ok()?;
    }
    Some(table)
}
