//! The values of a facet by number, kept in memory: the engine's own dictionaries are packed for size, and looking up
//! the names of one page of counts in them takes longer than counting.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tantivy::{SegmentReader, columnar::StrColumn, index::SegmentId};

use crate::error::Result;

/// The values of one column of one segment, sorted; a value's place is its ordinal.
#[derive(Default)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    fn read(column: &StrColumn) -> Result<Self> {
        let mut names = Self::default();
        let mut values = column.dictionary().stream()?;
        while values.advance() {
            names.text.push_str(&String::from_utf8_lossy(values.key()));
            names.ends.push(names.text.len());
        }
        Ok(names)
    }

    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, ordinal: usize) -> &str {
        let start = ordinal.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(ordinal).copied().unwrap_or(start);
        &self.text[start..end]
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle).cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}

/// The names of the segments in use, read when first counted.
#[derive(Default)]
pub struct NameCache(Mutex<HashMap<(SegmentId, &'static str), Arc<Names>>>);

impl NameCache {
    pub fn names(
        &self,
        segment: &SegmentReader,
        field: &'static str,
        column: &StrColumn,
    ) -> Result<Arc<Names>> {
        let key = (segment.segment_id(), field);
        if let Some(names) = self.0.lock().get(&key) {
            return Ok(names.clone());
        }
        // Read outside the lock: at worst two readers do the same work once.
        let names = Arc::new(Names::read(column)?);
        self.0.lock().insert(key, names.clone());
        Ok(names)
    }

    /// Forgets the segments that are no more.
    pub fn keep(&self, segments: &[SegmentId]) {
        self.0.lock().retain(|(segment, _), _| segments.contains(segment));
    }
}
