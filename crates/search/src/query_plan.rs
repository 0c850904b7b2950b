//! Translates a query to tantivy clauses.

use std::ops::Bound;

use plexus_domain::{
    AgentId,
    tokenize::{self, Token},
};
use tantivy::{
    Searcher, Term,
    query::{
        AllQuery, BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query as Ask, RangeQuery,
        TermQuery, TermSetQuery,
    },
    schema::{Field, IndexRecordOption},
};

use crate::{
    error::Result,
    fuzzy_terms,
    query::Query,
    query_parser::{self, QueryTerm},
    schema::{SchemaFields, normalized_label, normalized_name},
};

/// Maximum number of words; more are ignored.
const MAX_WORDS: usize = 24;
/// Weights of prefix and fuzzy matches relative to exact ones.
const BEGINNING: f32 = 0.6;
const SIMILAR: f32 = 0.3;
/// Weight of a word with punctuation inside (`node.js`, `a/b`) that is written in the same way.
const JOINED: f32 = 4.0;
/// Score added if the whole query equals a whole name; more than any words can add.
const EXACT_NAME: f32 = 40.0;

/// Match level. Each level finds what the previous one does, and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchLevel {
    /// All words match exactly. While the user is typing, the last one may be a prefix.
    Exact,
    /// The last word may be a prefix.
    Beginning,
    /// Words may be misspelt.
    Similar,
    /// One matching word is enough.
    Any,
}

impl MatchLevel {
    pub const ALL: [Self; 4] = [Self::Exact, Self::Beginning, Self::Similar, Self::Any];
}

type Clause = (Occur, Box<dyn Ask>);

/// Parsed query, from which the clauses of each match level are built.
pub struct QueryPlan<'s> {
    searcher: &'s Searcher,
    fields: &'s SchemaFields,
    pub pieces: Vec<QueryTerm>,
    words: Vec<Token>,
    /// Filters, phrases and exclusions.
    fixed: Vec<Clause>,
    /// Words with punctuation inside, as phrases. They rank only.
    joined: Vec<Box<dyn Ask>>,
    /// True if there is text, and nothing in it can be searched for.
    is_unsearchable: bool,
    typing: bool,
}

impl<'s> QueryPlan<'s> {
    pub fn new(searcher: &'s Searcher, fields: &'s SchemaFields, query: &Query) -> Self {
        Self::of_pieces(searcher, fields, query, query_parser::parse(&query.text))
    }

    pub fn of_pieces(
        searcher: &'s Searcher,
        fields: &'s SchemaFields,
        query: &Query,
        pieces: Vec<QueryTerm>,
    ) -> Self {
        let mut plan = Self {
            searcher,
            fields,
            pieces: Vec::new(),
            words: Vec::new(),
            fixed: Vec::new(),
            joined: Vec::new(),
            is_unsearchable: false,
            typing: query.typing,
        };
        plan.filter(query);
        plan.fixed.extend(hidden_agents(searcher, fields, &query.granted).map(|ask| (Occur::MustNot, ask)));
        let filters = plan.fixed.len();
        for piece in &pieces {
            plan.take(&piece.ask);
        }
        plan.is_unsearchable = !pieces.is_empty() && plan.words.is_empty() && plan.fixed.len() == filters;
        plan.words.truncate(MAX_WORDS);
        plan.pieces = pieces;
        plan
    }

    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns true if a higher level can find more.
    pub fn may_find_more(&self, effort: MatchLevel) -> bool {
        self.has_words() && (effort != MatchLevel::Any || self.words.len() > 1)
    }

