//! Tokens and cost of the models, summed by day, provider, model, account and agent.

use plexus_domain::{AccountId, AgentId, run::Usage};
use sqlx::{AssertSqlSafe, query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

/// Ends the stored name of a provider where a run used the API key of the account that asked. Names of providers never
/// contain `+`. Such use counts neither for limits nor for the budget of the hub.
pub const OWN_KEY_SUFFIX: &str = "+own";

/// Use of one model by one run.
#[derive(Clone, Debug)]
pub struct NewModelUsage<'a> {
    /// Days since 1970-01-01 in UTC.
    pub day: i64,
    pub provider: &'a str,
    pub model: &'a str,
    /// `None` for callers without an account.
    pub account: Option<AccountId>,
    /// `None` for the work of the hub itself.
    pub agent: Option<AgentId>,
    pub usage: Usage,
}

/// Rows to sum or list: an inclusive range of days, of all accounts or of one.
#[derive(Clone, Copy, Debug)]
pub struct ModelUsageFilter {
    pub first_day: i64,
    pub last_day: i64,
    pub account: Option<AccountId>,
}

record! {
    #[derive(Copy)]
    pub struct UsageByDay {
        pub day: i64,
        pub runs: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cost_micro: u64,
    }
}

record! {
    pub struct UsageByModel {
        pub provider: String,
        pub model: String,
        pub runs: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cost_micro: u64,
    }
}

record! {
    /// Usage of an account or an agent.
    pub struct UsageByName {
        /// Zeros for callers without an account, and for the work of the hub itself.
        pub id: Uuid,
        /// `None` if it has been deleted.
        pub name: Option<String>,
        pub runs: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cost_micro: u64,
    }
}

record! {
    /// One row, with names.
    pub struct ModelUsageRow {
        pub day: i64,
        pub provider: String,
        pub model: String,
        /// `None` for callers without an account and deleted ones.
        pub account: Option<String>,
        /// Address; `None` for the work of the hub itself.
        pub agent: Option<String>,
        pub runs: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cost_micro: u64,
    }
}

/// Adds the use of a model to the sums of its day.
pub async fn add(tx: &mut Tx, new: &NewModelUsage<'_>) -> Result<()> {
    let text = "insert into model_usage (day, provider, model, account, agent, runs, tokens_in, tokens_out, \
                cost_micro) values ($1, $2, $3, $4, $5, 1, $6, $7, $8) \
                on conflict (day, provider, model, account, agent) do update set runs = model_usage.runs + 1, \
                tokens_in = model_usage.tokens_in + excluded.tokens_in, \
                tokens_out = model_usage.tokens_out + excluded.tokens_out, \
                cost_micro = model_usage.cost_micro + excluded.cost_micro";
    execute!(
        tx,
        query(text)
            .bind(new.day)
            .bind(clean(new.provider))
            .bind(clean(new.model))
            .bind(account_column(new.account))
            .bind(new.agent.map_or(Uuid::nil(), |agent| agent.uuid()))
            .bind(new.usage.tokens_in.to_column())
            .bind(new.usage.tokens_out.to_column())
            .bind(new.usage.cost_micro.to_column())
    )?;
    Ok(())
}

fn account_column(account: Option<AccountId>) -> Uuid {
    account.map_or(Uuid::nil(), |account| account.uuid())
}

/// Returns the tokens that all accounts used of a model on a day.
pub async fn tokens_of_model(conn: &mut Conn, day: i64, provider: &str, model: &str) -> Result<u64> {
    let text = "select cast(coalesce(sum(tokens_in + tokens_out), 0) as bigint) from model_usage \
                where day = $1 and provider = $2 and model = $3";
    let sum: i64 = on!(conn, c => query_scalar(text)
        .bind(day).bind(clean(provider)).bind(clean(model)).fetch_one(c))?;
    Ok(sum.unsigned_abs())
}

/// Returns the tokens that one account used of a model on a day; `None` for callers without an account together.
pub async fn tokens_of_account(
    conn: &mut Conn,
    day: i64,
    provider: &str,
    model: &str,
    account: Option<AccountId>,
) -> Result<u64> {
    let text = "select cast(coalesce(sum(tokens_in + tokens_out), 0) as bigint) from model_usage \
                where day = $1 and provider = $2 and model = $3 and account = $4";
    let sum: i64 = on!(conn, c => query_scalar(text)
        .bind(day).bind(clean(provider)).bind(clean(model)).bind(account_column(account)).fetch_one(c))?;
    Ok(sum.unsigned_abs())
}

