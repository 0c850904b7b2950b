//! Conversation digests: identify the chat of a stateless client that resends its history (OpenAI API).
//! Maps caller, agent and digest of the history to the question that ended the history.

use plexus_domain::{AgentId, Digest, MessageId, PrincipalId};
use sqlx::{query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::SqlType,
};

/// Key of the conversations of one caller with one agent that have the same history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationKey {
    pub caller: PrincipalId,
    pub agent: AgentId,
    /// Digest of the whole history, including the question at its end.
    pub digest: Digest,
}

/// Records that a history ended with this question; idempotent.
pub async fn insert(tx: &mut Tx, history: &ConversationKey, question: MessageId) -> Result<()> {
    let text = "insert into conversation_digests (caller, agent, digest, question) values ($1, $2, $3, $4) \
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

/// Lists at most `limit` questions that ended this history, newest first.
pub async fn matching_questions(
    conn: &mut Conn,
    history: &ConversationKey,
    limit: i64,
) -> Result<Vec<MessageId>> {
    let text = "select question from conversation_digests where caller = $1 and agent = $2 and digest = $3 \
                order by question desc limit $4";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text)
        .bind(history.caller.uuid())
        .bind(history.agent.uuid())
        .bind(history.digest.to_column())
        .bind(limit)
        .fetch_all(c))?;
    Ok(found.into_iter().map(MessageId::from_uuid).collect())
}
