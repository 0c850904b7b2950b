//! Rule subscriptions: rule lists signed by remote hubs, and their rules.

use plexus_domain::Timestamp;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    federation_rules::RuleAction,
    sql_types::{SqlType, clean, record},
};

record! {
    /// Subscription to a rule list.
    pub struct RuleSubscription {
        /// Address of the list, and its key here.
        pub url: String,
        /// Key of the hub that must sign the list.
        pub signer: String,
        /// Name that this hub states for itself.
        pub name: String,
        /// Who subscribed to the list.
        pub author: String,
        pub created_at: Timestamp,
        /// Increases with each version of the list.
        pub seq: i64,
        /// When the list was fetched last.
        pub checked_at: Timestamp,
        /// Why the latest fetch failed or was rejected.
        pub problem: Option<String>,
    }
}

record! {
    /// Rule of a subscribed list.
    pub struct SubscribedRule {
        /// Address of the list.
        pub list: String,
        pub subject: String,
        pub action: RuleAction,
        pub reason: String,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
    }
}

/// Inserts a subscription, or replaces the one with the same address.
pub async fn put(tx: &mut Tx, list: &RuleSubscription) -> Result<()> {
    let text = "insert into rule_subscriptions (url, signer, name, author, created_at, seq, checked_at, problem) \
                values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (url) do update set signer = excluded.signer, \
                name = excluded.name, author = excluded.author, created_at = excluded.created_at, seq = excluded.seq, \
                checked_at = excluded.checked_at, problem = excluded.problem";
    execute!(
        tx,
        query(text)
            .bind(clean(&list.url))
            .bind(clean(&list.signer))
            .bind(clean(&list.name))
            .bind(clean(&list.author))
            .bind(list.created_at.millis())
            .bind(list.seq)
            .bind(list.checked_at.millis())
            .bind(list.problem.as_deref().map(clean))
    )?;
    Ok(())
}

/// Deletes a subscription and its rules.
pub async fn delete(tx: &mut Tx, url: &str) -> Result<bool> {
    Ok(execute!(tx, query("delete from rule_subscriptions where url = $1").bind(clean(url)))? > 0)
}

pub async fn find(conn: &mut Conn, url: &str) -> Result<Option<RuleSubscription>> {
    let text = "select url, signer, name, author, created_at, seq, checked_at, problem from rule_subscriptions \
         where url = $1";
    on!(conn, c => query_as(text).bind(clean(url)).fetch_optional(c))
}

/// Lists the subscriptions, ordered by address.
pub async fn list(conn: &mut Conn) -> Result<Vec<RuleSubscription>> {
    let text = "select url, signer, name, author, created_at, seq, checked_at, problem from rule_subscriptions \
         order by url";
    on!(conn, c => query_as(text).fetch_all(c))
}

/// Replaces the rules of a list.
pub async fn set_rules(tx: &mut Tx, url: &str, rules: &[SubscribedRule]) -> Result<()> {
    execute!(tx, query("delete from subscribed_rules where list = $1").bind(clean(url)))?;
    let text = "insert into subscribed_rules (list, subject, action, reason, created_at, expires_at) \
                values ($1, $2, $3, $4, $5, $6) on conflict do nothing";
    for rule in rules {
        execute!(
            tx,
            query(text)
                .bind(clean(url))
                .bind(clean(&rule.subject))
                .bind(rule.action.as_str())
                .bind(clean(&rule.reason))
                .bind(rule.created_at.millis())
                .bind(rule.expires_at.to_column())
        )?;
    }
    Ok(())
}

/// Lists the rules of a list, ordered by subject.
pub async fn rules(conn: &mut Conn, url: &str) -> Result<Vec<SubscribedRule>> {
    let text = "select list, subject, action, reason, created_at, expires_at from subscribed_rules \
                where list = $1 order by subject";
    on!(conn, c => query_as(text).bind(clean(url)).fetch_all(c))
}

pub async fn count_rules(conn: &mut Conn, url: &str) -> Result<u64> {
    let text = "select count(*) from subscribed_rules where list = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(clean(url)).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Lists the rules of all lists about one subject, ordered by address of the list.
pub async fn rules_about(conn: &mut Conn, subject: &str) -> Result<Vec<SubscribedRule>> {
    let text = "select list, subject, action, reason, created_at, expires_at from subscribed_rules \
                where subject = $1 order by list";
    on!(conn, c => query_as(text).bind(clean(subject)).fetch_all(c))
}
