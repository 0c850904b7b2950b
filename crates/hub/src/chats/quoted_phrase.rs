//! Quoted phrases of a search over chats. The index knows the terms of a message, not their order: the messages that it
//! finds are read.

use std::collections::{HashMap, HashSet};

use plexus_domain::tokenize::{self, Token};

/// Words that a message must have in this order.
pub(super) struct QuotedPhrase(Vec<Token>);

impl QuotedPhrase {
    /// Returns the phrases between quotation marks. One of a single term is a word like any other.
    pub fn all_of(words: &str) -> Vec<Self> {
        let pieces = words.split(['"', '“', '”', '„', '«', '»']).skip(1).step_by(2);
        pieces.map(tokenize::query_tokens).filter(|terms| terms.len() > 1).map(Self).collect()
    }

    /// Returns whether a text has all phrases. Linear time in the text, for each term of a phrase.
    pub fn are_in(phrases: &[Self], text: &str) -> bool {
        if phrases.is_empty() {
            return true;
        }
        let tokens = tokenize::index_tokens(text);
        let mut places: HashMap<&str, HashSet<usize>> = HashMap::new();
        for token in &tokens {
            places.entry(&token.text).or_default().insert(token.position);
        }
        phrases.iter().all(|phrase| phrase.is_at(&places))
    }

    fn is_at(&self, places: &HashMap<&str, HashSet<usize>>) -> bool {
        let Some(first) = self.0.first() else { return true };
        let has = |token: &Token, position: usize| {
            places.get(token.text.as_str()).is_some_and(|places| places.contains(&position))
        };
        let starts = places.get(first.text.as_str()).into_iter().flatten();
        starts
            .copied()
            .any(|start| self.0.iter().all(|token| has(token, start + token.position - first.position)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_a_phrase_stand_in_a_row() {
        for (words, text, is_found) in [
            ("\"high tide\"", "The High Tide, at noon", true),
            ("\"high tide\"", "tide is high", false),
            ("\"high tide\" noon \"at noon\"", "high tide at noon", true),
            ("\"high tide\" \"noon at\"", "high tide at noon", false),
            ("“c++ developer”", "a C++ developer", true),
            ("“c++ developer”", "a C developer", false),
            ("\"node.js server\"", "node.js, server", true),
            ("\"天気予報\"", "明日の天気予報です", true),
            ("\"天気予報\"", "予報と天気", false),
            ("\"hello all\"", "hello 👋 all", true),
            ("\"open phrase", "phrase open", false),
            ("\"tide\"", "nothing", true),
            ("no quotes", "nothing", true),
        ] {
            assert_eq!(QuotedPhrase::are_in(&QuotedPhrase::all_of(words), text), is_found, "{words}: {text}");
        }
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        let phrases = QuotedPhrase::all_of("\"x word a\" \"字字字字\" \"the http a\"");
        // A ligature may be 18 terms of a byte each.
        let per_kib = std::time::Duration::from_millis(20);
        plexus_testing::cost::assert_linear_within("phrases", per_kib, |text| {
            QuotedPhrase::are_in(&phrases, text)
        });
    }
}
