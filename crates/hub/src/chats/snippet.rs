//! Snippet of a text around the first term of a search that it has.

use std::ops::Range;

use plexus_domain::{
    sanitized_text::{cluster_end, cluster_start},
    tokenize,
};
use plexus_store::message_terms::{MAX_INDEXED_BYTES, SearchTerm};

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnippetPiece {
    pub text: String,
    /// Whether it is a term of the search.
    pub is_match: bool,
}

/// Characters of a snippet before its first match, and in all.
const BEFORE: usize = 60;
const LENGTH: usize = 220;

/// Returns a snippet of one line. Without a match, it is the beginning of the text.
pub(super) fn snippet(text: &str, terms: &[SearchTerm]) -> Vec<SnippetPiece> {
    let text = &text[..text.floor_char_boundary(MAX_INDEXED_BYTES)];
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let folded = FoldedText::new(&text);
    let first = terms.iter().filter_map(|term| folded.matches(term, 0).next()).map(|found| found.start).min();
    let window = window(&text, first.unwrap_or(0));
    let (start, end) = (window.start, window.end);
    let mut found: Vec<Range<usize>> = terms
        .iter()
        .flat_map(|term| folded.matches(term, start).take_while(move |found| found.end <= end))
        .map(|found| found.start..cluster_end(&text, found.end).min(end))
        .collect();
    found.sort_unstable_by_key(|found| (found.start, found.end));
    pieces(&text, window, &found)
}

/// Returns the range of the snippet around a match, without partial words of scripts with spaces, and without parts of
/// grapheme clusters.
fn window(text: &str, first: usize) -> Range<usize> {
    let start = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    // Begin after a space, unless the script has none.
    let start = match text[start..first].find(' ') {
        Some(space) if start > 0 => start + space + 1,
        _ => cluster_start(text, start),
    };
    let end = text[start..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| start + at);
    let end = match text[first..end].rfind(' ') {
        Some(space) if end < text.len() && space > 0 => first + space,
        _ => cluster_start(text, end).max(first),
    };
    start..end
}

fn pieces(text: &str, window: Range<usize>, found: &[Range<usize>]) -> Vec<SnippetPiece> {
    let mut pieces: Vec<SnippetPiece> = Vec::new();
    let mut push = |text: &str, is_match| match pieces.last_mut() {
        _ if text.is_empty() => {}
        // Bigrams overlap: what is left of the second one continues the first.
        Some(last) if last.is_match == is_match => last.text.push_str(text),
        _ => pieces.push(SnippetPiece { text: text.to_owned(), is_match }),
    };
    if window.start > 0 {
        push("…", false);
    }
    let mut at = window.start;
    for found in found {
        push(&text[at..found.start.max(at)], false);
        push(&text[found.start.max(at)..found.end.max(at)], true);
        at = found.end.max(at);
    }
    push(&text[at..window.end], false);
    if window.end < text.len() {
        push("…", false);
    }
    pieces
}

/// A text with its normalized form, and for each byte of that the position in the text.
struct FoldedText {
    folded: String,
    /// One more than `folded` has bytes: the last is the end of the text.
    positions: Vec<usize>,
}

impl FoldedText {
    /// Normalizes each character on its own, so that positions are known.
    fn new(text: &str) -> Self {
        let mut folded = String::with_capacity(text.len());
        let mut positions = Vec::with_capacity(text.len() + 1);
        for (at, c) in text.char_indices() {
            if c.is_ascii() {
                folded.push(c.to_ascii_lowercase());
            } else {
                folded.push_str(&tokenize::fold(c.encode_utf8(&mut [0; 4])));
            }
            positions.resize(folded.len(), at);
        }
        positions.push(text.len());
        Self { folded, positions }
    }

