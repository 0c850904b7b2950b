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
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, domain, state, standing, record, head_seq, seen from hubs ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Hub) -> Result<()> {
    let text = "insert into hubs (id, domain, state, standing, record, head_seq, seen) \
                values ($1, $2, $3, $4, $5, $6, $7)";
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

/// Replaces everything that is known of a hub.
pub async fn set(tx: &mut Tx, hub: &Hub) -> Result<bool> {
    let text = "update hubs set domain = $2, state = $3, standing = $4, record = $5, head_seq = $6, seen = $7 \
                where id = $1";
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
    )?;
    Ok(changed > 0)
}
