//! Citations in answers: marks that a service replaces by links when it shows a text.
//!
//! A mark is `U+E200 cite U+E202 turn0search1 U+E201`, the same without these private-use characters, or `【4†source】`.
//! A mark whose source has an address becomes a link, one whose source has only a name a footnote, and any other
//! nothing.

use std::collections::HashMap;

use crate::{
    content::escape_inline,
    fields::{Fields, items_of, text_of},
};

const OPEN: char = '\u{e200}';
const CLOSE: char = '\u{e201}';
const SEPARATOR: char = '\u{e202}';
/// Maximum bytes of a mark.
const MAX_MARK: usize = 2_048;
/// Words with which a mark without private-use characters begins.
const BARE: [&str; 4] = ["filecite", "filenavlist", "navlist", "cite"];
/// Maximum characters of the title of a link.
const MAX_TITLE: usize = 120;
/// Maximum links of a mark.
const MAX_LINKS: usize = 8;

/// A source that an answer cites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CitedSource {
    pub title: String,
    /// Empty for a file.
    pub url: String,
}

/// Sources by their position in the results of a turn, such as `turn0search1`.
pub type SourcesByPosition = HashMap<String, CitedSource>;

/// The sources that an answer may cite.
pub struct CitedSources<'a> {
    /// By the mark, without private-use characters.
    by_mark: HashMap<String, Vec<CitedSource>>,
    by_position: &'a SourcesByPosition,
    /// What a mark without a source shows, by the mark.
    texts: HashMap<String, String>,
}

impl CitedSource {
    pub fn of(fields: &Fields<'_>) -> Option<Self> {
        let url =
            ["url", "link", "source"].iter().find_map(|name| fields.text(name)).filter(|url| is_web(url));
        let title = ["title", "name", "attribution"].iter().find_map(|name| fields.text(name));
        let source = Self { title: title.unwrap_or_default(), url: url.unwrap_or_default() };
        (source != Self::default()).then_some(source)
    }

    /// Returns a Markdown link.
    pub fn link(&self) -> String {
        let title = if self.title.trim().is_empty() { host(&self.url) } else { &self.title };
        let title = plexus_domain::sanitized_text::prefix(title, MAX_TITLE);
        format!("[{}]({})", escape_inline(title), escape_url(&self.url))
    }
}

impl<'a> CitedSources<'a> {
    pub fn new(by_position: &'a SourcesByPosition) -> Self {
        Self { by_mark: HashMap::new(), by_position, texts: HashMap::new() }
    }

    pub fn add_mark(&mut self, mark: &str, sources: Vec<CitedSource>, text: Option<String>) {
        let mark = plain(mark);
        if mark.trim().is_empty() {
            return;
        }
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.texts.entry(mark.clone()).or_insert(text);
        }
        if !sources.is_empty() {
            self.by_mark.entry(mark).or_insert(sources);
        }
    }

    /// Replaces the marks of a text. Linear in its length.
    pub fn resolve(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut footnotes = Vec::new();
        let mut rest = text;
        while let Some((before, mark, after)) = next_mark(rest) {
            resolved.push_str(before);
            self.push(mark, &mut resolved, &mut footnotes);
            rest = after;
        }
        resolved.push_str(rest);
        resolved.retain(|c| !matches!(c, '\u{e200}'..='\u{e206}'));
        for (at, name) in footnotes.iter().enumerate() {
            resolved.push_str(if at == 0 { "\n\n" } else { "\n" });
            resolved.push_str(&format!("[^{}]: {}", at + 1, escape_inline(name)));
        }
        resolved
    }

    fn push(&self, mark: &str, resolved: &mut String, footnotes: &mut Vec<String>) {
        let sources = self.sources(mark);
        let mut links: Vec<String> = Vec::new();
        let mut notes = Vec::new();
        for source in sources.iter().take(MAX_LINKS) {
            if source.url.is_empty() {
                let known = footnotes.iter().position(|name| *name == source.title);
                let number = known.unwrap_or_else(|| {
                    footnotes.push(source.title.clone());
                    footnotes.len() - 1
                });
                notes.push(format!("[^{}]", number + 1));
            } else {
                let link = source.link();
                if !links.contains(&link) {
                    links.push(link);
                }
            }
        }
        if !links.is_empty() {
            let space = if resolved.ends_with(char::is_whitespace) || resolved.is_empty() { "" } else { " " };
            resolved.push_str(&format!("{space}({})", links.join(", ")));
        }
        notes.iter().for_each(|note| resolved.push_str(note));
        if links.is_empty() && notes.is_empty() {
            match self.texts.get(&plain(mark)) {
                Some(text) => resolved.push_str(text),
                None => resolved.push_str(&shown_words(mark)),
            }
        }
    }

    fn sources(&self, mark: &str) -> Vec<CitedSource> {
        if let Some(known) = self.by_mark.get(&plain(mark)) {
            return known.clone();
        }
        positions(mark).into_iter().filter_map(|position| self.by_position.get(position).cloned()).collect()
    }
}

