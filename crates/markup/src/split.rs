//! The blocks of a text that is still being written.

use std::borrow::Cow;

use crate::{
    bounds,
    budget::{Budget, Rendered},
    tail::{self, State, is_blank},
};

/// Bytes; a block that stays open for longer is closed at a line end and goes on as a further block.
pub const MAX_OPEN: usize = 64 * 1024;
/// A tail that grew is given back when it is closed.
const KEEP_CAPACITY: usize = 4 * 1024;
/// The parser drops a byte order mark at the start of what it is given. One that begins a later block is a character
/// like others, so another is put before it to be dropped.
const MARK: &str = "\u{feff}";

/// A closed piece of a text: one or more whole blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Bytes of the whole text.
    pub start: usize,
    pub end: usize,
    /// Lines that a piece of an endless block needs before it: the opening fence, the head of the table.
    head: Box<str>,
}

impl Block {
    /// The HTML of this block of `text`, which is the whole text so far, with the scope of [`crate::render_in`].
    pub fn render(&self, scope: &str, text: &str, budget: &mut Budget) -> Rendered {
        budget.render_block(scope, &self.source(text))
    }

    /// The markdown of the block, with the lines that it needs before it.
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

/// Finds the closed blocks of a growing text.
///
/// A block is closed when nothing that follows can change it. The parser is asked only where the answer is likely
/// to be yes, and after a no only when the open tail has doubled: so the work is linear in the text, and a delta
/// without a line end costs a copy.
#[derive(Debug, Default)]
pub struct Splitter {
    /// Where the tail begins in the whole text.
    start: usize,
    tail: String,
    /// Where the current line begins in the tail.
    line: usize,
    after_blank: bool,
    open: Option<State>,
    /// No look is taken at a shorter tail.
    patience: usize,
    head: String,
}

impl Splitter {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text; gives the blocks that it closed, in order.
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

    /// The text has ended: what is left is the last block.
    pub fn finish(&mut self) -> Option<Block> {
        let mut blocks = Vec::new();
        self.close(self.tail.len(), &mut blocks);
        blocks.pop()
    }

    /// Byte offset of the open tail in the whole text.
    pub const fn tail_start(&self) -> usize {
        self.start
    }

    /// The text that belongs to no closed block yet.
    pub fn tail(&self) -> &str {
        &self.tail
    }

    /// A list ends as soon as the line after an empty one begins with anything but a list marker or space.
    fn begin_line(&mut self, first: u8, blocks: &mut Vec<Block>) {
        let marker = first.is_ascii_whitespace() || first.is_ascii_digit() || b"-+*".contains(&first);
        let due = self.open == Some(State::UntilOther) && self.after_blank && !marker;
        if !due || self.tail.len() < self.patience {
            return;
        }
        match tail::last_block(&format!("{}x\n", self.tail)) {
            Some(last) if last.start == self.tail.len() => self.close(last.start, blocks),
            _ => self.patience = self.tail.len() * 2,
        }
    }

    fn end_line(&mut self, blocks: &mut Vec<Block>) {
        let line = &self.tail[self.line..];
        let blank = is_blank(line);
        match self.open {
            Some(State::Fence { mark, length }) if closes_fence(line, mark, length) => {
                self.close(self.tail.len(), blocks);
            }
            Some(State::Fence { .. }) if !has_inner_return(line) => {}
            // The parser is not asked about such a line: the block that it ends is shown as it was written.
            _ if bounds::are_exceeded(line) => self.close(self.tail.len(), blocks),
            _ if self.is_worth_a_look(line, blank) && self.tail.len() >= self.patience => self.look(blocks),
            _ => {}
        }
        if !blank && self.open.is_none() && !self.tail.is_empty() {
            self.open = Some(State::UntilBlank);
        }
        self.cut_endless(blocks);
        self.after_blank = blank;
        self.line = self.tail.len();
    }

    fn is_worth_a_look(&self, line: &str, blank: bool) -> bool {
        match self.open {
            None => opens_or_ends(line),
            Some(State::UntilOther) => {
                let flush = !line.starts_with([' ', '\t']) && !blank;
                flush && (opens_or_ends(line) || (self.after_blank && !is_list_item(line)))
            }
            _ => blank || opens_or_ends(line) || has_inner_return(line),
        }
    }

    /// Asks the parser what the tail is made of, and closes all but an open last block.
    fn look(&mut self, blocks: &mut Vec<Block>) {
        let before = self.before();
        let text = format!("{before}{}", self.tail);
        let Some(last) = tail::last_block(&text) else {
            self.patience = self.tail.len() * 2;
            return;
        };
        if last.state == State::Closed {
            self.close(self.tail.len(), blocks);
            return;
        }
        let start = last.start.saturating_sub(before.len());
        let before = blocks.len();
        if !is_blank(&self.tail[..start]) {
            self.close(start, blocks);
        }
        let learned = blocks.len() > before || self.open.is_none_or(|open| open == State::UntilBlank);
        self.patience = if learned && self.open != Some(last.state) { 0 } else { self.tail.len() * 2 };
        self.open = Some(last.state);
    }

    /// What the parser needs before the tail to see it as it is in the whole text.
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

    /// Closes an endless block at a line end; what follows goes on as a block of the same kind.
    fn cut_endless(&mut self, blocks: &mut Vec<Block>) {
        if self.tail.len() <= MAX_OPEN {
            return;
        }
        if self.open == Some(State::UntilBlank) {
            self.look(blocks);
        }
        let Some(open) = self.open.filter(|_| self.tail.len() > MAX_OPEN) else { return };
        let (at, head) = match open {
            State::Fence { .. } => (self.tail.len(), first_lines(&self.head, &self.tail, 1)),
            State::UntilBlank => (self.tail.len(), table_head(&self.head, &self.tail)),
            _ => (self.item_border(), String::new()),
        };
        self.close(at, blocks);
        let goes_on = !head.is_empty() || !self.tail.is_empty();
        self.head = head;
        self.open = goes_on.then_some(open);
    }

    /// The start of the current line if it is flush left, so that an item of a list is not cut apart; 0 to wait.
    fn item_border(&self) -> usize {
        let flush = !self.tail[self.line..].starts_with([' ', '\t', '\r', '\n']);
        match self.tail.len() {
            length if length > 2 * MAX_OPEN => length,
            _ if flush => self.line,
            _ => 0,
        }
    }
}

/// A fence or a heading: both end what came before, and are themselves quick to be sure about.
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

/// CommonMark 0.31, section 4.5: at most three spaces, at least as many marks, nothing but space behind.
fn closes_fence(line: &str, mark: u8, length: usize) -> bool {
    let text = line.trim_start_matches(' ');
    let rest = text.trim_start_matches(char::from(mark));
    line.len() - text.len() < 4 && text.len() - rest.len() >= length && is_blank(rest)
}

/// A lone carriage return ends a line for the parser but not for the splitter.
fn has_inner_return(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).contains('\r')
}

/// The head of the table that the tail is; empty when it is none.
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