    /// Finds a term at the beginning of words, from this position of the text on. Returns positions of the text.
    fn matches(&self, term: &SearchTerm, from: usize) -> impl Iterator<Item = Range<usize>> {
        let is_unspaced = term.text.chars().next().is_some_and(tokenize::is_unspaced);
        // Symbols such as emoji stand next to letters.
        let begins_word = term.text.starts_with(|c: char| c.is_alphanumeric() || c == '.');
        let ends_word = term.text.ends_with(char::is_alphanumeric);
        let from = self.positions.partition_point(|position| *position < from).min(self.folded.len());
        let (length, is_prefix) = (term.text.len(), term.is_prefix);
        let is_word = move |at: usize| {
            let starts = !begins_word || !self.folded[..at].ends_with(char::is_alphanumeric);
            let ends =
                is_prefix || !ends_word || !self.folded[at + length..].starts_with(char::is_alphanumeric);
            is_unspaced || (starts && ends)
        };
        let found = self.folded[from..].match_indices(term.text.as_str()).map(move |(at, _)| from + at);
        found.filter(move |at| is_word(*at)).map(move |at| self.positions[at]..self.positions[at + length])
    }
}

#[cfg(test)]
mod tests {
    use plexus_store::message_terms::search_terms;

    use super::*;

    fn shown(text: &str, words: &str) -> String {
        let mark =
            |piece: SnippetPiece| if piece.is_match { format!("[{}]", piece.text) } else { piece.text };
        snippet(text, &search_terms(words)).into_iter().map(mark).collect()
    }

    #[test]
    fn terms_are_marked_where_words_begin() {
        assert_eq!(shown("The Café of\n\nthe port", "cafe"), "The [Café] of the port");
        assert_eq!(shown("report, port; ports", "port x"), "report, [port]; ports");
        assert_eq!(shown("report, port; ports", "por"), "report, [por]t; [por]ts");
        assert_eq!(shown("İstanbul’da STRASSE", "straße"), "İstanbul’da [STRASSE]");
        assert_eq!(shown("nothing here", "absent"), "nothing here");
        assert_eq!(shown("C, C++17 and asp.net or .NET", "c++ .net"), "C, [C++]17 and asp.net or [.NET]");
        assert_eq!(shown("thanks👍🏽 $5", "👍 $"), "thanks[👍🏽] [$]5");
        assert_eq!(shown("", "x"), "");
    }

    #[test]
    fn scripts_without_spaces_are_marked_anywhere() {
        assert_eq!(shown("明日の天気予報です", "天気予報"), "明日の[天気予報]です");
        assert_eq!(shown("今天的天气很好", "天气"), "今天的[天气]很好");
        assert_eq!(shown("黒猫と猫", "猫"), "黒[猫]と[猫]");
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_match() {
        let text = format!("{} tide {}", "before ".repeat(40), "after ".repeat(80));
        let shown = shown(&text, "tide");
        assert!(shown.starts_with("…before ") && shown.ends_with(" after…"), "{shown}");
        assert!(shown.contains("before [tide] after"), "{shown}");
        assert!(shown.chars().count() <= LENGTH + 4, "{shown}");
        let clusters = format!("{}tide{}", "👩\u{200d}🔬".repeat(99), "🇩🇪".repeat(300));
        let cut = super::tests::shown(&clusters, "tide");
        let cut = cut.trim_matches('…').replace("[tide]", "").replace("👩\u{200d}🔬", "").replace("🇩🇪", "");
        assert!(cut.is_empty(), "{cut}");
        let dense = format!("{}海{}", "山".repeat(300), "川".repeat(300));
        let shown = super::tests::shown(&dense, "海");
        assert!(shown.contains("山[海]川") && shown.chars().count() <= LENGTH + 4, "{shown}");
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        for words in ["x", "http a", "c++ .net 👍 $", "字 and (", "the of and to in word"] {
            let terms = search_terms(words);
            plexus_testing::cost::assert_linear("snippet", |text| snippet(text, &terms));
        }
    }
}
