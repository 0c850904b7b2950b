//! Plain text as Markdown source that shows the same characters: for files that are read by other programs.

use crate::bare_link::{BareLinks, Syntax};

/// Characters that CommonMark, GitHub's extensions or formulas read as markup inside of a line.
const INLINE: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '~', '|', '$', '^'];

/// Returns Markdown source that shows `text` as it was typed.
///
/// URLs of HTTP become links. Text whose spaces or tabs would be lost becomes a code block.
pub fn typed_as_markdown(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_matches('\n');
    let is_aligned =
        |line: &str| line.starts_with([' ', '\t']) || line.contains('\t') || line.trim_end().contains("  ");
    if text.contains("\n\n\n") || text.lines().any(is_aligned) {
        return fenced("", text);
    }
    let mut source = String::with_capacity(text.len() + text.len() / 8);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        push_line(&mut source, line.trim_end());
        match lines.peek() {
            // A hard line break; at the end of a paragraph it would be a backslash.
            Some(next) if !line.trim_end().is_empty() && !next.trim_end().is_empty() => {
                source.push_str("\\\n");
            }
            Some(_) => source.push('\n'),
            None => {}
        }
    }
    source
}

/// Returns Markdown source of one line that shows `text`, for headings and labels.
pub fn line_as_markdown(text: &str) -> String {
    let mut source = String::with_capacity(text.len());
    push_line(&mut source, &text.split_whitespace().collect::<Vec<_>>().join(" "));
    source
}

/// Returns a code block. Its fence is longer than any in the code.
pub fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{}\n{fence}", code.trim_end_matches('\n'))
}

/// Returns the fence that ends a code block which `markdown` leaves open.
pub fn missing_fence(markdown: &str) -> Option<String> {
    let mut open: Option<(char, usize)> = None;
    for line in markdown.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let line = &line[indent..];
        let Some(mark) = line.chars().next().filter(|c| indent < 4 && matches!(c, '`' | '~')) else {
            continue;
        };
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        open = match open {
            None if length >= 3 && !(mark == '`' && rest.contains('`')) => Some((mark, length)),
            Some((opened, least)) if opened == mark && length >= least && rest.trim().is_empty() => None,
            unchanged => unchanged,
        };
    }
    open.map(|(mark, length)| mark.to_string().repeat(length))
}

fn push_line(source: &mut String, line: &str) {
    let mut written = 0;
    // Other links need no marks: readers find them in text, or show them as text.
    for url in BareLinks::new(line, Syntax::Typed).filter(|link| link.is_url()) {
        push_escaped(source, &line[written..url.start], written == 0);
        source.extend(["<", &line[url.start..url.end], ">"]);
        written = url.end;
    }
    push_escaped(source, &line[written..], written == 0);
}

fn push_escaped(source: &mut String, text: &str, is_line_start: bool) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in text.char_indices() {
        // Headings, lists, thematic breaks and underlines of headings begin a line.
        let begins_block = is_line_start
            && (at == 0 && matches!(c, '#' | '-' | '+' | '=')
                || at == digits && digits > 0 && matches!(c, '.' | ')'));
        if begins_block || INLINE.contains(&c) {
            source.push('\\');
        }
        source.push(c);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the text of HTML, without its tags.
    fn shown(html: &str) -> String {
        let mut text = String::new();
        let mut is_tag = false;
        for c in html.chars() {
            match c {
                '<' => is_tag = true,
                '>' if is_tag => is_tag = false,
                c if !is_tag => text.push(c),
                _ => {}
            }
        }
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn markup_that_was_typed_is_shown() {
        for (typed, source) in [
            ("a *b* _c_", "a \\*b\\* \\_c\\_"),
            ("# no heading\n1. no list\n- nor this", "\\# no heading\\\n1\\. no list\\\n\\- nor this"),
            ("see https://a.example/b_c, ok", "see <https://a.example/b_c>, ok"),
            ("one\n\ntwo", "one\n\ntwo"),
            ("if x:\n  y()", "```\nif x:\n  y()\n```"),
            ("3 < 4 & 5", "3 \\< 4 \\& 5"),
            ("a-b. c+d = 1.5", "a-b. c+d = 1.5"),
        ] {
            assert_eq!(typed_as_markdown(typed), source);
        }
        assert_eq!(line_as_markdown("a\n# b"), "a # b");
        assert_eq!(fenced("json", "````"), "`````json\n````\n`````");
    }

    #[test]
    fn an_open_code_block_is_found() {
        assert_eq!(missing_fence("a\n```rust\nx"), Some("```".to_owned()));
        assert_eq!(missing_fence("~~~~\n```\n~~~"), Some("~~~~".to_owned()));
        assert_eq!(missing_fence("```\nx\n```\n"), None);
        assert_eq!(missing_fence("    ```\n"), None);
        assert_eq!(missing_fence("``` a`b"), None);
    }

    proptest! {
        #[test]
        fn every_word_that_was_typed_is_shown(
            text in r"([#*_`~$|<>&^!\[\]\\(){}=+:.0-9a-z-]{0,6}[ \n]{0,2}){0,8}"
        ) {
            let html = crate::render(&typed_as_markdown(&text));
            prop_assert_eq!(words(&shown(&html)), words(&text), "{}", html);
        }
    }
}
