//! A2A push notifications: webhooks that callers register for tasks, and their delivery.
//!
//! Each state change of a run enqueues one outbox row per webhook in its transaction (`enqueue`); so does status text
//! of its agent, at most once a second. A worker
//! delivers the rows and retries with backoff (`delivery`).

mod config;
mod delivery;
mod enqueue;
mod manage;

pub use config::{NamedWebhook, WebhookAuth, WebhookConfig, WebhookRequestInput};
pub(crate) use delivery::deliver_until;
pub(crate) use enqueue::{enqueue, report_status};
pub(super) use manage::keep;
pub use manage::{add, find, list, remove};