/// Returns what is shown of a mark that is no citation: `entity` has a name, `url` a text.
fn shown_words(mark: &str) -> String {
    let Some(inner) = mark.strip_prefix(OPEN).map(|inner| inner.trim_end_matches(CLOSE)) else {
        return String::new();
    };
    let mut pieces = inner.split(SEPARATOR);
    match (pieces.next(), pieces.next()) {
        (Some("entity"), Some(json)) => {
            items_of(json).get(1).and_then(|name| text_of(name)).unwrap_or_default()
        }
        (Some("url" | "link_title" | "i"), Some(text)) => match pieces.next().filter(|url| is_web(url)) {
            Some(url) => CitedSource { title: text.to_owned(), url: url.to_owned() }.link(),
            None => text.to_owned(),
        },
        _ => String::new(),
    }
}

/// Returns the text before the first mark, the mark, and the text after it.
fn next_mark(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find([OPEN, '【', 't']) {
        let at = from + found;
        let rest = &text[at..];
        let (start, end) = match rest.chars().next()? {
            OPEN => match bounded(rest).find(CLOSE) {
                Some(end) => (at, at + end + CLOSE.len_utf8()),
                None => (at, at),
            },
            '【' => match bounded(rest).find('】') {
                Some(end) if rest[..end].contains('†') && !rest[..end].contains('\n') => {
                    (at, at + end + '】'.len_utf8())
                }
                _ => (at, at),
            },
            _ => bare_mark(text, at).unwrap_or((at, at)),
        };
        if end > start {
            return Some((&text[..start], &text[start..end], &text[end..]));
        }
        from = at + rest.chars().next()?.len_utf8();
    }
    None
}

fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MARK)]
}

/// Returns the range of a mark such as `citeturn0search1turn0news2`, whose first position begins at `at`.
fn bare_mark(text: &str, at: usize) -> Option<(usize, usize)> {
    let word = BARE.iter().find(|word| text[..at].ends_with(**word))?;
    let mut end = at;
    while let Some(length) = position_length(&text[end..]) {
        end += length;
    }
    (end > at).then(|| (at - word.len(), end + lines_length(&text[end..])))
}

/// Returns the length of a position such as `turn0search1` at the beginning of a text.
fn position_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("turn")?;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let turn = digits(rest);
    let kind = rest[turn..].bytes().take_while(u8::is_ascii_lowercase).count();
    let index = digits(&rest[turn + kind..]);
    (turn > 0 && kind > 0 && index > 0).then_some(4 + turn + kind + index)
}

/// Returns the length of lines of a file, such as `L3-L7`, after a position.
fn lines_length(text: &str) -> usize {
    let line = |text: &str| {
        let digits = text.strip_prefix('L')?.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then_some(1 + digits)
    };
    let Some(first) = line(text) else { return 0 };
    let second = text[first..].strip_prefix('-').and_then(line);
    first + second.map_or(0, |length| 1 + length)
}

