//! Hubs: this one and those it knows.

use plexus_domain::{HubRowId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    column::{Column, record, word_enum},
    conn::{execute, on},
};

word_enum! {
    pub enum HubState {
        /// This hub: [`HubRowId::SELF`].
        Itself = "self",
        /// New, and carried within narrow limits.
        Probation = "probation",
        Carried = "carried",
        /// Silent for so long that its listings are dropped.
        Gone = "gone",
    }
}

word_enum! {
    /// What the administrator thinks of it.
    pub enum Standing {
        Normal = "normal",
        Trusted = "trusted",
        Limited = "limited",
        Blocked = "blocked",
    }
}

record! {
    pub struct Hub {
        pub id: HubRowId,
        /// The domain that it proved.
        pub domain: Option<String>,
        pub state: HubState,
        pub standing: Standing,
        /// What it signed about itself, as received.
        pub record: Option<Vec<u8>>,
        pub head_seq: i64,
        pub seen: Timestamp,
        /// Its key, as a libp2p PeerId.
        pub peer: Option<String>,
        /// What it last signed about its set of listings, as received.
        pub head: Option<Vec<u8>>,
        /// When it was first heard of.
        pub met: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, domain, state, standing, record, head_seq, seen, peer, head, met from hubs ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &Hub) -> Result<()> {
    let text = "insert into hubs (id, domain, state, standing, record, head_seq, seen, peer, head, met) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.domain.as_deref())
            .bind(new.state.as_str())
            .bind(new.standing.as_str())
            .bind(new.record.as_deref())
            .bind(new.head_seq)
            .bind(new.seen.millis())
            .bind(new.peer.as_deref())
            .bind(new.head.as_deref())
            .bind(new.met.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: HubRowId) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

pub async fn by_domain(conn: &mut Conn, domain: &str) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where domain = $1")).bind(domain).fetch_optional(c))
}

/// All but this one, the one seen last first.
pub async fn list_others(conn: &mut Conn) -> Result<Vec<Hub>> {
    on!(conn, c => query_as(select!("where state <> 'self' order by seen desc, id")).fetch_all(c))
}

pub async fn by_peer(conn: &mut Conn, peer: &str) -> Result<Option<Hub>> {
    on!(conn, c => query_as(select!("where peer = $1")).bind(peer).fetch_optional(c))
}

/// Hubs that something is known of, this one among them.
pub async fn list_known(conn: &mut Conn) -> Result<Vec<Hub>> {
    on!(conn, c => query_as(select!("where peer is not null and state <> 'gone' order by id")).fetch_all(c))
}

record! {
    /// How many agents of a hub are shown here.
    pub struct Shown {
        pub hub: HubRowId,
        pub agents: u64,
    }
}

/// For those that have any.
pub async fn count_shown(conn: &mut Conn) -> Result<Vec<Shown>> {
    let text = "select a.hub, count(*) as agents from agents a join listings l on l.agent = a.id \
                where l.state = 'live' and l.envelope is not null group by a.hub";
    on!(conn, c => query_as(text).fetch_all(c))
}

/// Forgets a hub. What still points at it, such as a chat with one of its agents, keeps its name.
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

/// Replaces everything that is known of a hub.
pub async fn set(tx: &mut Tx, hub: &Hub) -> Result<bool> {
    let text = "update hubs set domain = $2, state = $3, standing = $4, record = $5, head_seq = $6, seen = $7, \
                peer = $8, head = $9, met = $10 where id = $1";
    let changed = execute!(
        tx,
        query(text)
            .bind(hub.id.uuid())
            .bind(hub.domain.to_column())
            .bind(hub.state.as_str())
            .bind(hub.standing.as_str())
            .bind(hub.record.as_deref())
            .bind(hub.head_seq)
            .bind(hub.seen.millis())
            .bind(hub.peer.as_deref())
            .bind(hub.head.as_deref())
            .bind(hub.met.to_column())
    )?;
    Ok(changed > 0)
}
