//! Histories: by what callers that keep their conversations themselves are recognised when they go on.

use plexus_domain::{AgentId, Digest, MessageId, PrincipalId};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    column::Column,
    conn::{execute, on},
};

/// One caller's conversations with one agent, as far as they were told alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    pub caller: PrincipalId,
    pub agent: AgentId,
    /// Of all that was told, the question at its end included.
    pub digest: Digest,
}

/// Notes that the history ended with this question.
pub async fn insert(tx: &mut Tx, history: &History, question: MessageId) -> Result<()> {
    let text = "insert into histories (caller, agent, digest, question) values ($1, $2, $3, $4) \
                on conflict do nothing";
    execute!(
        tx,
        query(text)
            .bind(history.caller.uuid())
            .bind(history.agent.uuid())
            .bind(history.digest.to_column())
            .bind(question.uuid())
    )?;
    Ok(())
}

/// At most `limit` questions that ended it, the last first.
pub async fn questions(conn: &mut Conn, history: &History, limit: i64) -> Result<Vec<MessageId>> {
    let text = "select question from histories where caller = $1 and agent = $2 and digest = $3 \
                order by question desc limit $4";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text)
        .bind(history.caller.uuid())
        .bind(history.agent.uuid())
        .bind(history.digest.to_column())
        .bind(limit)
        .fetch_all(c))?;
    Ok(found.into_iter().map(MessageId::from_uuid).collect())
}
