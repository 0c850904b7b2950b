//! Tokens, cost and time of all runs of a chat.

use plexus_domain::ChatId;
use sqlx::query_as;

use crate::{Conn, Result, conn::on, sql_types::record};

record! {
    #[derive(Copy)]
    pub struct ChatUsage {
        /// Runs that have ended.
        pub runs: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        /// Cost in millionths of the currency unit that the models are priced in.
        pub cost_micro: u64,
        /// Milliseconds from the request to the end, of the completed runs.
        pub took_ms: u64,
    }
}

/// Sums the runs of a chat that have ended.
pub async fn sum(conn: &mut Conn, chat: ChatId) -> Result<ChatUsage> {
    let text = "select count(*) as runs, \
                cast(coalesce(sum(tokens_in), 0) as bigint) as tokens_in, \
                cast(coalesce(sum(tokens_out), 0) as bigint) as tokens_out, \
                cast(coalesce(sum(cost_micro), 0) as bigint) as cost_micro, \
                cast(coalesce(sum(case when state = 'completed' then ended_at - queued_at end), 0) as bigint) as took_ms \
                from runs where chat = $1 and ended_at is not null";
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_one(c))
}
