//! Discrete-event simulation of many hubs: real engines on a virtual clock and a modelled network (`mesh`).
//! Times thus show what the protocol needs, without processor time; `tests/swarms` uses real connections.
//! Each has a short form for every day and a long one (`--ignored`) that prints its measurements (`make bench
//! BENCH=network`).

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

#[path = "../it/dice.rs"]
mod dice;
mod heal;
mod hostile;
mod lease;
#[path = "../it/make.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod make;
#[path = "../swarms/measure.rs"]
mod measure;
mod mesh;
mod scale;
mod simulation;
