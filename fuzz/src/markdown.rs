use plexus_markup::{Block, MAX_OPEN, Splitter, render};

use crate::{html::assert_harmless, piece_size};

/// Short rows of tables are filled up: this many bytes may come of nothing.
const FILLING: usize = 4 << 20;
/// How a text begins that is too deep to render; its blocks may not be.
const AS_WRITTEN: &str = "<div class=\"plain\">";
/// What one character of markdown may become.
const GROWTH: usize = 256;

/// Markdown to HTML, whole and block by block.
pub fn markdown(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let whole = render(&text);
    assert_harmless(&whole);
    assert!(whole.len() <= text.len() * GROWTH + FILLING, "{} bytes became {}", text.len(), whole.len());

    let blocks = split(&text, text.len().max(1));
    assert_eq!(split(&text, piece_size(data)), blocks, "pieces make a difference");
    let covered: String = blocks.iter().map(|block| &text[block.start..block.end]).collect();
    assert!(covered == text, "the blocks are not the text");
    let html: Vec<String> = blocks.iter().map(|block| block.html(&text)).collect();
    html.iter().for_each(|html| assert_harmless(html));
    if is_local(&text) && !whole.starts_with(AS_WRITTEN) {
        assert_eq!(html.concat(), whole, "block by block is not as the whole");
    }
}

fn split(text: &str, size: usize) -> Vec<Block> {
    let mut splitter = Splitter::new();
    let mut blocks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(size));
        blocks.extend(splitter.push(piece));
        rest = after;
    }
    blocks.extend(splitter.finish());
    blocks
}

/// Whether nothing in it reaches from one block into another: link definitions, footnotes, raw HTML.
fn is_local(text: &str) -> bool {
    !text.contains(['[', '<']) && text.len() < MAX_OPEN
}
