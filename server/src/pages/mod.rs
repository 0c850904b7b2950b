//! Pages and their forms. Each handler parses the request, makes one use-case call, and returns a page or a
//! 303.

pub mod account;
pub mod admin;
pub mod agent;
pub mod agent_manage;
pub mod agents;
pub mod blobs;
pub mod chat;
pub mod docs;
pub mod file_preview;
pub mod home;
pub mod language;
pub mod live_search;
pub mod namespace;
pub mod network;
pub mod register;
pub mod settings;
pub mod shared_chat;
pub mod shortcuts;
pub mod starred;
pub mod team;
pub mod usage_report;
pub mod well_known;
