//! Finds links in running text: web addresses, names that begin with `www.`, and mail addresses.
//!
//! A link ends where the sentence around it goes on: before punctuation of any script, before a bracket that it does not
//! open, before the emphasis or the quotation mark that encloses it, and before emoji at its end.

use std::borrow::Cow;

use crate::{
    link,
    link_chars::{ends_link, is_trailing, is_unspaced},
};

/// Maximum length of the part of a mail address before and after the `@`, in bytes (RFC 5321, 4.5.3.1).
const MAX_LOCAL_PART: usize = 64;
const MAX_DOMAIN: usize = 255;
/// Maximum length of the name of a character reference (`&CounterClockwiseContourIntegral;`) in bytes.
const MAX_REFERENCE: usize = 34;
/// References to characters that end a link.
const ENDING_REFERENCES: [&str; 4] = ["&lt;", "&gt;", "&quot;", "&nbsp;"];
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// Whether a text has the escapes and character references of Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Typed,
    Markdown,
}

/// A link in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareLink<'t> {
    /// Byte offsets in the text.
    pub start: usize,
    pub end: usize,
    kind: LinkKind,
    /// The text of the link, without escapes.
    pub label: Cow<'t, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkKind {
    Url,
    Www,
    Mail,
}

impl BareLink<'_> {
    /// Returns the target.
    pub fn href(&self) -> Cow<'_, str> {
        match self.kind {
            LinkKind::Mail if self.label.starts_with("mailto:") => Cow::Borrowed(&self.label),
            LinkKind::Url => Cow::Borrowed(&self.label),
            LinkKind::Www => format!("http://{}", self.label).into(),
            LinkKind::Mail => format!("mailto:{}", self.label).into(),
        }
    }

    pub fn is_url(&self) -> bool {
        self.kind == LinkKind::Url
    }
}

/// Iterator over the links of a text, in order. Each character is read a bounded number of times.
#[derive(Debug)]
pub struct BareLinks<'t> {
    text: &'t str,
    syntax: Syntax,
    /// Where the search goes on.
    at: usize,
    /// The end of the last link or of what was rejected as one. No link begins before it.
    floor: usize,
}

impl<'t> BareLinks<'t> {
    pub const fn new(text: &'t str, syntax: Syntax) -> Self {
        Self { text, syntax, at: 0, floor: 0 }
    }

