//! Chat pages.

mod dialog;
mod new;
mod retry;
mod sidebar;
mod thread;
