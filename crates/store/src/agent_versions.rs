//! Agent versions: each pins one card and one connector; a run pins one version.

use plexus_domain::{AgentId, Digest, SecretId, Timestamp, VersionId, agent::Connector};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct Version {
        pub id: VersionId,
        pub agent: AgentId,
        pub semver: String,
        pub card: Digest,
        pub connector: Connector,
        /// Credential that the owner provided so that the hub can call the agent.
        pub secret: Option<SecretId>,
        pub created_at: Timestamp,
        /// Why the version was withdrawn and must not be used for new runs.
        pub yanked_reason: Option<String>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, agent, semver, card, connector, secret, created_at, yanked_reason from agent_versions ",
            $rest
        )
    };
}

/// Inserts a version. Returns a conflict if the agent has used this version number.
pub async fn insert(tx: &mut Tx, new: &Version) -> Result<()> {
    let text = "insert into agent_versions (id, agent, semver, card, connector, secret, created_at, yanked_reason) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.agent.uuid())
            .bind(clean(&new.semver))
            .bind(new.card.to_column())
            .bind(new.connector.to_column())
            .bind(new.secret.to_column())
            .bind(new.created_at.millis())
            .bind(new.yanked_reason.as_deref().map(clean))
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: VersionId) -> Result<Option<Version>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Returns the version for new runs: the newest that is not yanked.
pub async fn current(conn: &mut Conn, agent: AgentId) -> Result<Option<Version>> {
    let text =
        select!("where agent = $1 and yanked_reason is null order by created_at desc, id desc limit 1");
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_optional(c))
}

/// Lists the versions of an agent, newest first.
pub async fn list_by_agent(conn: &mut Conn, agent: AgentId) -> Result<Vec<Version>> {
    let text = select!("where agent = $1 order by created_at desc, id desc");
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_all(c))
}

pub async fn set_secret(tx: &mut Tx, id: VersionId, secret: Option<SecretId>) -> Result<bool> {
    let text = "update agent_versions set secret = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(secret.to_column()))? > 0)
}

/// Replaces the card of a version by an equivalent one, after the agent has moved.
pub async fn set_card(tx: &mut Tx, id: VersionId, card: &Digest) -> Result<bool> {
    let text = "update agent_versions set card = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(card.to_column()))? > 0)
}

/// Replaces the version number, card and connector of a version. For agents of remote hubs, whose history is
/// not stored here.
pub async fn replace(tx: &mut Tx, version: &Version) -> Result<bool> {
    let text = "update agent_versions set semver = $2, card = $3, connector = $4 where id = $1";
    let changed = execute!(
        tx,
        query(text)
            .bind(version.id.uuid())
            .bind(clean(&version.semver))
            .bind(version.card.to_column())
            .bind(version.connector.to_column())
    )?;
    Ok(changed > 0)
}

pub async fn yank(tx: &mut Tx, id: VersionId, reason: &str) -> Result<bool> {
    let text = "update agent_versions set yanked_reason = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(clean(reason)))? > 0)
}
