//! Federation of hubs without a central server.
//!
//! [`record`] defines the exchanged records: listings, hub records and inventory heads, each signed. [`engine`]
//! is the sans-IO state machine: events in, effects out. Neither performs IO, reads a clock or uses
//! randomness. A test can therefore run a network of thousands of hubs, and equal events always lead to equal
//! state. [`net`] is the libp2p network layer.

pub mod engine;
mod hub_id;
pub mod net;
pub mod record;

pub use hub_id::HubId;
