//! Keeps mathematical formulas whole: `\(…\)`, `\[…\]`, `$…$` and `$$…$$` are shown as written.
//!
//! Markdown takes backslashes, `_` and `*` out of formulas. This module escapes the punctuation in them, so that
//! the parser returns it as text. Code, raw HTML and prices stay as they are.

use std::ops::Range;

use comrak::{Node, nodes::NodeValue};

/// Maximum length of a formula in bytes. It bounds the search for the end of one.
const MAX_FORMULA: usize = 2_000;
/// Maximum number of searches without a result. Text after them is Markdown only, which keeps the time linear.
const MAX_FAILURES: usize = 1_000;

/// Returns true if text may have formulas.
pub fn may_have_formulas(text: &str) -> bool {
    text.contains('$') || text.contains("\\(") || text.contains("\\[")
}

/// Returns the text with the formulas escaped; `None` if it has none. `root` is the document of the same text.
pub fn escape_formulas(text: &str, root: Node<'_>) -> Option<String> {
    let verbatim = verbatim_ranges(text, root);
    let mut blocked = verbatim.iter().peekable();
    let mut escaped = String::new();
    let (mut at, mut copied, mut failures) = (0, 0, 0);
    while let Some(found) = text[at..].find(['\\', '$']) {
        at += found;
        while blocked.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = blocked.peek().filter(|range| range.contains(&at)) {
            at = range.end;
            continue;
        }
        let most = blocked.peek().map_or(text.len(), |range| range.start);
        match formula_length(&text[at..most]) {
            Some(length) => {
                let formula = &text[at..at + length];
                escaped.push_str(&text[copied..at]);
                write_escaped(&mut escaped, formula, formula.contains('\n') && is_quoted(text, at));
                at += length;
                copied = at;
            }
            None => {
                failures += 1;
                if failures > MAX_FAILURES {
                    break;
                }
                // Past a price, or past an escaped character.
                let skipped = if text[at..].starts_with('$') { 1 } else { 2 };
                at += text[at..].chars().take(skipped).map(char::len_utf8).sum::<usize>();
            }
        }
    }
    (copied > 0).then(|| escaped + &text[copied..])
}

/// Returns the byte ranges of code and raw HTML, in order.
fn verbatim_ranges(text: &str, root: Node<'_>) -> Vec<Range<usize>> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |number: usize| starts.get(number).copied().unwrap_or(text.len());
    let mut ranges: Vec<Range<usize>> = root
        .descendants()
        .filter_map(|node| {
            let data = node.data();
            let place = data.sourcepos;
            let (first, last) = (place.start.line.saturating_sub(1), place.end.line.saturating_sub(1));
            match data.value {
                NodeValue::CodeBlock(_) | NodeValue::HtmlBlock(_) => Some(line(first)..line(last + 1)),
                NodeValue::Code(_) | NodeValue::HtmlInline(_) => {
                    Some(line(first) + place.start.column.saturating_sub(1)..line(last) + place.end.column)
                }
                _ => None,
            }
        })
        .filter(|range| range.start < range.end && range.end <= text.len())
        .filter(|range| text.is_char_boundary(range.start) && text.is_char_boundary(range.end))
        .collect();
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// Returns the length of the formula at the start of `text`.
fn formula_length(text: &str) -> Option<usize> {
    let text = &text[..text.floor_char_boundary(MAX_FORMULA)];
    let text = &text[..paragraph_length(text)];
    let ended = |open: &str, close: &str| {
        let inside = text.strip_prefix(open)?;
        let end = inside.find(close).filter(|end| !inside[..*end].trim().is_empty())?;
        Some(open.len() + end + close.len())
    };
    match text.as_bytes() {
        [b'\\', b'(', ..] => ended("\\(", "\\)"),
        [b'\\', b'[', ..] => ended("\\[", "\\]"),
        [b'$', b'$', ..] => ended("$$", "$$"),
        [b'$', ..] => inline_dollars(text),
        _ => None,
    }
}

/// Returns the length of text up to the first blank line, which ends a paragraph.
fn paragraph_length(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_matches([' ', '\t', '>', '\r', '\n']).is_empty() && length > 0 {
            break;
        }
        length += line.len();
    }
    length
}

/// Returns the length of `$…$`. As in Pandoc, no space is inside of the dollars, and no digit after them: prices
/// are no formulas.
fn inline_dollars(text: &str) -> Option<usize> {
    let line = text.lines().next().unwrap_or_default();
    let inside = line.strip_prefix('$').filter(|inside| !inside.starts_with(char::is_whitespace))?;
    let mut before = '$';
    for (at, c) in inside.char_indices() {
        if c == '$' && before != '\\' {
            let next = inside[at + 1..].chars().next();
            let is_end =
                !before.is_whitespace() && at > 0 && !next.is_some_and(|c| c.is_numeric() || c == '$');
            return is_end.then_some(at + 2);
        }
        before = c;
    }
    None
}

/// Returns true if the line at `at` is in a block quote.
fn is_quoted(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim_start_matches(' ').starts_with('>')
}

/// Writes a formula with its punctuation escaped. The marks of a block quote and the bars of a table are kept.
fn write_escaped(escaped: &mut String, formula: &str, is_quoted: bool) {
    for (number, line) in formula.split_inclusive('\n').enumerate() {
        let marks = if is_quoted && number > 0 { line.trim_start_matches([' ', '>']) } else { line };
        escaped.push_str(&line[..line.len() - marks.len()]);
        for c in marks.chars() {
            if c.is_ascii_punctuation() && c != '|' {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
}
