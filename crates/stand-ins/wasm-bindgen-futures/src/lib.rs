//! Why this exists is said in its Cargo.toml.
#![no_std]

pub use js_sys::{
    self,
    futures::{JsFuture, future_to_promise, spawn_local},
};
#[cfg(feature = "futures-core-03-stream")]
pub use js_sys::futures::stream;
pub use wasm_bindgen;
