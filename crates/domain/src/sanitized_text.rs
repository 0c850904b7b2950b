//! Sanitization of untrusted text: NFC, removal of invisible characters, length limits.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

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
    let clean: String = raw.chars().filter(|&c| c.is_whitespace() || !is_invisible(c)).nfc().collect();
    clean.split_whitespace().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Sanitizes multi-line text: NFC, no invisible characters, `\n` line ends; white space is preserved.
pub fn multi_line(raw: &str) -> String {
    raw.replace("\r\n", "\n").chars().filter(|&c| !is_invisible(c)).nfc().collect()
}

/// Truncates to at most `max` characters, ending in `…` if truncated.
pub fn ellipsize(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
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
    fn a_text_is_cleaned_and_bounded() {
        assert_eq!(Text::<4>::try_from(" ab\u{202e}\r\n".to_owned()).unwrap().as_str(), "ab");
        assert!(Text::<4>::try_from("abcde".to_owned()).is_err());
        assert!(Text::<4>::try_from("\u{200b} ".to_owned()).is_err());
        assert_eq!(Text::<4>::truncate("abcde").unwrap().as_str(), "abc…");
        assert_eq!(Text::<9>::truncate_with_suffix("abcdef", "end").unwrap().as_str(), "abc…\n\nend");
        assert_eq!(Text::<9>::truncate_with_suffix("", "end").unwrap().as_str(), "end");
    }
}
