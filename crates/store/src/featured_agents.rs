//! Featured agents: those that administrators chose for the home page.

use plexus_domain::{AgentId, Timestamp};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
};

/// Inserts a featured agent. Returns whether it is new; an existing one stays unchanged.
pub async fn insert(tx: &mut Tx, agent: AgentId, featured_at: Timestamp) -> Result<bool> {
    let text = "insert into featured_agents (agent, featured_at) values ($1, $2) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(featured_at.millis()))? > 0)
}

pub async fn delete(tx: &mut Tx, agent: AgentId) -> Result<bool> {
    Ok(execute!(tx, query("delete from featured_agents where agent = $1").bind(agent.uuid()))? > 0)
}

/// Lists the featured agents in the order in which they were chosen.
pub async fn list(conn: &mut Conn) -> Result<Vec<AgentId>> {
    let text = "select agent from featured_agents order by featured_at, agent";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text).fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}
