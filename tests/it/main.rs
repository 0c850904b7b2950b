//! Integration tests through the public interfaces of a running hub.

#[cfg(test)]
mod a2a;
#[cfg(test)]
mod a2a_http_json;
#[cfg(test)]
mod a2a_messages;
#[cfg(test)]
mod a2a_progress;
#[cfg(test)]
mod a2a_sdks;
#[cfg(test)]
mod access_revocation;
#[cfg(test)]
mod account_deletion;
#[cfg(test)]
mod account_erasure;
#[cfg(test)]
mod accounts;
#[cfg(test)]
mod acp_programs;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod agent_answers;
#[cfg(test)]
mod agent_copies;
#[cfg(test)]
mod agent_export;
#[cfg(test)]
mod agent_lists;
#[cfg(test)]
mod agent_versions;
#[cfg(test)]
mod answer_links;
#[cfg(test)]
mod anthropic;
#[cfg(test)]
mod ard;
#[cfg(test)]
mod attached_programs;
#[cfg(test)]
mod attachments;
#[cfg(test)]
mod audit_log;
#[cfg(test)]
mod backup;
#[cfg(test)]
mod bad_agents;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod bootstrap_problems;
#[cfg(test)]
mod chat;
#[cfg(test)]
mod chat_commands;
#[cfg(test)]
mod chat_export;
#[cfg(test)]
mod chat_import;
#[cfg(test)]
mod chat_lists;
#[cfg(test)]
mod chat_search;
#[cfg(test)]
mod chat_titles;
#[cfg(test)]
mod chat_usage;
#[cfg(test)]
mod clerk;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod client;
#[cfg(test)]
mod cluster_failover;
#[cfg(test)]
mod cluster_streaming;
#[cfg(test)]
mod coding_clients;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod context_windows;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod crash_loop;
#[cfg(test)]
mod crash_steps;
#[cfg(test)]
mod csrf_and_rate_limits;
#[cfg(test)]
mod database;
#[cfg(test)]
mod direct_models;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod events;
#[cfg(test)]
mod everyday_goals;
#[cfg(test)]
mod example_goals;
#[cfg(test)]
mod federation;
#[cfg(test)]
mod federation_guide;
#[cfg(test)]
mod federation_pages;
#[cfg(test)]
mod feedback;
#[cfg(test)]
mod files;
#[cfg(test)]
mod fitted;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod hand_over;
#[cfg(test)]
mod heavy_work;
#[cfg(test)]
mod held_resources;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod http_endpoints;
#[cfg(test)]
mod hub;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod knowledge;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod live_search;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod mail_server;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod mcp_answers;
#[cfg(test)]
mod mcp_clients;
#[cfg(test)]
mod mcp_conformance;
#[cfg(test)]
mod mcp_registry;
#[cfg(test)]
mod mcp_tasks;
#[cfg(test)]
mod mcp_tools;
#[cfg(test)]
mod message_actions;
#[cfg(test)]
mod metrics_audit_security_txt;
#[cfg(test)]
mod model_failures;
#[cfg(test)]
mod model_keys;
#[cfg(test)]
mod model_parameters;
#[cfg(test)]
mod model_providers;
#[cfg(test)]
mod model_relay;
#[cfg(test)]
mod model_settings;
#[cfg(test)]
mod model_usage;
#[cfg(test)]
mod multi_chat_stream;
#[cfg(test)]
mod named_users;
#[cfg(test)]
mod namespace;
#[cfg(test)]
mod network_partition;
#[cfg(test)]
mod oauth;
#[cfg(test)]
mod oauth_registration;
#[cfg(test)]
mod openai;
#[cfg(test)]
mod openai_models;
#[cfg(test)]
mod openai_stored;
#[cfg(test)]
mod openai_tools;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod operator;
#[cfg(test)]
mod outbound_oauth;
#[cfg(test)]
mod p2p_calls;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod part_access;
#[cfg(test)]
mod passage_vectors;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod process;
#[cfg(test)]
mod providers;
#[cfg(test)]
mod quotas;
#[cfg(test)]
mod real_model;
#[cfg(test)]
mod remote_users;
#[cfg(test)]
mod restored_hub;
#[cfg(test)]
mod reverse_proxy;
#[cfg(test)]
mod room_access;
#[cfg(test)]
mod rooms;
#[cfg(test)]
mod rpc;
#[cfg(test)]
mod rpc_hubs;
#[cfg(test)]
mod rpc_socket;
#[cfg(test)]
mod rpc_teams;
#[cfg(test)]
mod run_queue;
#[cfg(test)]
mod safe_defaults;
#[cfg(test)]
mod secret_urls;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod share_links;
#[cfg(test)]
mod side_by_side;
#[cfg(test)]
mod stars;
#[cfg(test)]
mod starters;
#[cfg(test)]
mod stored_bytes;
#[cfg(test)]
mod streaming;
#[cfg(test)]
mod subteams;
#[cfg(test)]
mod supervision;
#[cfg(test)]
mod team;
#[cfg(test)]
mod team_across_hubs;
#[cfg(test)]
mod team_conversations;
#[cfg(test)]
mod team_decisions;
#[cfg(test)]
mod team_example;
#[cfg(test)]
mod team_extension;
#[cfg(test)]
mod team_goal;
#[cfg(test)]
mod team_over_a2a;
#[cfg(test)]
mod team_owner_actions;
#[cfg(test)]
mod team_questions;
#[cfg(test)]
mod team_report;
#[cfg(test)]
mod teams;
#[cfg(test)]
mod temporary_chats;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod tool_credentials;
#[cfg(test)]
mod tool_lists;
#[cfg(test)]
mod typed_text;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod use_counts;
#[cfg(test)]
mod visitor_chat;
#[cfg(test)]
mod webhooks;
