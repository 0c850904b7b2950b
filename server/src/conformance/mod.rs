//! Conformance mode: a hub for protocol test kits, with temporary data, on loopback only, without sign-in.
//!
//! Kits use the same endpoints as other programs. This module adds what they expect to find: a shared test
//! account, and agents that behave as the kits require ([`plexus_hub::conformance`]).

pub mod mcp;
mod mode;
mod serve;

pub use mode::Conformance;
pub use serve::serve;

use axum::{Router, extract::DefaultBodyLimit};

use crate::app_state::AppState;

/// Maximum body size that a kit sends.
const BODY_BYTES: usize = 4 << 20;

/// Additional routes at fixed paths that kits expect. Fixtures of further protocols are merged here.
pub fn routes() -> Router<AppState> {
    Router::new().layer(DefaultBodyLimit::max(BODY_BYTES))
}
