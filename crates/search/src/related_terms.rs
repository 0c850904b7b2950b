//! Related terms of a query term: inflected forms (stemming) and terms that co-occur in agent descriptions.
//!
//! Publishers describe the same thing in several ways: in sentences, tags and examples. Co-occurrence over
//! many agents shows which terms are related, without a dictionary.

use std::collections::{BTreeMap, HashSet};

use plexus_domain::{
    team::formation::{stems_of, unspaced_words_of, work_kind},
    tokenize::Token,
};
use tantivy::{
    DocSet, Searcher, SegmentReader, TERMINATED, Term, columnar::StrColumn, schema::IndexRecordOption,
};

use crate::{
    error::Result,
    fuzzy_terms,
    schema::{SchemaFields, fast},
};

/// Weight of inflected forms: *translates* and *translation* for *translate*.
const FORM: f32 = 0.5;
const MAX_FORMS: usize = 16;
/// Weight of other words for the same kind of work: a chart is also a plot, a diagram or a drawing.
const KIND: f32 = 0.8;
/// Length of the terms of scripts without spaces.
const UNSPACED_TERM: usize = 2;
/// Endings of words of [`MIN_STEM`] letters.
const SHORT_ENDINGS: [&str; 8] = ["s", "es", "d", "ed", "r", "er", "ers", "ing"];
/// Minimum length of a common stem, and number of letters that are cut off at the end, in characters.
const MIN_STEM: usize = 4;
const ENDING: usize = 3;

/// Maximum number of publishers sampled, one card each, so
/// that publishing more cards gives no influence (Sybil).
const ASKED: usize = 128;
/// Minimum number of publishers that use both terms, and their minimum share of those that use the first.
const MIN_ASKED: usize = 3;
const MIN_SHARE: f32 = 0.15;
/// Minimum lift: how much more often than by chance the terms occur together.
const MIN_LIFT: f32 = 8.0;
/// Factor from normalised pointwise mutual information (Bouma, 2009) to weight.
///
/// Its maximum of 1 means that the terms always occur together. From two thirds on the weight is 1.
const SAME: f32 = 1.5;
const MAX_LEARNT: usize = 8;

/// Returns the related terms of a word with weights up to 1. The word itself comes first.
pub fn related_terms(searcher: &Searcher, fields: &SchemaFields, word: &Token) -> Result<Vec<(String, f32)>> {
    let mut said = vec![(word.text.clone(), 1.0)];
    if let Some(stem) = if word.alone { Some(word.text.as_str()) } else { stem(&word.text) } {
        let forms = fuzzy_terms::prefix_matches(searcher, fields.phrase, stem)?.into_iter();
        // "Figures" are numbers, while a figure is a chart.
        let kind = work_kind(&word.text);
        let is_same_kind = |other: &str| kind.is_none() || work_kind(other) == kind;
        let forms =
            forms.filter(|other| *other != word.text && is_form(&word.text, other) && is_same_kind(other));
        said.extend(forms.take(MAX_FORMS).map(|other| (other, FORM)));
    }
    for (other, share) in same_kind(searcher, fields, &word.text)? {
        match said.iter_mut().find(|(known, _)| *known == other) {
            Some((_, known)) => *known = known.max(share),
            None => said.push((other, share)),
        }
    }
    let learnt = cooccurring_terms(searcher, fields, &said)?;
    said.extend(learnt);
    Ok(said)
}

/// Returns terms of the same kind of work: "plot" for "chart".
fn same_kind(searcher: &Searcher, fields: &SchemaFields, word: &str) -> Result<Vec<(String, f32)>> {
    let Some(kind) = work_kind(word) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for stem in stems_of(kind) {
        let terms = fuzzy_terms::prefix_matches(searcher, fields.phrase, stem)?.into_iter();
        found.extend(
            terms.filter(|term| work_kind(term) == Some(kind)).take(MAX_FORMS).map(|term| (term, KIND)),
        );
    }
    let unspaced = unspaced_words_of(kind).filter(|word| word.chars().count() == UNSPACED_TERM);
    found.extend(unspaced.map(|term| (term.to_owned(), KIND)));
    Ok(found)
}

/// Returns whether a term that begins like a word is a form of it. Short words have many neighbours, such as *planet*
/// for *plan*, so only the usual endings count for them.
fn is_form(word: &str, other: &str) -> bool {
    if word.chars().count() > MIN_STEM {
        let same = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        return word.chars().count().max(other.chars().count()) <= same + ENDING;
    }
    let Some(ending) = other.strip_prefix(word) else { return false };
    let doubled = word.chars().last().and_then(|last| ending.strip_prefix(last));
    SHORT_ENDINGS.contains(&ending) || doubled.is_some_and(|ending| SHORT_ENDINGS.contains(&ending))
}

/// Returns the stem of a word. `None` for numbers and for words that are too short.
fn stem(word: &str) -> Option<&str> {
    let letters = word.chars().count();
    if letters < MIN_STEM || word.chars().any(char::is_numeric) {
        return None;
    }
    if letters == MIN_STEM {
        return Some(word);
    }
    let kept = letters.saturating_sub(ENDING).max(MIN_STEM);
    word.char_indices().nth(kept).map(|(end, _)| &word[..end])
}

