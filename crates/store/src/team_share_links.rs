//! Share links of teams, stored as hashes. A link gives read access to a team without an account.

use plexus_domain::{ChatId, Digest, Timestamp};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::SqlType as _,
};

/// Sets the share link of a team. A previous link becomes invalid.
pub async fn put(tx: &mut Tx, team: ChatId, hash: &Digest, at: Timestamp) -> Result<()> {
    let text = "insert into team_share_links (team, hash, created_at) values ($1, $2, $3) \
                on conflict (team) do update set hash = excluded.hash, created_at = excluded.created_at";
    execute!(tx, query(text).bind(team.uuid()).bind(hash.to_column()).bind(at.millis()))?;
    Ok(())
}

/// Deletes the share link of a team. Returns whether there was one.
pub async fn delete(tx: &mut Tx, team: ChatId) -> Result<bool> {
    Ok(execute!(tx, query("delete from team_share_links where team = $1").bind(team.uuid()))? > 0)
}

/// Returns when the share link of a team was created.
pub async fn created_at(conn: &mut Conn, team: ChatId) -> Result<Option<Timestamp>> {
    let text = "select created_at from team_share_links where team = $1";
    let found: Option<i64> = on!(conn, c => query_scalar(text).bind(team.uuid()).fetch_optional(c))?;
    Ok(found.map(Timestamp::from_millis))
}

/// Returns the team of a share link.
pub async fn team(conn: &mut Conn, hash: &Digest) -> Result<Option<ChatId>> {
    let text = "select team from team_share_links where hash = $1";
    let found: Option<Uuid> = on!(conn, c => query_scalar(text).bind(hash.to_column()).fetch_optional(c))?;
    Ok(found.map(ChatId::from_uuid))
}
