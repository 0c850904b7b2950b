//! Ranks agents for each part of a goal.
//!
//! Parts are descriptions instead of names. Any matching word or related term scores, weighted by rarity.

use plexus_domain::{
    AgentId,
    team::formation::joint_fit,
    tokenize::{self, Token},
};
use tantivy::{
    DocAddress, Searcher, SegmentReader, collector::DocSetCollector, query::TermQuery,
    schema::IndexRecordOption,
};

use crate::{
    error::Result,
    listing::Hit,
    query_plan::hidden_agents,
    related_terms::{for_each_doc, idf, related_terms},
    schema::{SchemaFields, fast},
    search,
};

/// Maximum number of words of a part; more are ignored.
const MAX_WORDS: usize = 16;
/// Strength of length normalization: agents with long descriptions match everything and fit nothing.
const LENGTH: f32 = 0.25;

/// Query for agents by the parts of a goal.
#[derive(Clone, Copy, Debug)]
pub struct SkillQuery<'a> {
    /// Plain text without operators. An agent is found for
    /// a part if it has one of its words or related terms.
    pub parts: &'a [&'a str],
    /// Maximum number of agents per part.
    pub most: usize,
    /// An agent whose score is returned even if it is not among the best.
    pub also: Option<AgentId>,
    /// Restricted agents that may be found.
    pub granted: &'a [AgentId],
}

/// Returns the agents for each part, best first, with scores (no unit).
pub fn rank_agents(
    searcher: &Searcher,
    fields: &SchemaFields,
    needs: &SkillQuery<'_>,
) -> Result<Vec<Vec<(Hit, f32)>>> {
    let agents = AgentDocs::new(searcher, fields, needs.granted)?;
    let parts = needs.parts.iter().map(|part| agents.fit(part)).collect::<Result<Vec<_>>>()?;
    let also = needs.also.map(|agent| agents.find(agent)).transpose()?.flatten();
    let best = joint_fit(&parts).into_iter().map(|fits| agents.best(&fits, needs.most, also));
    best.collect()
}

/// Returns the distinct words of a text.
pub fn distinct_terms(raw: &str) -> Vec<Token> {
    let mut words: Vec<Token> = Vec::new();
    for token in tokenize::query_tokens(raw) {
        if words.len() < MAX_WORDS && !words.iter().any(|word| word.text == token.text) {
            words.push(token);
        }
    }
    words
}

/// All documents as one array, segment after segment.
struct AgentDocs<'s> {
    searcher: &'s Searcher,
    fields: &'s SchemaFields,
    /// Start index of each segment.
    starts: Vec<usize>,
    /// Length normalization factor per document.
    weights: Vec<f32>,
    /// Indexes of the documents that must not be found.
    hidden: Vec<usize>,
}

impl<'s> AgentDocs<'s> {
    fn new(searcher: &'s Searcher, fields: &'s SchemaFields, granted: &[AgentId]) -> Result<Self> {
        let (mut starts, mut lengths) = (Vec::new(), Vec::new());
        for segment in searcher.segment_readers() {
            starts.push(lengths.len());
            let words = segment.fast_fields().str(fast::SAID)?;
            let length =
                |agent| words.as_ref().map_or(0, |words| words.ords().index.value_row_ids(agent).len());
            lengths.extend((0..segment.max_doc()).map(|agent| length(agent) as f32));
        }
        let usual = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let weight = |length| 1.0 / (1.0 - LENGTH + LENGTH * length / usual.max(1.0));
        let weights = lengths.into_iter().map(weight).collect();
        let mut docs = Self { searcher, fields, starts, weights, hidden: Vec::new() };
        if let Some(hidden) = hidden_agents(searcher, fields, granted) {
            let places = searcher.search(&*hidden, &DocSetCollector)?;
            docs.hidden = places.into_iter().map(|place| docs.index(place)).collect();
        }
        Ok(docs)
    }

    fn segments(&self) -> impl Iterator<Item = (usize, &SegmentReader)> {
        self.starts.iter().copied().zip(self.searcher.segment_readers())
    }

    /// Returns the score of each document for one part.
    fn fit(&self, part: &str) -> Result<Vec<f32>> {
        let mut fits = vec![0.0; self.weights.len()];
        let mut said = vec![0.0_f32; self.weights.len()];
        for word in distinct_terms(part) {
            for (other, share) in related_terms(self.searcher, self.fields, &word)? {
                for (start, segment) in self.segments() {
                    for_each_doc(segment, self.fields, &other, |agent| {
                        let said = &mut said[start + agent as usize];
                        *said = said.max(share);
                    })?;
                }
            }
            let told = idf(said.iter().sum(), self.searcher.num_docs() as f32);
            for ((fit, said), weight) in fits.iter_mut().zip(&mut said).zip(&self.weights) {
                *fit += told * std::mem::take(said) * weight;
            }
        }
        self.hidden.iter().for_each(|agent| fits[*agent] = 0.0);
        Ok(fits)
    }

    fn find(&self, agent: AgentId) -> Result<Option<usize>> {
        let ask = TermQuery::new(self.fields.agent_term(agent), IndexRecordOption::Basic);
        let found = self.searcher.search(&ask, &DocSetCollector)?.into_iter().next();
        Ok(found.map(|place| self.index(place)))
    }

    fn index(&self, place: DocAddress) -> usize {
        self.starts[place.segment_ord as usize] + place.doc_id as usize
    }

    fn place(&self, agent: usize) -> DocAddress {
        let segment = self.starts.partition_point(|&start| start <= agent).saturating_sub(1);
        DocAddress::new(segment as u32, (agent - self.starts[segment]) as u32)
    }

    fn best(&self, fits: &[f32], most: usize, also: Option<usize>) -> Result<Vec<(Hit, f32)>> {
        let mut found: Vec<usize> = (0..fits.len()).filter(|&agent| fits[agent] > 0.0).collect();
        let better = |a: &usize, b: &usize| fits[*b].total_cmp(&fits[*a]).then(a.cmp(b));
        if found.len() > most {
            found.select_nth_unstable_by(most, better);
            found.truncate(most);
        }
        found.sort_unstable_by(better);
        found.extend(also.filter(|agent| fits[*agent] > 0.0 && !found.contains(agent)));
        let hit = |agent| Ok((search::row(self.searcher, self.fields, self.place(agent))?, fits[agent]));
        found.into_iter().map(hit).collect()
    }
}
