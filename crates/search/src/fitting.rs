//! Who fits a need that is described rather than named: any of its words counts, the rarer the more.

use plexus_domain::page::PageSize;
use tantivy::{
    Searcher, Term,
    collector::TopDocs,
    query::{BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, Query as Ask, TermQuery},
    schema::IndexRecordOption,
};

use crate::{
    error::Result,
    expand,
    listing::Hit,
    schema::Fields,
    search,
    text::{self, Token},
};

/// Words of a need, and of its context; more are ignored.
const MAX_WORDS: usize = 16;
const MAX_CONTEXT: usize = 48;
/// Words that only begin alike count less: *translates* and *translation* where *translate* is needed.
const ALIKE: f32 = 0.5;
/// Letters that two words have in common at least to be taken for forms of one, and what is left out at the end.
const MIN_STEM: usize = 4;
const ENDING: usize = 3;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Need<'a> {
    /// Words without operators; who has none of them is not found.
    pub text: &'a str,
    /// What all of it is about.
    pub context: &'a str,
    /// How much a word of the context counts beside one of the need.
    pub context_weight: f32,
    pub size: PageSize,
}

/// The best fit first, each with its score, in no unit.
pub fn fitting(searcher: &Searcher, fields: &Fields, need: &Need<'_>) -> Result<Vec<(Hit, f32)>> {
    let words = words(need.text, MAX_WORDS);
    let mut clauses = vec![(Occur::Must, any(searcher, fields, &words)?)];
    let mut context = self::words(need.context, MAX_CONTEXT);
    context.retain(|token| !words.iter().any(|word| word.text == token.text));
    if !context.is_empty() {
        let context = any(searcher, fields, &context)?;
        clauses.push((Occur::Should, Box::new(BoostQuery::new(context, need.context_weight))));
    }
    let top = TopDocs::with_limit(need.size.rows().into()).order_by_score();
    let found = searcher.search(&BooleanQuery::new(clauses), &top)?;
    found.into_iter().map(|(score, place)| Ok((search::row(searcher, fields, place)?, score))).collect()
}

fn words(raw: &str, most: usize) -> Vec<Token> {
    let mut words: Vec<Token> = Vec::new();
    for token in text::query_tokens(raw) {
        if words.len() < most && !words.iter().any(|word| word.text == token.text) {
            words.push(token);
        }
    }
    words
}

fn any(searcher: &Searcher, fields: &Fields, words: &[Token]) -> Result<Box<dyn Ask>> {
    let forms = words.iter().map(|word| Ok((Occur::Should, forms(searcher, fields, word)?)));
    Ok(Box::new(BooleanQuery::new(forms.collect::<Result<_>>()?)))
}

/// A word in any of its forms; the one that fits best counts.
fn forms(searcher: &Searcher, fields: &Fields, token: &Token) -> Result<Box<dyn Ask>> {
    let word = token.text.as_str();
    let ranked = |word: &str| -> Box<dyn Ask> {
        Box::new(TermQuery::new(Term::from_field_text(fields.text, word), IndexRecordOption::WithFreqs))
    };
    let mut forms = vec![ranked(word)];
    let stem = if token.alone { Some(word) } else { stem(word) };
    if let Some(stem) = stem {
        let alike = expand::beginning_with(searcher, fields.text, stem)?;
        let alike = alike.iter().filter(|other| *other != word && other.len() <= word.len() + ENDING);
        forms.extend(alike.map(|other| Box::new(BoostQuery::new(ranked(other), ALIKE)) as Box<dyn Ask>));
    }
    Ok(match forms.len() {
        1 => forms.swap_remove(0),
        _ => Box::new(DisjunctionMaxQuery::new(forms)),
    })
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
