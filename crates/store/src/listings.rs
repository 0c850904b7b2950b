//! Listings: descriptions of agents as read by pages and the search index.
//!
//! Every change takes the next number of one sequence, inside its transaction. A reader that has processed
//! number n has therefore seen all changes up to n. The index only needs to persist one number to catch up.

use plexus_domain::{AgentId, Digest, Timestamp};
use serde_json::Value;
use sqlx::{QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sequences, sql_in_list,
    sql_types::{SqlType, record, word_enum},
};

const COUNTER: &str = "listings";

word_enum! {
    pub enum ListingState {
        Live = "live",
        Paused = "paused",
        /// Tombstone: prevents that a replica of the listing restores it.
        Deleted = "deleted",
    }
}

record! {
    pub struct Listing {
        pub agent: AgentId,
        /// Increases with each version that the holder of the key signs.
        pub seq: i64,
        pub card: Digest,
        /// Content that lists, pages and the index show.
        pub summary: Value,
        /// Signed form, which remote hubs replicate.
        pub envelope: Option<Vec<u8>>,
        /// Hash that identifies the signed form.
        pub hash: Option<Digest>,
        pub issued_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        /// Until when the hub that replicates it vouches for it.
        pub leased_until: Option<Timestamp>,
        pub state: ListingState,
        /// Number of its latest change.
        pub change: i64,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select agent, seq, card, summary, envelope, hash, issued_at, expires_at, leased_until, state, change from listings ",
            $rest
        )
    };
}

/// Inserts or replaces the listing of an agent and returns the number of the change.
///
/// `listing.change` is ignored.
pub async fn put(tx: &mut Tx, listing: &Listing) -> Result<i64> {
    let change = sequences::next(tx, COUNTER).await?;
    let text = "insert into listings \
                (agent, seq, card, summary, envelope, hash, issued_at, expires_at, leased_until, state, change) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                on conflict (agent) do update set seq = excluded.seq, card = excluded.card, \
                summary = excluded.summary, envelope = excluded.envelope, hash = excluded.hash, \
                issued_at = excluded.issued_at, expires_at = excluded.expires_at, \
                leased_until = excluded.leased_until, state = excluded.state, change = excluded.change";
    execute!(
        tx,
        query(text)
            .bind(listing.agent.uuid())
            .bind(listing.seq)
            .bind(listing.card.to_column())
            .bind(listing.summary.to_column())
            .bind(listing.envelope.as_deref())
            .bind(listing.hash.to_column())
            .bind(listing.issued_at.millis())
            .bind(listing.expires_at.to_column())
            .bind(listing.leased_until.to_column())
            .bind(listing.state.as_str())
            .bind(change)
    )?;
    Ok(change)
}

/// Marks an agent for reindexing because something beside its listing changed: visibility, verification or
/// availability. Returns `None` if the agent has no listing.
pub async fn mark_changed(tx: &mut Tx, agent: AgentId) -> Result<Option<i64>> {
    let change = sequences::next(tx, COUNTER).await?;
    let text = "update listings set change = $2 where agent = $1";
    let changed = execute!(tx, query(text).bind(agent.uuid()).bind(change))?;
    Ok((changed > 0).then_some(change))
}

pub async fn set_state(tx: &mut Tx, agent: AgentId, state: ListingState) -> Result<Option<i64>> {
    let change = sequences::next(tx, COUNTER).await?;
    let text = "update listings set state = $2, change = $3 where agent = $1";
    let changed = execute!(tx, query(text).bind(agent.uuid()).bind(state.as_str()).bind(change))?;
    Ok((changed > 0).then_some(change))
}

pub async fn find(conn: &mut Conn, agent: AgentId) -> Result<Option<Listing>> {
    on!(conn, c => query_as(select!("where agent = $1")).bind(agent.uuid()).fetch_optional(c))
}

/// Returns the listings of the agents in `wanted`, in no particular order.
pub async fn list(conn: &mut Conn, wanted: &[AgentId]) -> Result<Vec<Listing>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query = QueryBuilder::new(select!("where agent in "));
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found)
}

/// Lists at most `limit` listings that changed after change number `n`, in change order.
pub async fn changed_since(conn: &mut Conn, n: i64, limit: i64) -> Result<Vec<Listing>> {
    on!(conn, c => query_as(select!("where change > $1 order by change limit $2")).bind(n).bind(limit).fetch_all(c))
}

/// Returns the number of the latest change.
pub async fn last_change(conn: &mut Conn) -> Result<i64> {
    sequences::current(conn, COUNTER).await
}

/// Lists at most `limit` listings that expire before `before`, the next to expire first.
pub async fn list_expiring(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<Listing>> {
    let text =
        select!("where expires_at is not null and expires_at < $1 order by expires_at, agent limit $2");
    on!(conn, c => query_as(text).bind(before.millis()).bind(limit).fetch_all(c))
}
