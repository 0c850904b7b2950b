//! Determines the last block of a text and its state with the Markdown parser.

use comrak::{
    Arena,
    nodes::{NodeCodeBlock, NodeHtmlBlock, NodeValue},
    parse_document,
};

use crate::render;

/// The last block of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastBlock {
    /// Byte offset of its first line. Everything before is closed.
    pub start: usize,
    pub state: BlockState,
}

/// How the last block can still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// No following text can change it.
    Closed,
    /// Ends at a blank line at the latest.
    UntilBlank,
    /// Ends where another block starts: a list, an indented code block, a footnote, some HTML.
    UntilOther,
    /// Ends only at a closing fence.
    Fence { mark: u8, length: usize },
}

/// Returns the last block of `text`, which must end at a line end. `None` if there is no block.
pub fn last_block(text: &str) -> Option<LastBlock> {
    let mut options = render::options();
    options.parse.leave_footnote_definitions = true;
    let arena = Arena::new();
    let node = parse_document(&arena, text, &options).last_child()?;
    let data = node.data();
    Some(LastBlock {
        start: line_start(text, data.sourcepos.start.line),
        state: state(&data.value, ends_blank(text)),
    })
}

fn ends_blank(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.rsplit('\n').next().is_some_and(is_blank)
}

pub fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

fn state(value: &NodeValue, after_blank: bool) -> BlockState {
    match value {
        NodeValue::Heading(_) | NodeValue::ThematicBreak => BlockState::Closed,
        NodeValue::CodeBlock(block) => code_state(block),
        NodeValue::HtmlBlock(NodeHtmlBlock { block_type: 1..=5, .. })
        | NodeValue::List(_)
        | NodeValue::FootnoteDefinition(_) => BlockState::UntilOther,
        _ if after_blank => BlockState::Closed,
        _ => BlockState::UntilBlank,
    }
}

fn code_state(block: &NodeCodeBlock) -> BlockState {
    match block {
        NodeCodeBlock { fenced: false, .. } => BlockState::UntilOther,
        NodeCodeBlock { closed: true, .. } => BlockState::Closed,
        block => BlockState::Fence { mark: block.fence_char, length: block.fence_length },
    }
}

/// Returns the offset of line `number`, counted from 1. Lines end with `\n`, `\r\n` or `\r`.
fn line_start(text: &str, number: usize) -> usize {
    let bytes = text.as_bytes();
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|&(at, &byte)| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
    number.checked_sub(2).and_then(|skip| ends.map(|(at, _)| at + 1).nth(skip)).unwrap_or(0)
}
