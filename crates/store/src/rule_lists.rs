//! Lists of rules that other hubs signed and this one goes by, each with its rules.

use plexus_domain::Timestamp;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    column::{Column, clean, record},
    conn::{execute, on},
    hub_rules::RuleAction,
};

record! {
    pub struct RuleList {
        /// Where it is, which names it here.
        pub url: String,
        /// The hub that has to have signed it, by its key.
        pub signer: String,
        /// What that hub calls itself.
        pub name: String,
        /// Who subscribed to it.
        pub author: String,
        pub created: Timestamp,
        /// Goes up with each version.
        pub seq: i64,
        /// When it was looked at last.
        pub checked: Timestamp,
        /// Why it was not taken then.
        pub problem: Option<String>,
    }
}

record! {
    pub struct Listed {
        /// The address of its list.
        pub list: String,
        pub subject: String,
        pub action: RuleAction,
        pub reason: String,
        pub created: Timestamp,
        pub expires: Option<Timestamp>,
    }
}

/// Writes a list, new or in place of the one from the same address.
pub async fn put(tx: &mut Tx, list: &RuleList) -> Result<()> {
    let text = "insert into rule_lists (url, signer, name, author, created, seq, checked, problem) \
                values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (url) do update set signer = excluded.signer, \
                name = excluded.name, author = excluded.author, created = excluded.created, seq = excluded.seq, \
                checked = excluded.checked, problem = excluded.problem";
    execute!(
        tx,
        query(text)
            .bind(clean(&list.url))
            .bind(clean(&list.signer))
            .bind(clean(&list.name))
            .bind(clean(&list.author))
            .bind(list.created.millis())
            .bind(list.seq)
            .bind(list.checked.millis())
            .bind(list.problem.as_deref().map(clean))
    )?;
    Ok(())
}

/// Takes a list away, with its rules.
pub async fn delete(tx: &mut Tx, url: &str) -> Result<bool> {
    Ok(execute!(tx, query("delete from rule_lists where url = $1").bind(clean(url)))? > 0)
}

pub async fn find(conn: &mut Conn, url: &str) -> Result<Option<RuleList>> {
    let text =
        "select url, signer, name, author, created, seq, checked, problem from rule_lists where url = $1";
    on!(conn, c => query_as(text).bind(clean(url)).fetch_optional(c))
}

/// In the order of their addresses.
pub async fn list(conn: &mut Conn) -> Result<Vec<RuleList>> {
    let text =
        "select url, signer, name, author, created, seq, checked, problem from rule_lists order by url";
    on!(conn, c => query_as(text).fetch_all(c))
}

/// Puts these in the place of the rules of a list.
pub async fn set_rules(tx: &mut Tx, url: &str, rules: &[Listed]) -> Result<()> {
    execute!(tx, query("delete from listed_rules where list = $1").bind(clean(url)))?;
    let text = "insert into listed_rules (list, subject, action, reason, created, expires) \
                values ($1, $2, $3, $4, $5, $6) on conflict do nothing";
    for rule in rules {
        execute!(
            tx,
            query(text)
                .bind(clean(url))
                .bind(clean(&rule.subject))
                .bind(rule.action.as_str())
                .bind(clean(&rule.reason))
                .bind(rule.created.millis())
                .bind(rule.expires.to_column())
        )?;
    }
    Ok(())
}

/// The rules of a list, in the order of what they are about.
pub async fn rules(conn: &mut Conn, url: &str) -> Result<Vec<Listed>> {
    let text = "select list, subject, action, reason, created, expires from listed_rules where list = $1 \
                order by subject";
    on!(conn, c => query_as(text).bind(clean(url)).fetch_all(c))
}

pub async fn count_rules(conn: &mut Conn, url: &str) -> Result<u64> {
    let text = "select count(*) from listed_rules where list = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(clean(url)).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// What lists say about one subject, in the order of their addresses.
pub async fn about(conn: &mut Conn, subject: &str) -> Result<Vec<Listed>> {
    let text = "select list, subject, action, reason, created, expires from listed_rules where subject = $1 \
                order by list";
    on!(conn, c => query_as(text).bind(clean(subject)).fetch_all(c))
}
