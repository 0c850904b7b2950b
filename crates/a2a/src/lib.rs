//! A2A protocol without IO: wire types 1.0 and 0.3, agent cards, tasks, keys and signatures.
//!
//! The crate performs no IO, reads no clock and generates no random numbers. External bytes are limited in
//! size, depth and number of values before parsing. Version 1.0 is the internal representation; 0.3 is
//! converted when received or sent.

pub mod bounded_json;
pub mod card;
pub mod client;
pub mod encoded_bytes;
pub mod http_signature;
pub mod jws;
pub mod keys;
pub mod listing_id;
pub mod task;
pub mod team_extension;
pub mod wire;

pub use card::Card;
pub use plexus_domain::agent::A2aProtocol;
