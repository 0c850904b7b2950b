//! OAuth 2.1 authorization server: programs act for a user who consented on a web page.
//!
//! A client is identified by the URL of its metadata document; there is no registration. A grant starts with
//! an authorization code that is exchanged once, and continues by single-use refresh tokens.

mod ask;
mod client;
mod grants;
mod tokens;

pub use ask::{Asked, Question, Request, Wrong, agree, ask};
pub use client::Client;
pub use grants::{forget_expired, list, revoke};
pub use plexus_store::oauth::Grant;
pub use tokens::{Refused, Tokens, admit, exchange, refresh, withdraw};

use crate::caller::Scope;

/// Scopes that clients can get. All other permissions need an API token that the owner created.
pub const SCOPES: [Scope; 2] = [Scope::Read, Scope::Chat];