/// Returns what all models cost the hub since a day, in millionths of the currency unit. Runs on keys of accounts are
/// left out.
pub async fn cost_since(conn: &mut Conn, first_day: i64) -> Result<u64> {
    let text = "select cast(coalesce(sum(cost_micro), 0) as bigint) from model_usage \
                where day >= $1 and provider not like '%' || $2";
    let sum: i64 = on!(conn, c => query_scalar(text).bind(first_day).bind(OWN_KEY_SUFFIX).fetch_one(c))?;
    Ok(sum.unsigned_abs())
}

const SUMS: &str = "cast(sum(u.runs) as bigint) as runs, cast(sum(u.tokens_in) as bigint) as tokens_in, \
                    cast(sum(u.tokens_out) as bigint) as tokens_out, \
                    cast(sum(u.cost_micro) as bigint) as cost_micro";
const FILTER: &str = "u.day between $1 and $2 and ($3 is null or u.account = $3)";
/// Name of an account that is not deleted.
const ACCOUNT_NAME: &str = "(select n.name from accounts a join namespaces n on n.id = a.namespace \
                            where a.id = u.account and a.state <> 'deleted')";
const AGENT_ADDRESS: &str = "(select '@' || g.owner || '/' || g.name from agents g where g.id = u.agent)";

/// Sums by day, oldest first. Days without use are omitted.
pub async fn by_day(conn: &mut Conn, filter: &ModelUsageFilter) -> Result<Vec<UsageByDay>> {
    let text = || {
        AssertSqlSafe(format!(
            "select u.day, {SUMS} from model_usage u where {FILTER} group by u.day order by u.day"
        ))
    };
    on!(conn, c => query_as(text())
        .bind(filter.first_day).bind(filter.last_day).bind(filter.account.to_column()).fetch_all(c))
}

/// Sums by model, most tokens first.
pub async fn by_model(conn: &mut Conn, filter: &ModelUsageFilter) -> Result<Vec<UsageByModel>> {
    let text = || {
        AssertSqlSafe(format!(
            "select u.provider, u.model, {SUMS} from model_usage u where {FILTER} \
             group by u.provider, u.model \
             order by sum(u.tokens_in) + sum(u.tokens_out) desc, u.provider, u.model"
        ))
    };
    on!(conn, c => query_as(text())
        .bind(filter.first_day).bind(filter.last_day).bind(filter.account.to_column()).fetch_all(c))
}

/// Sums by account, most tokens first.
pub async fn by_account(conn: &mut Conn, filter: &ModelUsageFilter, limit: u16) -> Result<Vec<UsageByName>> {
    by_name(conn, filter, "account", ACCOUNT_NAME, limit).await
}

/// Sums by agent, most tokens first.
pub async fn by_agent(conn: &mut Conn, filter: &ModelUsageFilter, limit: u16) -> Result<Vec<UsageByName>> {
    by_name(conn, filter, "agent", AGENT_ADDRESS, limit).await
}

async fn by_name(
    conn: &mut Conn,
    filter: &ModelUsageFilter,
    column: &str,
    name: &str,
    limit: u16,
) -> Result<Vec<UsageByName>> {
    let text = || {
        AssertSqlSafe(format!(
            "select u.{column} as id, {name} as name, {SUMS} from model_usage u where {FILTER} \
             group by u.{column} order by sum(u.tokens_in) + sum(u.tokens_out) desc, u.{column} limit $4"
        ))
    };
    on!(conn, c => query_as(text())
        .bind(filter.first_day)
        .bind(filter.last_day)
        .bind(filter.account.to_column())
        .bind(i64::from(limit))
        .fetch_all(c))
}

/// Lists the rows by day, provider, model, account and agent.
pub async fn list(conn: &mut Conn, filter: &ModelUsageFilter, limit: u32) -> Result<Vec<ModelUsageRow>> {
    let text = || {
        AssertSqlSafe(format!(
            "select u.day, u.provider, u.model, {ACCOUNT_NAME} as account, {AGENT_ADDRESS} as agent, u.runs, \
             u.tokens_in, u.tokens_out, u.cost_micro from model_usage u where {FILTER} \
             order by u.day, u.provider, u.model, u.account, u.agent limit $4"
        ))
    };
    on!(conn, c => query_as(text())
        .bind(filter.first_day)
        .bind(filter.last_day)
        .bind(filter.account.to_column())
        .bind(i64::from(limit))
        .fetch_all(c))
}
