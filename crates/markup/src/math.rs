//! Mathematical formulas in LaTeX: `\(…\)`, `\[…\]`, `$…$`, `$$…$$`, and GitHub's `` $`…`$ ``, as MathML.
//!
//! Markdown takes backslashes, `_` and `*` out of formulas. This module rewrites them to `` $`…`$ ``, with their own
//! delimiters inside, which the parser returns as one node. Code, raw HTML and prices stay as they are. A formula that is
//! not valid is shown as written.

use std::{ops::Range, sync::LazyLock};

use comrak::{Node, nodes::NodeValue};
use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// Maximum length of a formula in bytes. It bounds the search for the end of one.
const MAX_FORMULA: usize = 2_000;
/// Maximum number of searches without a result. Text after them is Markdown only, which keeps the time linear.
const MAX_FAILURES: usize = 1_000;

/// Maximum nesting depth of a formula. The converter recurses, and overflows a stack of 1 MiB at about 40 levels in a debug
/// build.
const MAX_NESTING: usize = 24;

static CONVERTER: LazyLock<Option<LatexToMathML>> =
    LazyLock::new(|| LatexToMathML::new(MathCoreConfig::default()).ok());

/// Converts a formula, with or without its delimiters. Returns `None` if it is not valid LaTeX, has unknown commands, or is
/// nested too deeply.
pub fn to_mathml(source: &str) -> Option<String> {
    let (display, latex) = without_delimiters(source);
    if latex.len() > MAX_FORMULA || nesting(latex) > MAX_NESTING {
        return None;
    }
    let converted = CONVERTER.as_ref()?.convert_with_local_state(latex, display).ok()?;
    // Columns of equations are aligned by style attributes, which the sanitizer removes.
    let aligned = converted.mathml.replace("style=\"text-align: right;", "class=\"align-right\" style=\"");
    Some(aligned.replace("style=\"text-align: left;", "class=\"align-left\" style=\""))
}

fn without_delimiters(source: &str) -> (MathDisplay, &str) {
    let delimiters = [
        ("\\[", "\\]", MathDisplay::Block),
        ("$$", "$$", MathDisplay::Block),
        ("\\(", "\\)", MathDisplay::Inline),
        ("$", "$", MathDisplay::Inline),
    ];
    let inside = |(open, close, display): (&str, &str, MathDisplay)| {
        Some((display, source.strip_prefix(open)?.strip_suffix(close)?))
    };
    delimiters.into_iter().find_map(inside).unwrap_or((MathDisplay::Inline, source))
}

/// Returns an upper bound of the nesting depth: open groups, and commands in a row, each of which may take the next as its
/// argument (`\sqrt\sqrt x`).
fn nesting(latex: &str) -> usize {
    let (mut groups, mut row, mut most) = (0_usize, 0_usize, 0_usize);
    let mut rest = latex;
    while let Some(c) = rest.chars().next() {
        let command = rest.strip_prefix('\\').map(|name| {
            let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
            &name[..letters]
        });
        match (c, command) {
            (_, Some("left" | "begin")) => groups += 1,
            (_, Some("right" | "end")) => groups = groups.saturating_sub(1),
            (_, Some(name)) if !name.is_empty() => row += 1,
            ('{' | '[', _) => groups += 1,
            ('}' | ']', _) => groups = groups.saturating_sub(1),
            ('^' | '_', _) => row += 1,
            (c, _) if c.is_whitespace() => {}
            _ => row = 0,
        }
        most = most.max(groups + row);
        let length = command.map_or(c.len_utf8(), |name| 1 + name.len().max(1));
        rest = rest.get(length..).unwrap_or_default();
    }
    most
}

/// Returns true if text may have formulas.
pub fn may_have_formulas(text: &str) -> bool {
    text.contains('$') || text.contains("\\(") || text.contains("\\[")
}

