//! Embedded blocks of a text: fenced code, tables, labelled figures and quoted passages. They are the data of a request,
//! not its words.

mod delimited_lines;
mod figures;
mod quotation;

use std::ops::Range;

pub use self::figures::{LabelledFigure, labelled_figures};
use self::{delimited_lines::table, figures::figure_lists, quotation::quotations};

/// Longer blocks are left out of titles.
const MAX_SHOWN_CHARS: usize = 80;

/// Kind of an embedded block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Between two lines of three backticks.
    Fenced,
    /// Lines of delimited values, or a Markdown table.
    Table,
    /// A list of numbers with a label each.
    Figures,
    /// A passage in quotation marks.
    Quoted,
    /// A name or a term in quotation marks. It belongs to the words, and [`embedded_blocks`] leaves it out.
    Term,
}

/// Position of an embedded block in a text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedBlock {
    pub kind: BlockKind,
    /// The block with its marks.
    pub range: Range<usize>,
    /// What stands between the marks.
    pub content: Range<usize>,
}

/// Returns the embedded blocks of a text, in order.
pub fn embedded_blocks(text: &str) -> Vec<EmbeddedBlock> {
    let mut blocks = blocks_and_terms(text);
    blocks.retain(|block| block.kind != BlockKind::Term);
    blocks
}

/// Returns the embedded blocks and the quoted terms of a text, in order.
pub fn blocks_and_terms(text: &str) -> Vec<EmbeddedBlock> {
    let lines = lines(text);
    let (mut blocks, mut at, mut rest) = (Vec::new(), 0, 0);
    while at < lines.len() {
        let Some((block, next)) = line_block(text, &lines, at) else {
            at += 1;
            continue;
        };
        blocks.extend(inline_blocks(text, rest..block.range.start));
        rest = block.range.end;
        blocks.push(block);
        at = next;
    }
    blocks.extend(inline_blocks(text, rest..text.len()));
    blocks
}

/// Returns the blocks within lines: quotations, and lists of figures between them.
fn inline_blocks(text: &str, within: Range<usize>) -> Vec<EmbeddedBlock> {
    let (mut blocks, mut from) = (Vec::new(), within.start);
    for quotation in quotations(text, within.clone()) {
        blocks.extend(figures(text, from..quotation.range.start));
        from = quotation.range.end;
        blocks.push(quotation);
    }
    blocks.extend(figures(text, from..within.end));
    blocks
}

fn figures(text: &str, within: Range<usize>) -> impl Iterator<Item = EmbeddedBlock> {
    figure_lists(text, within).into_iter().filter_map(|list| {
        let range = list.first()?.label.start..list.last()?.number.end;
        Some(EmbeddedBlock { kind: BlockKind::Figures, content: range.clone(), range })
    })
}

/// Returns the text as a title: without tables and code, and with long quotations shortened to their marks.
pub fn without_long_blocks(text: &str) -> String {
    let (mut short, mut from) = (String::with_capacity(text.len()), 0);
    for block in embedded_blocks(text) {
        let is_short = text[block.range.clone()].chars().count() <= MAX_SHOWN_CHARS;
        if matches!(block.kind, BlockKind::Quoted | BlockKind::Figures) && is_short {
            continue;
        }
        short.push_str(&text[from..block.range.start]);
        if block.kind == BlockKind::Quoted {
            short.push_str("“…”");
        }
        from = block.range.end;
    }
    short.push_str(&text[from..]);
    short.trim_end_matches(|c: char| c == ':' || c.is_whitespace()).to_owned()
}

/// Returns the lines with their positions, without line ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let start = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
    text.lines().map(|line| start(line)..start(line) + line.len()).collect()
}

/// Returns the fenced code or the table that begins in a line, and the number of the line after it.
fn line_block(text: &str, lines: &[Range<usize>], at: usize) -> Option<(EmbeddedBlock, usize)> {
    let is_fence = |line: &Range<usize>| text[line.clone()].trim_start().starts_with("```");
    if is_fence(&lines[at]) {
        let close = lines[at + 1..].iter().position(is_fence).map(|lines| at + 1 + lines);
        let last = close.unwrap_or(lines.len() - 1);
        let content_end = close.map_or(lines[last].end, |close| lines[close].start);
        let content = (lines[at].end + 1).min(content_end)..content_end;
        let range = lines[at].start..lines[last].end;
        return Some((EmbeddedBlock { kind: BlockKind::Fenced, range, content }, last + 1));
    }
    let (table, count) = table(text, &lines[at..])?;
    Some((table, at + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(BlockKind, &str)> {
        embedded_blocks(text).into_iter().map(|block| (block.kind, &text[block.content])).collect()
    }

    #[test]
    fn finds_tables_code_and_passages() {
        use BlockKind::{Fenced, Quoted, Table};
        for (text, expected) in [
            ("Count the words of “The sea is calm.” now", vec![(Quoted, "The sea is calm.")]),
            ("Zähle „Das Meer, es ruht.“", vec![(Quoted, "Das Meer, es ruht.")]),
            ("数一数「海很平静。」", vec![(Quoted, "海很平静。")]),
            ("Count \"The sea, calm\": all", vec![(Quoted, "The sea, calm")]),
            ("Chart this:\na,b\n1,2\n3,4\nThen stop", vec![(Table, "a,b\n1,2\n3,4")]),
            ("Chart this: a,b\n1,2\n3,4", vec![(Table, "a,b\n1,2\n3,4")]),
            ("Sum\n| a | b |\n|---|---|\n| x | 2 |\n", vec![(Table, "| a | b |\n|---|---|\n| x | 2 |")]),
            ("Run\n```csv\na,b\n```\n“One. Two.”", vec![(Fenced, "a,b\n"), (Quoted, "One. Two.")]),
            ("Run\n```\nopen", vec![(Fenced, "open")]),
            ("```", vec![(Fenced, "")]),
        ] {
            assert_eq!(blocks(text), expected, "{text}");
        }
    }

    #[test]
    fn prose_names_and_inches_are_no_blocks() {
        for text in [
            "Find agents for “tide tables”",
            "5'6\" to cm, 7'8\" to cm",
            "Fetch it, plot it\nreport it, 5 pages\nsend it, 6 times",
            "“Never closed, at all",
            "",
            "a,b\n1,2",
        ] {
            assert!(blocks(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn many_marks_without_an_end_take_linear_time() {
        let text = "„« ".repeat(200_000);
        assert!(embedded_blocks(&text).is_empty());
    }

    #[test]
    fn titles_have_no_long_blocks() {
        assert_eq!(without_long_blocks("Chart this:\na,b\n1,2\n3,4"), "Chart this");
        assert_eq!(without_long_blocks("Count “One. Two.” now"), "Count “One. Two.” now");
        let long = format!("Count “{}” now", "The sea is calm. ".repeat(9));
        assert_eq!(without_long_blocks(&long), "Count “…” now");
    }
}
