//! Facet counts over all results of a query.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use tantivy::{
    DocId, Score, SegmentOrdinal, SegmentReader, TantivyError,
    collector::{Collector, SegmentCollector},
};

use crate::{
    facet_columns::{FacetColumn, ValueCache},
    query::{FacetCount, Facets},
    schema::fast,
};

/// Maximum number of values per facet.
const TOP: usize = 20;
const FIELDS: [&str; 5] = [fast::TAG, fast::PROTOCOL, fast::KIND, fast::OWNER, fast::HUB];

/// Tantivy collector that counts the matching documents per facet value.
pub struct FacetCollector<'c>(pub &'c ValueCache);

/// Counts of one segment, by facet.
pub struct SegmentCounts(Vec<ValueCounts>);

/// Counts of one facet in one segment.
struct ValueCounts {
    values: Arc<FacetColumn>,
    /// Counts by value ordinal.
    counts: Vec<u32>,
}

impl Collector for FacetCollector<'_> {
    type Fruit = Facets;
    type Child = SegmentCounts;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SegmentCounts> {
        let counts = |field| {
            let values = self.0.get(segment, field)?;
            Ok(ValueCounts { counts: vec![0; values.len()], values })
        };
        let counts: crate::Result<_> = FIELDS.into_iter().map(counts).collect();
        counts.map(SegmentCounts).map_err(|error| TantivyError::SystemError(error.to_string()))
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<SegmentCounts>) -> tantivy::Result<Facets> {
        let facet = |at: usize| top(&segments.iter().map(|segment| &segment.0[at]).collect::<Vec<_>>());
        Ok(Facets { tags: facet(0), protocols: facet(1), kinds: facet(2), owners: facet(3), hubs: facet(4) })
    }
}

impl SegmentCollector for SegmentCounts {
    type Fruit = Self;

    fn collect(&mut self, document: DocId, _: Score) {
        self.collect_block(&[document]);
    }

    fn collect_block(&mut self, documents: &[DocId]) {
        for ValueCounts { values, counts } in &mut self.0 {
            for &document in documents {
                for &place in values.of(document) {
                    counts[place as usize] += 1;
                }
            }
        }
    }

    fn harvest(self) -> Self {
        self
    }
}

impl ValueCounts {
    /// Adds the names of the `depth` most frequent values.
    /// Returns the count of the most frequent value left out.
    fn best<'n>(&'n self, depth: usize, names: &mut BTreeSet<&'n str>) -> u64 {
        let counted = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let mut found: Vec<(Reverse<u32>, usize)> =
            counted.map(|(at, &count)| (Reverse(count), at)).collect();
        let left_out = if found.len() > depth { found.select_nth_unstable(depth).1.0.0 } else { 0 };
        names.extend(found.iter().take(depth).map(|&(_, at)| self.values.name(at)));
        u64::from(left_out)
    }

    fn count_of(&self, name: &str) -> u64 {
        self.values.find(name).and_then(|at| self.counts.get(at)).copied().map_or(0, u64::from)
    }
}

/// Returns the most frequent values over all segments (Fagin's threshold algorithm).
///
/// Only the top values of each segment are added up. Their number is doubled while a value that is in no
/// segment's top could still be in the overall top.
fn top(segments: &[&ValueCounts]) -> Vec<FacetCount> {
    let mut depth = TOP;
    loop {
        let mut names = BTreeSet::new();
        let unseen: u64 = segments.iter().map(|segment| segment.best(depth, &mut names)).sum();
        let sum = |name: &str| segments.iter().map(|segment| segment.count_of(name)).sum();
        let mut counted: Vec<(Reverse<u64>, &str)> =
            names.into_iter().map(|name| (Reverse(sum(name)), name)).collect();
        counted.sort_unstable();
        if unseen == 0 || counted.get(TOP - 1).is_some_and(|(last, _)| last.0 > unseen) {
            let best = counted.into_iter().take(TOP);
            return best.map(|(count, name)| FacetCount { value: name.to_owned(), count: count.0 }).collect();
        }
        depth *= 2;
    }
}
