//! Integration tests through the public interfaces of a running hub.

#[cfg(test)]
mod a2a;
#[cfg(test)]
mod accounts;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod ard;
#[cfg(test)]
mod asking;
#[cfg(test)]
mod attached;
#[cfg(test)]
mod authorized;
#[cfg(test)]
mod bad_agents;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod chat;
#[cfg(test)]
mod clerk;
#[cfg(test)]
mod client;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod crash_loop;
#[cfg(test)]
mod crash_steps;
#[cfg(test)]
mod database;
#[cfg(test)]
mod deciders;
#[cfg(test)]
mod described;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod endpoints;
#[cfg(test)]
mod events;
#[cfg(test)]
mod federation;
#[cfg(test)]
mod files;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod fitted;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod fleet_death;
#[cfg(test)]
mod fleet_live;
#[cfg(test)]
mod floor;
#[cfg(test)]
mod form_a_team;
#[cfg(test)]
mod goal;
#[cfg(test)]
mod guests;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod hub;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod leaving;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod mcp_clients;
#[cfg(test)]
mod mcp_kit;
#[cfg(test)]
mod mcp_registry;
#[cfg(test)]
mod namespace;
#[cfg(test)]
mod nested;
#[cfg(test)]
mod network_pages;
#[cfg(test)]
mod no_address;
#[cfg(test)]
mod oauth;
#[cfg(test)]
mod openai;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod owner;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod partition;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod process;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod protection;
#[cfg(test)]
mod providers;
#[cfg(test)]
mod push;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod queue;
#[cfg(test)]
mod quotas;
#[cfg(test)]
mod real_model;
#[cfg(test)]
mod relay;
#[cfg(test)]
mod revoked;
#[cfg(test)]
mod rpc;
#[cfg(test)]
mod rpc_hubs;
#[cfg(test)]
mod rpc_socket;
#[cfg(test)]
mod rpc_teams;
#[cfg(test)]
mod safe_defaults;
#[cfg(test)]
mod sdks;
#[cfg(test)]
mod shared_stream;
#[cfg(test)]
mod stars;
#[cfg(test)]
mod streaming;
#[cfg(test)]
mod supervision;
#[cfg(test)]
mod talks;
#[cfg(test)]
mod team;
#[cfg(test)]
mod team_hubs;
#[cfg(test)]
mod team_report;
#[cfg(test)]
mod teams;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod tool_credentials;
#[cfg(test)]
mod tools;
