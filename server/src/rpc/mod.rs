//! JSON-RPC 2.0 endpoint `/rpc`: over HTTP, single or in batches, and over WebSocket, which also supports
//! chat subscriptions. Bearer tokens only.
//!
//! Methods and subscriptions are a jsonrpsee module. The transport is our own, because jsonrpsee's server
//!
//! - violates the specification: it answers notifications with `null` without executing them, and rejects
//!   negative and fractional numbers as ids,
//! - accepts only one exact spelling of the media type,
//! - buffers without bound what a client sends without reading responses.
//!
//! [`envelope`] parses, [`session`] dispatches, [`http`] and [`socket`] are the transports.

mod chat_subscription;
pub mod envelope;
mod error;
mod http;
mod methods;
mod session;
mod socket;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{Extension, Router};
use jsonrpsee::{ConnectionId, Methods};
use plexus_hub::Caller;

use self::session::{Connection, Session};
use crate::{app_state::AppState, web::routing::form};

/// Maximum number of subscriptions of one connection.
const FOLLOWED: u32 = 32;

/// The methods, shared by all callers.
struct Rpc {
    methods: Methods,
    connections: AtomicUsize,
}

pub fn routes(site: &AppState) -> Router<AppState> {
    match methods::all(site) {
        Ok(module) => {
            let rpc = Rpc { methods: module.into(), connections: AtomicUsize::new(0) };
            let methods = form(http::open, http::call).fallback(http::other_method);
            Router::new().route("/rpc", methods).layer(Extension(Arc::new(rpc)))
        }
        Err(error) => {
            tracing::error!(%error, "rpc: conflicting methods; /rpc is not served");
            Router::new()
        }
    }
}

impl Rpc {
    /// Creates the session of one HTTP request.
    fn session(&self, site: &AppState, caller: Caller) -> Session {
        Session::new(site.clone(), self.methods.clone(), caller, None)
    }

    /// Creates the session of a WebSocket connection.
    fn connection(&self, site: &AppState, caller: Caller) -> Session {
        let id = ConnectionId(self.connections.fetch_add(1, Ordering::Relaxed));
        Session::new(site.clone(), self.methods.clone(), caller, Some(Connection::new(id, FOLLOWED)))
    }
}