    pub fn query(&self, effort: MatchLevel) -> Result<Box<dyn Ask>> {
        if self.is_unsearchable {
            return Ok(Box::new(EmptyQuery));
        }
        let occur = if effort == MatchLevel::Any { Occur::Should } else { Occur::Must };
        let mut words = Vec::new();
        for at in 0..self.words.len() {
            words.push((occur, self.word(at, effort)?));
        }
        let mut clauses: Vec<Clause> =
            self.fixed.iter().map(|(occur, ask)| (*occur, ask.box_clone())).collect();
        match effort {
            MatchLevel::Any => clauses.push((Occur::Must, Box::new(BooleanQuery::new(words)))),
            _ => clauses.extend(words),
        }
        clauses.extend(self.joined.iter().map(|ask| (Occur::Should, ask.box_clone())));
        clauses.extend(self.exact_name()?);
        if !clauses.iter().any(|(occur, _)| *occur == Occur::Must) {
            clauses.push((Occur::Must, Box::new(AllQuery)));
        }
        Ok(match clauses.len() {
            1 => clauses.swap_remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        })
    }

    fn filter(&mut self, query: &Query) {
        query.tags.iter().for_each(|tag| self.must_be(self.fields.tag, tag));
        for (field, value) in [
            (self.fields.protocol, &query.protocol),
            (self.fields.kind, &query.kind),
            (self.fields.owner, &query.owner),
        ] {
            value.iter().for_each(|value| self.must_be(field, value));
        }
        if let Some(hub) = &query.hub {
            self.must(term(Term::from_field_text(self.fields.hub, hub)));
        }
        if let Some(verified) = query.verified {
            self.must(term(Term::from_field_bool(self.fields.verified, verified)));
        }
        if let Some(here) = query.here {
            self.must(term(Term::from_field_bool(self.fields.here, here)));
        }
        if let Some(since) = query.online_since {
            let from = Term::from_field_i64(self.fields.online_at, since.millis());
            self.must(Box::new(RangeQuery::new(Bound::Included(from), Bound::Unbounded)));
        }
    }

    fn take(&mut self, ask: &query_parser::TermKind) {
        match ask {
            query_parser::TermKind::Words(words) => {
                let tokens = tokenize::query_tokens(words);
                // Runs of scripts without spaces are several terms as well: those are common, and rank well enough.
                if tokens.len() > 1 && !words.contains(tokenize::is_unspaced) {
                    let phrase = self.phrase(words);
                    self.joined
                        .extend(phrase.map(|ask| -> Box<dyn Ask> { Box::new(BoostQuery::new(ask, JOINED)) }));
                }
                self.words.extend(tokens);
            }
            query_parser::TermKind::Phrase(phrase) => {
                self.fixed.extend(self.phrase(phrase).map(|ask| (Occur::Must, ask)));
            }
            query_parser::TermKind::Without(phrase) => {
                self.fixed.extend(self.phrase(phrase).map(|ask| (Occur::MustNot, ask)));
            }
            query_parser::TermKind::Tag(tag) => self.must_be(self.fields.tag, tag),
            query_parser::TermKind::Owner(owner) => self.must_be(self.fields.owner, owner),
            query_parser::TermKind::Protocol(protocol) => self.must_be(self.fields.protocol, protocol),
            query_parser::TermKind::Kind(kind) => self.must_be(self.fields.kind, kind),
            query_parser::TermKind::Verified => {
                self.must(term(Term::from_field_bool(self.fields.verified, true)));
            }
        }
    }

    fn must_be(&mut self, field: Field, value: &str) {
        self.must(term(Term::from_field_text(field, &normalized_label(value))));
    }

    fn must(&mut self, ask: Box<dyn Ask>) {
        self.fixed.push((Occur::Must, ask));
    }

    fn phrase(&self, phrase: &str) -> Option<Box<dyn Ask>> {
        let tokens = tokenize::query_tokens(phrase);
        let terms: Vec<(usize, Term)> = tokens
            .into_iter()
            .take(MAX_WORDS)
            .map(|token| (token.position, Term::from_field_text(self.fields.phrase, &token.text)))
            .collect();
        match &terms[..] {
            [] => None,
            [(_, only)] => Some(term(only.clone())),
            _ => Some(Box::new(PhraseQuery::new_with_offset(terms))),
        }
    }

