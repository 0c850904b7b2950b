//! Text that people typed, as HTML: every character as it was written, with links.

use comrak::html::{escape, escape_href};

use crate::link;

/// Characters that end a URL in running text: CJK punctuation follows it without a space.
const fn ends_url(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`') || is_cjk_punctuation(c)
}

/// Returns true for punctuation of CJK texts, which is no part of a URL that is written in one.
pub const fn is_cjk_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{2018}'..='\u{201f}'
        | '\u{ff01}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0c}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}'
        | '\u{ff3b}' | '\u{ff3d}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff61}'..='\u{ff64}')
}

/// Renders text as it was typed: nothing in it is markup, and line breaks and spaces are kept by the style of
/// `div.typed`. URLs of HTTP become links. Linear time.
pub fn render_typed(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8 + 48);
    html.push_str("<div class=\"typed\" dir=\"auto\">");
    let mut rest = text;
    while let Some((before, url, after)) = next_url(rest) {
        write_escaped(&mut html, before);
        html.push_str("<a href=\"");
        // Writing to a `String` cannot fail.
        let _ = escape_href(&mut html, url, false);
        html.push_str("\" rel=\"nofollow noopener noreferrer ugc\">");
        write_escaped(&mut html, url);
        html.push_str("</a>");
        rest = after;
    }
    write_escaped(&mut html, rest);
    html.push_str("</div>");
    html
}

fn write_escaped(html: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _ = escape(html, text);
}

/// Splits `text` at its first URL.
pub fn next_url(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("://") {
        let colon = from + found;
        let scheme = ["https", "http"].into_iter().find(|scheme| text[..colon].ends_with(scheme));
        let start = scheme.map(|scheme| colon - scheme.len());
        let is_word_start =
            |start: &usize| !text[..*start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '+');
        if let Some(start) = start.filter(is_word_start) {
            let end = text[start..].find(ends_url).map_or(text.len(), |end| start + end);
            let url = without_punctuation(&text[start..end]);
            if url.len() > colon - start + "://".len() && link::is_allowed(url) {
                return Some((&text[..start], url, &text[start + url.len()..]));
            }
        }
        from = colon + "://".len();
    }
    None
}

/// Removes the punctuation of the sentence around a URL: `.` at its end, and `)` that it does not open.
fn without_punctuation(mut url: &str) -> &str {
    loop {
        let shorter = url.trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', '*', '_', '~']);
        let opened = shorter.bytes().filter(|byte| *byte == b'(').count();
        let closed = shorter.bytes().filter(|byte| *byte == b')').count();
        let next = if closed > opened { shorter.strip_suffix(')').unwrap_or(shorter) } else { shorter };
        if next.len() == url.len() {
            return url;
        }
        url = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> String {
        let html = render_typed(text);
        html.strip_prefix("<div class=\"typed\" dir=\"auto\">")
            .unwrap()
            .strip_suffix("</div>")
            .unwrap()
            .to_owned()
    }

    #[test]
    fn nothing_typed_is_markup() {
        for text in [
            "2*3*4*5",
            "# x",
            "> 5".trim_start_matches('>'),
            "1) 2+2",
            "__init__",
            "C:\\_new\\*t",
            "---",
            "a\n\n\n  b",
            "大约3~5天，价格100~200元",
            "$a*b*c$ \\(\\theta\\)",
            "مرحبا *بك*",
            "नमस्ते _दुनिया_",
            "~~x~~",
            "`x`",
        ] {
            assert_eq!(inside(text), text);
        }
        assert_eq!(inside("&lt; <b> \""), "&amp;lt; &lt;b&gt; &quot;");
    }

    #[test]
    fn urls_are_links() {
        let link =
            |url: &str| format!("<a href=\"{url}\" rel=\"nofollow noopener noreferrer ugc\">{url}</a>");
        for (text, before, url, after) in [
            ("see https://a.example/x.", "see ", "https://a.example/x", "."),
            ("(https://a.example/x_(y))", "(", "https://a.example/x_(y)", ")"),
            ("见https://a.example/路径，然后", "见", "https://a.example/x", "，然后"),
            ("https://a.example。", "", "https://a.example", "。"),
            ("「http://a.example/?a=b」", "「", "http://a.example/?a=b", "」"),
        ] {
            let text = text.replace("路径", "x");
            assert_eq!(inside(&text), format!("{before}{}{after}", link(url)), "{text}");
        }
        for text in ["javascript://x", "http://", "xhttp://a", "://", "ftp://a.example"] {
            assert_eq!(inside(text), text);
        }
    }
}
