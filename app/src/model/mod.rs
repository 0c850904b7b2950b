//! View models: plain values that the server fills in and pages render.
//!
//! They contain no access control: every value that is present is shown. Text is escaped when it is rendered,
//! except [`Html`], which only the Markdown renderer may create.

pub mod account;
pub mod admin;
pub mod agent;
pub mod agents;
pub mod badge;
pub mod chat;
pub mod docs;
pub mod error;
pub mod form;
pub mod frame;
pub mod home;
pub mod html;
pub mod message;
pub mod network;
pub mod oauth;
pub mod others;
pub mod owner;
pub mod pager;
pub mod query;
pub mod register;
pub mod settings;
pub mod team;

pub use badge::Badge;
pub use form::Form;
pub use frame::{Assets, Density, Frame, Notice, Theme, Tone, Viewer};
pub use html::Html;
pub use pager::Pager;