/// Returns terms that mostly co-occur with these.
fn cooccurring_terms(
    searcher: &Searcher,
    fields: &SchemaFields,
    said: &[(String, f32)],
) -> Result<Vec<(String, f32)>> {
    let all = searcher.num_docs() as f32;
    let found = searcher.segment_readers().iter().map(|segment| with_any(segment, fields, said));
    let found: Vec<Vec<u32>> = found.collect::<Result<_>>()?;
    let documents = found.iter().map(Vec::len).sum::<usize>();
    // Too few documents, or a term so frequent that no other term can reach the minimum lift with it.
    if documents < MIN_ASKED || documents as f32 * MIN_LIFT > all {
        return Ok(Vec::new());
    }
    let cards = searcher.segment_readers().iter().zip(found).map(|(segment, found)| one_each(segment, found));
    let cards: Vec<Vec<u32>> = cards.collect::<Result<_>>()?;
    let every = (cards.iter().map(Vec::len).sum::<usize>() / ASKED).max(1);
    let mut tally = PublisherCounts::default();
    for (segment, cards) in searcher.segment_readers().iter().zip(cards) {
        tally.add(segment, cards.into_iter().step_by(every))?;
    }
    if tally.asked.len() < MIN_ASKED {
        return Ok(Vec::new());
    }
    let mut learnt = Vec::new();
    for (word, who) in tally.words {
        let share = who as f32 / tally.asked.len() as f32;
        if who < MIN_ASKED || share < MIN_SHARE || said.iter().any(|(known, _)| *known == word) {
            continue;
        }
        let frequency = searcher.doc_freq(&Term::from_field_text(fields.phrase, &word))? as f32 / all;
        let (lift, both) = (share / frequency, share * documents as f32 / all);
        if lift >= MIN_LIFT {
            let rarer = (idf(documents as f32, all) / idf(frequency * all, all)).min(1.0);
            learnt.push((word, (SAME * lift.ln() / -both.ln()).min(1.0) * rarer));
        }
    }
    learnt.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    learnt.truncate(MAX_LEARNT);
    Ok(learnt)
}

/// Returns the inverse document frequency of BM25 for `some` of `all` documents.
pub fn idf(some: f32, all: f32) -> f32 {
    (1.0 + (all - some + 0.5).max(0.0) / (some + 0.5)).ln()
}

fn with_any(segment: &SegmentReader, fields: &SchemaFields, said: &[(String, f32)]) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for (word, _) in said {
        for_each_doc(segment, fields, word, |document| found.push(document))?;
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Calls `call` for each document that contains this word.
pub fn for_each_doc(
    segment: &SegmentReader,
    fields: &SchemaFields,
    word: &str,
    mut call: impl FnMut(u32),
) -> Result<()> {
    let inverted = segment.inverted_index(fields.phrase)?;
    let term = Term::from_field_text(fields.phrase, word);
    let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else { return Ok(()) };
    while postings.doc() != TERMINATED {
        if !segment.is_deleted(postings.doc()) {
            call(postings.doc());
        }
        postings.advance();
    }
    Ok(())
}

/// Returns the first document of each publisher.
fn one_each(segment: &SegmentReader, documents: Vec<u32>) -> Result<Vec<u32>> {
    let Some(publisher) = segment.fast_fields().str(fast::PUBLISHER)? else { return Ok(Vec::new()) };
    let mut seen = HashSet::new();
    let is_first = |document: &u32| seen.insert(publisher.ords().first(*document));
    Ok(documents.into_iter().filter(is_first).collect())
}

/// Number of publishers per term.
#[derive(Default)]
struct PublisherCounts {
    asked: HashSet<String>,
    words: BTreeMap<String, usize>,
}

impl PublisherCounts {
    fn add(&mut self, segment: &SegmentReader, documents: impl Iterator<Item = u32>) -> Result<()> {
        let columns = segment.fast_fields();
        let (Some(words), Some(publisher)) = (columns.str(fast::SAID)?, columns.str(fast::PUBLISHER)?) else {
            return Ok(());
        };
        let (mut counts, mut asked): (BTreeMap<u64, usize>, usize) = (BTreeMap::new(), 0);
        for document in documents {
            let name = name(&publisher, publisher.ords().first(document))?;
            if self.asked.len() < ASKED && self.asked.insert(name) {
                asked += 1;
                words.ords().values_for_doc(document).for_each(|word| *counts.entry(word).or_default() += 1);
            }
        }
        // A term used by enough publishers overall reaches the minimum share in at least one segment.
        counts.retain(|_, count| *count as f32 >= MIN_SHARE * asked as f32);
        let (words_of, mut counted) = (counts.keys().copied().collect::<Vec<_>>(), counts.values());
        words.dictionary().sorted_ords_to_term_cb(&words_of, |word| {
            let count = counted.next().copied().unwrap_or_default();
            *self.words.entry(String::from_utf8_lossy(word).into_owned()).or_default() += count;
        })?;
        Ok(())
    }
}

fn name(column: &StrColumn, place: Option<u64>) -> Result<String> {
    let mut name = String::new();
    if let Some(place) = place {
        column.ord_to_str(place, &mut name)?;
    }
    Ok(name)
}
