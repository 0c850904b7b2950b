//! How the hub runs agents: connectors, and the outbound clients that every call to somebody else goes through.
//!
//! A [`Connector`] does one agent's work on one [`Request`] and tells an [`Output`] what comes; the hub calls it
//! through [`perform`], which holds it to the request's [`Limits`]. Nothing here knows the store or the hub.

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
