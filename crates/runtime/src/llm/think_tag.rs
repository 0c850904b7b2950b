//! Reasoning that a model writes into its text between tags, as DeepSeek and Qwen do on servers that do not parse it.
//!
//! An opening tag counts at the beginning of a turn only. Templates often put it into the prompt, so that the text begins
//! within it: a closing tag without an opening one makes reasoning of the text before it.

use std::{borrow::Cow, mem::take};

/// Opening and closing tags.
const TAGS: [(&str, &str); 9] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reason>", "</reason>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];
/// Closing tags that count without an opening one. The others are also elements of XML that an answer may quote.
const BARE: [&str; 5] = ["</think>", "</thinking>", "</seed:think>", "[/THINK]", "◁/think▷"];
/// Maximum bytes that are held back before the opening tag. Text with more white space has none.
const MAX_HELD: usize = 256;

/// Separates reasoning from the text of one turn, which arrives in pieces of any length.
#[derive(Debug)]
pub enum ThinkTag {
    /// Nothing was emitted. Holds text that may become an opening tag.
    Begin(String),
    /// Within a tag. Holds text that may become the closing tag.
    Open { close: &'static str, held: String },
    /// Behind the closing tag, before the first letter of the answer.
    Closed,
    /// In the answer, before any tag.
    Text(BareTag),
    /// No tag can follow.
    End,
}

impl Default for ThinkTag {
    fn default() -> Self {
        Self::Begin(String::new())
    }
}

/// Search for a closing tag that has no opening one.
#[derive(Debug, Default)]
pub struct BareTag {
    /// Text that may become a tag.
    held: String,
    /// True within code, where tags are quoted.
    is_code: bool,
    /// Last character of the text before.
    last: Option<char>,
}

/// A piece, divided.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SplitText<'t> {
    /// True if all text of the turn so far, and `reasoning`, was reasoning.
    pub was_reasoning: bool,
    pub reasoning: String,
    pub text: Cow<'t, str>,
}

impl<'t> SplitText<'t> {
    fn of_text(text: impl Into<Cow<'t, str>>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl ThinkTag {
    /// Divides the next piece. What may belong to a tag is returned with a later piece.
    pub fn split<'t>(&mut self, piece: &'t str) -> SplitText<'t> {
        match self {
            Self::End => SplitText::of_text(piece),
            Self::Begin(held) => {
                let begun = take(held) + piece;
                self.begin(begun)
            }
            Self::Open { close, held } => {
                let (close, inside) = (*close, take(held) + piece);
                self.within(close, &inside)
            }
            Self::Closed => self.behind(piece),
            Self::Text(bare) => {
                if bare.may_pass(piece) {
                    return SplitText::of_text(piece);
                }
                let text = take(&mut bare.held) + piece;
                self.text(text)
            }
        }
    }

    /// Returns what was held back. Reasoning may go on to the end.
    pub fn finish(&mut self) -> SplitText<'static> {
        match std::mem::replace(self, Self::End) {
            Self::Begin(held) | Self::Text(BareTag { held, .. }) => SplitText::of_text(held),
            Self::Open { held, .. } => SplitText { reasoning: held, ..SplitText::default() },
            Self::Closed | Self::End => SplitText::default(),
        }
    }

    fn begin<'t>(&mut self, begun: String) -> SplitText<'t> {
        let first = begun.trim_start();
        for (open, close) in TAGS {
            if let Some(inside) = strip_prefix(first, open) {
                return self.within(close, inside);
            }
        }
        let may_open = first.is_empty() || TAGS.iter().any(|(open, _)| strip_prefix(open, first).is_some());
        if may_open && begun.len() <= MAX_HELD {
            *self = Self::Begin(begun);
            return SplitText::default();
        }
        *self = Self::Text(BareTag::default());
        self.text(begun)
    }

    fn within<'t>(&mut self, close: &'static str, inside: &str) -> SplitText<'t> {
        if let Some(at) = find(inside, close) {
            *self = Self::Closed;
            let text = self.behind(&inside[at + close.len()..]).text.into_owned();
            return SplitText {
                reasoning: inside[..at].to_owned(),
                text: text.into(),
                ..SplitText::default()
            };
        }
        let (reasoning, held) = inside.split_at(inside.len() - begin_at_end(inside, &[close]));
        *self = Self::Open { close, held: held.to_owned() };
        SplitText { reasoning: reasoning.to_owned(), ..SplitText::default() }
    }

    fn text<'t>(&mut self, text: String) -> SplitText<'t> {
        let Self::Text(bare) = self else { return SplitText::of_text(text) };
        match bare.find(&text) {
            Found::Close { at, length } => {
                *self = Self::Closed;
                let rest = self.behind(&text[at + length..]).text.into_owned();
                SplitText { was_reasoning: true, reasoning: text[..at].to_owned(), text: rest.into() }
            }
            Found::Open => {
                *self = Self::End;
                SplitText::of_text(text)
            }
            Found::Nothing { held } => {
                let (text, held) = text.split_at(text.len() - held);
                bare.pass(text);
                held.clone_into(&mut bare.held);
                SplitText::of_text(text.to_owned())
            }
        }
    }

    /// Skips the white space between the tag and the answer.
    fn behind<'t>(&mut self, text: &'t str) -> SplitText<'t> {
        let text = text.trim_start();
        if !text.is_empty() {
            *self = Self::End;
        }
        SplitText::of_text(text)
    }
}

