//! HTTP server of Plexus: router, pages, forms, protocol endpoints and command line.
//!
//! A handler parses the request, authenticates the caller, makes one use-case call and maps the result.
//! Business rules and SQL belong to other crates.

mod a2a;
mod admin_socket;
mod anthropic;
mod api;
mod app_state;
mod ard;
mod chat_export;
pub mod cli;
pub mod config;
pub mod conformance;
mod federation_config;
mod health;
mod ioa_compat;
mod mcp;
mod model_commands;
mod oauth;
mod openai;
mod pages;
pub mod program_config;
mod prometheus;
mod providers;
mod rendering;
mod router;
mod rpc;
pub mod serve;
pub mod settings;
mod telemetry;
mod web;

pub use web::secret_urls::SECRET_ROUTES;
