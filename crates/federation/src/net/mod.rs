//! libp2p network layer.
//!
//! [`start`] spawns the actor that owns the swarm; its commands and events are in `api`. `driver` joins it
//! with the engine and the store.
//!
//! Connections: `book` (address book and backoff), `trim` (pruning), `reach` (dial policy), `crowd` (limits
//! per address and relay), `links` (connected peers). Protocols: `gossip` (gossipsub and scores), `pace`
//! (gossip rate limit), `codec` and `wire` (requests and responses), `records` (DHT store), `announcing` (DHT
//! provider records), `measure` (latency). `calls` are requests to agents of hubs without a public address,
//! on streams that bypass the actor.
//!
//! Reachability: `finding` (addresses of other hubs), `nat` (whether this hub is reachable), `probing`
//! (AutoNAT, filtered by `gated` and `share`), `relays` (relay client), `lend` (relay server).

mod actor;
mod announcing;
pub mod api;
#[cfg(test)]
mod attacked;
mod behaviour;
mod book;
pub mod calls;
mod codec;
mod crowd;
pub mod door;
pub mod driver;
mod finding;
mod gated;
mod gossip;
pub mod id;
pub mod key;
pub mod lend;
mod links;
pub mod measure;
pub mod nat;
mod pace;
mod pending;
mod probing;
pub mod reach;
mod react;
pub mod records;
mod relays;
mod share;
mod tend;
mod trim;
pub mod wire;

pub use libp2p::{Multiaddr, PeerId, kad::RecordKey, multiaddr::Protocol};

pub use self::{
    actor::start,
    api::{Config, Handle},
    behaviour::StartError,
};