enum Found {
    /// A closing tag without an opening one.
    Close { at: usize, length: usize },
    /// An opening tag within the text: the answer is about tags.
    Open,
    /// The last bytes of the text may become a tag.
    Nothing { held: usize },
}

impl BareTag {
    /// Returns true for a piece that neither has nor begins a tag or code, as almost all pieces.
    fn may_pass(&mut self, piece: &str) -> bool {
        let is_plain = self.held.is_empty() && !piece.contains(['<', '[', '◁', '`']);
        if is_plain {
            self.last = piece.chars().next_back().or(self.last);
        }
        is_plain
    }

    /// Notes text that was emitted.
    fn pass(&mut self, text: &str) {
        self.is_code ^= text.matches('`').count() % 2 == 1;
        self.last = text.chars().next_back().or(self.last);
    }

    fn find(&self, text: &str) -> Found {
        let mut is_code = self.is_code;
        let mut last = self.last;
        for (at, c) in text.char_indices() {
            let rest = &text[at..];
            let is_quoted = is_code || matches!(last, Some('`' | '"' | '\'' | '“' | '‘' | '«'));
            if !is_quoted && matches!(c, '<' | '[' | '◁') {
                if let Some(close) = BARE.iter().find(|close| strip_prefix(rest, close).is_some()) {
                    return Found::Close { at, length: close.len() };
                }
                if TAGS.iter().any(|(open, _)| strip_prefix(rest, open).is_some()) {
                    return Found::Open;
                }
            }
            is_code ^= c == '`';
            last = Some(c);
        }
        let tags = TAGS.map(|(open, _)| open);
        Found::Nothing { held: begin_at_end(text, &BARE).max(begin_at_end(text, &tags)) }
    }
}

/// Removes a prefix without regard to the case of ASCII letters.
fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let begin = text.get(..prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn find(text: &str, tag: &str) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).find(|at| strip_prefix(&text[*at..], tag).is_some())
}

/// Returns the number of bytes at the end of the text with which one of the tags may begin.
fn begin_at_end(text: &str, tags: &[&str]) -> usize {
    let longest = tags.iter().map(|tag| tag.len()).max().unwrap_or(0);
    let from = text.ceil_char_boundary(text.len().saturating_sub(longest.saturating_sub(1)));
    let ends = text[from..].char_indices().map(|(at, _)| &text[from + at..]);
    let may_begin =
        |end: &&str| tags.iter().any(|tag| tag.len() > end.len() && strip_prefix(tag, end).is_some());
    ends.filter(may_begin).map(str::len).next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns reasoning and text of a whole turn.
    fn split(pieces: &[&str]) -> (String, String) {
        let (mut tag, mut reasoning, mut text) = (ThinkTag::default(), String::new(), String::new());
        let mut add = |split: SplitText<'_>| {
            if split.was_reasoning {
                reasoning.push_str(&take(&mut text));
            }
            reasoning.push_str(&split.reasoning);
            text.push_str(&split.text);
        };
        pieces.iter().for_each(|piece| add(tag.split(piece)));
        add(tag.finish());
        (reasoning, text)
    }

    #[test]
    fn reasoning_is_found_however_it_is_cut() {
        for (turn, reasoning, text) in [
            (
                "\n<think>\n2 < 3, </thin, hmm</think>\n\nFour </think> <think>.",
                "\n2 < 3, </thin, hmm",
                "Four </think> <think>.",
            ),
            ("<thinking>hm</think>m</thinking>Four", "hm</think>m", "Four"),
            ("<THINK>hm</Think>Four", "hm", "Four"),
            ("[THINK]hm[/THINK]Four", "hm", "Four"),
            ("◁think▷hm◁/think▷Four", "hm", "Four"),
            ("<seed:think>hm</seed:think>Four", "hm", "Four"),
            ("2 < 3 and [1], ü.</think>\n\nFour </think>", "2 < 3 and [1], ü.", "Four </think>"),
            ("</think>\n\nFour", "", "Four"),
            ("I recall `</think>` here. So four.\n</thinking>4", "I recall `</think>` here. So four.\n", "4"),
            ("<think>a b</t", "a b</t", ""),
        ] {
            let expected = (reasoning.to_owned(), text.to_owned());
            let characters: Vec<char> = turn.chars().collect();
            for length in 1..=characters.len() {
                let pieces: Vec<String> =
                    characters.chunks(length).map(|piece| piece.iter().collect()).collect();
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                assert_eq!(split(&pieces), expected, "{turn} in pieces of {length}");
            }
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "",
            " ",
            "<",
            "<thi",
            "<thinker> it",
            "Four",
            "\n a <think>b</think>",
            "Close it with `</think>`.",
            "Close it with \"</think>\".",
            "```xml\n<a>\n</think>\n```",
            "<a><reason>b</reason></a>",
            "x</thin",
        ] {
            let pieces: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(split(&pieces), (String::new(), text.to_owned()), "{text}");
            assert_eq!(split(&[text]), (String::new(), text.to_owned()), "{text}");
        }
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text_however_it_is_divided() {
        for piece in [1, 64] {
            plexus_testing::cost::assert_linear("think tag", |text| {
                let mut tag = ThinkTag::default();
                let mut rest = text;
                while !rest.is_empty() {
                    let (first, after) = rest.split_at(rest.ceil_char_boundary(piece.min(rest.len())));
                    tag.split(first);
                    rest = after;
                }
                tag.finish()
            });
        }
    }
}
