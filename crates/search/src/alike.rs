//! What may be said instead of a word: its forms, and what agents that say it mostly say besides.
//!
//! Whoever describes an agent says the same thing in several ways: in a sentence, in tags, in examples of what people
//! ask for. Over many agents this tells which words stand for each other, without any list of words.

use std::collections::{BTreeMap, HashSet};

use tantivy::{
    DocSet, Searcher, SegmentReader, TERMINATED, Term, columnar::StrColumn, schema::IndexRecordOption,
};

use crate::{
    error::Result,
    expand,
    schema::{Fields, fast},
    text::Token,
};

/// Words that only begin alike count less: *translates* and *translation* where *translate* is needed.
const FORM: f32 = 0.5;
const MAX_FORMS: usize = 16;
/// Letters that two words have in common at least to be taken for forms of one, and what is left out at the end.
const MIN_STEM: usize = 4;
const ENDING: usize = 3;

/// Publishers asked what else they say, one card each: nobody teaches more by publishing more.
const ASKED: usize = 128;
/// Publishers who must say both words, and the share of those who say the first.
const MIN_ASKED: usize = 3;
const MIN_SHARE: f32 = 0.15;
/// How much more often than by chance.
const MIN_LIFT: f32 = 8.0;
/// Words are together as often as it gets at a normalised pointwise mutual information of 1 (Bouma, 2009); from two
/// thirds on they count as the same.
const SAME: f32 = 1.5;
const MAX_LEARNT: usize = 8;

/// What counts as saying a word, each with how much, 1 at most; the word itself comes first.
pub fn alike(searcher: &Searcher, fields: &Fields, word: &Token) -> Result<Vec<(String, f32)>> {
    let mut said = vec![(word.text.clone(), 1.0)];
    if let Some(stem) = if word.alone { Some(word.text.as_str()) } else { stem(&word.text) } {
        let forms = expand::beginning_with(searcher, fields.phrase, stem)?.into_iter();
        let forms = forms.filter(|other| *other != word.text && other.len() <= word.text.len() + ENDING);
        said.extend(forms.take(MAX_FORMS).map(|other| (other, FORM)));
    }
    let learnt = learnt(searcher, fields, &said)?;
    said.extend(learnt);
    Ok(said)
}

/// What forms of a word begin with; none for words that are too short to tell, and for numbers.
fn stem(word: &str) -> Option<&str> {
    let letters = word.chars().count();
    if letters <= MIN_STEM || word.chars().any(char::is_numeric) {
        return None;
    }
    let kept = letters.saturating_sub(ENDING).max(MIN_STEM);
    word.char_indices().nth(kept).map(|(end, _)| &word[..end])
}

/// Other words that mostly go with these.
fn learnt(searcher: &Searcher, fields: &Fields, said: &[(String, f32)]) -> Result<Vec<(String, f32)>> {
    let all = searcher.num_docs() as f32;
    let found = searcher.segment_readers().iter().map(|segment| with_any(segment, fields, said));
    let found: Vec<Vec<u32>> = found.collect::<Result<_>>()?;
    let documents = found.iter().map(Vec::len).sum::<usize>();
    // Nothing goes much more often than by chance with what so many say.
    if documents < MIN_ASKED || documents as f32 * MIN_LIFT > all {
        return Ok(Vec::new());
    }
    let cards = searcher.segment_readers().iter().zip(found).map(|(segment, found)| one_each(segment, found));
    let cards: Vec<Vec<u32>> = cards.collect::<Result<_>>()?;
    let every = (cards.iter().map(Vec::len).sum::<usize>() / ASKED).max(1);
    let mut tally = Tally::default();
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
            let rarer = (rarity(documents as f32, all) / rarity(frequency * all, all)).min(1.0);
            learnt.push((word, (SAME * lift.ln() / -both.ln()).min(1.0) * rarer));
        }
    }
    learnt.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    learnt.truncate(MAX_LEARNT);
    Ok(learnt)
}

/// How much it tells that an agent is one of `some` out of `all` (the idf of BM25).
pub fn rarity(some: f32, all: f32) -> f32 {
    (1.0 + (all - some + 0.5).max(0.0) / (some + 0.5)).ln()
}

fn with_any(segment: &SegmentReader, fields: &Fields, said: &[(String, f32)]) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for (word, _) in said {
        each_with(segment, fields, word, |document| found.push(document))?;
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Calls for each agent that says this word.
pub fn each_with(
    segment: &SegmentReader,
    fields: &Fields,
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

/// The first document of each publisher.
fn one_each(segment: &SegmentReader, documents: Vec<u32>) -> Result<Vec<u32>> {
    let Some(publisher) = segment.fast_fields().str(fast::PUBLISHER)? else { return Ok(Vec::new()) };
    let mut seen = HashSet::new();
    let is_first = |document: &u32| seen.insert(publisher.ords().first(*document));
    Ok(documents.into_iter().filter(is_first).collect())
}

/// How many publishers say which words.
#[derive(Default)]
struct Tally {
    asked: HashSet<String>,
    words: BTreeMap<String, usize>,
}

impl Tally {
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
        // What enough publishers say, enough of a segment say.
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
