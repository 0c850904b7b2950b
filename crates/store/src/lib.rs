//! The store: one set of SQL statements for SQLite and Postgres.
//!
//! [`Store::open`] returns a store with read connections ([`Store::read`], [`Store::snapshot`]) and write
//! transactions ([`Store::write`], [`Store::write_bulk`]). Queries are free functions, in one module per
//! table. Writing functions take a [`Tx`], reading ones a [`Conn`]; a `Tx` dereferences to a `Conn`.
//!
//! Rules for equal behaviour of both databases: integers have 64 bits, columns are null only if their type
//! says so, JSON is stored as text, time never comes from the database, names are compared by their folded
//! column, constraint names are never inspected, and a transaction is not continued after one of its
//! statements failed.

mod batch;
mod checkpoint;
mod column;
mod config;
mod conn;
mod error;
mod gate;
mod group;
mod ids;
mod inline;
mod postgres;
mod sole;
mod sqlite;
mod store;

pub mod accounts;
pub mod admin;
pub mod agent_secrets;
pub mod agents;
pub mod approvals;
pub mod audit;
pub mod blobs;
pub mod cards;
pub mod carried;
pub mod chats;
pub mod contexts;
pub mod copy;
pub mod counters;
pub mod credentials;
pub mod drafts;
pub mod events;
pub mod grants;
pub mod histories;
pub mod hub_faults;
pub mod hub_nonces;
pub mod hub_peers;
pub mod hub_rules;
pub mod hubs;
pub mod invites;
pub mod jobs;
pub mod keys;
pub mod limits_used;
pub mod listings;
pub mod members;
pub mod messages;
pub mod models;
pub mod namespaces;
pub mod oauth;
pub mod outbox;
pub mod parts;
pub mod permissions;
pub mod principals;
pub mod processes;
pub mod proofs;
pub mod push;
pub mod rule_lists;
pub mod runs;
pub mod secrets;
pub mod sessions;
pub mod signals;
pub mod stars;
pub mod team_shares;
pub mod teams;
pub mod text_log;
pub mod tokens;
pub mod usage;
pub mod versions;
pub mod vouched_origins;

#[cfg(feature = "testing")]
#[expect(clippy::expect_used, clippy::print_stderr, reason = "only tests use it, and they may fail aloud")]
pub mod testing;

pub use config::{Durability, StoreConfig, StoreUrl};
pub use conn::{Conn, Tx};
pub use error::{Error, OpenError, Result};
pub use sole::{Duty, Sole};
pub use store::Store;
