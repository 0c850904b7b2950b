//! Markdown block that is still being written: its kind, by its first line.
//!
//! The hub sends the HTML of a block when it is complete. Until then the page shows its text in the form that
//! the block will have.

/// Kind of an open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenBlock<'a> {
    Text,
    /// Fenced code: its language, and the byte at which the code begins.
    Code {
        language: &'a str,
        start: usize,
    },
    Quote,
    Table,
}

/// Longer tables are shown as text, because each frame draws the whole table.
const MAX_TABLE: usize = 16 * 1024;

impl<'a> OpenBlock<'a> {
    pub fn of(text: &'a str) -> Self {
        let body = text.trim_start_matches('\n');
        let line = body.split('\n').next().unwrap_or_default();
        let first = line.trim_start_matches(' ');
        if line.len() - first.len() > 3 {
            return Self::Text;
        }
        match first.chars().next() {
            Some('>') => Self::Quote,
            Some('|') if text.len() <= MAX_TABLE => Self::Table,
            Some(fence @ ('`' | '~')) => {
                let info = first.trim_start_matches(fence);
                let is_fence = first.len() - info.len() >= 3 && !(fence == '`' && info.contains('`'));
                let start = (text.len() - body.len() + line.len() + 1).min(text.len());
                let language = info.split_whitespace().next().unwrap_or_default();
                if is_fence { Self::Code { language, start } } else { Self::Text }
            }
            _ => Self::Text,
        }
    }
}

/// Returns the text of an open quote without its marks.
pub fn quoted(text: &str) -> String {
    let line = |line: &str| {
        let mut rest = line.trim_start_matches(' ');
        while let Some(inner) = rest.strip_prefix('>') {
            rest = inner.strip_prefix(' ').unwrap_or(inner);
        }
        rest.to_owned()
    };
    text.trim_start_matches('\n').split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the cells of an open table by row, without the delimiter row.
pub fn rows(text: &str) -> Vec<Vec<&str>> {
    let is_delimiter = |line: &&str| line.contains('-') && line.chars().all(|c| "|-: ".contains(c));
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !is_delimiter(line));
    let inner = |line: &'_ str| -> (usize, usize) {
        let start = line.len() - line.trim_start().trim_start_matches('|').len();
        (start, line.trim_end().strip_suffix('|').map_or(line.len(), str::len).max(start))
    };
    lines
        .map(|line| {
            let (start, end) = inner(line);
            line[start..end].split('|').map(str::trim).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_kind() {
        assert_eq!(OpenBlock::of("```rust\nfn"), OpenBlock::Code { language: "rust", start: 8 });
        assert_eq!(OpenBlock::of("\n~~~~\nx"), OpenBlock::Code { language: "", start: 6 });
        assert_eq!(OpenBlock::of("```py"), OpenBlock::Code { language: "py", start: 5 });
        for text in ["``` a`b", "``x", "    ```", "text\n```", "", "\n"] {
            assert_eq!(OpenBlock::of(text), OpenBlock::Text, "{text:?}");
        }
        assert_eq!(OpenBlock::of("> [!NOTE]\n> a"), OpenBlock::Quote);
        assert_eq!(OpenBlock::of("| a |\n"), OpenBlock::Table);
        assert_eq!(OpenBlock::of(&"|".repeat(MAX_TABLE + 1)), OpenBlock::Text);
    }

    #[test]
    fn quotes_lose_their_marks() {
        assert_eq!(quoted("> a\n>> b\n>\nlazy"), "a\nb\n\nlazy");
    }

    #[test]
    fn tables_are_split_into_cells() {
        let text = "| a | b |\n|---|:-:|\n| 1 | é |\n| 2";
        assert_eq!(rows(text), [vec!["a", "b"], vec!["1", "é"], vec!["2"]]);
        assert_eq!(rows("|"), [vec![""]]);
        assert_eq!(rows(" |"), [vec![""]]);
    }
}
