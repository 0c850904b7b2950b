//! Feedback of members of a chat on the messages of agents.

use plexus_domain::{
    AgentId, MessageId, PrincipalId, Timestamp,
    feedback::{FeedbackReason, Rating},
};
use sqlx::{QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_in_list,
    sql_types::{clean, record},
};

record! {
    pub struct MessageFeedback {
        pub message: MessageId,
        pub author: PrincipalId,
        pub agent: AgentId,
        pub rating: Rating,
        pub reason: Option<FeedbackReason>,
        pub comment: Option<String>,
        /// Whether the owner of the agent may read reason and comment.
        pub shown_to_owner: bool,
        pub created_at: Timestamp,
    }
}

record! {
    /// Counts of one week, numbered from the epoch.
    pub struct WeekOfFeedback {
        pub week: i64,
        pub up: u64,
        pub down: u64,
    }
}

record! {
    struct MessageRating {
        message: MessageId,
        rating: Rating,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select f.message, f.author, f.agent, f.rating, f.reason, f.comment, f.shown_to_owner, f.created_at \
             from message_feedback f ",
            $rest
        )
    };
}

/// Inserts or replaces the feedback of an author on a message. It keeps the time of the first one, so that it counts
/// once.
pub async fn put(tx: &mut Tx, new: &MessageFeedback) -> Result<()> {
    let text = "insert into message_feedback \
                (message, author, agent, rating, reason, comment, shown_to_owner, created_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (message, author) do update set \
                rating = excluded.rating, reason = excluded.reason, comment = excluded.comment, \
                shown_to_owner = excluded.shown_to_owner";
    execute!(
        tx,
        query(text)
            .bind(new.message.uuid())
            .bind(new.author.uuid())
            .bind(new.agent.uuid())
            .bind(new.rating.as_str())
            .bind(new.reason.map(FeedbackReason::as_str))
            .bind(new.comment.as_deref().map(clean))
            .bind(new.shown_to_owner)
            .bind(new.created_at.millis())
    )?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, message: MessageId, author: PrincipalId) -> Result<bool> {
    let text = "delete from message_feedback where message = $1 and author = $2";
    Ok(execute!(tx, query(text).bind(message.uuid()).bind(author.uuid()))? > 0)
}

pub async fn find(
    conn: &mut Conn,
    message: MessageId,
    author: PrincipalId,
) -> Result<Option<MessageFeedback>> {
    let text = select!("where f.message = $1 and f.author = $2");
    on!(conn, c => query_as(text).bind(message.uuid()).bind(author.uuid()).fetch_optional(c))
}

/// Returns the ratings that an author gave to these messages.
pub async fn list_ratings(
    conn: &mut Conn,
    messages: &[MessageId],
    author: PrincipalId,
) -> Result<Vec<(MessageId, Rating)>> {
    let uuids: Vec<_> = messages.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::new();
    for chunk in uuids.chunks(sql_in_list::CHUNK) {
        let rows: Vec<MessageRating> = on!(conn, c => {
            let mut query = QueryBuilder::new("select message, rating from message_feedback where author = ");
            query.push_bind(author.uuid());
            query.push(" and message in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?;
        found.extend(rows.into_iter().map(|row| (row.message, row.rating)));
    }
    Ok(found)
}

/// Counts the feedback on an agent since a time by week, oldest first, without that on deleted messages. The weeks are
/// those of [`Timestamp::week`].
pub async fn count_by_week(conn: &mut Conn, agent: AgentId, since: Timestamp) -> Result<Vec<WeekOfFeedback>> {
    let text = "select (f.created_at - 345600000) / 604800000 as week, \
                count(case when f.rating = 'up' then 1 end) as up, \
                count(case when f.rating = 'down' then 1 end) as down \
                from message_feedback f join messages on messages.id = f.message \
                where f.agent = $1 and f.created_at >= $2 and messages.state <> 'deleted' \
                group by 1 order by 1";
    on!(conn, c => query_as(text).bind(agent.uuid()).bind(since.millis()).fetch_all(c))
}

/// Lists the newest feedback on an agent whose author lets the owner read it, without that on deleted messages.
pub async fn list_shown(conn: &mut Conn, agent: AgentId, limit: u32) -> Result<Vec<MessageFeedback>> {
    let text = select!(
        "join messages on messages.id = f.message where f.agent = $1 and f.shown_to_owner = $2 \
         and (f.reason is not null or f.comment is not null) and messages.state <> 'deleted' \
         order by f.created_at desc, f.message desc limit $3"
    );
    on!(conn, c => query_as(text).bind(agent.uuid()).bind(true).bind(i64::from(limit)).fetch_all(c))
}
