//! Labelled figures in prose: "Jan 420, Feb 380 and Mar 510".

use std::ops::{Range, RangeInclusive};

use crate::tokenize::is_unspaced;

/// Minimum number of figures of a list, and after a colon.
const MIN_FIGURES: usize = 3;
const MIN_AFTER_COLON: usize = 2;
/// Maximum number of words of a label, and of letters of a unit, as in "420 kg".
const MAX_LABEL_WORDS: usize = 4;
const MAX_UNIT_LETTERS: usize = 3;
/// A list of numbers in this range only is one of years.
const YEARS: RangeInclusive<u32> = 1_900..=2_100;
/// Words before the last figure of a list.
const LAST: [&str; 8] = ["&", "and", "e", "et", "und", "y", "و", "和"];
/// Marks between a label and its figure.
const ASSIGNS: [char; 3] = [':', '=', '：'];

/// A figure with its label, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledFigure {
    pub label: Range<usize>,
    pub number: Range<usize>,
}

/// Returns the figures of a text that is a list of them.
pub fn labelled_figures(text: &str) -> Vec<LabelledFigure> {
    figure_lists(text, 0..text.len()).into_iter().next().unwrap_or_default()
}

/// Returns the lists of labelled figures in a range of a text.
pub(super) fn figure_lists(text: &str, within: Range<usize>) -> Vec<Vec<LabelledFigure>> {
    let mut lists = Lists { text, found: Vec::new(), current: Vec::new(), min: MIN_FIGURES };
    for item in items(text, within) {
        match Item::read(text, item) {
            Some(item) if item.is_label_only && !lists.current.is_empty() => {
                lists.push(item.figure());
                if !item.ends {
                    lists.end();
                }
            }
            // The first figure of a list may stand behind other words.
            Some(item) if item.ends => {
                lists.end();
                lists.min = if item.is_after_colon { MIN_AFTER_COLON } else { MIN_FIGURES };
                lists.push(item.first_figure(text));
            }
            _ => lists.end(),
        }
    }
    lists.end();
    lists.found
}

struct Lists<'a> {
    text: &'a str,
    found: Vec<Vec<LabelledFigure>>,
    current: Vec<LabelledFigure>,
    min: usize,
}

impl Lists<'_> {
    fn push(&mut self, figure: LabelledFigure) {
        self.current.push(figure);
    }

    fn end(&mut self) {
        let list = std::mem::take(&mut self.current);
        let is_year = |figure: &LabelledFigure| {
            let number = &self.text[figure.number.clone()];
            number.len() == 4 && number.parse().is_ok_and(|year: u32| YEARS.contains(&year))
        };
        if list.len() >= self.min && !list.iter().all(is_year) {
            self.found.push(list);
        }
    }
}

/// What stands between two marks: words of a label and a number, with other words around them.
struct Item<'a> {
    /// Words before the number, those after a colon only. Not empty.
    label: Vec<(usize, &'a str)>,
    number: Range<usize>,
    /// Whether nothing but the label stands before the number, and nothing but a unit after it.
    is_label_only: bool,
    ends: bool,
    is_after_colon: bool,
}

impl<'a> Item<'a> {
    /// Returns `None` for an item without a label and a number.
    fn read(text: &'a str, item: Range<usize>) -> Option<Self> {
        let words: Vec<(usize, &str)> = words(text, item).collect();
        let (at, number, attached) = words.iter().enumerate().find_map(|(at, (start, word))| {
            if at > 0 && is_number(word) && !word.ends_with(ASSIGNS) {
                return Some((at, *start..start + word.len(), None));
            }
            let length = attached_label(word)?;
            Some((at, start + length..start + word.len(), Some((*start, &word[..length]))))
        })?;
        let before: Vec<(usize, &str)> = words[..at].iter().copied().chain(attached).collect();
        let (last, others) = before.split_last()?;
        let colon = others.iter().rposition(|(_, word)| word.ends_with([':', '：']));
        let label = before[colon.map_or(0, |colon| colon + 1)..].to_vec();
        let is_assigned = last.1.ends_with(ASSIGNS);
        let has_letters = label.iter().any(|(_, word)| word.contains(char::is_alphabetic));
        let is_named = last.1.trim_end_matches(ASSIGNS).contains(char::is_alphanumeric);
        let has_unit = words.get(at + 1).is_some_and(|(_, word)| is_unit(word));
        (is_named && (has_letters || is_assigned)).then(|| Self {
            is_label_only: colon.is_none() && label.len() <= MAX_LABEL_WORDS,
            is_after_colon: colon.is_some() && label.len() <= MAX_LABEL_WORDS,
            ends: words.len() == at + 1 + usize::from(has_unit),
            label,
            number,
        })
    }

    fn figure(&self) -> LabelledFigure {
        self.with_label(0)
    }

    /// Returns the figure with the words that are its label: those after a colon, or capitalised ones, or the last one.
    fn first_figure(&self, text: &str) -> LabelledFigure {
        let first = self.label.first().map_or(0, |(at, _)| *at);
        let begins_line = text[..first].trim_end_matches([' ', '\t']).ends_with('\n');
        if self.is_after_colon || (begins_line && self.is_label_only) {
            return self.with_label(0);
        }
        let is_name = |(_, word): &&(usize, &str)| word.starts_with(char::is_uppercase);
        let names = self.label.iter().skip(1).rev().take_while(is_name).count();
        self.with_label(self.label.len() - names.clamp(1, MAX_LABEL_WORDS).min(self.label.len()))
    }

