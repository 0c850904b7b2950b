//! The hub's use cases on a real store, with real agents on loopback.

mod common;
mod credentials;
mod instructions;
mod proofs;
mod register;
