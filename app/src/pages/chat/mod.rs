//! Chat pages.

mod dialog;
mod feedback;
mod folder;
mod list;
mod new;
mod print;
mod retry;
mod search;
mod share;
mod sidebar;
mod thread;
