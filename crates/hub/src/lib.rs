//! The hub's use cases: every permission rule and state change, one function each.
//!
//! A use case decides with `plexus_domain`, writes rows in one transaction, commits, and then publishes to
//! subscribers. It knows no HTTP and no HTML. Deferred work is a row written in the same transaction
//! (outbox), and workers poll as well as being woken, so a lost wake-up costs time, never data.

mod account_erasure;
mod account_names;
pub mod accounts;
pub mod admin;
pub mod agents;
pub mod audit;
pub mod backups;
pub mod blobs;
pub mod bus;
pub mod caller;
pub mod calls;
pub mod chats;
mod clock_rng;
mod cluster;
pub mod config;
mod confined_process;
pub mod conformance;
pub mod directory;
mod error;
pub mod fair_slots;
pub mod federation;
mod housekeeping;
mod hub;
pub mod keys;
pub mod limits;
pub mod listings;
pub mod mail;
pub mod media_types;
pub mod message_views;
pub mod model_budget;
pub mod model_providers;
pub mod model_usage;
pub mod oauth_server;
mod operator_programs;
pub mod paging;
mod part_access;
mod passwords;
pub mod quotas;
pub mod readiness;
pub mod runs;
pub mod streaming;
mod supervise;
pub mod teams;
pub mod uploads;
pub mod vault;
pub mod views;

pub use caller::Caller;
pub use clock_rng::{ClockRng, FixedClock};
pub use config::HubConfig;
pub use confined_process::UNCONFINED_EXIT;
pub use error::{Error, Result};
pub use hub::Hub;
pub use plexus_store::permissions;
pub use readiness::NotReady;
pub use supervise::FaultInjection;
