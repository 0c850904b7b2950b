//! Pages and islands of the Plexus web interface.
//!
//! Pages are rendered on the server from the plain structs in [`view_models`] and work without JavaScript. Islands
//! are the few interactive components; the wasm build contains only them.

pub mod islands;
pub mod view_models;

#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod locales;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod render;
#[cfg(feature = "ssr")]
pub mod script;
#[cfg(feature = "ssr")]
pub mod style;
