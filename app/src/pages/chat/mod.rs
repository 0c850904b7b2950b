//! Chat pages.

mod dialog;
mod new;
mod sidebar;
mod thread;
