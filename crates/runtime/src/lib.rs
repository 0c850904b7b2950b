//! Runs agents: the connectors, and the HTTP client for every call to a remote server.
//!
//! A [`Connector`] does one agent's work for one [`RunRequest`] and streams the answer to an [`Output`]. The hub
//! runs it with [`run_connector`], which enforces the [`ConnectorLimits`] of the request. This crate depends on neither the
//! store nor the hub.

pub mod a2a;
pub mod acp;
mod approval;
pub mod attached;
pub mod builtin;
pub mod child_process;
mod connector;
mod credentials;
pub mod http_endpoint;
mod json_scanner;
mod limited_run;
pub mod llm;
pub mod mcp_client;
pub mod oauth_client;
pub mod outbound;
mod redact;
mod rpc_error;
pub mod sandbox;
pub mod sse;
pub mod stdio;
mod suffix_buffer;
#[cfg(test)]
mod testing;
mod text_cutter;
mod transcript;

pub use approval::{ApprovalGate, ApprovalPolicy, ApprovalRequest, ToolQuestion};
pub use connector::{
    Connector, ConnectorLimits, ConversationTurn, ModelUsage, Output, OutputFile, RemoteConversation, RunEnd,
    RunRequest, TurnRole,
};
pub use credentials::{CredentialSource, Credentials, KeyPlace, Secret, TokenProvider};
pub use limited_run::run_connector;
pub use redact::Redact;
