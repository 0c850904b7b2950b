//! The store: one set of SQL statements for SQLite and Postgres.
//!
//! [`Store::open`] returns a store with read connections ([`Store::read`], [`Store::snapshot`]) and write
//! transactions ([`Store::write`], [`Store::write_background`]). Queries are free functions, in one module per
//! table. Writing functions take a [`Tx`], reading ones a [`Conn`]; a `Tx` dereferences to a `Conn`.
//!
//! Rules for equal behaviour of both databases: integers have 64 bits, columns are null only if their type
//! says so, JSON is stored as text, time never comes from the database, names are compared by their folded
//! column, constraint names are never inspected, and a transaction is not continued after one of its
//! statements failed.

mod advisory_lock;
mod batch;
mod config;
mod conn;
mod error;
mod group_commit;
mod postgres;
mod schema_status;
mod sql_in_list;
mod sql_types;
mod sqlite;
mod sqlite_driver;
mod store;
mod wal_checkpoint;
mod write_queue;

pub mod account_erasure;
pub mod account_model_keys;
pub mod accounts;
pub mod admin;
pub mod agent_credentials;
pub mod agent_versions;
pub mod agents;
pub mod api_tokens;
pub mod approvals;
pub mod audit;
pub mod blobs;
pub mod caller_contexts;
pub mod cards;
pub mod chat_agent_limits;
pub mod chat_invitations;
pub mod chat_share_links;
pub mod chat_usage;
pub mod chats;
pub mod conversation_digests;
pub mod events;
pub mod featured_agents;
pub mod federation_rules;
pub mod grants;
pub mod hub_violations;
pub mod hubs;
pub mod imported_chats;
pub mod invites;
pub mod keys;
pub mod knowledge;
pub mod listings;
pub mod login_credentials;
pub mod members;
pub mod message_feedback;
pub mod message_terms;
pub mod messages;
pub mod model_budget;
pub mod model_providers;
pub mod model_settings;
pub mod model_usage;
pub mod namespaces;
pub mod notify;
pub mod oauth_grants;
pub mod origin_verifications;
pub mod outbox;
pub mod p2p_state;
pub mod parts;
pub mod passage_vectors;
pub mod permissions;
pub mod principals;
pub mod processes;
pub mod registration_drafts;
pub mod replicated_listings;
pub mod request_nonces;
pub mod rule_subscriptions;
pub mod runs;
pub mod secrets;
pub mod sequences;
pub mod sessions;
pub mod stars;
pub mod stream_journal;
pub mod team_share_links;
pub mod teams;
pub mod transfer;
pub mod trusted_origins;
pub mod uploads;
pub mod usage;
pub mod webhooks;

#[cfg(feature = "testing")]
#[expect(clippy::expect_used, clippy::print_stderr, reason = "only tests use it, and they may fail aloud")]
pub mod testing;

pub use advisory_lock::{AdvisoryLock, LockKey};
pub use config::{Durability, StoreConfig, StoreUrl};
pub use conn::{Conn, Tx};
pub use error::{Error, OpenError, Result};
pub use schema_status::{SchemaMigration, SchemaStatus, copy_sqlite};
pub use sqlite::schema_version;
pub use store::Store;
