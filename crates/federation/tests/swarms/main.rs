//! Network tests with real swarms over loopback TCP (docs/adr/0013): the DHT with its bounded store under
//! junk and loss, interoperability with js-libp2p, and streams through a relay. Each has a short form for
//! every day and a long one (`--ignored`) that prints its measurements.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod attack;
mod catch_up;
mod control;
mod crew;
mod delay;
mod dht;
#[path = "../it/dice.rs"]
mod dice;
mod eclipse;
mod far;
mod flood;
mod foreign;
mod gossip;
mod greedy;
mod hub;
mod hubs;
mod js;
mod lone;
mod look_up;
#[path = "../it/make.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod make;
mod measure;
mod probing;
mod raw;
mod relay;
mod road;
mod store;
mod sync;
