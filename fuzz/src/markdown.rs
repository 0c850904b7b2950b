use std::time::Duration;

use plexus_markup::{Block, Budget, Cut, MAX_OPEN, Splitter};
use plexus_testing::cost;

use crate::{html::assert_harmless, piece_size};

/// Allowance for padding: short table rows are filled with empty cells, up to this many bytes.
const FILLING: usize = 4 << 20;
/// Maximum CPU time for rendering a text, and for splitting it per KiB, in a build without optimisation of
/// own code.
const RENDERING: Duration = Duration::from_millis(1_200);
const SPLITTING: Duration = Duration::from_millis(20);
/// Beginning of the output for text that is nested too deeply to render; its individual blocks may render.
const AS_WRITTEN: &str = "<div class=\"plain\" dir=\"auto\">";
/// Maximum bytes of HTML per byte of Markdown.
const GROWTH: usize = 256;

/// Fuzzes Markdown rendering, as a whole and block by block.
pub fn markdown(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut rendered = None;
    let mut render = || cost::measure(|| rendered = Some(Budget::new(Duration::MAX).render("", &text)));
    let mut spent = render();
    if spent > RENDERING {
        // Syntax patterns of a language are compiled on first use, once per process.
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

/// Returns whether no construct spans blocks: link definitions, footnotes, raw HTML.
fn is_local(text: &str) -> bool {
    !text.contains(['[', '<']) && text.len() < MAX_OPEN
}
