//! The wasm entry of Plexus, nothing else.

// Linked for its islands alone: each exports a function that the loader calls by name.
use plexus_app as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Makes the page ready for its islands; the loader then starts each of them.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
