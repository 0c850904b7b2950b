//! UI components of the pages, one per file.

#![expect(clippy::needless_pass_by_value, reason = "a component owns its properties")]

pub mod agent_row;
pub mod article;
pub mod badge;
pub mod button;
pub mod code_block;
pub mod composer;
pub mod context;
pub mod dialog;
pub mod empty;
pub mod facets;
pub mod facts;
pub mod field;
pub mod footer;
pub mod form_errors;
pub mod header;
pub mod icon;
pub mod mark;
pub mod menu;
pub mod notice;
pub mod origin;
pub mod others;
pub mod pager;
pub mod parts;
pub mod section;
pub mod side;
pub mod steps;
pub mod table;
pub mod tabs;
pub mod text;
pub mod time;
pub mod usage;
