//! What comes alive in the browser.

pub mod chat_room;
