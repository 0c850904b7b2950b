//! Grants: principals that may use an agent or a model with restricted access.

use plexus_domain::{AgentId, ModelId, PrincipalId, Timestamp};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
};

/// Agent or model to which a grant gives access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantTarget {
    Agent(AgentId),
    Model(ModelId),
}

impl GrantTarget {
    const fn uuid(self) -> Uuid {
        match self {
            Self::Agent(id) => id.uuid(),
            Self::Model(id) => id.uuid(),
        }
    }
}

/// Inserts a grant; idempotent. Returns whether it is new.
pub async fn insert(tx: &mut Tx, target: GrantTarget, principal: PrincipalId, at: Timestamp) -> Result<bool> {
    let text = "insert into grants (target, principal, created) values ($1, $2, $3) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(target.uuid()).bind(principal.uuid()).bind(at.millis()))? > 0)
}

pub async fn delete(tx: &mut Tx, target: GrantTarget, principal: PrincipalId) -> Result<bool> {
    let text = "delete from grants where target = $1 and principal = $2";
    Ok(execute!(tx, query(text).bind(target.uuid()).bind(principal.uuid()))? > 0)
}

pub async fn exists(conn: &mut Conn, target: GrantTarget, principal: PrincipalId) -> Result<bool> {
    let text = "select count(*) from grants where target = $1 and principal = $2";
    let found: i64 =
        on!(conn, c => query_scalar(text).bind(target.uuid()).bind(principal.uuid()).fetch_one(c))?;
    Ok(found > 0)
}

/// Lists the principals with a grant, in the order in which they received it.
pub async fn list_by_target(conn: &mut Conn, target: GrantTarget) -> Result<Vec<PrincipalId>> {
    let text = "select principal from grants where target = $1 order by created, principal";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text).bind(target.uuid()).fetch_all(c))?;
    Ok(found.into_iter().map(PrincipalId::from_uuid).collect())
}
