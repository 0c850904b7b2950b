//! Federation rules: entries of the operator that allow or block hubs or their agents.

use plexus_domain::Timestamp;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    pub enum RuleAction {
        Allow = "allow",
        Block = "block",
    }
}

record! {
    /// Rule about one subject.
    pub struct FederationRule {
        /// Kind and name of what the rule is about, such as `hub:12D3KooW…`.
        pub subject: String,
        pub action: RuleAction,
        pub reason: String,
        /// Who created the rule, for display.
        pub author: String,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
    }
}

/// Inserts a rule, or replaces the rule about the same subject.
pub async fn put(tx: &mut Tx, rule: &FederationRule) -> Result<()> {
    let text = "insert into federation_rules (subject, action, reason, author, created_at, expires_at) \
                values ($1, $2, $3, $4, $5, $6) on conflict (subject) do update set action = excluded.action, \
                reason = excluded.reason, author = excluded.author, created_at = excluded.created_at, \
                expires_at = excluded.expires_at";
    execute!(
        tx,
        query(text)
            .bind(clean(&rule.subject))
            .bind(rule.action.as_str())
            .bind(clean(&rule.reason))
            .bind(clean(&rule.author))
            .bind(rule.created_at.millis())
            .bind(rule.expires_at.to_column())
    )?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, subject: &str) -> Result<bool> {
    Ok(execute!(tx, query("delete from federation_rules where subject = $1").bind(clean(subject)))? > 0)
}

/// Returns the rule about this subject.
pub async fn find(conn: &mut Conn, subject: &str) -> Result<Option<FederationRule>> {
    let text = "select subject, action, reason, author, created_at, expires_at from federation_rules \
                where subject = $1";
    on!(conn, c => query_as(text).bind(clean(subject)).fetch_optional(c))
}

/// Lists at most `limit` rules, newest first.
pub async fn list(conn: &mut Conn, limit: i64) -> Result<Vec<FederationRule>> {
    let text = "select subject, action, reason, author, created_at, expires_at from federation_rules \
                order by created_at desc, subject limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}
