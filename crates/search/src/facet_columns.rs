//! In-memory facet columns, a few bytes per value of a listing.
//!
//! The engine's own columns are packed for size. Decoding them took most of the counting time, and looking up
//! the names for one page of counts took the rest.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tantivy::{DocId, SegmentReader, columnar::StrColumn, index::SegmentId};

use crate::error::Result;

/// One facet column of one segment. A value is identified by its ordinal among the sorted names.
#[derive(Default)]
pub struct FacetColumn {
    names: String,
    /// End offset of each name.
    ends: Vec<usize>,
    /// Value ordinals of all documents, concatenated.
    places: Vec<u32>,
    /// Start offset of each document's values; one more entry than documents.
    starts: Vec<usize>,
}

impl FacetColumn {
    fn read(segment: &SegmentReader, column: Option<StrColumn>) -> Result<Self> {
        let mut values = Self::default();
        let Some(column) = column else { return Ok(values) };
        let mut names = column.dictionary().stream()?;
        while names.advance() {
            values.names.push_str(&String::from_utf8_lossy(names.key()));
            values.ends.push(values.names.len());
        }
        values.starts.push(0);
        for document in 0..segment.max_doc() {
            let places = column.ords().values_for_doc(document);
            values.places.extend(places.filter_map(|place| u32::try_from(place).ok()));
            values.starts.push(values.places.len());
        }
        Ok(values)
    }

    /// Returns the number of distinct values.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the value ordinals of a document.
    pub fn of(&self, document: DocId) -> &[u32] {
        let at = document as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.places[start..end],
            _ => &[],
        }
    }

    pub fn name(&self, place: usize) -> &str {
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(place).copied().unwrap_or(start);
        &self.names[start..end]
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.name(middle) < name {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len() && self.name(low) == name).then_some(low)
    }
}

/// Cache of the columns of segments in use, loaded on first count.
#[derive(Default)]
pub struct ValueCache(Mutex<HashMap<(SegmentId, &'static str), Arc<FacetColumn>>>);

impl ValueCache {
    pub fn get(&self, segment: &SegmentReader, field: &'static str) -> Result<Arc<FacetColumn>> {
        let key = (segment.segment_id(), field);
        if let Some(values) = self.0.lock().get(&key) {
            return Ok(values.clone());
        }
        // Loaded outside the lock: at worst two threads load the same column once each.
        let values = Arc::new(FacetColumn::read(segment, segment.fast_fields().str(field)?)?);
        self.0.lock().insert(key, values.clone());
        Ok(values)
    }

    /// Evicts the columns of segments that no longer exist.
    pub fn keep(&self, segments: &[SegmentId]) {
        self.0.lock().retain(|(segment, _), _| segments.contains(segment));
    }
}
