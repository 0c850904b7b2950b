//! Counts of values over all that a query finds.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use tantivy::{
    DocId, Score, SegmentOrdinal, SegmentReader, TantivyError,
    collector::{Collector, SegmentCollector},
    columnar::Column,
};

use crate::{
    error::Error,
    names::{NameCache, Names},
    query::{FacetCount, Facets},
    schema::fast,
};

/// Values shown of each facet.
const TOP: usize = 20;
/// Documents counted at once.
const BLOCK: usize = 512;
const FIELDS: [&str; 4] = [fast::TAG, fast::PROTOCOL, fast::KIND, fast::OWNER];

/// Counts, for each facet, how many of the documents found have which value.
pub struct FacetCollector<'c>(pub &'c NameCache);

/// What is counted in one segment.
pub struct SegmentCounts {
    documents: Vec<DocId>,
    facets: [Option<ColumnCounts>; 4],
}

/// A count for each value of a column.
struct ColumnCounts {
    values: Column<u64>,
    names: Arc<Names>,
    counts: Vec<u32>,
    /// Kept between blocks, so that counting does not allocate.
    buffers: (Vec<DocId>, Vec<u32>, Vec<u64>),
}

impl Collector for FacetCollector<'_> {
    type Fruit = Facets;
    type Child = SegmentCounts;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SegmentCounts> {
        let mut facets = [const { None }; 4];
        for (facet, field) in facets.iter_mut().zip(FIELDS) {
            *facet = ColumnCounts::of(segment, field, self.0)?;
        }
        Ok(SegmentCounts { documents: Vec::with_capacity(BLOCK), facets })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<SegmentCounts>) -> tantivy::Result<Facets> {
        let facet = |at: usize| {
            let columns: Vec<_> = segments.iter().filter_map(|segment| segment.facets[at].as_ref()).collect();
            top(&columns)
        };
        Ok(Facets { tags: facet(0), protocols: facet(1), kinds: facet(2), owners: facet(3) })
    }
}

impl SegmentCollector for SegmentCounts {
    type Fruit = Self;

    fn collect(&mut self, document: DocId, _: Score) {
        self.documents.push(document);
        if self.documents.len() >= BLOCK {
            self.flush();
        }
    }

    fn collect_block(&mut self, documents: &[DocId]) {
        self.documents.extend_from_slice(documents);
        if self.documents.len() >= BLOCK {
            self.flush();
        }
    }

    fn harvest(mut self) -> Self {
        self.flush();
        self
    }
}

impl SegmentCounts {
    fn flush(&mut self) {
        self.facets.iter_mut().flatten().for_each(|facet| facet.count(&self.documents));
        self.documents.clear();
    }
}

impl ColumnCounts {
    fn of(segment: &SegmentReader, field: &'static str, cache: &NameCache) -> tantivy::Result<Option<Self>> {
        let Some(column) = segment.fast_fields().str(field)? else { return Ok(None) };
        let names = cache.names(segment, field, &column).map_err(|error| engine_error(&error))?;
        let counts = vec![0; names.len()];
        Ok(Some(Self { values: column.ords().clone(), names, counts, buffers: Default::default() }))
    }

    fn count(&mut self, documents: &[DocId]) {
        let (owners, rows, ordinals) = &mut self.buffers;
        owners.clear();
        rows.clear();
        self.values.row_ids_for_docs(documents, owners, rows);
        ordinals.resize(rows.len(), 0);
        self.values.values.get_vals(rows, ordinals);
        for &ordinal in &*ordinals {
            if let Some(count) = usize::try_from(ordinal).ok().and_then(|at| self.counts.get_mut(at)) {
                *count += 1;
            }
        }
    }

    /// Adds the names of the `depth` best values; gives the count of the best one left out.
    fn best<'n>(&'n self, depth: usize, names: &mut BTreeSet<&'n str>) -> u64 {
        let counted = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let mut found: Vec<(Reverse<u32>, usize)> =
            counted.map(|(at, &count)| (Reverse(count), at)).collect();
        let left_out = if found.len() > depth { found.select_nth_unstable(depth).1.0.0 } else { 0 };
        names.extend(found.iter().take(depth).map(|&(_, at)| self.names.get(at)));
        u64::from(left_out)
    }

    fn count_of(&self, name: &str) -> u64 {
        self.names.find(name).and_then(|at| self.counts.get(at)).copied().map_or(0, u64::from)
    }
}

fn engine_error(error: &Error) -> TantivyError {
    TantivyError::SystemError(error.to_string())
}

/// The most frequent values of all segments.
///
/// Only the best of each segment are added up; twice as many as long as a value that is among the best of none could
/// still belong to the best of all (Fagin's threshold algorithm).
fn top(columns: &[&ColumnCounts]) -> Vec<FacetCount> {
    let mut depth = TOP;
    loop {
        let mut names = BTreeSet::new();
        let unseen: u64 = columns.iter().map(|column| column.best(depth, &mut names)).sum();
        let sum = |name: &str| columns.iter().map(|column| column.count_of(name)).sum();
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
