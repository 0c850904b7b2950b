//! Network tests with real swarms over loopback TCP (docs/adr/0013): the DHT with its bounded store under
//! junk and loss, interoperability with js-libp2p, and streams through a relay. Each has a short form for
//! every day and a long one (`--ignored`) that prints its measurements.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod catch_up;
mod clock_steps;
mod dht;
mod dht_lookup;
mod dht_node;
mod eclipse;
mod first_hubs;
#[path = "../it/fixtures.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod fixtures;
mod flood;
mod full_hub;
mod gossip;
mod gossipsub_control_flood;
mod hub_processes;
mod js_interop;
mod js_peer;
mod latency_proxy;
mod latency_setup;
mod measure;
mod probing;
mod propagation_latency;
mod raw_gossip_peer;
mod raw_kad_peer;
mod relay;
mod resource_exhaustion;
#[path = "../it/rng.rs"]
mod rng;
mod single_listing_hub;
mod store;
mod sync;
