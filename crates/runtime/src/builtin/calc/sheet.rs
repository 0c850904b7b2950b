//! A sheet: many lines, answered in fenced blocks that close as they go.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use plexus_domain::text::one_line;

use super::calculator::Calculator;

/// How many lines a block has at most: a reader sees a block as soon as it is closed.
const BLOCK_LINES: usize = 32;
/// How far results are moved to the right to stand below each other.
const MAX_WIDTH: usize = 48;
/// A sheet works this long before it shows what it has and lets others work.
const SLICE: Duration = Duration::from_millis(2);
/// What one line may take.
const LINE: Duration = Duration::from_millis(500);

pub(super) struct Sheet {
    lines: Vec<Line>,
    next: usize,
    width: usize,
    calculator: Calculator,
    first_problem: Option<String>,
    has_results: bool,
}

enum Line {
    /// Blank, or a comment.
    Plain(String),
    Expression(String),
}

impl Sheet {
    /// `calculator` may know names from before.
    pub fn new(text: &str, calculator: Calculator) -> Self {
        let clean = text.trim().lines().map(one_line);
        let lines = clean.filter(|line| !line.starts_with("```")).map(Line::new).collect();
        Self { lines, next: 0, width: 0, calculator, first_problem: None, has_results: false }
    }

    pub fn is_done(&self) -> bool {
        self.next == self.lines.len()
    }

    /// What is wrong with the first of its lines, where none so far came to anything.
    pub fn came_to_nothing(&self) -> Option<&str> {
        self.first_problem.as_deref().filter(|_| !self.has_results)
    }

    /// Works for one slice of time, at least one line; returns the markdown that this adds.
    pub fn advance(&mut self) -> String {
        let until = Instant::now() + SLICE;
        let mut markdown = String::new();
        while !self.is_done() {
            self.answer_line(&mut markdown);
            if Instant::now() >= until {
                break;
            }
        }
        markdown
    }

    fn answer_line(&mut self, markdown: &mut String) {
        if self.next.is_multiple_of(BLOCK_LINES) {
            self.width = self.block_width();
            markdown.push_str(if self.next == 0 { "```\n" } else { "\n```\n" });
        }
        let answer = match &self.lines[self.next] {
            Line::Plain(text) => text.clone(),
            Line::Expression(text) => {
                let result = self.calculator.evaluate(text, LINE);
                match &result {
                    Ok(value) => self.has_results |= !value.is_empty(),
                    Err(problem) => {
                        self.first_problem.get_or_insert_with(|| problem.clone());
                    }
                }
                answer(text, self.width, result)
            }
        };
        markdown.push_str(&answer);
        markdown.push('\n');
        self.next += 1;
        if self.next.is_multiple_of(BLOCK_LINES) || self.is_done() {
            markdown.push_str("```\n");
        }
    }

    /// The width of the widest expression of the block that begins now.
    fn block_width(&self) -> usize {
        let block = self.lines[self.next..].iter().take(BLOCK_LINES);
        let widths = block.filter_map(|line| match line {
            Line::Plain(_) => None,
            Line::Expression(text) => Some(text.chars().count()).filter(|&width| width <= MAX_WIDTH),
        });
        widths.max().unwrap_or(0)
    }
}

impl Line {
    /// One line has no line end inside, so none can close a fence: a fence stands alone on its line, and
    /// lines that begin with one are left out.
    fn new(text: String) -> Self {
        let is_plain = text.is_empty() || text.starts_with('#') || text.starts_with("//");
        if is_plain { Self::Plain(text) } else { Self::Expression(text) }
    }
}

fn answer(text: &str, width: usize, result: Result<String, String>) -> String {
    let mut line = format!("{text:width$}");
    let _ = match result {
        Ok(value) if value.is_empty() => Ok(()),
        Ok(value) => write!(line, " = {value}"),
        Err(problem) => write!(line, " = ? ({problem})"),
    };
    line
}
