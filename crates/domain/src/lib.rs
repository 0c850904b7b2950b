//! Domain types and rules of Plexus, without IO.
//!
//! The crate performs no IO, reads no clock and generates no random numbers: time, ids and entropy are
//! arguments. Equal inputs therefore give equal results on the server, in tests and in the browser.

pub mod account;
pub mod address;
pub mod agent;
pub mod chat;
pub mod digest;
pub mod error;
pub mod event;
pub mod id;
pub mod message;
pub mod money;
pub mod name;
pub mod page;
pub mod part;
pub mod principal;
pub mod run;
pub mod schedule;
#[cfg(feature = "schema")]
mod schema;
pub mod team;
pub mod text;
pub mod time;

pub use address::Address;
pub use digest::Digest;
pub use error::{Error, Result};
pub use id::*;
pub use name::Name;
pub use part::{Content, Part};
pub use principal::Principal;
pub use run::RunState;
pub use team::Team;
pub use text::Text;
pub use time::Timestamp;
