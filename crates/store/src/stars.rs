//! Stars: agents that accounts marked as favourites.

use plexus_domain::{AccountId, AgentId, Timestamp};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::record,
};

record! {
    pub struct Star {
        pub agent: AgentId,
        pub starred_at: Timestamp,
    }
}

/// Inserts a star. Returns whether it is new; an existing one stays unchanged.
pub async fn insert(tx: &mut Tx, account: AccountId, star: &Star) -> Result<bool> {
    let text = "insert into stars (account, agent, starred_at) values ($1, $2, $3) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(account.uuid()).bind(star.agent.uuid()).bind(star.starred_at.millis()))?
        > 0)
}

pub async fn delete(tx: &mut Tx, account: AccountId, agent: AgentId) -> Result<bool> {
    let text = "delete from stars where account = $1 and agent = $2";
    Ok(execute!(tx, query(text).bind(account.uuid()).bind(agent.uuid()))? > 0)
}

pub async fn delete_by_agent(tx: &mut Tx, agent: AgentId) -> Result<()> {
    execute!(tx, query("delete from stars where agent = $1").bind(agent.uuid()))?;
    Ok(())
}

pub async fn exists(conn: &mut Conn, account: AccountId, agent: AgentId) -> Result<bool> {
    let text = "select count(*) from stars where account = $1 and agent = $2";
    let found: i64 = on!(conn, c => query_scalar(text).bind(account.uuid()).bind(agent.uuid()).fetch_one(c))?;
    Ok(found > 0)
}

/// Lists the stars of an account, newest first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Star>> {
    let text = "select agent, starred_at from stars where account = $1 order by starred_at desc, agent desc";
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

pub async fn count_by_account(conn: &mut Conn, account: AccountId) -> Result<u64> {
    let text = "select count(*) from stars where account = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(account.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

pub async fn count_by_agent(conn: &mut Conn, agent: AgentId) -> Result<u64> {
    let text = "select count(*) from stars where agent = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(agent.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}
