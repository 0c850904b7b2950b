//! Per-account credentials for agents.

use plexus_domain::{AccountId, AgentId, SecretId};
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
};

/// Sets the credential of an account for an agent. The caller must delete the secret that it replaces.
pub async fn set(tx: &mut Tx, agent: AgentId, account: AccountId, secret: SecretId) -> Result<()> {
    let text = "insert into agent_secrets (agent, account, secret) values ($1, $2, $3) \
                on conflict (agent, account) do update set secret = excluded.secret";
    execute!(tx, query(text).bind(agent.uuid()).bind(account.uuid()).bind(secret.uuid()))?;
    Ok(())
}

pub async fn find(conn: &mut Conn, agent: AgentId, account: AccountId) -> Result<Option<SecretId>> {
    let text = "select secret from agent_secrets where agent = $1 and account = $2";
    let found = on!(conn, c => query_scalar(text).bind(agent.uuid()).bind(account.uuid()).fetch_optional(c))?;
    Ok(found.map(SecretId::from_uuid))
}

pub async fn delete(tx: &mut Tx, agent: AgentId, account: AccountId) -> Result<bool> {
    let text = "delete from agent_secrets where agent = $1 and account = $2";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(account.uuid()))? > 0)
}

/// Deletes the credentials of all accounts for an agent, with their secrets.
pub async fn delete_by_agent(tx: &mut Tx, agent: AgentId) -> Result<()> {
    let text = "delete from agent_secrets where agent = $1 returning secret";
    let secrets: Vec<uuid::Uuid> = on!(tx, c => query_scalar(text).bind(agent.uuid()).fetch_all(c))?;
    for secret in secrets {
        execute!(tx, query("delete from secrets where id = $1").bind(secret))?;
    }
    Ok(())
}
