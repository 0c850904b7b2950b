//! OAuth authorization server of the hub: metadata, consent page and token endpoints.

mod authorize;
mod metadata;
mod register;
mod token;

use axum::{Router, extract::DefaultBodyLimit};

use crate::{
    app_state::AppState,
    web::routing::{form, get, post},
};

pub const AUTHORIZE: &str = "/oauth/authorize";
pub const CALLBACK: &str = "/oauth/callback";
pub const CLIENT: &str = "/oauth/client.json";
pub const TOKEN: &str = "/oauth/token";
pub const REGISTER: &str = "/oauth/register";
pub const REVOKE: &str = "/oauth/revoke";
pub const SERVER: &str = "/.well-known/oauth-authorization-server";
pub const RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// Routes opened in a browser.
pub fn pages() -> Router<AppState> {
    Router::new()
        .route(AUTHORIZE, form(authorize::show, authorize::decide))
        .route(CALLBACK, get(crate::pages::agent_manage::connected))
}

/// Routes called by programs, from any origin.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route(SERVER, get(metadata::server))
        // Some clients append the path of the resource, although the issuer has none.
        .route("/.well-known/oauth-authorization-server/mcp", get(metadata::server))
        .route("/.well-known/oauth-authorization-server/mcp/{owner}/{name}", get(metadata::server))
        .route(RESOURCE, get(metadata::whole))
        .route("/.well-known/oauth-protected-resource/{*path}", get(metadata::part))
        .route(CLIENT, get(metadata::client))
        .route(REGISTER, post(register::register).layer(DefaultBodyLimit::max(register::MAX_BYTES)))
        .route(TOKEN, post(token::give))
        .route(REVOKE, post(token::revoke))
}
