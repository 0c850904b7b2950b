//! Hubs without a centre: what they tell each other, and what a hub makes of it.
//!
//! [`record`] is what travels: listings, hub records and heads, each signed. [`core`] is the state machine that
//! takes events and gives effects. Neither performs IO, reads a clock or draws a random number, so a network of
//! thousands of hubs runs in one test, and the same events always lead to the same state. [`net`] is libp2p.

pub mod core;
mod hub_id;
pub mod net;
pub mod record;

pub use hub_id::HubId;
