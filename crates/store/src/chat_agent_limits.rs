//! Limits of agents in chats.

use plexus_domain::{AgentId, ChatId, chat::DailyLimitUnit};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct ChatAgentLimit {
        pub chat: ChatId,
        pub agent: AgentId,
        pub unit: DailyLimitUnit,
        pub amount: u64,
    }
}

/// Inserts or replaces the limit of an agent in a chat.
pub async fn put(tx: &mut Tx, new: &ChatAgentLimit) -> Result<()> {
    let text = "insert into chat_agent_limits (chat, agent, unit, amount) values ($1, $2, $3, $4) \
                on conflict (chat, agent) do update set unit = excluded.unit, amount = excluded.amount";
    execute!(
        tx,
        query(text)
            .bind(new.chat.uuid())
            .bind(new.agent.uuid())
            .bind(new.unit.as_str())
            .bind(new.amount.to_column())
    )?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, chat: ChatId, agent: AgentId) -> Result<bool> {
    let text = "delete from chat_agent_limits where chat = $1 and agent = $2";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(agent.uuid()))? > 0)
}

/// Lists the limits of a chat, in no particular order.
pub async fn list_by_chat(conn: &mut Conn, chat: ChatId) -> Result<Vec<ChatAgentLimit>> {
    let text = "select chat, agent, unit, amount from chat_agent_limits where chat = $1";
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}
