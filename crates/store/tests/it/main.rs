//! Integration tests of the public interface of the store, on both databases.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod accounts;
mod admin;
mod agents;
mod chats;
mod contention;
mod featured_agents;
mod imported_chats;
mod knowledge;
mod listings;
mod messages;
mod outbox_audit;
mod p2p_state;
mod runs;
mod stars;
mod stream_journal;
mod teams;
mod usage;
