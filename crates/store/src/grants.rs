//! Grants: principals that may use an agent with restricted access.

use plexus_domain::{AgentId, Name, PrincipalId, Timestamp};
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::record,
};

/// Inserts a grant; idempotent. Returns whether it is new.
pub async fn insert(tx: &mut Tx, agent: AgentId, principal: PrincipalId, at: Timestamp) -> Result<bool> {
    let text =
        "insert into grants (target, principal, created_at) values ($1, $2, $3) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(principal.uuid()).bind(at.millis()))? > 0)
}

pub async fn delete(tx: &mut Tx, agent: AgentId, principal: PrincipalId) -> Result<bool> {
    let text = "delete from grants where target = $1 and principal = $2";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(principal.uuid()))? > 0)
}

pub async fn exists(conn: &mut Conn, agent: AgentId, principal: PrincipalId) -> Result<bool> {
    let text = "select count(*) from grants where target = $1 and principal = $2";
    let found: i64 =
        on!(conn, c => query_scalar(text).bind(agent.uuid()).bind(principal.uuid()).fetch_one(c))?;
    Ok(found > 0)
}

record! {
    /// A user that an agent with restricted access names.
    pub struct GrantedUser {
        pub name: Name,
        pub created_at: Timestamp,
    }
}

/// Lists the users with a grant that are not deleted, in the order in which they received it.
pub async fn list_users(conn: &mut Conn, agent: AgentId) -> Result<Vec<GrantedUser>> {
    let text = "select namespaces.name, grants.created_at from grants \
                join principals on principals.id = grants.principal \
                join accounts on accounts.id = principals.account \
                join namespaces on namespaces.id = accounts.namespace \
                where grants.target = $1 and namespaces.retired_at is null \
                order by grants.created_at, grants.principal";
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_all(c))
}

/// Lists the principals with a grant, in the order in which they received it.
pub async fn list_by_agent(conn: &mut Conn, agent: AgentId) -> Result<Vec<PrincipalId>> {
    let text = "select principal from grants where target = $1 order by created_at, principal";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text).bind(agent.uuid()).fetch_all(c))?;
    Ok(found.into_iter().map(PrincipalId::from_uuid).collect())
}
