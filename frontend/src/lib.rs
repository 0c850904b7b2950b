//! Wasm entry point of Plexus.

// Linked only for its islands: each exports a function that the loader calls by name.
use plexus_app as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares the page for its islands. The loader then starts each of them.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
