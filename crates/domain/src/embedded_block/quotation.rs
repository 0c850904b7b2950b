//! Quotations in any marks.

use std::ops::Range;

use super::{BlockKind, EmbeddedBlock};
use crate::tokenize::is_unspaced;

/// A quotation of fewer words is a name or a term, unless a mark that ends a clause stands in it.
const MIN_PASSAGE_WORDS: usize = 3;
/// The same in characters, for scripts without spaces.
const MIN_PASSAGE_CHARS: usize = 40;
const MIN_UNSPACED_CHARS: usize = 8;
/// Marks that end a clause, also in Chinese and Japanese.
const CLAUSE_MARKS: [char; 12] = [',', ';', ':', '.', '!', '?', '\n', '、', '。', '，', '！', '？'];

/// Opening quotation mark with the marks that close it.
struct Marks {
    open: char,
    close: &'static [char],
    /// The mark also stands for something else, such as an apostrophe or an inch, so it only opens before a word and
    /// only closes after one.
    is_ambiguous: bool,
}

const fn marks(open: char, close: &'static [char]) -> Marks {
    Marks { open, close, is_ambiguous: false }
}

const fn ambiguous(open: char, close: &'static [char]) -> Marks {
    Marks { open, close, is_ambiguous: true }
}

const MARKS: [Marks; 16] = [
    marks('“', &['”']),
    marks('„', &['“', '”']),
    marks('«', &['»']),
    marks('»', &['«']),
    marks('‹', &['›']),
    marks('›', &['‹']),
    marks('「', &['」']),
    marks('『', &['』']),
    marks('《', &['》']),
    marks('〝', &['〞', '〟']),
    marks('＂', &['＂']),
    ambiguous('‘', &['’']),
    ambiguous('‚', &['‘', '’']),
    ambiguous('”', &['”']),
    ambiguous('"', &['"']),
    ambiguous('\'', &['\'']),
];

/// Returns the quotations in a range of a text: passages and terms. A quotation without an end is none.
pub(super) fn quotations(text: &str, within: Range<usize>) -> Vec<EmbeddedBlock> {
    let (mut found, mut at) = (Vec::new(), within.start);
    let mut before = text[..within.start].chars().next_back();
    // Once a kind of quotation has no end, later ones of this kind have none either. This bounds the time.
    let mut endless = [false; MARKS.len()];
    while let Some(c) = text[at..within.end].chars().next() {
        let open = at..at + c.len_utf8();
        let previous = before.replace(c);
        at = open.end;
        let Some(kind) = MARKS.iter().position(|marks| marks.open == c).filter(|kind| !endless[*kind]) else {
            continue;
        };
        let rest = &text[open.end..within.end];
        if MARKS[kind].is_ambiguous && !begins_quotation(previous, rest.chars().next()) {
            continue;
        }
        let Some(close) = closing_mark(rest, &MARKS[kind]) else {
            endless[kind] = true;
            continue;
        };
        let content = open.end..open.end + close.start;
        at = open.end + close.end;
        before = text[..at].chars().next_back();
        let kind = if is_passage(&text[content.clone()]) { BlockKind::Quoted } else { BlockKind::Term };
        found.push(EmbeddedBlock { kind, range: open.start..at, content });
    }
    found
}

/// Returns the position of the mark that closes a quotation. Quotations of the same marks may stand in it.
fn closing_mark(rest: &str, marks: &Marks) -> Option<Range<usize>> {
    let (mut nested, mut before) = (0_usize, None);
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_inside_word = marks.is_ambiguous && next.is_some_and(char::is_alphanumeric);
        let is_alone = marks.is_ambiguous && before.is_none_or(char::is_whitespace);
        if marks.close.contains(&c) && !is_inside_word && !is_alone {
            if nested == 0 {
                return Some(at..at + c.len_utf8());
            }
            nested -= 1;
        } else if c == marks.open && !marks.is_ambiguous {
            nested += 1;
        }
        before = Some(c);
    }
    None
}

/// Returns whether an ambiguous mark opens a quotation. After a digit it is an inch, within a word an apostrophe.
fn begins_quotation(before: Option<char>, after: Option<char>) -> bool {
    let is_open = |c: char| {
        c.is_whitespace()
            || is_unspaced(c)
            || matches!(c, '(' | '[' | ':' | '：' | '=' | '—' | '–' | '“' | '„')
    };
    before.is_none_or(is_open) && after.is_some_and(|c| !c.is_whitespace())
}

/// Returns whether quoted words are a passage of a text, instead of a name or a term.
fn is_passage(words: &str) -> bool {
    let is_mark = |(at, c): (usize, char)| {
        // A point within a word belongs to a name, such as that of a file.
        let next = words[at + c.len_utf8()..].chars().next();
        CLAUSE_MARKS.contains(&c) && !(c == '.' && next.is_some_and(char::is_alphanumeric))
    };
    words.char_indices().any(is_mark)
        || words.split_whitespace().nth(MIN_PASSAGE_WORDS - 1).is_some()
        || words.chars().filter(|c| is_unspaced(*c)).nth(MIN_UNSPACED_CHARS - 1).is_some()
        || words.chars().nth(MIN_PASSAGE_CHARS - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(BlockKind, &str)> {
        let all = quotations(text, 0..text.len()).into_iter();
        all.map(|block| (block.kind, &text[block.content])).collect()
    }

    #[test]
    fn quotations_in_all_marks_are_found_whole() {
        let words = "to be or not to be";
        for (open, close) in [
            ("\"", "\""),
            ("“", "”"),
            ("‘", "’"),
            ("'", "'"),
            ("«", "»"),
            ("« ", " »"),
            ("»", "«"),
            ("„", "“"),
            ("„", "”"),
            ("”", "”"),
            ("‚", "‘"),
            ("‹", "›"),
            ("「", "」"),
            ("『", "』"),
        ] {
            for (before, after) in
                [("count ", ""), ("count ", " and go"), ("(", ")"), ("", "."), ("in: ", ", then")]
            {
                let text = format!("{before}{open}{words}{close}{after}");
                let found = found(&text);
                let [(BlockKind::Quoted, content)] = found.as_slice() else { panic!("{text}: {found:?}") };
                assert_eq!(content.trim(), words, "{text}");
            }
        }
    }

    #[test]
    fn apostrophes_and_inches_open_nothing() {
        for text in [
            "Microsoft's revenue and the boats' nets",
            "don't, can't and it’s",
            "5'6\" to cm, 7'8\" to cm",
            "a 6' board and a 7' board",
            "“Never closed, at all",
            "rock ' n ' roll",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn quotations_stand_in_quotations() {
        use BlockKind::{Quoted, Term};
        for (text, expected) in [
            ("count “he said ‘no, thanks’ and left”", vec![(Quoted, "he said ‘no, thanks’ and left")]),
            ("count \"he said 'no' and left\" now", vec![(Quoted, "he said 'no' and left")]),
            ("count 'don't stop the boats' now", vec![(Quoted, "don't stop the boats")]),
            ("count ‘don’t stop the boats’", vec![(Quoted, "don’t stop the boats")]),
            ("数一数「他说「不」然后走了出去」", vec![(Quoted, "他说「不」然后走了出去")]),
            ("\"tides\" and \"a, b\"", vec![(Term, "tides"), (Quoted, "a, b")]),
            ("the file “sales.csv”", vec![(Term, "sales.csv")]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