    fn url(&mut self, colon: usize) -> Option<BareLink<'t>> {
        let host = self.text[colon..].strip_prefix("://").map(|_| colon + "://".len())?;
        let before = &self.text.as_bytes()[self.floor..colon];
        let is_scheme = |scheme: &&str| ends_with_ignoring_case(before, scheme.as_bytes());
        let start = colon - ["https", "http"].into_iter().find(is_scheme)?.len();
        if self.before(start).is_some_and(|c| c.is_ascii_alphanumeric() || c == '+') {
            return None;
        }
        let end = self.end(start, host);
        let first = self.text[host..end].chars().next();
        let has_host = first.is_some_and(|c| c.is_alphanumeric() || c == '[');
        self.link(LinkKind::Url, start, end).filter(|_| has_host)
    }

    fn www(&mut self, dot: usize) -> Option<BareLink<'t>> {
        let is_www = ends_with_ignoring_case(&self.text.as_bytes()[self.floor..dot], b"www");
        let start = dot - if is_www { 3 } else { return None };
        let is_inside =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '@' | '-' | '+' | '\\');
        let begins_name = self.text[dot + 1..].starts_with(char::is_alphanumeric);
        if !begins_name || self.before(start).is_some_and(is_inside) {
            return None;
        }
        let end = self.end(start, start);
        let name =
            self.text[dot + 1..end.max(dot + 1)].split(['/', '?', '#', ':']).next().unwrap_or_default();
        let has_domain =
            name.split_once('.').is_some_and(|(_, domain)| domain.starts_with(char::is_alphanumeric));
        self.link(LinkKind::Www, start, end).filter(|_| has_domain)
    }

    fn mail(&self, at: usize) -> Option<BareLink<'t>> {
        let may_escape = self.syntax == Syntax::Markdown;
        let is_local = |byte: &&u8| {
            byte.is_ascii_alphanumeric() || b".+-_%".contains(byte) || (may_escape && **byte == b'\\')
        };
        let before = &self.text.as_bytes()[self.floor..at];
        let length = before.iter().rev().take(MAX_LOCAL_PART + 1).take_while(is_local).count();
        let local = &self.text[at - length..at];
        let mut start = at - local.trim_start_matches(['.', '+', '-', '_', '%', '\\']).len();
        let is_word = |c: char| c.is_alphanumeric() && !is_unspaced(c);
        let is_path = |c: char| matches!(c, '/' | '@' | '\\') || is_word(c);
        let is_escape = |rest: &str| rest.starts_with(['_', '-', '+', '.']);
        if start == at
            || length > MAX_LOCAL_PART
            || local.ends_with('.')
            || self.before(at - length).is_some_and(is_path)
            || !self.text[start..at].split('\\').skip(1).all(is_escape)
        {
            return None;
        }
        if self.text[self.floor..start].ends_with("mailto:") {
            start -= "mailto:".len();
        }
        let end = self.domain_end(at + 1)?;
        self.link(LinkKind::Mail, start, end)
    }

    /// Returns the end of the domain of a mail address. It has a dot, and its last label is a word.
    fn domain_end(&self, start: usize) -> Option<usize> {
        let rest = &self.text[start..];
        let rest = &rest[..rest.floor_char_boundary(MAX_DOMAIN + 1)];
        let length =
            rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '.')).unwrap_or(rest.len());
        let domain = rest[..length].trim_end_matches(['.', '-']);
        if domain.len() > MAX_DOMAIN || self.text[start + length..].starts_with('@') {
            return None;
        }
        let domain = &domain[..host_length(domain)];
        let (name, top) = domain.rsplit_once('.')?;
        let is_word = top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
        let is_name = name.starts_with(char::is_alphanumeric) && !name.contains("..");
        (is_name && (is_word || top.starts_with("xn--"))).then_some(start + domain.len())
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    /// Returns the end of the URL from `start`, whose host begins at `host`, and goes on behind what was read.
    fn end(&mut self, start: usize, host: usize) -> usize {
        let (read, end) = self.read(start, host);
        self.at = self.at.max(read);
        let mut url = &self.text[..end];
        loop {
            let shorter = url.trim_end_matches(|c: char| is_trailing(c) && c != ';');
            let shorter = match shorter.strip_suffix(';') {
                Some(rest) => reference_start(rest).map_or(rest, |at| &rest[..at]),
                None => shorter,
            };
            if shorter.len() == url.len() || shorter.len() <= host {
                break;
            }
            url = shorter;
        }
        url.len()
    }

    /// Reads a URL to the first character that cannot be part of it. Returns its position, and the end of the URL: before
    /// the first bracket that stays open.
    fn read(&self, start: usize, host: usize) -> (usize, usize) {
        let opened = self.before(start);
        let (mut brackets, mut name) = (OpenBrackets::default(), HostName::new(host));
        let mut at = host;
        while let Some(c) = self.text[at..].chars().next() {
            let run = self.run(at, c);
            let ends = ends_link(c)
                || (c == '&' && self.is_ending_reference(at))
                || (c == '\\' && !self.is_escape(at))
                || !brackets.take(c, at, &self.text[at + c.len_utf8()..])
                || name.ends_before(c, at, self.text)
                || (run > 0 && self.is_closed_by(c, run, opened, self.text[at + run..].chars().next()));
            if ends {
                break;
            }
            at += run.max(c.len_utf8());
        }
        (at, brackets.first_open().unwrap_or(at))
    }

    /// Returns the length of the run of emphasis or quotation marks at `at`; 0 for other characters.
    fn run(&self, at: usize, c: char) -> usize {
        let is_mark = matches!(c, '*' | '_' | '~' | '\'');
        if is_mark { self.text[at..].bytes().take_while(|byte| char::from(*byte) == c).count() } else { 0 }
    }

    /// Returns true if a run of marks closes what encloses the URL. `opened` is the character before the URL.
    fn is_closed_by(&self, mark: char, run: usize, opened: Option<char>, next: Option<char>) -> bool {
        let is_opened = opened == Some(mark);
        let is_in_word = next.is_some_and(char::is_alphanumeric);
        let is_in_url = next.is_some_and(|c| c.is_ascii() && !ends_link(c));
        match mark {
            '*' => run >= 2 || is_opened || !is_in_url,
            '~' => run >= 2 || is_opened,
            '_' => is_opened && !is_in_word,
            _ => (is_opened && !is_in_word) || !is_in_url,
        }
    }

    fn is_ending_reference(&self, at: usize) -> bool {
        let rest = &self.text.as_bytes()[at..];
        ENDING_REFERENCES
            .iter()
            .any(|name| rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes())))
    }

    /// Returns true if the backslash at `at` is the escape of a character in the middle of a URL.
    fn is_escape(&self, at: usize) -> bool {
        let [_, escaped, next, ..] = &self.text.as_bytes()[at..] else { return false };
        self.syntax == Syntax::Markdown && b"_&~#=%+-.".contains(escaped) && next.is_ascii_alphanumeric()
    }

    fn link(&self, kind: LinkKind, start: usize, end: usize) -> Option<BareLink<'t>> {
        let source = self.text.get(start..end)?;
        let is_escaped = self.syntax == Syntax::Markdown && source.contains(['\\', '&']);
        let label: Cow<'t, str> =
            if is_escaped { source.replace('\\', "").replace("&amp;", "&").into() } else { source.into() };
        let link = BareLink { start, end, kind, label };
        let is_allowed = link::is_allowed(&link.href());
        is_allowed.then_some(link)
    }
}

