//! In-memory full-text index of passages of text, ranked by BM25.

use plexus_domain::tokenize;
use tantivy::{
    IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term,
    collector::TopDocs,
    query::{BooleanQuery, Occur, Query, TermQuery},
    schema::{Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value as _},
};

use crate::{error::Result, tantivy_tokenizer};

/// Memory of the writer: the engine's minimum for one thread.
const WRITER_BYTES: usize = 15_000_000;
/// Maximum number of distinct terms of a query.
const MAX_TERMS: usize = 64;

/// Index of passages. Building and searching block on CPU.
pub struct PassageIndex {
    reader: IndexReader,
    text: Field,
    position: Field,
}

impl PassageIndex {
    /// Builds an index of `passages`, each of which is then known by its position.
    pub fn build<'a>(passages: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tantivy_tokenizer::NAME)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let position = schema.add_u64_field("position", STORED);
        let engine = tantivy::Index::create_in_ram(schema.build());
        engine.tokenizers().register(tantivy_tokenizer::NAME, tantivy_tokenizer::PreTokenized);
        let mut writer: IndexWriter = engine.writer_with_num_threads(1, WRITER_BYTES)?;
        for (number, passage) in passages.into_iter().enumerate() {
            let mut document = TantivyDocument::default();
            document.add_text(text, terms(passage).join(" "));
            document.add_u64(position, number as u64);
            writer.add_document(document)?;
        }
        writer.commit()?;
        let reader = engine.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { reader, text, position })
    }

    /// Returns the positions of at most `limit` passages that share terms with `query`, best first.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<usize>> {
        let mut wanted: Vec<String> =
            tokenize::query_tokens(query).into_iter().map(|token| token.text).collect();
        wanted.extend(joined_terms(query));
        wanted.sort_unstable();
        wanted.dedup();
        wanted.truncate(MAX_TERMS);
        if wanted.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let term = |word: &String| -> (Occur, Box<dyn Query>) {
            let term = Term::from_field_text(self.text, word);
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
        };
        let query = BooleanQuery::new(wanted.iter().map(term).collect());
        let searcher = self.reader.searcher();
        let best = searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
        let mut positions = Vec::with_capacity(best.len());
        for (_, address) in best {
            let document: TantivyDocument = searcher.doc(address)?;
            let position = document.get_first(self.position).and_then(|value| value.as_u64());
            positions.extend(position.and_then(|position| usize::try_from(position).ok()));
        }
        Ok(positions)
    }
}

fn terms(text: &str) -> Vec<String> {
    let terms = tokenize::index_tokens(text).into_iter().map(|token| token.text);
    terms.chain(joined_terms(text)).collect()
}

/// Returns the terms of words with hyphens as if they had none: a hyphen may be that of the end of a line, in the text or
/// where it was written first. With the terms of their parts, both readings are found.
fn joined_terms(text: &str) -> impl Iterator<Item = String> {
    let mut words = String::new();
    let mut word = String::new();
    let mut is_joined = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{ad}') && word.ends_with(char::is_alphabetic) {
            // Up to the next line.
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            if chars.peek().is_some_and(|next| next.is_alphabetic()) {
                is_joined = true;
                continue;
            }
        }
        end_word(&mut words, &mut word, &mut is_joined);
    }
    end_word(&mut words, &mut word, &mut is_joined);
    tokenize::index_tokens(&words).into_iter().map(|token| token.text)
}

/// Adds a word to the joined ones if it is one.
fn end_word(words: &mut String, word: &mut String, is_joined: &mut bool) {
    if std::mem::take(is_joined) {
        words.push_str(word);
        words.push(' ');
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_passage_comes_first() {
        let passages = [
            "Boats pay ten a night.",
            "The tide is high at noon.",
            "港口费用每晚十元。",
            "Noon, noon, noon.",
        ];
        let index = PassageIndex::build(passages).unwrap();
        assert_eq!(index.search("When is the TIDE high?", 2).unwrap()[0], 1);
        assert_eq!(index.search("港口费用是多少", 5).unwrap(), [2]);
        assert_eq!(index.search("What does a night cost?", 1).unwrap(), [0]);
        assert!(index.search("?!", 5).unwrap().is_empty());
        let index =
            PassageIndex::build(["The cli-\nmate is mild.", "A wellknown fact.", "A well-known cape."])
                .unwrap();
        assert_eq!(index.search("climate", 5).unwrap(), [0]);
        let mut found = index.search("well-known", 5).unwrap();
        found.sort_unstable();
        assert_eq!(found, [1, 2]);
        assert_eq!(index.search("known", 5).unwrap(), [2]);
        assert!(PassageIndex::build([]).unwrap().search("tide", 5).unwrap().is_empty());
    }
}
