//! Parser of the search-box syntax.

/// Maximum length in bytes. Each word costs a lookup, and real queries are shorter.
const MAX_TEXT: usize = 512;

/// A parsed term with its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    pub raw: String,
    pub ask: TermKind,
}

/// Meaning of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermKind {
    Words(String),
    Phrase(String),
    /// Excludes this phrase.
    Without(String),
    Tag(String),
    Owner(String),
    Protocol(String),
    Kind(String),
    Verified,
}

/// Parses a query. Never fails: unknown operators are treated as words.
pub fn parse(text: &str) -> Vec<QueryTerm> {
    let mut rest = cut(text).trim_start();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let raw = &rest[..piece_length(rest)];
        rest = rest[raw.len()..].trim_start();
        pieces.push(QueryTerm { raw: raw.to_owned(), ask: ask(raw) });
    }
    pieces
}

/// Returns the tags that a query filters by.
pub fn tags_in(text: &str) -> Vec<String> {
    let tag = |piece: QueryTerm| match piece.ask {
        TermKind::Tag(tag) => Some(tag),
        _ => None,
    };
    parse(text).into_iter().filter_map(tag).collect()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

/// Returns the length up to the next white space outside quotes. Quotes open only at `"`, `-"` and `tag:"`.
fn piece_length(text: &str) -> usize {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some(quote) = text[..end].find('"') else { return end };
    let opens = quote == 0 || text[..quote].ends_with([':', '-']);
    let close = text[quote + 1..].find('"').filter(|_| opens);
    close.map_or(end, |at| quote + 1 + at + 1)
}

fn ask(raw: &str) -> TermKind {
    if let Some(without) = raw.strip_prefix('-').filter(|rest| !rest.is_empty()) {
        return TermKind::Without(unquoted(without).to_owned());
    }
    if raw.starts_with('"') {
        return TermKind::Phrase(unquoted(raw).to_owned());
    }
    raw.split_once(':')
        .and_then(|(name, value)| operator(name, unquoted(value)))
        .unwrap_or_else(|| TermKind::Words(raw.to_owned()))
}

fn operator(name: &str, value: &str) -> Option<TermKind> {
    let value = Some(value.to_owned()).filter(|value| !value.is_empty())?;
    Some(match name.to_ascii_lowercase().as_str() {
        "tag" => TermKind::Tag(value),
        "owner" | "by" => TermKind::Owner(value),
        "protocol" => TermKind::Protocol(value),
        "kind" => TermKind::Kind(value),
        "is" if value.eq_ignore_ascii_case("verified") => TermKind::Verified,
        _ => return None,
    })
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(text: &str) -> Vec<TermKind> {
        parse(text).into_iter().map(|piece| piece.ask).collect()
    }

    #[test]
    fn operators_phrases_and_words() {
        let text =
            "weather owner:@ada Tag:\"machine learning\" \"exact words\" -slow -\"not this\" is:verified";
        assert_eq!(
            asks(text),
            [
                TermKind::Words("weather".into()),
                TermKind::Owner("@ada".into()),
                TermKind::Tag("machine learning".into()),
                TermKind::Phrase("exact words".into()),
                TermKind::Without("slow".into()),
                TermKind::Without("not this".into()),
                TermKind::Verified,
            ]
        );
        assert_eq!(tags_in(text), ["machine learning"]);
        let raws: Vec<String> = parse(text).into_iter().map(|piece| piece.raw).collect();
        assert_eq!(raws.join(" "), text);
    }

    #[test]
    fn everything_else_is_words() {
        for odd in
            ["is:nice", "tag:", "https://a.example/x", "-", "a\"b", "AND", "(", "owner:\"\"", ":", "\u{0}"]
        {
            assert_eq!(asks(odd), [TermKind::Words(odd.into())], "{odd}");
        }
        assert_eq!(
            asks("\"open phrase"),
            [TermKind::Phrase("open".into()), TermKind::Words("phrase".into())]
        );
        assert_eq!(asks("  "), []);
        assert!(parse(&"é".repeat(MAX_TEXT)).len() == 1);
    }
}