/// Returns the text with the formulas marked for the parser; `None` if it has none. `root` is the document of the same text.
pub fn mark_formulas(text: &str, root: Node<'_>) -> Option<String> {
    let verbatim = ranges(text, root, is_verbatim);
    let tables = ranges(text, root, |value| matches!(value, NodeValue::Table(_)));
    let mut tables = tables.iter().peekable();
    let mut blocked = verbatim.iter().peekable();
    let mut marked = String::new();
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
                while tables.next_if(|range| range.end <= at).is_some() {}
                let is_in_table = tables.peek().is_some_and(|table| table.contains(&at));
                marked.push_str(&text[copied..at]);
                write_marked(
                    &mut marked,
                    formula,
                    is_in_table,
                    formula.contains('\n') && is_quoted(text, at),
                );
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
    (copied > 0).then(|| marked + &text[copied..])
}

const fn is_verbatim(value: &NodeValue) -> bool {
    matches!(
        value,
        NodeValue::CodeBlock(_)
            | NodeValue::HtmlBlock(_)
            | NodeValue::Code(_)
            | NodeValue::HtmlInline(_)
            | NodeValue::Math(_)
    )
}

/// Returns the byte ranges of the nodes with a property, in order.
fn ranges(text: &str, root: Node<'_>, has: impl Fn(&NodeValue) -> bool) -> Vec<Range<usize>> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |number: usize| starts.get(number).copied().unwrap_or(text.len());
    let mut ranges: Vec<Range<usize>> = root
        .descendants()
        .filter(|node| has(&node.data().value))
        .map(|node| {
            let data = node.data();
            let place = data.sourcepos;
            let (first, last) = (place.start.line.saturating_sub(1), place.end.line.saturating_sub(1));
            match data.value {
                NodeValue::CodeBlock(_) | NodeValue::HtmlBlock(_) | NodeValue::Table(_) => {
                    line(first)..line(last + 1)
                }
                _ => line(first) + place.start.column.saturating_sub(1)..line(last) + place.end.column,
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

/// Writes a formula as a node of its own, on one line, so that none of its lines begins a block.
///
/// Bars would divide the cells of a table, and backticks would end the node: such a formula is only escaped, and shown as
/// written.
fn write_marked(marked: &mut String, formula: &str, is_in_table: bool, is_quoted: bool) {
    if formula.contains('`') || (is_in_table && formula.contains('|')) {
        return write_escaped(marked, formula, is_quoted);
    }
    // The parser removes the spaces. Without them, a dollar sign behind the backtick would end the node.
    marked.push_str("$` ");
    for (number, line) in formula.lines().enumerate() {
        let line = if is_quoted && number > 0 { line.trim_start_matches([' ', '>']) } else { line };
        marked.push_str(if number > 0 { " " } else { "" });
        marked.push_str(line);
    }
    marked.push_str(" `$");
}

/// Writes a formula as text, with its punctuation escaped. The marks of a block quote and the bars of a table are kept.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_formulas_are_counted_before_they_are_converted() {
        let repeat = |open: &str, close: &str, n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
        for (open, close) in [
            ("{", "}"),
            ("\\sqrt ", ""),
            ("\\sqrt{", "}"),
            ("\\left(", "\\right)"),
            ("x_{", "}"),
            ("^", ""),
            ("\\begin{matrix}", "\\end{matrix}"),
            ("\\frac\\sqrt", ""),
        ] {
            let deep = repeat(open, close, MAX_FORMULA / (open.len() + close.len()) - 1);
            assert!(nesting(&deep) > MAX_NESTING, "{open}");
            assert_eq!(to_mathml(&deep), None, "{open}");
        }
        assert!(nesting(r"\frac{a}{b} + \sum_{i=1}^{n} \left( x_i^2 \right)") <= 3);
        let most = std::thread::Builder::new().stack_size(1 << 20);
        let deepest = repeat("\\sqrt{", "}", MAX_NESTING / 2);
        most.spawn(move || assert!(to_mathml(&deepest).is_some())).unwrap().join().unwrap();
    }
}
