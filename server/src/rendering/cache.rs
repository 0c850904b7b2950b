//! LRU cache of rendered HTML.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
};

/// Maximum size of all cached HTML, in bytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Approximate overhead of an entry besides its HTML, in bytes.
const ENTRY_BYTES: usize = 256;

/// How a text is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    Markdown,
    Typed,
}

/// Cache key: kind, scope and hash of a text. The hash is keyed with a random value, so that no author can
/// construct two texts with the same hash.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    kind: TextKind,
    scope: Box<str>,
    hash: u64,
    bytes: usize,
}

#[derive(Clone)]
pub struct Known {
    pub html: Arc<str>,
    /// Number of attempts that exceeded the time limit; 0 if the text was rendered completely.
    pub tries: u8,
}

#[derive(Default)]
pub struct Cache {
    hasher: RandomState,
    known: HashMap<Key, (u64, Known)>,
    /// Keys by time of last use.
    order: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
}

impl Cache {
    pub fn key(&self, kind: TextKind, scope: &str, text: &str) -> Key {
        Key { kind, scope: scope.into(), hash: self.hasher.hash_one(text), bytes: text.len() }
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
            let key = cache.key(TextKind::Markdown, "m", text);
            cache.put(key, Known { html: Arc::clone(&html), tries: 0 });
        };
        let has = |cache: &mut Cache, text: &str| {
            let key = cache.key(TextKind::Markdown, "m", text);
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
