//! Many hubs in virtual time: the core as it is, on a clock and a network of numbers. What the network does is modelled
//! (`mesh`), so times say what the protocol needs, and nothing of processors; `tests/swarms` has real connections.
//! Each has a short form for every day and a long one, `--ignored`, which prints what it measured
//! (`make bench BENCH=network`).

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
