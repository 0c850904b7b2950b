//! UI components of the pages, one per file.

#![expect(clippy::needless_pass_by_value, reason = "a component owns its properties")]

pub mod agent_row;
pub mod article;
mod attachments;
pub mod badge;
pub mod button;
pub mod chat_commands;
pub mod code_block;
pub mod composer;
pub mod context;
pub mod definition_list;
pub mod dialog;
pub mod diff;
pub mod empty;
pub mod facets;
pub mod field;
pub mod file_part;
pub mod footer;
pub mod form_errors;
pub mod format;
pub mod header;
pub mod icon;
pub mod identicon;
pub mod live_search;
pub mod menu;
pub mod message_parts;
pub mod notice;
pub mod origin_verification;
pub mod pager;
pub mod section;
pub mod share_links;
pub mod side_nav;
pub mod starters;
pub mod stepper;
pub mod table;
pub mod tabs;
pub mod time;
mod tool_question;
pub mod transcript;
pub mod usage;
pub mod usage_report;
