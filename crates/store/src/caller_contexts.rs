//! A2A contexts: maps the contextId that a caller uses with one agent to a chat.

use plexus_domain::{AgentId, ChatId, PrincipalId};
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::clean,
};

/// Inserts a context. Returns a conflict if the caller already used this name with the agent.
pub async fn insert(
    tx: &mut Tx,
    caller: PrincipalId,
    agent: AgentId,
    name: &str,
    chat: ChatId,
) -> Result<()> {
    let text = "insert into caller_contexts (caller, agent, name, chat) values ($1, $2, $3, $4)";
    let name = clean(name);
    execute!(tx, query(text).bind(caller.uuid()).bind(agent.uuid()).bind(name).bind(chat.uuid()))?;
    Ok(())
}

pub async fn find(
    conn: &mut Conn,
    caller: PrincipalId,
    agent: AgentId,
    name: &str,
) -> Result<Option<ChatId>> {
    let text = "select chat from caller_contexts where caller = $1 and agent = $2 and name = $3";
    let name = clean(name);
    let chat = on!(conn, c => query_scalar(text)
        .bind(caller.uuid())
        .bind(agent.uuid())
        .bind(name)
        .fetch_optional(c))?;
    Ok(chat.map(ChatId::from_uuid))
}

/// Returns the context name under which a caller knows a chat.
pub async fn name_of(
    conn: &mut Conn,
    caller: PrincipalId,
    agent: AgentId,
    chat: ChatId,
) -> Result<Option<String>> {
    let text = "select name from caller_contexts where chat = $1 and caller = $2 and agent = $3 order by name limit 1";
    on!(conn, c => query_scalar(text)
        .bind(chat.uuid())
        .bind(caller.uuid())
        .bind(agent.uuid())
        .fetch_optional(c))
}
