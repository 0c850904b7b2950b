//! libp2p network layer.
//!
//! [`start`] spawns the actor that owns the swarm; its commands and events are in `actor_api`. `driver` joins it
//! with the engine and the store.
//!
//! Connections: `address_book` (address book and backoff), `connection_pruning` (pruning), `dial_policy` (dial policy), `connection_limits` (limits
//! per address and relay), `connections` (connected peers). Protocols: `gossip` (gossipsub and scores), `gossip_rate_limit`
//! (gossip rate limit), `request_codec` and `cbor` (requests and responses), `dht_store` (DHT store), `provider_announcer` (DHT
//! provider records), `latency` (latency). `streams` are requests to agents of hubs without a public address,
//! on streams that bypass the actor.
//!
//! Reachability: `discovery` (addresses of other hubs), `reachability` (whether this hub is reachable), `autonat`
//! (AutoNAT, filtered by `filtered_behaviour` and `window_quota`), `relay_client` (relay client), `relay_server` (relay server).

mod actor;
pub mod actor_api;
mod address_book;
#[cfg(test)]
mod attack_tests;
mod autonat;
pub mod cbor;
mod connection_limits;
mod connection_pruning;
mod connections;
pub mod dht_keys;
pub mod dht_store;
pub mod dial_policy;
mod discovery;
pub mod dns_bootstrap;
pub mod driver;
mod filtered_behaviour;
mod gossip;
mod gossip_rate_limit;
mod in_flight;
pub mod latency;
mod maintenance;
pub mod peer_id;
mod provider_announcer;
pub mod reachability;
mod relay_client;
pub mod relay_server;
mod request_codec;
pub mod streams;
mod swarm;
mod swarm_events;
mod window_quota;

pub use libp2p::{Multiaddr, PeerId, kad::RecordKey, multiaddr::Protocol};

pub use self::{
    actor::start,
    actor_api::{ActorHandle, NetConfig},
    address_book::{BootstrapFailure, DialFailure},
    swarm::StartError,
};
