//! The crate from outside: records as bytes, and hubs that exchange effects in a network made of nothing but memory.

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
