//! The store as its callers see it, on both databases.

mod accounts;
mod agents;
mod chats;
mod contention;
mod listings;
mod runs;
mod talk;
mod text_log;
mod work;