impl<'t> Iterator for BareLinks<'t> {
    type Item = BareLink<'t>;

    fn next(&mut self) -> Option<BareLink<'t>> {
        while let Some(found) = self.text[self.at..].find([':', '.', '@']) {
            let mark = self.at + found;
            self.at = mark + 1;
            let link = match self.text.as_bytes()[mark] {
                b':' => self.url(mark),
                b'.' => self.www(mark),
                _ => self.mail(mark),
            };
            if let Some(link) = link {
                (self.at, self.floor) = (self.at.max(link.end), link.end);
                return Some(link);
            }
        }
        None
    }
}

/// Brackets of a URL: how many of each kind are open, and where the first of them is.
#[derive(Default)]
struct OpenBrackets([(usize, usize); BRACKETS.len()]);

impl OpenBrackets {
    /// Counts a character. Returns false if it ends the URL: a bracket that the URL does not open, or a bracket or comma
    /// before another URL.
    fn take(&mut self, c: char, at: usize, rest: &str) -> bool {
        if matches!(c, ',' | ';') {
            return !rest.starts_with("http");
        }
        for ((depth, first), (opening, closing)) in self.0.iter_mut().zip(BRACKETS) {
            if c == opening {
                (*depth, *first) = (*depth + 1, if *depth == 0 { at } else { *first });
                return !rest.starts_with("http");
            }
            if c == closing {
                let left = depth.checked_sub(1);
                *depth = left.unwrap_or_default();
                return left.is_some();
            }
        }
        true
    }

    fn first_open(&self) -> Option<usize> {
        self.0.iter().filter(|(depth, _)| *depth > 0).map(|(_, first)| *first).min()
    }
}

/// The host name of a URL that is being read.
struct HostName {
    /// Where the current label begins; `None` behind the host name.
    label: Option<usize>,
    has_dot: bool,
}

impl HostName {
    const fn new(start: usize) -> Self {
        Self { label: Some(start), has_dot: false }
    }

    /// Returns true if the name ends before `c`: a word of a script without spaces follows it directly.
    fn ends_before(&mut self, c: char, at: usize, text: &str) -> bool {
        let Some(label) = self.label else { return false };
        match c {
            '/' | '?' | '#' => self.label = None,
            '.' => (self.label, self.has_dot) = (Some(at + 1), true),
            _ => {}
        }
        let is_ascii = text[label..at].starts_with(|c: char| c.is_ascii_alphanumeric());
        self.has_dot && is_ascii && is_unspaced(c)
    }
}

fn ends_with_ignoring_case(text: &[u8], end: &[u8]) -> bool {
    text.len().checked_sub(end.len()).is_some_and(|at| text[at..].eq_ignore_ascii_case(end))
}

/// Returns the length of a host name without the words of a script without spaces that follow it.
fn host_length(name: &str) -> usize {
    let label = name.rfind('.').map_or(0, |dot| dot + 1);
    let is_ascii = name[label..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let word = name[label..].find(is_unspaced).filter(|_| is_ascii && label > 0);
    word.map_or(name.len(), |at| label + at)
}

/// Returns where the character reference begins that a `;` behind `text` would end.
fn reference_start(text: &str) -> Option<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let name = text.bytes().rev().take(MAX_REFERENCE).take_while(|byte| is_name(&byte)).count();
    let at = text.len().checked_sub(name + 1)?;
    (name > 0 && text.as_bytes()[at] == b'&').then_some(at)
}
