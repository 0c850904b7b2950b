//! The pages and islands of Plexus.
//!
//! Pages are rendered on the server from the plain structs in [`model`] and read without JavaScript. Islands are
//! the few places that come alive in the browser; the wasm build holds them and nothing else.

pub mod islands;
pub mod model;

#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod render;
#[cfg(feature = "ssr")]
pub mod script;
#[cfg(feature = "ssr")]
pub mod style;
