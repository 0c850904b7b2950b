//! Markdown to safe HTML.

use std::fmt;

use comrak::{
    Arena, Node, Options,
    arena_tree::NodeEdge,
    html::{escape, format_document_with_formatter},
    nodes::NodeValue,
    options::Plugins,
    parse_document,
};

use crate::{
    format::{self, Place},
    raw_html::RawTags,
    sanitize,
    split::{MAX_OPEN, Splitter},
};

/// Bytes; longer text is shown as it was written.
pub const MAX_INPUT: usize = 4 * 1024 * 1024;
/// Longer text is rendered block by block: its memory stays bounded, references between blocks are lost.
const MAX_WHOLE: usize = 128 * 1024;
/// A block of more is one endless line, shown as it was written.
const MAX_BLOCK: usize = 3 * MAX_OPEN;
/// Bytes of code that are highlighted in one text; the worst takes about 7 ms for each KiB.
const MAX_HIGHLIGHTED: usize = 128 * 1024;
/// Nodes around a node; deeper text is an attack or an accident.
const MAX_DEPTH: usize = 100;
/// Cells of all tables; short rows are filled up, so that few bytes can make many.
const MAX_CELLS: usize = 50_000;

/// Renders a whole text.
///
/// Never fails: what is too large, too deep or too wide is shown as plain text.
pub fn render(markdown: &str) -> String {
    render_in("", markdown)
}

/// Like [`render`], for a page with several texts: `scope` (letters, digits, `-`) keeps their footnotes apart.
pub fn render_in(scope: &str, markdown: &str) -> String {
    match markdown.len() {
        length if length > MAX_INPUT => plain(markdown),
        length if length > MAX_WHOLE => render_blocks(scope, markdown),
        _ => render_whole(scope, markdown, &mut { MAX_HIGHLIGHTED }),
    }
}

/// Renders one block of a longer text.
pub fn render_block(scope: &str, markdown: &str) -> String {
    render_bounded(scope, markdown, &mut { MAX_HIGHLIGHTED })
}

/// The dialect, the same for rendering and for finding blocks.
pub fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.cjk_friendly_emphasis = true;
    options
}

fn render_whole(scope: &str, markdown: &str, highlight: &mut usize) -> String {
    let arena = Arena::new();
    let options = options();
    let root = parse_document(&arena, markdown, &options);
    if !is_bounded(root) {
        return plain(markdown);
    }
    match formatted(root, scope, &options, highlight) {
        Ok(html) => sanitize::clean(&html),
        Err(fmt::Error) => plain(markdown),
    }
}

fn render_blocks(scope: &str, markdown: &str) -> String {
    let mut highlight = MAX_HIGHLIGHTED;
    let mut splitter = Splitter::new();
    let mut blocks = splitter.push(markdown);
    blocks.extend(splitter.finish());
    blocks.iter().map(|block| render_bounded(scope, &block.source(markdown), &mut highlight)).collect()
}

fn render_bounded(scope: &str, markdown: &str, highlight: &mut usize) -> String {
    if markdown.len() > MAX_BLOCK { plain(markdown) } else { render_whole(scope, markdown, highlight) }
}

fn formatted(
    root: Node<'_>,
    scope: &str,
    options: &Options,
    highlight: &mut usize,
) -> Result<String, fmt::Error> {
    let mut html = String::new();
    let place = Place { scope, raw: RawTags::default(), column: 0, footnotes: 0, highlight: *highlight };
    let plugins = Plugins::default();
    let place = format_document_with_formatter(root, options, &mut html, &plugins, format::node, place)?;
    *highlight = place.highlight;
    Ok(html)
}

fn is_bounded(root: Node<'_>) -> bool {
    let (mut depth, mut cells) = (0, 0);
    root.traverse().all(|edge| {
        match edge {
            NodeEdge::Start(node) => {
                depth += 1;
                cells += usize::from(matches!(node.data().value, NodeValue::TableCell));
            }
            NodeEdge::End(_) => depth -= 1,
        }
        depth <= MAX_DEPTH && cells <= MAX_CELLS
    })
}

fn plain(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 16 + 32);
    html.push_str("<div class=\"plain\">");
    // Writing to a string does not fail.
    let _ = escape(&mut html, text);
    html.push_str("</div>\n");
    html
}
