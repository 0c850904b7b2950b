//! Query expansion: index terms that match a query word by prefix or edit distance.

use std::{cmp::Reverse, collections::HashMap};

use tantivy::{Searcher, Term, query::FuzzyTermQuery, schema::Field};

use crate::error::Result;

/// Maximum number of expansions of a word; the most frequent ones are used.
const MAX_EXPANSIONS: usize = 64;
/// Maximum number of terms visited per segment, so that one letter does not scan the whole dictionary.
const MAX_VISITED: usize = 20_000;
/// Minimum word lengths in characters for one and for two edits.
const ONE_SLIP: usize = 4;
const TWO_SLIPS: usize = 8;

/// Returns the terms that start with `prefix`, most frequent first.
pub fn prefix_matches(searcher: &Searcher, field: Field, prefix: &str) -> Result<Vec<String>> {
    let mut counts = DocFrequencies::default();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut words = inverted.terms().range().ge(prefix).into_stream()?;
        let mut visited = 0;
        while visited < MAX_VISITED
            && let Some((word, info)) = words.next()
            && word.starts_with(prefix.as_bytes())
        {
            visited += 1;
            counts.add(word, info.doc_freq);
        }
    }
    Ok(counts.most_frequent())
}

/// Returns the terms at the smallest edit distance with
/// any match, most frequent first, without `word` itself.
pub fn fuzzy_matches(searcher: &Searcher, field: Field, word: &str) -> Result<Vec<String>> {
    for distance in 1..=max_edit_distance(word) {
        let mut counts = within(searcher, field, word, distance)?;
        counts.0.remove(word);
        if !counts.0.is_empty() {
            return Ok(counts.most_frequent());
        }
    }
    Ok(Vec::new())
}

/// Returns the maximum edit distance. It is 0 for numbers: another digit means something else.
fn max_edit_distance(word: &str) -> u8 {
    match word.chars().count() {
        _ if word.chars().any(char::is_numeric) => 0,
        ..ONE_SLIP => 0,
        ONE_SLIP..TWO_SLIPS => 1,
        _ => 2,
    }
}

fn within(searcher: &Searcher, field: Field, word: &str, distance: u8) -> Result<DocFrequencies> {
    let query = FuzzyTermQuery::new(Term::from_field_text(field, word), distance, true);
    let mut counts = DocFrequencies::default();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut words = inverted.terms().search(query.automaton()?).into_stream()?;
        while let Some((word, info)) = words.next() {
            counts.add(word, info.doc_freq);
        }
    }
    Ok(counts)
}

/// Number of documents per term.
#[derive(Default)]
struct DocFrequencies(HashMap<String, u64>);

impl DocFrequencies {
    fn add(&mut self, word: &[u8], documents: u32) {
        if let Ok(word) = std::str::from_utf8(word) {
            *self.0.entry(word.to_owned()).or_default() += u64::from(documents);
        }
    }

    fn most_frequent(self) -> Vec<String> {
        let mut words: Vec<(Reverse<u64>, String)> =
            self.0.into_iter().map(|(word, count)| (Reverse(count), word)).collect();
        words.sort_unstable();
        words.into_iter().take(MAX_EXPANSIONS).map(|(_, word)| word).collect()
    }
}
