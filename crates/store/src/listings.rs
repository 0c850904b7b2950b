//! Listings: what pages and the index read about an agent.
//!
//! Every change takes the next number of one counter, in its own transaction. Whoever has read up to n has seen
//! everything up to n, so an index keeps one number to know what it lacks.

use plexus_domain::{AgentId, Digest, Timestamp};
use serde_json::Value;
use sqlx::{QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    column::{Column, record, word_enum},
    conn::{execute, on},
    counters, ids,
};

const COUNTER: &str = "listings";

word_enum! {
    pub enum ListingState {
        Live = "live",
        Paused = "paused",
        /// Kept so that a copy of it does not come back.
        Deleted = "deleted",
    }
}

record! {
    pub struct Listing {
        pub agent: AgentId,
        /// Goes up with each version that the key's holder signs.
        pub seq: i64,
        pub card: Digest,
        /// What lists, pages and the index show.
        pub summary: Value,
        /// The signed form that other hubs carry.
        pub envelope: Option<Vec<u8>>,
        /// What names the signed form.
        pub hash: Option<Digest>,
        pub issued: Timestamp,
        pub expires: Option<Timestamp>,
        /// Until then the hub that carries it vouches for it.
        pub leased_until: Option<Timestamp>,
        pub state: ListingState,
        /// The number of its last change.
        pub change: i64,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select agent, seq, card, summary, envelope, hash, issued, expires, leased_until, state, change from listings ",
            $rest
        )
    };
}

/// Writes a listing, new or in place of the agent's last one, and gives the number of the change.
///
/// `listing.change` is not looked at.
pub async fn put(tx: &mut Tx, listing: &Listing) -> Result<i64> {
    let change = counters::next(tx, COUNTER).await?;
    let text = "insert into listings \
                (agent, seq, card, summary, envelope, hash, issued, expires, leased_until, state, change) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                on conflict (agent) do update set seq = excluded.seq, card = excluded.card, \
                summary = excluded.summary, envelope = excluded.envelope, hash = excluded.hash, issued = excluded.issued, \
                expires = excluded.expires, leased_until = excluded.leased_until, state = excluded.state, \
                change = excluded.change";
    execute!(
        tx,
        query(text)
            .bind(listing.agent.uuid())
            .bind(listing.seq)
            .bind(listing.card.to_column())
            .bind(listing.summary.to_column())
            .bind(listing.envelope.as_deref())
            .bind(listing.hash.to_column())
            .bind(listing.issued.millis())
            .bind(listing.expires.to_column())
            .bind(listing.leased_until.to_column())
            .bind(listing.state.as_str())
            .bind(change)
    )?;
    Ok(change)
}

/// Lets the index look again at an agent of which something beside the listing changed: who may see it, whether
/// it is proved, whether it answers. None when the agent has no listing.
pub async fn touch(tx: &mut Tx, agent: AgentId) -> Result<Option<i64>> {
    let change = counters::next(tx, COUNTER).await?;
    let text = "update listings set change = $2 where agent = $1";
    let changed = execute!(tx, query(text).bind(agent.uuid()).bind(change))?;
    Ok((changed > 0).then_some(change))
}

pub async fn set_state(tx: &mut Tx, agent: AgentId, state: ListingState) -> Result<Option<i64>> {
    let change = counters::next(tx, COUNTER).await?;
    let text = "update listings set state = $2, change = $3 where agent = $1";
    let changed = execute!(tx, query(text).bind(agent.uuid()).bind(state.as_str()).bind(change))?;
    Ok((changed > 0).then_some(change))
}

pub async fn find(conn: &mut Conn, agent: AgentId) -> Result<Option<Listing>> {
    on!(conn, c => query_as(select!("where agent = $1")).bind(agent.uuid()).fetch_optional(c))
}

/// Those of `wanted` that have one, in no particular order.
pub async fn list(conn: &mut Conn, wanted: &[AgentId]) -> Result<Vec<Listing>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(ids::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query = QueryBuilder::new(select!("where agent in "));
            ids::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found)
}

/// At most `limit` listings that changed after change `n`, in the order of their changes.
pub async fn changed_since(conn: &mut Conn, n: i64, limit: i64) -> Result<Vec<Listing>> {
    on!(conn, c => query_as(select!("where change > $1 order by change limit $2")).bind(n).bind(limit).fetch_all(c))
}

/// The number of the last change.
pub async fn last_change(conn: &mut Conn) -> Result<i64> {
    counters::current(conn, COUNTER).await
}

/// At most `limit` listings that expire before `before`, the next first.
pub async fn list_expiring(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<Listing>> {
    let text = select!("where expires is not null and expires < $1 order by expires, agent limit $2");
    on!(conn, c => query_as(text).bind(before.millis()).bind(limit).fetch_all(c))
}
