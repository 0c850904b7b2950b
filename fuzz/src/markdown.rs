use std::time::Duration;

use plexus_markup::{Block, Budget, Cut, MAX_OPEN, Splitter};
use plexus_testing::cost;

use crate::{html::assert_harmless, piece_size};

/// Short rows of tables are filled up: this many bytes may come of nothing.
const FILLING: usize = 4 << 20;
/// CPU time of rendering a text, and of finding its blocks for each KiB, in a build whose own code is not optimised.
const RENDERING: Duration = Duration::from_millis(1_200);
const SPLITTING: Duration = Duration::from_millis(20);
/// How a text begins that is too deep to render; its blocks may not be.
const AS_WRITTEN: &str = "<div class=\"plain\">";
/// What one character of markdown may become.
const GROWTH: usize = 256;

/// Markdown to HTML, whole and block by block.
pub fn markdown(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut rendered = None;
    let mut render = || cost::measure(|| rendered = Some(Budget::new(Duration::MAX).render("", &text)));
    let mut spent = render();
    if spent > RENDERING {
        // The patterns of a language are compiled when its code is first met, once for each process.
        spent = render();
    }
    assert!(spent <= RENDERING, "{} bytes take {spent:?} to render", text.len());
    let rendered = rendered.expect("it was measured");
    let whole = rendered.html;
    assert_harmless(&whole);
    assert!(whole.len() <= text.len() * GROWTH + FILLING, "{} bytes became {}", text.len(), whole.len());

    let mut blocks = Vec::new();
    let spent = cost::measure(|| blocks = split(&text, text.len().max(1)));
    let kib = u32::try_from(text.len() / 1024).unwrap_or(u32::MAX);
    assert!(spent <= SPLITTING * kib.saturating_add(1), "{} bytes take {spent:?} to split", text.len());
    assert_eq!(split(&text, piece_size(data)), blocks, "pieces make a difference");
    let covered: String = blocks.iter().map(|block| &text[block.start..block.end]).collect();
    assert!(covered == text, "the blocks are not the text");
    let mut budget = Budget::new(Duration::MAX);
    let shown: Vec<_> = blocks.iter().map(|block| block.render("", &text, &mut budget)).collect();
    shown.iter().for_each(|shown| assert_harmless(&shown.html));
    let is_cut = rendered.cut != Cut::Nothing || shown.iter().any(|shown| shown.cut != Cut::Nothing);
    if is_local(&text) && !is_cut && !whole.starts_with(AS_WRITTEN) {
        let shown: String = shown.into_iter().map(|shown| shown.html).collect();
        assert_eq!(shown, whole, "block by block is not as the whole");
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
