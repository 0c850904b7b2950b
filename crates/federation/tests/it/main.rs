//! Tests of the public API: encoded records, and engines that exchange effects over an in-memory network.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bursts;
mod converge;
mod fixtures;
mod forged;
mod golden;
mod hostile;
mod leases_and_expiry;
mod limits;
mod live_search;
mod merge_properties;
mod network;
mod own_records;
mod reports;
mod rng;
mod rule_lists;
mod rules;
mod slow_peers;
mod violations;
