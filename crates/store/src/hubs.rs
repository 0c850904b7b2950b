//! Hubs: this one and known remote hubs.

use plexus_domain::{HubRowId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    /// State of a hub as seen by this one.
    pub enum HubState {
        /// This hub: [`HubRowId::SELF`].
        Itself = "self",
        /// New hub; its listings are replicated under a reduced quota.
        Probation = "probation",
        Carried = "carried",
        /// Unreachable for so long that its listings are deleted.
        Gone = "gone",
    }
}

record! {
    pub struct Hub {
        pub id: HubRowId,
        /// Verified domain.
        pub domain: Option<String>,
        pub state: HubState,
        /// Signed hub record, as received.
        pub record: Option<Vec<u8>>,
        pub head_seq: i64,
        pub last_seen_at: Timestamp,
        /// Public key, as a libp2p PeerId.
        pub hub_key: Option<String>,
        /// Latest signed inventory head, as received.
        pub head: Option<Vec<u8>>,
        /// When this hub first learned of it.
        pub first_seen_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, domain, state, record, head_seq, last_seen_at, hub_key, head, first_seen_at from hubs ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Hub) -> Result<()> {
    let text = "insert into hubs (id, domain, state, record, head_seq, last_seen_at, hub_key, head, first_seen_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.domain.as_deref())
            .bind(new.state.as_str())
            .bind(new.record.as_deref())
            .bind(new.head_seq)
            .bind(new.last_seen_at.millis())
            .bind(new.hub_key.as_deref())
            .bind(new.head.as_deref())
            .bind(new.first_seen_at.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: HubRowId) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Returns whether `name` is the domain or the PeerId of a hub that is known here.
pub async fn is_known(conn: &mut Conn, name: &str) -> Result<bool> {
    let text = select!("where (domain = $1 or hub_key = $1) and state <> 'gone'");
    let found: Option<Hub> = on!(conn, c => query_as(text).bind(name).fetch_optional(c))?;
    Ok(found.is_some())
}

/// Sets the domain in this hub's own addresses, unless it was verified for another hub.
pub async fn set_own_domain(tx: &mut Tx, domain: Option<&str>) -> Result<()> {
    let text = "update hubs set domain = $1 where state = 'self' \
                and not exists (select 1 from hubs as others where others.domain = $1 and others.state <> 'self')";
    execute!(tx, query(text).bind(domain))?;
    Ok(())
}

pub async fn by_domain(conn: &mut Conn, domain: &str) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where domain = $1")).bind(domain).fetch_optional(c))
}

/// Lists all remote hubs, latest seen first.
pub async fn list_others(conn: &mut Conn) -> Result<Vec<Hub>> {
    on!(conn, c => query_as(select!("where state <> 'self' order by last_seen_at desc, id")).fetch_all(c))
}

pub async fn by_key(conn: &mut Conn, hub_key: &str) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where hub_key = $1")).bind(hub_key).fetch_optional(c))
}

/// Lists all hubs that are not gone and have a key, including this one.
pub async fn list_known(conn: &mut Conn) -> Result<Vec<Hub>> {
    on!(conn, c => query_as(select!("where hub_key is not null and state <> 'gone' order by id")).fetch_all(c))
}

record! {
    /// Number of visible agents of a hub.
    pub struct ListingCount {
        pub hub: HubRowId,
        pub agents: u64,
    }
}

/// Counts the visible agents of each hub that has any.
pub async fn count_shown(conn: &mut Conn) -> Result<Vec<ListingCount>> {
    let text = "select a.hub, count(*) as agents from agents a join listings l on l.agent = a.id \
                where l.state = 'live' and l.envelope is not null group by a.hub";
    on!(conn, c => query_as(text).fetch_all(c))
}

/// Deletes a hub. If rows still reference it, such as a chat with one of its agents, the row stays in state
/// `gone`.
pub async fn forget(tx: &mut Tx, id: HubRowId) -> Result<()> {
    let text = "delete from hubs where id = $1 and state <> 'self' \
                and not exists (select 1 from agents where agents.hub = hubs.id) \
                and not exists (select 1 from keys where keys.hub = hubs.id) \
                and not exists (select 1 from principals where principals.hub = hubs.id) \
                and not exists (select 1 from teams where teams.home_hub = hubs.id)";
    if execute!(tx, query(text).bind(id.uuid()))? == 0 {
        let text = "update hubs set state = 'gone', record = null, head = null, head_seq = 0 \
                    where id = $1 and state <> 'self'";
        execute!(tx, query(text).bind(id.uuid()))?;
    }
    Ok(())
}

/// Replaces all columns of a hub.
pub async fn set(tx: &mut Tx, hub: &Hub) -> Result<bool> {
    let text = "update hubs set domain = $2, state = $3, record = $4, head_seq = $5, last_seen_at = $6, \
                hub_key = $7, head = $8, first_seen_at = $9 where id = $1";
    let changed = execute!(
        tx,
        query(text)
            .bind(hub.id.uuid())
            .bind(hub.domain.to_column())
            .bind(hub.state.as_str())
            .bind(hub.record.as_deref())
            .bind(hub.head_seq)
            .bind(hub.last_seen_at.millis())
            .bind(hub.hub_key.as_deref())
            .bind(hub.head.as_deref())
            .bind(hub.first_seen_at.to_column())
    )?;
    Ok(changed > 0)
}
