//! Chat pages.

mod archived;
mod dialog;
mod feedback;
mod new;
mod print;
mod retry;
mod search;
mod share;
mod sidebar;
mod thread;
