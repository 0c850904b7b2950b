//! Sanitization of untrusted text: NFC, removal of invisible characters, length limits.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::GraphemeCursor;

use crate::{Error, Result};

/// Sanitized multi-line text: cleaned by [`multi_line`] and trimmed, not blank, at most `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// Sanitizes and truncates `raw` to `MAX` characters. Returns `None` if nothing visible remains.
    pub fn truncate(raw: &str) -> Option<Self> {
        Self::try_from(ellipsize(multi_line(raw).trim(), MAX)).ok()
    }

    /// Like [`Text::truncate`], but appends `last` (as one line)
    /// as a paragraph, truncating `raw` to make room for it.
    pub fn truncate_with_suffix(raw: &str, last: &str) -> Option<Self> {
        let last = format!("\n\n{}", one_line(last));
        let room = MAX.saturating_sub(last.chars().count());
        Self::truncate(&(ellipsize(multi_line(raw).trim(), room) + &last))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = Error;

    fn try_from(raw: String) -> Result<Self> {
        let clean = multi_line(&raw).trim().to_owned();
        match clean.chars().count() {
            0 => Err(Error::invalid("text", "Write something here.")),
            count if count > MAX => {
                Err(Error::invalid("text", format!("This text has more than {MAX} characters.")))
            }
            _ => Ok(Self(clean)),
        }
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns true for invisible characters that alter text: controls, bidi overrides, zero-width marks, tags.
///
/// Joiners (U+200C, U+200D) are exempt: scripts and emoji need them.
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Sanitizes to one line: NFC, no invisible characters, white space collapsed to single spaces, trimmed.
pub fn one_line(raw: &str) -> String {
    let clean: String = visible(raw, char::is_whitespace).nfc().collect();
    clean.split_whitespace().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Sanitizes multi-line text: NFC, no invisible characters, `\n` line ends; white space is preserved.
pub fn multi_line(raw: &str) -> String {
    visible(&raw.replace("\r\n", "\n"), |_| false).nfc().collect()
}

/// Returns true if text has invisible characters that sanitizing would remove.
pub fn has_invisible(text: &str) -> bool {
    visible(text, |_| false).ne(text.chars())
}

/// Yields the characters without the invisible ones. Those that carry meaning are kept: the tags of a flag, and
/// direction marks in text of a script that is written from right to left.
fn visible(text: &str, is_kept: impl Fn(char) -> bool) -> impl Iterator<Item = char> {
    let is_rtl = text.contains(is_rtl_letter);
    let mut flag_end = 0;
    text.char_indices().filter_map(move |(at, c)| {
        if c == BLACK_FLAG {
            flag_end = at + flag_length(&text[at..]);
        }
        let is_meant = at < flag_end || (is_rtl && matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}'));
        (is_meant || is_kept(c) || !is_invisible(c)).then_some(c)
    })
}

/// Starts the sequence of a flag of a region, such as England (Unicode UTS 51, emoji tag sequence).
const BLACK_FLAG: char = '\u{1f3f4}';
/// Maximum number of tags in a flag: two letters of the country, three of the region, and the end.
const MAX_FLAG_TAGS: usize = 7;

/// Returns the length in bytes of the flag sequence at the start of `text`; 0 if it is none.
fn flag_length(text: &str) -> usize {
    let tags = text.chars().skip(1).take(MAX_FLAG_TAGS);
    let letters =
        tags.take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}')).count();
    let is_ended = letters > 0 && text.chars().nth(letters + 1) == Some('\u{e007f}');
    if is_ended { text.chars().take(letters + 2).map(char::len_utf8).sum() } else { 0 }
}

/// Returns true for letters of the scripts that are written from right to left.
const fn is_rtl_letter(c: char) -> bool {
    matches!(c,
        '\u{5d0}'..='\u{5f4}' | '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{6fa}'..='\u{8c7}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Truncates to at most `max` characters, ending in `…` if truncated. Emoji, flags and accented letters stay whole.
pub fn ellipsize(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => format!("{}…", prefix(text, max.saturating_sub(1))),
    }
}

/// Returns the beginning of `text`, at most `max` characters, without part of a grapheme cluster at its end.
pub fn prefix(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        None => text,
        Some((end, _)) => &text[..cluster_start(text, end)],
    }
}

/// Returns the beginning of `text`, at most `max` bytes, without part of a grapheme cluster at its end.
pub fn byte_prefix(text: &str, max: usize) -> &str {
    &text[..cluster_start(text, text.floor_char_boundary(max))]
}

/// Returns where the grapheme cluster that contains `at` begins. `at` is a character boundary. A cluster that begins with the
/// text and is longer than any real one is not kept whole.
pub fn cluster_start(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => at,
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().filter(|start| *start > 0).unwrap_or(at),
    }
}

/// Returns where the grapheme cluster that contains the character before `at` ends.
pub fn cluster_end(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => at,
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_removed() {
        assert_eq!(one_line(" a\u{202e}b\t\n c\u{200b} "), "ab c");
        assert_eq!(one_line("e\u{301}"), "é");
        assert_eq!(one_line("e\u{200b}\u{301}"), "é");
        assert_eq!(multi_line("e\u{200b}\u{301}"), "é");
        assert_eq!(multi_line("a\r\n\tb\u{0}\u{feff}"), "a\n\tb");
        assert_eq!(one_line("👩\u{200d}🔬"), "👩\u{200d}🔬");
        assert_eq!(ellipsize("abcdef", 4), "abc…");
        assert_eq!(ellipsize("abcd", 4), "abcd");
    }

    #[test]
    fn text_is_cut_between_grapheme_clusters() {
        for cluster in [
            "e\u{301}\u{323}",
            "👩\u{200d}🔬",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "👍🏽",
            "🇩🇪",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "नि",
            "각",
            "\r\n",
        ] {
            let text = format!("ab{cluster}{cluster}cd");
            let length = cluster.chars().count();
            for max in 1..=text.chars().count() {
                let whole = (max.saturating_sub(2) / length).min(2);
                let expected = match max {
                    1 => "a".to_owned(),
                    _ if max > 2 + 2 * length => text.chars().take(max).collect(),
                    _ => format!("ab{}", cluster.repeat(whole)),
                };
                assert_eq!(prefix(&text, max), expected, "{cluster:?} {max}");
                assert!(ellipsize(&text, max).chars().count() <= max);
                assert!(text.starts_with(byte_prefix(&text, max)) && byte_prefix(&text, max).len() <= max);
            }
        }
        let flags = "🇩🇪🇫🇷🇪🇸";
        assert_eq!(prefix(flags, 3), "🇩🇪");
        let marks = format!("a{}", "\u{301}".repeat(1_000));
        assert_eq!(prefix(&marks, 5).chars().count(), 5, "no cluster is longer than the limit");
        assert_eq!(cluster_end("👍🏽!", 4), 8);
        assert_eq!(cluster_start("👍🏽!", 4), 4, "the first cluster is cut rather than lost");
        assert_eq!(cluster_start("a👍🏽!", 5), 1);
    }

    #[test]
    fn characters_that_carry_meaning_are_kept() {
        let england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for text in
            [england, "שלום\u{200f}!", "سعر\u{200e} 5$", "می\u{200c}خواهم", "❤\u{fe0f}", "🇩🇪", "क्\u{200d}ष"]
        {
            assert_eq!(one_line(text), text);
            assert_eq!(multi_line(text), text);
            assert!(!has_invisible(text), "{text:?}");
        }
        for (text, clean) in [
            ("a\u{200f}b", "ab"),
            ("שלום\u{202e}", "שלום"),
            ("x\u{e0067}\u{e007f}", "x"),
            ("🏴\u{e0067}\u{e0062}", "🏴"),
            ("🏴\u{e007f}", "🏴"),
            ("🏴\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}", "🏴"),
        ] {
            assert_eq!(one_line(text), clean);
            assert!(has_invisible(text), "{text:?}");
        }
    }

    #[test]
    fn a_text_is_cleaned_and_bounded() {
        assert_eq!(Text::<4>::try_from(" ab\u{202e}\r\n".to_owned()).unwrap().as_str(), "ab");
        assert!(Text::<4>::try_from("abcde".to_owned()).is_err());
        assert!(Text::<4>::try_from("\u{200b} ".to_owned()).is_err());
        assert_eq!(Text::<4>::truncate("abcde").unwrap().as_str(), "abc…");
        assert_eq!(Text::<9>::truncate_with_suffix("abcdef", "end").unwrap().as_str(), "abc…\n\nend");
        assert_eq!(Text::<9>::truncate_with_suffix("", "end").unwrap().as_str(), "end");
    }
}
