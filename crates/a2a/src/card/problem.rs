//! Problems found in a card, with severity and location.

use std::cell::{Cell, RefCell};

use plexus_domain::sanitized_text;
use serde::{Deserialize, Serialize};

/// Severity of a problem. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The card can be used anyway.
    Warning,
    /// The card cannot be used.
    Error,
}

/// A problem of a card, with its location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub severity: Severity,
    /// JSON pointer (RFC 6901); empty for the whole card.
    pub pointer: String,
    /// What is wrong and how to fix it, worded for people.
    pub message: String,
}

/// Maximum number of stored problems; further ones are only counted. A hostile card could cause any number.
const MAX_PROBLEMS: usize = 100;

/// Collects the problems found so far.
#[derive(Default)]
pub struct Problems {
    found: RefCell<Vec<Problem>>,
    unlisted: Cell<usize>,
    errors: Cell<usize>,
}

impl Problems {
    pub fn note(&self, severity: Severity, pointer: &str, message: impl Into<String>) {
        const MAX_POINTER: usize = 200;
        if severity == Severity::Error {
            self.errors.set(self.errors.get() + 1);
        }
        let mut found = self.found.borrow_mut();
        if found.len() >= MAX_PROBLEMS {
            return self.unlisted.set(self.unlisted.get() + 1);
        }
        let pointer = sanitized_text::ellipsize(&sanitized_text::one_line(pointer), MAX_POINTER);
        found.push(Problem { severity, pointer, message: message.into() });
    }

    pub fn has_error(&self) -> bool {
        self.errors.get() > 0
    }

    pub fn into_list(self) -> Vec<Problem> {
        let severity = if self.has_error() { Severity::Error } else { Severity::Warning };
        let mut found = self.found.into_inner();
        if self.unlisted.get() > 0 {
            let message = format!("There are {} more problems.", self.unlisted.get());
            found.push(Problem { severity, pointer: String::new(), message });
        }
        found
    }
}
