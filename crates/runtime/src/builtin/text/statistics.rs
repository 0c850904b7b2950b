//! Counts of a text. Words are divided by Unicode's rules (UAX #29), and by dictionaries in Chinese, Japanese, Thai, Lao,
//! Khmer and Burmese, which write no spaces.

use std::{cmp::Reverse, collections::HashMap};

use icu_segmenter::{
    GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter,
    options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions},
};

use super::stop_words::is_stop_word;

/// Maximum number of terms in the result.
const MAX_TERMS: usize = 10;
/// Maximum number of characters of a term. Longer words are encoded data.
const MAX_TERM_CHARS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextStatistics {
    pub words: usize,
    /// Number of words that differ, without regard to case.
    pub distinct_words: usize,
    pub sentences: usize,
    /// Number of grapheme clusters, which are what readers see as characters.
    pub characters: usize,
    pub spaces: usize,
    /// Words that are no stop words, with their counts, the most frequent ones first.
    pub terms: Vec<(String, usize)>,
}

impl TextStatistics {
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let words = words(text);
        let mut counts: HashMap<&str, TermCount> = HashMap::new();
        for (position, word) in words.iter().enumerate() {
            counts.entry(word.as_str()).or_insert(TermCount { count: 0, position }).count += 1;
        }
        Self {
            words: words.len(),
            distinct_words: counts.len(),
            sentences: sentences(text),
            characters: GraphemeClusterSegmenter::new().segment_str(text).count().saturating_sub(1),
            spaces: text.chars().filter(|c| c.is_whitespace()).count(),
            terms: terms(counts),
        }
    }
}

/// How often a word occurs, and where first.
struct TermCount {
    count: usize,
    position: usize,
}

/// Returns the words in lower case.
fn words(text: &str) -> Vec<String> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut start = 0;
    let mut words = Vec::new();
    for (end, kind) in segmenter.segment_str(text).iter_with_word_type() {
        if kind.is_word_like() {
            words.push(text[start..end].to_lowercase());
        }
        start = end;
    }
    words
}

/// Returns the number of sentences that say something.
fn sentences(text: &str) -> usize {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let ends: Vec<usize> = segmenter.segment_str(text).collect();
    ends.windows(2).filter(|ends| text[ends[0]..ends[1]].contains(char::is_alphanumeric)).count()
}

/// Returns the most frequent terms. Of equally frequent ones, the first in the text comes first.
fn terms(counts: HashMap<&str, TermCount>) -> Vec<(String, usize)> {
    let is_term = |word: &str| {
        word.contains(char::is_alphabetic) && word.chars().count() <= MAX_TERM_CHARS && !is_stop_word(word)
    };
    let mut terms: Vec<_> = counts.into_iter().filter(|(word, _)| is_term(word)).collect();
    terms.sort_unstable_by_key(|(_, term)| (Reverse(term.count), term.position));
    terms.into_iter().take(MAX_TERMS).map(|(word, term)| (word.to_owned(), term.count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> (usize, usize) {
        let TextStatistics { words, sentences, .. } = TextStatistics::of(text);
        (words, sentences)
    }

    fn first_terms(text: &str) -> Vec<(String, usize)> {
        TextStatistics::of(text).terms.into_iter().take(2).collect()
    }

    fn expected(terms: [(&str, usize); 2]) -> Vec<(String, usize)> {
        terms.map(|(term, count)| (term.to_owned(), count)).to_vec()
    }

    #[test]
    fn words_and_sentences_of_many_scripts() {
        for (text, words, sentences) in [
            ("", 0, 0),
            ("… — !", 0, 0),
            ("The tide comes in twice a day, and twice a day it goes out.", 14, 1),
            ("It’s 3.5 m high, isn’t it? Yes.", 7, 2),
            ("Größe zählt. Straße auch!", 4, 2),
            // "Today the weather is good. We go to the seaside."
            ("今天天气很好。我们去海边。", 6, 2),
            // "Hello, world."
            ("こんにちは世界。", 2, 1),
            ("ทุกสองสัปดาห์", 3, 1),
        ] {
            assert_eq!(counts(text), (words, sentences), "{text}");
        }
    }

    #[test]
    fn terms_are_counted_without_function_words_and_case() {
        let sea = "The sea gives and the Sea takes. A boat needs the sea, and the sea needs no boat.";
        assert_eq!(first_terms(sea), expected([("sea", 4), ("boat", 2)]));
        let weather = "天气很好。明天的天气也好。海边的天气。海边。";
        assert_eq!(first_terms(weather), expected([("天气", 3), ("海边", 2)]));
    }

    #[test]
    fn a_character_is_what_readers_see_as_one() {
        let flags = TextStatistics::of("🇩🇪 é👩‍👩‍👧");
        assert_eq!((flags.characters, flags.spaces), (4, 1));
    }
}