    fn with_label(&self, first: usize) -> LabelledFigure {
        let start = self.label.get(first).map_or(self.number.start, |(at, _)| *at);
        let end = self.label.last().map_or(start, |(at, word)| at + word.trim_end_matches(ASSIGNS).len());
        LabelledFigure { label: start..end.max(start), number: self.number.clone() }
    }
}

/// Divides a text at the marks and words between figures. A comma between two digits belongs to a number.
fn items(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let (mut items, mut start, mut before) = (Vec::new(), within.start, None);
    let mut chars = text[within.clone()].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let at = within.start + offset;
        let next = chars.peek().map(|(_, next)| *next);
        let is_digit = |c: Option<char>| c.is_some_and(|c: char| c.is_ascii_digit());
        let is_sentence_end = matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace);
        let ends = matches!(c, ';' | '\n' | '，' | '、' | '；' | '。')
            || (c == ',' && !(is_digit(before) && is_digit(next)))
            || is_sentence_end;
        if ends {
            items.extend(divided_at_last(text, start..at));
            start = at + c.len_utf8();
            // An empty item ends a list.
            if is_sentence_end || c == '。' {
                items.push(start..start);
            }
        }
        before = Some(c);
    }
    items.extend(divided_at_last(text, start..within.end));
    items
}

/// Divides an item at the word before the last figure: "Feb 380 and Mar 510".
fn divided_at_last(text: &str, item: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), item.start);
    for (at, word) in words(text, item.clone()) {
        if LAST.contains(&word.to_lowercase().as_str()) {
            parts.push(start..at);
            start = at + word.len();
        }
    }
    parts.push(start..item.end);
    // The word may begin an item: ", and Mar 510".
    parts.retain(|part| !text[part.clone()].trim().is_empty());
    parts
}

fn words(text: &str, within: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text[within].split_whitespace().map(move |word| (start(word), word))
}

/// Returns whether a word is a number, also with a currency or a percent sign.
fn is_number(word: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, ',' | '"' | '/' | '*' | '^');
    word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || c == ',' || is_sign(c))
        && word.trim_start_matches(is_sign).starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the length of a label to which its number is attached: "Jan=420", "一月420".
fn attached_label(word: &str) -> Option<usize> {
    let at = word.find(|c: char| c.is_ascii_digit())?;
    let (label, number) = word.split_at(at);
    let last = label.chars().next_back()?;
    let is_label = last == '=' || (last == ':' && label.contains(char::is_alphabetic)) || is_unspaced(last);
    // Units such as 万 and 元 may follow in scripts without spaces.
    let digits = number.trim_end_matches(|c: char| is_unspaced(c) || c == '%');
    (is_label && is_number(digits)).then_some(at)
}

fn is_unit(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters <= MAX_UNIT_LETTERS && !word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> Vec<Vec<(&str, &str)>> {
        let pair = |figure: &LabelledFigure| (&text[figure.label.clone()], &text[figure.number.clone()]);
        figure_lists(text, 0..text.len()).iter().map(|list| list.iter().map(pair).collect()).collect()
    }

    #[test]
    fn figures_with_labels_are_found() {
        let months = [("Jan", "420"), ("Feb", "380"), ("Mar", "510")];
        for text in [
            "Jan 420, Feb 380, Mar 510",
            "Draw a chart of Jan 420, Feb 380, Mar 510",
            "Draw a chart of these sales: Jan 420, Feb 380 and Mar 510. Then stop.",
            "Jan 420, Feb 380, and Mar 510 as a bar chart",
            "Show Jan: 420; Feb: 380; Mar: 510",
            "Plot Jan=420, Feb=380, Mar=510",
            "Chart my sales\nJan 420\nFeb 380\nMar 510\n",
            "Sales: Jan 420, Feb 380, Mar 510 EUR",
            "Zeichne ein Diagramm: Jan 420, Feb 380 und Mar 510",
        ] {
            assert_eq!(lists(text), [months], "{text}");
        }
        for (text, expected) in [
            ("spending: rent $900, food $1,400.50", vec![("rent", "$900"), ("food", "$1,400.50")]),
            (
                "New York 8.4, Los Angeles 3.9, Chicago 2.7",
                vec![("York", "8.4"), ("Los Angeles", "3.9"), ("Chicago", "2.7")],
            ),
            ("plot 2019: 420, 2020: 380, 2021: 510", vec![("2019", "420"), ("2020", "380"), ("2021", "510")]),
            (
                "画图：一月420、二月380、三月510",
                vec![("画图：一月", "420"), ("二月", "380"), ("三月", "510")],
            ),
        ] {
            assert_eq!(lists(text), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_in_prose_are_no_figures() {
        for text in [
            "Sum of 3, 4 and 5",
            "Convert 5 miles to km, 70 kg to pounds and 3 m to feet",
            "The revenue from 2014 to 2020: find it, plot it, write a report",
            "Compare Q1 2020, Q2 2020 and Q3 2020",
            "Audit the accounts of Microsoft for 2020, number 3",
            "report it, 5 pages\nsend it, 6 times",
            "Jan 420, Feb 380",
            "",
        ] {
            assert!(lists(text).is_empty(), "{text}: {:?}", lists(text));
        }
    }
}
