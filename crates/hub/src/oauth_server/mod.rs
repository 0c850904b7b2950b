//! OAuth 2.1 authorization server: programs act for a user who consented on a web page.
//!
//! A client is identified by the URL of its metadata document, or registers itself. A grant starts with
//! an authorization code that is exchanged once, and continues by single-use refresh tokens.

mod authorize;
mod client_metadata;
mod grants;
mod registration;
mod token_exchange;

pub use authorize::{
    AuthorizeError, AuthorizeOutcome, AuthorizeRequest, ConsentPrompt, record_consent, validate_request,
};
pub use client_metadata::OauthClient;
pub use grants::{forget_expired, list, revoke};
pub use plexus_store::oauth_grants::OauthGrant;
pub use registration::{RegisteredClient, RegistrationError, register};
pub use token_exchange::{IssuedTokens, TokenRefusal, admit, exchange, refresh, withdraw};

use crate::caller::Scope;

/// Scopes that clients can get. All other permissions need an API token that the owner created.
pub const SCOPES: [Scope; 3] = [Scope::Read, Scope::Chat, Scope::Team];
/// Scopes that a client gets unless it names others.
pub const DEFAULT_SCOPES: [Scope; 2] = [Scope::Read, Scope::Chat];
