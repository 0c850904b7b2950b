//! View models: plain values that the server fills in and pages render.
//!
//! They contain no access control: every value that is present is shown. Text is escaped when it is rendered,
//! except [`Html`], which only the Markdown renderer may create.

pub mod account;
pub mod admin;
pub mod agent;
pub mod agent_query;
pub mod agent_versions;
pub mod agents;
pub mod badge;
pub mod chat;
pub mod chat_people;
pub mod chat_search;
pub mod docs;
pub mod error;
pub mod feedback;
pub mod file_preview;
pub mod form;
pub mod home;
pub mod live_search;
pub mod message;
pub mod model_providers;
pub mod model_usage;
pub mod namespace;
pub mod network;
pub mod oauth;
pub mod page_frame;
pub mod pager;
pub mod register;
pub mod safe_html;
pub mod settings;
pub mod setup;
pub mod shared_chat;
pub mod shortcuts;
pub mod team;

pub use badge::Badge;
pub use form::Form;
pub use page_frame::{Assets, Density, Frame, Locale, Notice, Theme, Tone, Viewer};
pub use pager::Pager;
pub use safe_html::Html;
