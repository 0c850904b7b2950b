//! Ed25519 keys of hubs and agents. A key without a secret is held by its owner outside of this hub.

use plexus_domain::{AgentId, HubRowId, KeyId, SecretId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    pub enum KeyKind {
        Hub = "hub",
        Agent = "agent",
        /// Signs the successor of a lost key.
        Recovery = "recovery",
    }
}

record! {
    pub struct Key {
        pub id: KeyId,
        pub kind: KeyKind,
        pub agent: Option<AgentId>,
        pub hub: Option<HubRowId>,
        pub public: Vec<u8>,
        pub secret: Option<SecretId>,
        pub created_at: Timestamp,
        pub retired_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, kind, agent, hub, public, secret, created_at, retired_at from keys ", $rest)
    };
}

/// Inserts a key. Returns a conflict if its public key is known already.
pub async fn insert(tx: &mut Tx, new: &Key) -> Result<()> {
    let text = "insert into keys (id, kind, agent, hub, public, secret, created_at, retired_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.kind.as_str())
            .bind(new.agent.to_column())
            .bind(new.hub.to_column())
            .bind(new.public.as_slice())
            .bind(new.secret.to_column())
            .bind(new.created_at.millis())
            .bind(new.retired_at.to_column())
    )?;
    Ok(())
}

pub async fn by_public(conn: &mut Conn, public: &[u8]) -> Result<Option<Key>> {
    on!(conn, c => query_as(select!("where public = $1")).bind(public).fetch_optional(c))
}

/// Lists the keys of an agent: active ones before retired ones, each newest first.
pub async fn list_by_agent(conn: &mut Conn, agent: AgentId) -> Result<Vec<Key>> {
    let text = select!("where agent = $1 order by (retired_at is not null), created_at desc, id desc");
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_all(c))
}

/// Lists the keys of a hub: active ones before retired ones, each newest first.
pub async fn list_by_hub(conn: &mut Conn, hub: HubRowId) -> Result<Vec<Key>> {
    let text = select!("where hub = $1 order by (retired_at is not null), created_at desc, id desc");
    on!(conn, c => query_as(text).bind(hub.uuid()).fetch_all(c))
}

pub async fn retire(tx: &mut Tx, id: KeyId, at: Timestamp) -> Result<bool> {
    let text = "update keys set retired_at = $2 where id = $1 and retired_at is null";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))? > 0)
}
