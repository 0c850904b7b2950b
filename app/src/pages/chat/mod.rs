//! Chat pages.

mod dialog;
mod feedback;
mod folder;
mod invitations;
mod list;
mod new;
mod people;
mod print;
mod retry;
mod search;
mod share;
mod sidebar;
mod temporary;
mod thread;
