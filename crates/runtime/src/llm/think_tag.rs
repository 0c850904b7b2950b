//! Reasoning that a model writes into its text as `<think>…</think>`, as DeepSeek and Qwen do on servers that do not parse
//! it. Only a tag at the beginning of a turn counts.

use std::{borrow::Cow, mem::take};

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Separates reasoning from the text of one turn, which arrives in pieces of any length.
#[derive(Debug, Default)]
pub enum ThinkTag {
    /// Nothing was emitted. Holds text that may become the opening tag.
    #[default]
    Undecided,
    Held(String),
    /// Within the tag. Holds text that may become the closing tag.
    Open(String),
    /// Behind the closing tag, before the first letter of the answer.
    Closed,
    /// No tag can follow.
    Text,
}

/// A piece, divided.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SplitText<'t> {
    pub reasoning: String,
    pub text: Cow<'t, str>,
}

impl<'t> SplitText<'t> {
    fn of_text(text: impl Into<Cow<'t, str>>) -> Self {
        Self { reasoning: String::new(), text: text.into() }
    }
}

impl ThinkTag {
    /// Divides the next piece. What may belong to a tag is returned with a later piece.
    pub fn split<'t>(&mut self, piece: &'t str) -> SplitText<'t> {
        match self {
            Self::Text => SplitText::of_text(piece),
            Self::Undecided => self.begin(piece.to_owned()),
            Self::Held(held) => {
                let begun = take(held) + piece;
                self.begin(begun)
            }
            Self::Open(held) => {
                let inside = take(held) + piece;
                self.within(&inside)
            }
            Self::Closed => self.behind(piece),
        }
    }

    /// Returns what was held back. A tag that was not closed is reasoning.
    pub fn finish(&mut self) -> SplitText<'static> {
        match take(self) {
            Self::Held(held) => SplitText::of_text(held),
            Self::Open(held) => SplitText { reasoning: held, ..SplitText::default() },
            Self::Undecided | Self::Closed | Self::Text => SplitText::default(),
        }
    }

    fn begin<'t>(&mut self, begun: String) -> SplitText<'t> {
        let first = begun.trim_start();
        if let Some(inside) = first.strip_prefix(OPEN) {
            return self.within(inside);
        }
        if OPEN.starts_with(first) {
            *self = Self::Held(begun);
            return SplitText::default();
        }
        *self = Self::Text;
        SplitText::of_text(begun)
    }

    fn within<'t>(&mut self, inside: &str) -> SplitText<'t> {
        if let Some((reasoning, text)) = inside.split_once(CLOSE) {
            *self = Self::Closed;
            let text = self.behind(text).text.into_owned();
            return SplitText { reasoning: reasoning.to_owned(), text: text.into() };
        }
        let held = (1..CLOSE.len()).rev().find(|&length| inside.ends_with(&CLOSE[..length])).unwrap_or(0);
        let (reasoning, held) = inside.split_at(inside.len() - held);
        *self = Self::Open(held.to_owned());
        SplitText { reasoning: reasoning.to_owned(), ..SplitText::default() }
    }

    /// Skips the white space between the tag and the answer.
    fn behind<'t>(&mut self, text: &'t str) -> SplitText<'t> {
        let text = text.trim_start();
        if !text.is_empty() {
            *self = Self::Text;
        }
        SplitText::of_text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns reasoning and text of a whole turn.
    fn split(pieces: &[&str]) -> (String, String) {
        let (mut tag, mut reasoning, mut text) = (ThinkTag::default(), String::new(), String::new());
        let mut add = |split: SplitText<'_>| {
            reasoning.push_str(&split.reasoning);
            text.push_str(&split.text);
        };
        pieces.iter().for_each(|piece| add(tag.split(piece)));
        add(tag.finish());
        (reasoning, text)
    }

    #[test]
    fn reasoning_is_found_however_it_is_cut() {
        let turn = "\n<think>\n2 < 3, </thin, hmm</think>\n\nFour </think> <think>.";
        let expected = ("\n2 < 3, </thin, hmm".to_owned(), "Four </think> <think>.".to_owned());
        for length in 1..turn.len() {
            let pieces: Vec<&str> =
                turn.as_bytes().chunks(length).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            assert_eq!(split(&pieces), expected, "{length}");
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", " ", "<", "<thi", "<thinking> it", "Four", "\n a <think>b</think>", "ü</think>"] {
            let pieces: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(split(&pieces), (String::new(), text.to_owned()), "{text}");
            assert_eq!(split(&[text]), (String::new(), text.to_owned()), "{text}");
        }
        assert_eq!(split(&["<think>a", "b</t"]), ("ab</t".to_owned(), String::new()), "not closed");
    }
}
