//! Embedded blocks of a text: fenced code, tables and quoted passages. They are the data of a request, not its words.

use std::ops::Range;

/// Minimum number of lines of a table of delimited values: a header and two rows.
const MIN_TABLE_LINES: usize = 3;
/// A quotation of fewer characters is a passage only if a mark that ends a clause stands in it.
const MIN_PASSAGE_CHARS: usize = 40;
/// Longer blocks are left out of titles.
const MAX_SHOWN_CHARS: usize = 80;
/// Marks that end a clause, also in Chinese and Japanese.
const CLAUSE_MARKS: [char; 12] = [',', ';', ':', '.', '!', '?', '\n', '、', '。', '，', '！', '？'];
const DELIMITERS: [char; 3] = ['\t', ';', ','];
/// Opening quotation marks, each with the marks that close it.
const QUOTES: [(char, &[char]); 6] =
    [('“', &['”']), ('„', &['“', '”']), ('«', &['»']), ('「', &['」']), ('『', &['』']), ('"', &['"'])];

/// Kind of an embedded block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Between two lines of three backticks.
    Fenced,
    /// Lines of delimited values, or a Markdown table.
    Table,
    /// A passage in quotation marks.
    Quoted,
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
    let lines = lines(text);
    let (mut blocks, mut at, mut rest) = (Vec::new(), 0, 0);
    while at < lines.len() {
        let Some((block, next)) = line_block(text, &lines, at) else {
            at += 1;
            continue;
        };
        blocks.extend(quoted_passages(text, rest..block.range.start));
        rest = block.range.end;
        blocks.push(block);
        at = next;
    }
    blocks.extend(quoted_passages(text, rest..text.len()));
    blocks
}

/// Returns the text as a title: without tables and code, and with long quotations shortened to their marks.
pub fn without_long_blocks(text: &str) -> String {
    let (mut short, mut from) = (String::with_capacity(text.len()), 0);
    for block in embedded_blocks(text) {
        let is_short = text[block.range.clone()].chars().count() <= MAX_SHOWN_CHARS;
        if block.kind == BlockKind::Quoted && is_short {
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
    let (start, count) = table(text, &lines[at..])?;
    let range = start..lines[at + count - 1].end;
    Some((EmbeddedBlock { kind: BlockKind::Table, content: range.clone(), range }, at + count))
}

/// Returns where the table of the first line begins, and its number of lines.
///
/// Each line has the same number of delimiters, and each one after the header a number, so that prose is no table.
fn table(text: &str, lines: &[Range<usize>]) -> Option<(usize, usize)> {
    let first = lines.first()?.clone();
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let rows = lines.iter().take_while(|line| is_row(&text[(*line).clone()])).count();
    if rows >= MIN_TABLE_LINES {
        return Some((first.start, rows));
    }
    // The header may stand in the line of the request: "Chart this: month,boats".
    let after_colon = text[first.clone()].rfind(": ").map(|colon| first.start + colon + 2);
    let starts = [Some(first.start), after_colon].into_iter().flatten();
    starts.rev().find_map(|start| {
        let header = &text[start..first.end];
        let delimiter = DELIMITERS.into_iter().find(|delimiter| header.contains(*delimiter))?;
        let columns = header.matches(delimiter).count();
        let is_data = |line: &&Range<usize>| {
            let line = &text[(*line).clone()];
            line.matches(delimiter).count() == columns && line.split(delimiter).any(is_number)
        };
        let lines = 1 + lines[1..].iter().take_while(is_data).count();
        (lines >= MIN_TABLE_LINES).then_some((start, lines))
    })
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim().trim_matches('"');
    cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && cell.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | ',' | ' ' | '%'))
        && cell.contains(|c: char| c.is_ascii_digit())
}

/// Returns the quoted passages in a range of a text. A quotation without an end is none.
fn quoted_passages(text: &str, within: Range<usize>) -> Vec<EmbeddedBlock> {
    let (mut found, mut at) = (Vec::new(), within.start);
    let mut before = text[..within.start].chars().next_back();
    // Once a kind of quotation has no end, later ones of this kind have none either. This bounds the time.
    let mut endless = [false; QUOTES.len()];
    while let Some(c) = text[at..within.end].chars().next() {
        let open = at..at + c.len_utf8();
        let previous = before.replace(c);
        at = open.end;
        let Some(kind) = QUOTES.iter().position(|(mark, _)| *mark == c).filter(|kind| !endless[*kind]) else {
            continue;
        };
        let rest = &text[open.end..within.end];
        if c == '"' && !begins_quotation(previous, rest.chars().next()) {
            continue;
        }
        let Some(close) = closing_mark(rest, QUOTES[kind]) else {
            endless[kind] = true;
            continue;
        };
        let content = open.end..open.end + close.start;
        at = open.end + close.end;
        before = text[..at].chars().next_back();
        if is_passage(&text[content.clone()]) {
            found.push(EmbeddedBlock { kind: BlockKind::Quoted, range: open.start..at, content });
        }
    }
    found
}

/// Returns the position of the mark that closes a quotation.
fn closing_mark(rest: &str, (open, closing): (char, &[char])) -> Option<Range<usize>> {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_inside_word = open == '"' && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if closing.contains(&c) && !is_inside_word {
            return Some(at..at + c.len_utf8());
        }
    }
    None
}

/// Returns whether a straight quotation mark opens. After a digit it is an inch.
fn begins_quotation(before: Option<char>, after: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | ':'))
        && after.is_some_and(|c| !c.is_whitespace())
}

/// Returns whether quoted words are a passage of a text, instead of a name or a term.
fn is_passage(words: &str) -> bool {
    words.contains(CLAUSE_MARKS) || words.chars().count() >= MIN_PASSAGE_CHARS
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
