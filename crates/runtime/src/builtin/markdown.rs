//! Foreign text in markdown that the hub writes itself.

/// `text` in a code span (CommonMark 0.31 section 6.1): the fence is longer than any run of backticks inside.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `text` as nothing but text: what could begin markup is escaped, what cannot stays readable.
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
