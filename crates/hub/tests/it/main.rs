//! The hub's use cases on a real store, with real agents on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod calls;
mod common;
mod credentials;
mod endpoint;
mod instructions;
mod proofs;
mod register;
mod unserved;