/// Returns the positions in a mark.
fn positions(mark: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = mark;
    while let Some(at) = rest.find("turn") {
        let length = position_length(&rest[at..]);
        found.extend(length.map(|length| &rest[at..at + length]));
        rest = &rest[at + length.unwrap_or(4)..];
    }
    found
}

fn plain(mark: &str) -> String {
    mark.chars().filter(|c| !matches!(c, '\u{e200}'..='\u{e206}')).collect()
}

pub fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(rest))
}

fn escape_url(url: &str) -> String {
    let mut escaped = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '(' => escaped.push_str("%28"),
            ')' => escaped.push_str("%29"),
            '<' => escaped.push_str("%3C"),
            '>' => escaped.push_str("%3E"),
            '\\' => escaped.push_str("%5C"),
            c if c.is_whitespace() || c.is_control() => escaped.push_str("%20"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(title: &str, url: &str) -> CitedSource {
        CitedSource { title: title.to_owned(), url: url.to_owned() }
    }

    #[test]
    fn marks_become_links_or_footnotes_and_never_stay() {
        let positions = SourcesByPosition::from([
            ("turn1news2".to_owned(), source("News", "https://n.example")),
            ("turn0file0".to_owned(), source("report.pdf", "")),
        ]);
        let mut sources = CitedSources::new(&positions);
        sources.add_mark(
            "\u{e200}cite\u{e202}turn0search0\u{e201}",
            vec![source("Ti[de]s", "https://a.example/x(1)"), source("", "https://b.example/y")],
            None,
        );
        sources.add_mark("【7†source】", vec![source("Moon", "https://moon.example/")], None);
        sources.add_mark("\u{e200}image\u{e202}x\u{e201}", Vec::new(), Some("a picture".to_owned()));
        let both = "([Ti\\[de\\]s](https://a.example/x%281%29), [b.example](https://b.example/y))";
        for (text, expected) in [
            ("High.\u{e200}cite\u{e202}turn0search0\u{e201}", format!("High. {both}")),
            ("High.citeturn0search0 Low", format!("High. {both} Low")),
            ("【7†source】 is near", "([Moon](https://moon.example/)) is near".to_owned()),
            (
                "See \u{e200}cite\u{e202}turn1news2\u{e202}turn9view9\u{e201}.",
                "See ([News](https://n.example)).".to_owned(),
            ),
            ("citeturn1news2turn9view9", "([News](https://n.example))".to_owned()),
            ("So \u{e203}it is\u{e204}citeturn8search8.", "So it is.".to_owned()),
            (
                "A\u{e200}filecite\u{e202}turn0file0\u{e202}L1-L3\u{e201} Bfileciteturn0file0L1-L3",
                "A[^1] B[^1]\n\n[^1]: report.pdf".to_owned(),
            ),
            ("\u{e200}entity\u{e202}[\"city\",\"Bergen\"]\u{e201} rains", "Bergen rains".to_owned()),
            (
                "\u{e200}url\u{e202}Docs\u{e202}https://d.example\u{e201}",
                "[Docs](https://d.example)".to_owned(),
            ),
            ("\u{e200}image\u{e202}x\u{e201}", "a picture".to_owned()),
            ("\u{e200}navlist\u{e202}More\u{e202}turn5news1\u{e201}", String::new()),
            ("unknown 【4:0†x.pdf】 gone, 【plain】 stays", "unknown  gone, 【plain】 stays".to_owned()),
            (
                "It is my turn0search1 to cite turn0search1",
                "It is my turn0search1 to cite turn0search1".to_owned(),
            ),
            ("open \u{e200}cite without end", "open cite without end".to_owned()),
        ] {
            assert_eq!(sources.resolve(text), expected, "{text}");
        }
    }

    #[test]
    fn many_marks_and_half_marks_take_linear_time() {
        let positions = SourcesByPosition::new();
        let sources = CitedSources::new(&positions);
        let halves = format!("{}{}", "\u{e200}".repeat(100_000), "t".repeat(100_000));
        assert_eq!(sources.resolve(&halves).len(), 100_000);
        assert_eq!(sources.resolve(&"citeturn0search1".repeat(50_000)), "");
    }
}
