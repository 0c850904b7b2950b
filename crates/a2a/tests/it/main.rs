//! Integration tests with recorded messages of real agents.
//!
//! `samples/` was recorded from agents on the official Python SDK, `a2a-sdk` 1.3.0 (`*-v1.*`) and 0.3.26
//! (`*-v03.*`), on `fasta2a` 2.1.1 and on `@a2a-js/sdk` 1.3.0 (`*-js.*`).

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod assembly;
mod card;
mod cost;
mod decode;
mod event_projection;
mod fixtures;
mod hostile_cards;
mod signing;
mod task;
mod version_conversion;
