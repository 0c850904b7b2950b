//! The conformance mode: a hub for test kits, with data of its own, on loopback only, and without signing in.
//!
//! Kits speak to the very edges that programs speak to. What is here besides is what they need to find: an account that
//! everybody is, and agents that do as the kits say ([`plexus_hub::conformance`]).

pub mod mcp;
mod mode;
mod serve;

pub use mode::Conformance;
pub use serve::serve;

use axum::{Router, extract::DefaultBodyLimit};

use crate::state::Site;

/// Largest body that a kit sends.
const BODY_BYTES: usize = 4 << 20;

/// What kits look for at fixed places, besides what every hub has. Fixtures of further protocols are merged here.
pub fn routes() -> Router<Site> {
    Router::new().layer(DefaultBodyLimit::max(BODY_BYTES))
}
