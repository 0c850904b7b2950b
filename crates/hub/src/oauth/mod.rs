//! The hub as an authorization server (OAuth 2.1), so that programs act for a person who agreed to it on a page.
//!
//! A client is known by the address of a document in which it says who it is; nothing is registered beforehand. A grant
//! begins with a code, which the client exchanges once, and lives on by refresh tokens that are each good once.

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

/// What programs may be let do. Whatever an account can do besides takes a token that its owner made.
pub const SCOPES: [Scope; 2] = [Scope::Read, Scope::Chat];
