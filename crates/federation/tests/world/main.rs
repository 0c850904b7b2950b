//! Discrete-event simulation of many hubs: real engines on a virtual clock and a modelled network (`gossip_model`).
//! Times thus show what the protocol needs, without processor time; `tests/swarms` uses real connections.
//! Each has a short form for every day and a long one (`--ignored`) that prints its measurements (`make bench
//! BENCH=network`).

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod churn;
#[path = "../it/fixtures.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod fixtures;
mod gossip_model;
mod hostile;
#[path = "../swarms/measure.rs"]
mod measure;
mod partition_heal;
#[path = "../it/rng.rs"]
mod rng;
mod scale;
mod simulator;
