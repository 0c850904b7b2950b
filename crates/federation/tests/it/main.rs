//! Tests of the public API: encoded records, and engines that exchange effects over an in-memory network.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod converge;
mod dice;
mod forged;
mod golden;
mod hostile;
mod laws;
mod limits;
mod make;
mod mirrors;
mod network;
mod reports;
mod rounds;
mod rule_lists;
mod rules;
mod searching;
mod time;
