//! Re-exports the futures of js-sys under the version number that libp2p-swarm requires. See Cargo.toml.
#![no_std]

pub use js_sys::{
    self,
    futures::{JsFuture, future_to_promise, spawn_local},
};
#[cfg(feature = "futures-core-03-stream")]
pub use js_sys::futures::stream;
pub use wasm_bindgen;
