//! Integration tests of the index.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]

mod common;
mod cost;
mod index_dir;
mod lists;
mod matching;
#[cfg(test)]
mod passage_recall;
mod skill_ranking;
