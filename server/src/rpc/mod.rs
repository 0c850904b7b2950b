//! `/rpc`: the hub's use cases as methods of JSON-RPC 2.0, one by one or in batches over HTTP, and over WebSocket, where
//! chats can be followed. Bearer tokens only.
//!
//! The methods and subscriptions are a module of jsonrpsee. What carries them is ours, since its server leaves the
//! specification (it answers notifications with `null` and does not carry them out, and takes numbers below 0 or with a
//! fraction for no id), speaks one media type to the letter, and holds whatever a connection sends without reading
//! answers: [`envelope`] reads, [`session`] dispatches, [`http`] and [`socket`] carry.

pub mod envelope;
mod failure;
mod follow;
mod http;
mod methods;
mod session;
mod socket;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{Extension, Router, routing::get};
use jsonrpsee::{ConnectionId, Methods};
use plexus_hub::Caller;

use self::session::{Connection, Session};
use crate::state::Site;

/// Chats that one connection follows at once.
const FOLLOWED: u32 = 32;

/// The methods, for whoever calls.
struct Rpc {
    methods: Methods,
    connections: AtomicUsize,
}

pub fn routes(site: &Site) -> Router<Site> {
    match methods::all(site) {
        Ok(module) => {
            let rpc = Rpc { methods: module.into(), connections: AtomicUsize::new(0) };
            let methods = get(http::open).post(http::call).fallback(http::other_method);
            Router::new().route("/rpc", methods).layer(Extension(Arc::new(rpc)))
        }
        Err(error) => {
            tracing::error!(%error, "the methods of /rpc contradict each other, so it is not served");
            Router::new()
        }
    }
}

impl Rpc {
    /// For one request.
    fn session(&self, site: &Site, caller: Caller) -> Session {
        Session::new(site.clone(), self.methods.clone(), caller, None)
    }

    /// For a connection that stays open.
    fn connection(&self, site: &Site, caller: Caller) -> Session {
        let id = ConnectionId(self.connections.fetch_add(1, Ordering::Relaxed));
        Session::new(site.clone(), self.methods.clone(), caller, Some(Connection::new(id, FOLLOWED)))
    }
}
