//! Limits on nesting and table width, checked before parsing.
//!
//! The parser takes quadratic time for a line that opens many block quotes. It also pads each table row to
//! the number of cells of the head.

/// Maximum number of containers (quotes, list items) opened by one line. Equals the parser's limit for lists.
pub const MAX_DEPTH: usize = 100;
/// Maximum number of columns of a table.
const MAX_COLUMNS: usize = 128;

/// Returns true if a line outside of fenced code exceeds a limit. Linear time.
pub fn are_exceeded(text: &str) -> bool {
    let mut fence: Option<(u8, usize)> = None;
    text.split(['\n', '\r']).any(|line| match (fence, fence_of(line)) {
        (Some((mark, length)), found) => {
            let ends = found.is_some_and(|(other, run)| other == mark && run >= length);
            fence = fence.filter(|_| !ends);
            false
        }
        (None, Some(found)) => {
            fence = Some(found);
            false
        }
        (None, None) => is_too_wide(line) || is_too_deep(line),
    })
}

/// Returns true for the delimiter row of a table with more than [`MAX_COLUMNS`] columns.
fn is_too_wide(line: &str) -> bool {
    line.len() > MAX_COLUMNS
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'>'))
        && line.bytes().filter(|byte| *byte == b'|').count() > MAX_COLUMNS
}

/// Returns true if the line opens more than [`MAX_DEPTH`] containers.
fn is_too_deep(line: &str) -> bool {
    let mut rest = line.as_bytes();
    let mut depth = 0;
    while let Some(length) = marker(rest) {
        depth += 1;
        rest = &rest[length..];
        if depth > MAX_DEPTH {
            return !is_rule(line);
        }
    }
    false
}

/// Returns the length of the container marker at the start of `rest`, including leading space.
fn marker(rest: &[u8]) -> Option<usize> {
    let space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &rest[space..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ends = |at: usize| rest.get(at).is_none_or(u8::is_ascii_whitespace);
    match rest.get(digits)? {
        b'>' if digits == 0 => Some(space + 1),
        b'-' | b'+' | b'*' if digits == 0 && ends(1) => Some(space + 1),
        b'.' | b')' if digits > 0 && ends(digits + 1) => Some(space + digits + 1),
        _ => None,
    }
}

/// Returns true for a thematic break, which may have spaces between its marks.
fn is_rule(line: &str) -> bool {
    let marks = line.trim_start_matches(['>', ' ', '\t']);
    let mark = marks.chars().next().unwrap_or_default();
    matches!(mark, '-' | '*')
        && marks.chars().all(|c| c == mark || matches!(c, ' ' | '\t'))
        && line.len() - line.trim_start_matches(['>', ' ']).len() <= MAX_DEPTH
}

fn fence_of(line: &str) -> Option<(u8, usize)> {
    let text = line.trim_start_matches(' ');
    let mark = text.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let run = text.bytes().take_while(|byte| *byte == mark).count();
    (line.len() - text.len() < 4 && run >= 3).then_some((mark, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_of_a_line_are_counted() {
        for (marker, is_deep) in
            [(">", true), ("> ", true), ("- ", true), ("> 1. ", true), (">a", false), ("1.a", false)]
        {
            assert_eq!(are_exceeded(&format!("a\n{}x\n", marker.repeat(MAX_DEPTH + 1))), is_deep, "{marker}");
            assert!(!are_exceeded(&format!("{}x\n", marker.repeat(MAX_DEPTH / 2))), "{marker}");
        }
    }

    #[test]
    fn rules_and_code_are_no_containers() {
        let deep = ">".repeat(MAX_DEPTH + 1);
        assert!(!are_exceeded(&"- ".repeat(MAX_DEPTH + 1)));
        assert!(!are_exceeded(&"* ".repeat(MAX_DEPTH + 1)));
        assert!(!are_exceeded(&format!("```\n{deep}\n```\n")));
        assert!(are_exceeded(&format!("```\n{deep}\n```\n{deep}\n")));
        assert!(!are_exceeded(&format!("~~~\n```\n{deep}\n")));
    }
    #[test]
    fn columns_of_a_table_are_counted() {
        assert!(are_exceeded(&format!("|a|\n{}\n", "|-".repeat(MAX_COLUMNS + 1))));
        assert!(are_exceeded(&format!("> {}", ":-: | ".repeat(MAX_COLUMNS + 1))));
        assert!(!are_exceeded(&format!("|a|\n{}|\n", "|-".repeat(MAX_COLUMNS - 1))));
        assert!(!are_exceeded(&"|a".repeat(1_000)));
    }
}
