//! Runs agents: the connectors, and the HTTP client for every call to a remote server.
//!
//! A [`Connector`] does one agent's work for one [`Request`] and streams the answer to an [`Output`]. The hub
//! runs it with [`perform`], which enforces the [`Limits`] of the request. This crate depends on neither the
//! store nor the hub.

pub mod a2a;
pub mod acp;
pub mod attached;
pub mod builtin;
mod connector;
mod credentials;
pub mod http;
mod leave;
pub mod llm;
pub mod mcp;
pub mod oauth;
pub mod outbound;
pub mod program;
pub mod sandbox;
pub mod sse;
pub mod stdio;
mod tail;
#[cfg(test)]
mod testing;
mod transcript;

pub use connector::{Connector, End, File, Limits, Output, Remote, Request, Speaker, Turn, perform};
pub use credentials::{Credentials, KeyPlace, Secret, Shown, Tokens};
pub use leave::{Gate, Leave, Question};
