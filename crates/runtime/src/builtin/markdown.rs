//! Escapes untrusted text for Markdown that the hub generates.

/// Returns a run of backticks that is longer than any in `text`, and at least `least` long: the fence of code.
pub(crate) fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(least.max(longest + 1))
}

/// Formats `text` as a code span (CommonMark 0.31 section 6.1). The fence is longer than any run of backticks
/// in the text.
pub(super) fn code(text: &str) -> String {
    let fence = fence(text, 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Escapes the characters of `text` that could begin markup. Other characters stay readable.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '~' | '|' | '&' | '#' | '$'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_end_its_span() {
        assert_eq!(code("2 + 2"), "`2 + 2`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
    }

    #[test]
    fn foreign_text_cannot_begin_markup() {
        assert_eq!(escape("12.5 m / s"), "12.5 m / s");
        assert_eq!(escape("<b>*[x](y)"), "\\<b\\>\\*\\[x\\](y)");
    }
}
