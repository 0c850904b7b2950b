//! Evaluates a sheet of many lines. The answer is a series of fenced code blocks that are closed as it
//! streams.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use plexus_domain::sanitized_text::one_line;

use super::calculator::Calculator;

/// Maximum lines of a block. Clients render a block once it is closed.
const BLOCK_LINES: usize = 32;
/// Maximum column to which results are aligned.
const MAX_WIDTH: usize = 48;
/// Time slice: after it the sheet emits its results and yields to other calculations.
const SLICE: Duration = Duration::from_millis(2);
/// Time limit of one line.
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
    /// Blank line or comment.
    Plain(String),
    Expression(String),
}

impl Sheet {
    /// Parses the text into lines. `calculator` may already hold names.
    pub fn new(text: &str, calculator: Calculator) -> Self {
        let clean = text.trim().lines().map(one_line);
        let lines = clean.filter(|line| !line.starts_with("```")).map(Line::new).collect();
        Self { lines, next: 0, width: 0, calculator, first_problem: None, has_results: false }
    }

    pub fn is_done(&self) -> bool {
        self.next == self.lines.len()
    }

    /// Returns the error of the first failed line, if no line has produced a result so far.
    pub fn came_to_nothing(&self) -> Option<&str> {
        self.first_problem.as_deref().filter(|_| !self.has_results)
    }

    /// Evaluates lines for one time slice, at least one. Returns the Markdown to append.
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

    /// Returns the width of the widest expression in the next block.
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
    /// `text` contains no line feed, so it cannot close the fenced block: a closing fence needs a line of its
    /// own, and lines that start with a fence were removed.
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
