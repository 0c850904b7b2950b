//! The reasoning of an answer as one growing text.

use std::collections::HashMap;

use plexus_domain::{Part, PartBody};

/// Separator between two pieces of reasoning: a paragraph break.
const BETWEEN: &str = "\n\n";

/// Reasoning in the order in which it came.
#[derive(Default)]
pub struct ReasoningText {
    text: String,
    /// Number of bytes that were returned so far.
    given: usize,
    /// Number of bytes of each part that are in `text`.
    known: HashMap<usize, usize>,
}

impl ReasoningText {
    /// Creates the reasoning of a finished message.
    pub fn of(parts: &[Part]) -> Self {
        let mut reasoning = Self::default();
        reasoning.add_all(parts);
        reasoning
    }

    /// Adds a part whose text starts `start` bytes into it. Idempotent: text that is there already is skipped.
    pub fn add(&mut self, index: usize, start: usize, part: &Part) {
        let PartBody::Reasoning { text } = &part.content else { return };
        let known = self.known.get(&index).copied().unwrap_or(0);
        let fresh =
            known.checked_sub(start).and_then(|skip| text.get(skip..)).filter(|fresh| !fresh.is_empty());
        let Some(fresh) = fresh else { return };
        if known == 0 && !self.text.is_empty() {
            self.text.push_str(BETWEEN);
        }
        self.text.push_str(fresh);
        self.known.insert(index, start + text.len());
    }

    pub fn add_all(&mut self, parts: &[Part]) {
        for (index, part) in parts.iter().enumerate() {
            self.add(index, 0, part);
        }
    }

    /// Returns what was added since the last call.
    pub fn take_fresh(&mut self) -> Option<String> {
        let fresh = self.text.get(self.given..).filter(|fresh| !fresh.is_empty())?.to_owned();
        self.given = self.text.len();
        Some(fresh)
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_reasoning_is_told_once() {
        let part = |text: &str| Part::from(PartBody::Reasoning { text: text.to_owned() });
        let mut reasoning = ReasoningText::default();
        assert_eq!(reasoning.take_fresh(), None);
        reasoning.add(0, 0, &part("First"));
        reasoning.add(0, 5, &part(", then"));
        reasoning.add(0, 0, &part("First, then"));
        assert_eq!(reasoning.take_fresh().as_deref(), Some("First, then"));
        reasoning.add_all(&[part("First, then"), Part::text("Said."), part("last.")]);
        assert_eq!(reasoning.take_fresh().as_deref(), Some("\n\nlast."));
        assert_eq!(reasoning.take_fresh(), None);
        assert_eq!(reasoning.text(), "First, then\n\nlast.");
    }
}
