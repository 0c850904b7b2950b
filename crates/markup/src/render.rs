//! Renders Markdown to safe HTML within size and time limits.

use std::{cell::RefCell, fmt, rc::Rc};

use comrak::{
    Arena, Node, Options,
    arena_tree::NodeEdge,
    html::{escape, format_document_with_formatter},
    nodes::NodeValue,
    options::Plugins,
    try_parse_document,
};

use crate::{
    block_splitter::{MAX_OPEN, Splitter},
    bounds,
    budget::{Budget, Meter, TEXT_TIME},
    link_marks, literal_text, math,
    node_html::{self, NodeContext},
    raw_html::RawHtmlFilter,
    sanitize,
};

/// Maximum input size in bytes; longer text is shown unformatted.
pub const MAX_INPUT: usize = 4 * 1024 * 1024;
/// Longer text is rendered block by block, to bound memory. References between blocks are lost.
const MAX_WHOLE: usize = 128 * 1024;
/// Maximum size of a block. A larger one is a single endless line and is shown unformatted.
const MAX_BLOCK: usize = 3 * MAX_OPEN;
/// Maximum nesting depth of nodes; legitimate text does not reach it.
const MAX_DEPTH: usize = 100;
/// Maximum number of table cells. Short rows are padded, so few bytes can create many cells.
const MAX_CELLS: usize = 30_000;
/// Maximum HTML size of a top-level node in bytes. The sanitizer processes one without checking the clock.
const MAX_HTML: usize = 384 * 1024;
/// Minimum size of a piece of HTML in bytes before a new one is started.
const PIECE: usize = 16 * 1024;

/// Renders a whole text in at most [`TEXT_TIME`] of CPU time.
///
/// Never fails: text that is too large, too deep, too wide or too slow is shown unformatted.
pub fn render(markdown: &str) -> String {
    render_in("", markdown)
}

/// Like [`render`], for a page with several texts: `scope` (letters, digits, `-`) makes footnote ids unique.
pub fn render_in(scope: &str, markdown: &str) -> String {
    Budget::new(TEXT_TIME).render(scope, markdown).html
}

/// Renders a whole text within the time limit of `meter`.
pub fn whole(scope: &str, markdown: &str, meter: &Meter<'_>) -> String {
    match markdown.len() {
        length if length > MAX_INPUT || meter.is_over() => plain(markdown),
        length if length > MAX_WHOLE || bounds::are_exceeded(markdown) => {
            render_blocks(scope, markdown, meter)
        }
        _ => render_whole(scope, markdown, meter),
    }
}

/// Renders one block of a longer text.
pub fn render_block(scope: &str, markdown: &str, meter: &Meter<'_>) -> String {
    match markdown.len() > MAX_BLOCK || meter.is_over() || bounds::are_exceeded(markdown) {
        true => plain(markdown),
        false => render_whole(scope, markdown, meter),
    }
}

/// Returns the Markdown dialect options, shared by rendering and block detection.
pub fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    // Makes a single `~` a node of its own, which `literal_text` turns back to text: "3~5" is a range.
    options.extension.subscript = true;
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.cjk_friendly_emphasis = true;
    options.extension.math_code = true;
    options
}

fn render_whole(scope: &str, markdown: &str, meter: &Meter<'_>) -> String {
    let arena = Arena::new();
    let options = options();
    let parse = |text: &str| {
        let root = try_parse_document(&arena, text, &options, &|| meter.is_over()).ok();
        root.filter(|root| is_bounded(root))
    };
    let (text, links) = link_marks::mark(markdown);
    let root = parse(&text).and_then(|root| match math::may_have_formulas(&text) {
        true => math::mark_formulas(&text, root).map_or(Some(root), |marked| parse(&marked)),
        false => Some(root),
    });
    let html = root
        .inspect(|root| literal_text::restore(&arena, root))
        .inspect(|root| links.restore(&arena, root))
        .and_then(|root| formatted(root, scope, &options, meter).ok())
        .and_then(|pieces| sanitized(&pieces, meter));
    html.unwrap_or_else(|| plain(markdown))
}

fn render_blocks(scope: &str, markdown: &str, meter: &Meter<'_>) -> String {
    let mut splitter = Splitter::new();
    let mut html = String::new();
    let mut end = 0;
    for line in markdown.split_inclusive('\n') {
        // Each block reads the clock too. Reading it for each line would cost more than splitting short lines.
        if meter.step() {
            break;
        }
        for block in splitter.push(line) {
            html.push_str(&render_block(scope, &block.source(markdown), meter));
            end = block.end;
        }
    }
    if meter.is_over() {
        return html + &plain(&markdown[end..]);
    }
    let last = splitter.finish().map(|block| render_block(scope, &block.source(markdown), meter));
    html + &last.unwrap_or_default()
}

/// Formats a document to HTML pieces, split between top-level nodes where no tag is open.
fn formatted(
    root: Node<'_>,
    scope: &str,
    options: &Options,
    meter: &Meter<'_>,
) -> Result<Vec<String>, fmt::Error> {
    let pieces = Pieces::default();
    let place = NodeContext {
        scope,
        raw: RawHtmlFilter::default(),
        column: 0,
        footnotes: 0,
        meter,
        pieces: pieces.clone(),
    };
    let plugins = Plugins::default();
    format_document_with_formatter(root, options, &mut pieces.clone(), &plugins, node_html::node, place)?;
    Ok(pieces.take())
}

fn sanitized(pieces: &[String], meter: &Meter<'_>) -> Option<String> {
    let mut html = String::new();
    for piece in pieces {
        if piece.len() > MAX_HTML || meter.is_over() {
            return None;
        }
        html.push_str(&sanitize::clean(piece));
    }
    Some(html)
}

/// HTML output that can be split into pieces.
#[derive(Clone, Default)]
pub struct Pieces(Rc<RefCell<Vec<String>>>);

impl Pieces {
    /// Starts a new piece, unless the current one is short.
    pub fn cut(&self) {
        let mut pieces = self.0.borrow_mut();
        if pieces.last().is_some_and(|piece| piece.len() > PIECE) {
            pieces.push(String::new());
        }
    }

    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

impl fmt::Write for Pieces {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut pieces = self.0.borrow_mut();
        match pieces.last_mut() {
            Some(piece) => piece.push_str(text),
            None => pieces.push(text.to_owned()),
        }
        Ok(())
    }
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
    html.push_str("<div class=\"plain\" dir=\"auto\">");
    // Writing to a `String` cannot fail.
    let _ = escape(&mut html, text);
    html.push_str("</div>\n");
    html
}
