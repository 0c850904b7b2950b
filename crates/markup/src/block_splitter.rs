//! Splits a streaming text into completed Markdown blocks.

use std::borrow::Cow;

use crate::{
    bounds,
    budget::{Budget, Rendered},
    last_block::{self, BlockState, is_blank},
};

/// Maximum size of an open block in bytes. A longer one is
/// closed at a line end and continued as another block.
pub const MAX_OPEN: usize = 64 * 1024;
/// Capacity of the tail that is retained after closing a block; the rest is freed.
const KEEP_CAPACITY: usize = 4 * 1024;
/// Byte order mark. The parser drops one at the start of its input.
///
/// In a later block it is ordinary text, so another one is prepended to be dropped instead.
const MARK: &str = "\u{feff}";

/// A completed section of a text: one or more whole blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Byte offset in the whole text.
    pub start: usize,
    pub end: usize,
    /// Lines to prepend when a split block is continued: the opening fence or the table head.
    head: Box<str>,
}

impl Block {
    /// Renders this block of `text`, which is the whole text so far. `scope` is as in [`crate::render_in`].
    pub fn render(&self, scope: &str, text: &str, budget: &mut Budget) -> Rendered {
        budget.render_block(scope, &self.source(text))
    }

    /// Returns the Markdown of the block including the prepended lines.
    pub(crate) fn source<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let body = text.get(self.start..self.end).unwrap_or_default();
        let only_end = || body.trim().bytes().all(|byte| matches!(byte, b'`' | b'~'));
        match &*self.head {
            "" if self.start > 0 && body.starts_with(MARK) => format!("{MARK}{body}").into(),
            "" => body.into(),
            _ if only_end() => "".into(),
            head => format!("{head}{body}").into(),
        }
    }
}

/// Incremental splitter of a streaming text.
///
/// A block is completed when no following text can change it. The parser runs only where completion is
/// likely, and after a negative result only once the open tail has doubled. Total work is therefore linear,
/// and a delta without a line end costs one copy.
#[derive(Debug, Default)]
pub struct Splitter {
    /// Offset of the tail in the whole text.
    start: usize,
    tail: String,
    /// Offset of the current line in the tail.
    line: usize,
    after_blank: bool,
    open: Option<BlockState>,
    /// Minimum length of the tail for the next parser run (exponential backoff).
    patience: usize,
    head: String,
}

impl Splitter {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a delta. Returns the blocks it completed, in order.
    pub fn push(&mut self, delta: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut rest = delta;
        while let Some(&first) = rest.as_bytes().first() {
            if self.line == self.tail.len() {
                self.begin_line(first, &mut blocks);
            }
            let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            self.tail.push_str(&rest[..end]);
            if rest[..end].ends_with('\n') {
                self.end_line(&mut blocks);
            }
            rest = &rest[end..];
        }
        blocks
    }

    /// Ends the text. Returns the remaining text as the last block.
    pub fn finish(&mut self) -> Option<Block> {
        let mut blocks = Vec::new();
        self.close(self.tail.len(), &mut blocks);
        blocks.pop()
    }

    /// Returns the byte offset of the open tail in the whole text.
    pub const fn tail_start(&self) -> usize {
        self.start
    }

    /// Returns the text that is not yet part of a completed block.
    pub fn tail(&self) -> &str {
        &self.tail
    }

    /// Closes a list when the line after a blank one starts with anything but a list marker or space.
    fn begin_line(&mut self, first: u8, blocks: &mut Vec<Block>) {
        let marker = first.is_ascii_whitespace() || first.is_ascii_digit() || b"-+*".contains(&first);
        let due = self.open == Some(BlockState::UntilOther) && self.after_blank && !marker;
        if !due || self.tail.len() < self.patience {
            return;
        }
        match last_block::last_block(&format!("{}x\n", self.tail)) {
            Some(last) if last.start == self.tail.len() => self.close(last.start, blocks),
            _ => self.patience = self.tail.len() * 2,
        }
    }

    fn end_line(&mut self, blocks: &mut Vec<Block>) {
        let line = &self.tail[self.line..];
        let blank = is_blank(line);
        match self.open {
            Some(BlockState::Fence { mark, length }) if closes_fence(line, mark, length) => {
                self.close(self.tail.len(), blocks);
            }
            Some(BlockState::Fence { .. }) if !has_inner_return(line) => {}
            // Such a line would take the parser quadratic time.
            // The block that it ends is shown as plain text.
            _ if bounds::are_exceeded(line) => self.close(self.tail.len(), blocks),
            _ if self.is_worth_a_look(line, blank) && self.tail.len() >= self.patience => self.look(blocks),
            _ => {}
        }
        if !blank && self.open.is_none() && !self.tail.is_empty() {
            self.open = Some(BlockState::UntilBlank);
        }
        self.cut_endless(blocks);
        self.after_blank = blank;
        self.line = self.tail.len();
    }

