//! The links with which anybody may read a team, by their hashes.

use plexus_domain::{ChatId, Digest, Timestamp};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    column::Column as _,
    conn::{execute, on},
};

/// Gives a team its link; one that it had is good for nothing any more.
pub async fn put(tx: &mut Tx, team: ChatId, hash: &Digest, at: Timestamp) -> Result<()> {
    let text = "insert into team_shares (team, hash, created) values ($1, $2, $3) \
                on conflict (team) do update set hash = excluded.hash, created = excluded.created";
    execute!(tx, query(text).bind(team.uuid()).bind(hash.to_column()).bind(at.millis()))?;
    Ok(())
}

/// Whether there was one.
pub async fn delete(tx: &mut Tx, team: ChatId) -> Result<bool> {
    Ok(execute!(tx, query("delete from team_shares where team = $1").bind(team.uuid()))? > 0)
}

/// When the team's link was made.
pub async fn created(conn: &mut Conn, team: ChatId) -> Result<Option<Timestamp>> {
    let text = "select created from team_shares where team = $1";
    let found: Option<i64> = on!(conn, c => query_scalar(text).bind(team.uuid()).fetch_optional(c))?;
    Ok(found.map(Timestamp::from_millis))
}

/// The team that a link leads to.
pub async fn team(conn: &mut Conn, hash: &Digest) -> Result<Option<ChatId>> {
    let text = "select team from team_shares where hash = $1";
    let found: Option<Uuid> = on!(conn, c => query_scalar(text).bind(hash.to_column()).fetch_optional(c))?;
    Ok(found.map(ChatId::from_uuid))
}
