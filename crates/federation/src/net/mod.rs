//! Hubs over libp2p.
//!
//! [`start`] begins a task that owns the swarm and nothing else; what it is told and what it tells is in `api`. `driver` joins it
//! with the core and with what the hub stores. `records` is what is kept for the DHT, `book` and `trim` say whom to
//! call and whom to part with, `gossip` has the scores, `pace` says how fast peers may speak, `measure` what took how long, and `wire` the bytes of requests and answers. `reach` and `crowd` say which addresses are
//! called and how many connections come from one. `calls` are chats with
//! agents of hubs that have no public address, on streams that the actor does not look into.
//!
//! `finding` is about where other hubs are, `nat` about whether others find this one: `probing` is how that is tried (behind what
//! `gated` and `share` allow), `relays` who helps where they do not, and `lend` how this hub helps others.

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
