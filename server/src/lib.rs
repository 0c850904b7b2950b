//! HTTP server of Plexus: router, pages, forms, protocol endpoints and command line.
//!
//! A handler parses the request, authenticates the caller, makes one use-case call and maps the result.
//! Business rules and SQL belong to other crates.

mod a2a;
mod api;
mod ard;
pub mod cli;
pub mod config;
pub mod conformance;
mod health;
mod launch_goal;
mod mcp;
mod network;
mod oauth;
mod openai;
mod operator;
mod pages;
pub mod programs;
mod prometheus;
mod providers;
mod rendering;
mod router;
mod rpc;
pub mod run;
pub mod settings;
mod state;
mod telemetry;
mod web;
