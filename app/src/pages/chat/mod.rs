//! Chat pages.

mod archived;
mod dialog;
mod new;
mod retry;
mod search;
mod sidebar;
mod thread;
