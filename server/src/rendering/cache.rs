//! HTML that was rendered, least recently used first out.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
};

/// Bytes of HTML that are kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// What an entry takes besides its HTML, or so.
const ENTRY_BYTES: usize = 256;

/// A text by its place and its content. The hash is keyed by chance, so that no author finds two texts with one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    scope: Box<str>,
    hash: u64,
    bytes: usize,
}

#[derive(Clone)]
pub struct Known {
    pub html: Arc<str>,
    /// How often it was tried when it took too long; 0 where it did not.
    pub tries: u8,
}

#[derive(Default)]
pub struct Cache {
    hasher: RandomState,
    known: HashMap<Key, (u64, Known)>,
    /// By when they were used last.
    order: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
}

impl Cache {
    pub fn key(&self, scope: &str, text: &str) -> Key {
        Key { scope: scope.into(), hash: self.hasher.hash_one(text), bytes: text.len() }
    }

    pub fn get(&mut self, key: &Key) -> Option<Known> {
        let (used, known) = self.known.get_mut(key)?;
        self.order.remove(used);
        self.uses += 1;
        *used = self.uses;
        self.order.insert(self.uses, key.clone());
        Some(known.clone())
    }

    pub fn put(&mut self, key: Key, known: Known) {
        self.remove(&key);
        self.uses += 1;
        self.bytes += weight(&known);
        self.order.insert(self.uses, key.clone());
        self.known.insert(key, (self.uses, known));
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.order.first_key_value()
        {
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some((used, known)) = self.known.remove(key) {
            self.order.remove(&used);
            self.bytes -= weight(&known);
        }
    }
}

fn weight(known: &Known) -> usize {
    known.html.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let mut cache = Cache::default();
        let html: Arc<str> = "x".repeat(MAX_BYTES / 4).into();
        let put = |cache: &mut Cache, text: &str| {
            let key = cache.key("m", text);
            cache.put(key, Known { html: Arc::clone(&html), tries: 0 });
        };
        let has = |cache: &mut Cache, text: &str| {
            let key = cache.key("m", text);
            cache.get(&key).is_some()
        };
        for text in ["a", "b", "c"] {
            put(&mut cache, text);
        }
        assert!(has(&mut cache, "a"));
        put(&mut cache, "d");
        assert!(
            has(&mut cache, "a") && !has(&mut cache, "b") && has(&mut cache, "c") && has(&mut cache, "d")
        );
        put(&mut cache, "d");
        assert!(cache.bytes <= MAX_BYTES && cache.known.len() == 3 && cache.order.len() == 3);
    }
}
