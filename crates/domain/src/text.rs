//! Text from outside, made fit to show.

use unicode_normalization::UnicodeNormalization;

/// Characters that are not seen but change what is: controls, bidirectional overrides, zero-width marks, tags.
///
/// Joiners (U+200C, U+200D) stay: scripts and emoji need them.
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// One line: NFC, invisible characters gone, white space folded to single spaces, ends trimmed.
pub fn one_line(raw: &str) -> String {
    let clean: String = raw.nfc().filter(|&c| c.is_whitespace() || !is_invisible(c)).collect();
    clean.split_whitespace().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Several lines: NFC, invisible characters gone, line ends as `\n`, nothing folded.
pub fn multi_line(raw: &str) -> String {
    raw.replace("\r\n", "\n").nfc().filter(|&c| !is_invisible(c)).collect()
}

/// At most `max` characters, ending in `…` when something was cut.
pub fn shorten(text: &str, max: usize) -> String {
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
        assert_eq!(multi_line("a\r\n\tb\u{0}\u{feff}"), "a\n\tb");
        assert_eq!(one_line("👩\u{200d}🔬"), "👩\u{200d}🔬");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
