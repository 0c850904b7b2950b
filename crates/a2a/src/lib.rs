//! A2A: wire types 1.0 and 0.3, agent cards, tasks, keys and signatures.
//!
//! Everything here is a value or a decision about values: no IO, no clock, no randomness. Bytes from outside are
//! bounded in size, depth and count before they are parsed, and 1.0 is the inner form: what arrives as 0.3 is
//! converted at the border.

pub mod card;
pub mod client;
pub mod extension;
pub mod http_signature;
pub mod json;
pub mod jws;
pub mod keys;
pub mod listing;
pub mod task;
pub mod wire;

pub use card::Card;
pub use plexus_domain::agent::A2aProtocol;