    fn word(&self, at: usize, effort: MatchLevel) -> Result<Box<dyn Ask>> {
        let word = &self.words[at];
        let is_last = at + 1 == self.words.len();
        let begins = word.alone || (is_last && (self.typing || effort >= MatchLevel::Beginning));
        let mut others = Vec::new();
        if begins && word.text.chars().count() > usize::from(!word.alone) {
            let found = fuzzy_terms::prefix_matches(self.searcher, self.fields.text, &word.text)?;
            others.extend(found.into_iter().map(|other| (other, BEGINNING)));
        }
        if effort >= MatchLevel::Similar {
            others.extend(word.base.iter().map(|base| (base.clone(), SIMILAR)));
            let found = fuzzy_terms::fuzzy_matches(self.searcher, self.fields.text, &word.text)?;
            others.extend(found.into_iter().map(|other| (other, SIMILAR)));
        }
        others.retain(|(other, _)| *other != word.text);
        Ok(self.one_of(&word.text, others))
    }

    fn one_of(&self, word: &str, others: Vec<(String, f32)>) -> Box<dyn Ask> {
        let exact = ranked(Term::from_field_text(self.fields.text, word));
        if others.is_empty() {
            return exact;
        }
        let mut clauses = vec![(Occur::Should, exact)];
        for (other, boost) in others {
            let ask = ranked(Term::from_field_text(self.fields.text, &other));
            clauses.push((Occur::Should, Box::new(BoostQuery::new(ask, boost))));
        }
        Box::new(BooleanQuery::new(clauses))
    }

    /// Returns a clause that ranks agents first whose name equals the query.
    ///
    /// Omitted if there is no such agent: without the clause the engine can skip most documents.
    fn exact_name(&self) -> Result<Option<Clause>> {
        let typed: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let name = Term::from_field_text(self.fields.exact, &normalized_name(&typed.join(" ")));
        if typed.is_empty() || self.searcher.doc_freq(&name)? == 0 {
            return Ok(None);
        }
        Ok(Some((Occur::Should, Box::new(BoostQuery::new(term(name), EXACT_NAME)))))
    }

    /// Returns the pieces with unknown words replaced by the
    /// most similar known ones; `None` if nothing was replaced.
    pub fn corrected(&self) -> Result<Option<Vec<QueryTerm>>> {
        let mut pieces = self.pieces.clone();
        let mut corrected = false;
        for piece in &mut pieces {
            if let query_parser::TermKind::Words(words) = &piece.ask
                && let Some(better) = self.correction(words)?
            {
                *piece = QueryTerm { raw: better.clone(), ask: query_parser::TermKind::Words(better) };
                corrected = true;
            }
        }
        Ok(corrected.then_some(pieces))
    }

    fn correction(&self, words: &str) -> Result<Option<String>> {
        let tokens = tokenize::query_tokens(words);
        let [word] = &tokens[..] else { return Ok(None) };
        if self.searcher.doc_freq(&Term::from_field_text(self.fields.text, &word.text))? > 0 {
            return Ok(None);
        }
        Ok(fuzzy_terms::fuzzy_matches(self.searcher, self.fields.text, &word.text)?.into_iter().next())
    }
}

/// Returns the query for the restricted agents that are not among `granted`; `None` if there are none.
///
/// Omitted for speed where possible: without the clause the engine can skip most documents.
pub fn hidden_agents(
    searcher: &Searcher,
    fields: &SchemaFields,
    granted: &[AgentId],
) -> Option<Box<dyn Ask>> {
    let restricted = Term::from_field_bool(fields.restricted, true);
    // An unreadable count must not show a restricted agent.
    if searcher.doc_freq(&restricted).is_ok_and(|count| count == 0) {
        return None;
    }
    if granted.is_empty() {
        return Some(term(restricted));
    }
    let granted = TermSetQuery::new(granted.iter().map(|agent| fields.agent_term(*agent)));
    let clauses: Vec<Clause> = vec![(Occur::Must, term(restricted)), (Occur::MustNot, Box::new(granted))];
    Some(Box::new(BooleanQuery::new(clauses)))
}

fn term(term: Term) -> Box<dyn Ask> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

fn ranked(term: Term) -> Box<dyn Ask> {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}