    fn is_worth_a_look(&self, line: &str, blank: bool) -> bool {
        match self.open {
            None => opens_or_ends(line),
            Some(BlockState::UntilOther) => {
                let flush = !line.starts_with([' ', '\t']) && !blank;
                flush && (opens_or_ends(line) || (self.after_blank && !is_list_item(line)))
            }
            _ => blank || opens_or_ends(line) || has_inner_return(line),
        }
    }

    /// Parses the tail and closes everything except an open last block.
    fn look(&mut self, blocks: &mut Vec<Block>) {
        let before = self.before();
        let text = format!("{before}{}", self.tail);
        let Some(last) = last_block::last_block(&text) else {
            self.patience = self.tail.len() * 2;
            return;
        };
        if last.state == BlockState::Closed {
            self.close(self.tail.len(), blocks);
            return;
        }
        let start = last.start.saturating_sub(before.len());
        let before = blocks.len();
        if !is_blank(&self.tail[..start]) {
            self.close(start, blocks);
        }
        let learned = blocks.len() > before || self.open.is_none_or(|open| open == BlockState::UntilBlank);
        self.patience = if learned && self.open != Some(last.state) { 0 } else { self.tail.len() * 2 };
        self.open = Some(last.state);
    }

    /// Returns the prefix with which the tail parses as it does within the whole text.
    fn before(&self) -> String {
        let is_marked = self.head.is_empty() && self.start > 0 && self.tail.starts_with(MARK);
        if is_marked { MARK.to_owned() } else { self.head.clone() }
    }

    fn close(&mut self, at: usize, blocks: &mut Vec<Block>) {
        if at == 0 {
            return;
        }
        let end = self.start + at;
        blocks.push(Block { start: self.start, end, head: std::mem::take(&mut self.head).into_boxed_str() });
        self.tail.drain(..at);
        self.tail.shrink_to(self.tail.len().max(KEEP_CAPACITY));
        self.start = end;
        self.line = self.line.saturating_sub(at);
        self.open = None;
        self.patience = 0;
    }

    /// Closes an oversized block at a line end and continues it as a block of the same kind.
    fn cut_endless(&mut self, blocks: &mut Vec<Block>) {
        if self.tail.len() <= MAX_OPEN {
            return;
        }
        if self.open == Some(BlockState::UntilBlank) {
            self.look(blocks);
        }
        let Some(open) = self.open.filter(|_| self.tail.len() > MAX_OPEN) else { return };
        let (at, head) = match open {
            BlockState::Fence { .. } => (self.tail.len(), first_lines(&self.head, &self.tail, 1)),
            BlockState::UntilBlank => (self.tail.len(), table_head(&self.head, &self.tail)),
            _ => (self.item_border(), String::new()),
        };
        self.close(at, blocks);
        let goes_on = !head.is_empty() || !self.tail.is_empty();
        self.head = head;
        self.open = goes_on.then_some(open);
    }

    /// Returns the start of the current line if it is not indented, so that no list item is cut; 0 to wait.
    fn item_border(&self) -> usize {
        let flush = !self.tail[self.line..].starts_with([' ', '\t', '\r', '\n']);
        match self.tail.len() {
            length if length > 2 * MAX_OPEN => length,
            _ if flush => self.line,
            _ => 0,
        }
    }
}

/// Returns true for fences and headings: both end the previous block and are cheap to confirm.
fn opens_or_ends(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    line.len() - text.len() < 4 && (text.starts_with("```") || text.starts_with("~~~") || is_heading(text))
}

fn is_heading(text: &str) -> bool {
    let rest = text.trim_start_matches('#');
    (1..=6).contains(&(text.len() - rest.len())) && rest.starts_with([' ', '\t', '\r', '\n'])
}

fn is_list_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[char] = if digits == 0 { &['-', '+', '*'] } else { &['.', ')'] };
    let rest = line[digits..].strip_prefix(marks);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Returns true for a closing fence (CommonMark 0.31, section 4.5).
///
/// It has at most three leading spaces, at least as many
/// marks as the opening fence, and only spaces after them.
fn closes_fence(line: &str, mark: u8, length: usize) -> bool {
    let text = line.trim_start_matches(' ');
    let rest = text.trim_start_matches(char::from(mark));
    line.len() - text.len() < 4 && text.len() - rest.len() >= length && is_blank(rest)
}

/// Returns true if the line has a lone carriage return, a line end for the parser but not for the splitter.
fn has_inner_return(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).contains('\r')
}

/// Returns the head lines if the tail is a table, else an empty string.
fn table_head(head: &str, tail: &str) -> String {
    let lines = first_lines(head, tail, 2);
    let rule = lines.lines().nth(1).unwrap_or_default();
    let is_rule =
        rule.contains('-') && rule.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t' | '\r'));
    if is_rule && lines.contains('|') { lines } else { String::new() }
}

fn first_lines(head: &str, tail: &str, count: usize) -> String {
    let from = if head.is_empty() { tail } else { head };
    from.split_inclusive('\n').skip_while(|line| is_blank(line)).take(count).collect()
}
