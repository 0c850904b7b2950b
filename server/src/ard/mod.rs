//! Agentic Resource Discovery 0.91 (agenticresourcediscovery.org): publicly listed agents as registry
//! entries. `/.well-known/ard.json` lists them, `/ard/v1` searches them.
//!
//! A search with few local results also queries remote hubs (`auto`), or returns their registries
//! (`referrals`). Everything else covers this hub's agents only.

mod catalog;
mod context;
mod entry;
mod error;
mod explore;
mod filter;
mod filter_expression;
mod list;
mod page_token;
mod query;
mod search;

use axum::Router;

use crate::{
    app_state::AppState,
    web::routing::{any, get, post},
};

/// Path of the registry below the public URL.
const BASE: &str = "ard/v1";

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/.well-known/ard.json", get(catalog::show))
        .route("/.well-known/ai-catalog.json", get(catalog::show))
        .route("/ard/v1/search", post(search::answer))
        .route("/ard/v1/explore", post(explore::answer))
        .route("/ard/v1/agents", get(list::list))
        .route("/ard/v1/agents/{identifier}", get(list::show))
        .route("/ard/v1", get(catalog::describe))
        .route("/ard/v1/", get(catalog::describe))
        .route("/ard/v1/{*rest}", any(error::missing))
}
