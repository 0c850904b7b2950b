//! Islands: the interactive components that run in the browser.

pub mod chat_room;
