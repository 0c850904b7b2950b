//! A2A push notifications: webhooks that callers register for tasks, and their delivery.
//!
//! Each state change of a run enqueues one outbox row per webhook in its transaction (`letters`). A worker
//! delivers the rows and retries with backoff (`deliver`).

mod deliver;
mod hook;
mod letters;
mod manage;

pub(crate) use deliver::deliver_until;
pub use hook::{Authentication, Hook, Named, Wish};
pub(crate) use letters::write;
pub(super) use manage::keep;
pub use manage::{add, find, list, remove};
