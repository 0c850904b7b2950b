//! Browser sessions. Only the digest of the cookie is stored.

use plexus_domain::{AccountId, Digest, Timestamp};
use sqlx::{FromRow, query, query_as};

use crate::{
    Conn, Result, Tx,
    accounts::{AccountIdentity, known_by, whose},
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct Session {
        pub hash: Digest,
        pub account: AccountId,
        pub created_at: Timestamp,
        pub last_seen_at: Timestamp,
        /// Until when actions that require a recent password entry are allowed.
        pub sudo_until: Option<Timestamp>,
        /// User agent string of the browser.
        pub user_agent: String,
        pub ip: String,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select hash, account, created_at, last_seen_at, sudo_until, user_agent, ip from sessions ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &Session) -> Result<()> {
    let text = "insert into sessions (hash, account, created_at, last_seen_at, sudo_until, user_agent, ip) \
                values ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        tx,
        query(text)
            .bind(new.hash.to_column())
            .bind(new.account.uuid())
            .bind(new.created_at.millis())
            .bind(new.last_seen_at.millis())
            .bind(new.sudo_until.to_column())
            .bind(crate::sql_types::clean(&new.user_agent))
            .bind(&new.ip)
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, hash: &Digest) -> Result<Option<Session>> {
    on!(conn, c => query_as(select!("where hash = $1")).bind(hash.to_column()).fetch_optional(c))
}

/// A session with the identity of its account.
pub struct SessionIdentity {
    pub session: Session,
    pub identity: AccountIdentity,
}

impl<'r, R: sqlx::Row> FromRow<'r, R> for SessionIdentity
where
    Session: FromRow<'r, R>,
    AccountIdentity: FromRow<'r, R>,
{
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        Ok(Self { session: Session::from_row(row)?, identity: AccountIdentity::from_row(row)? })
    }
}

pub async fn visit(conn: &mut Conn, hash: &Digest) -> Result<Option<SessionIdentity>> {
    let text = concat!(
        "select sessions.hash, sessions.account, sessions.created_at, sessions.last_seen_at, \
         sessions.sudo_until, sessions.user_agent, sessions.ip, ",
        known_by!(),
        " from sessions join accounts on accounts.id = sessions.account",
        whose!(),
        "where sessions.hash = $1"
    );
    on!(conn, c => query_as(text).bind(hash.to_column()).fetch_optional(c))
}

/// Lists the sessions of an account, latest seen first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Session>> {
    let text = select!("where account = $1 order by last_seen_at desc, hash");
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

pub async fn set_last_seen(tx: &mut Tx, hash: &Digest, seen: Timestamp) -> Result<bool> {
    let text = "update sessions set last_seen_at = $2 where hash = $1 and last_seen_at < $2";
    Ok(execute!(tx, query(text).bind(hash.to_column()).bind(seen.millis()))? > 0)
}

pub async fn set_sudo(tx: &mut Tx, hash: &Digest, until: Option<Timestamp>) -> Result<bool> {
    let text = "update sessions set sudo_until = $2 where hash = $1";
    Ok(execute!(tx, query(text).bind(hash.to_column()).bind(until.to_column()))? > 0)
}

/// Starts an update that keeps the last use of sessions at their accounts. The condition of the sessions follows.
macro_rules! keep_last_seen {
    ($condition:literal) => {
        concat!(
            "update accounts set last_seen_at = \
             (select max(s.last_seen_at) from sessions s where s.account = accounts.id) \
             where coalesce(last_seen_at, 0) < \
             (select max(s.last_seen_at) from sessions s where s.account = accounts.id) \
             and id in (select account from sessions where ",
            $condition,
            ")"
        )
    };
}

pub async fn delete(tx: &mut Tx, hash: &Digest) -> Result<bool> {
    execute!(tx, query(keep_last_seen!("hash = $1")).bind(hash.to_column()))?;
    Ok(execute!(tx, query("delete from sessions where hash = $1").bind(hash.to_column()))? > 0)
}

/// Deletes the sessions of an account except `keep`. Returns their number.
pub async fn delete_by_account(tx: &mut Tx, account: AccountId, keep: Option<&Digest>) -> Result<u64> {
    let keep = keep.map(SqlType::to_column).unwrap_or_default();
    execute!(tx, query(keep_last_seen!("account = $1")).bind(account.uuid()))?;
    let text = "delete from sessions where account = $1 and hash <> $2";
    execute!(tx, query(text).bind(account.uuid()).bind(keep))
}

/// Purges the sessions last seen before `seen` or created before `created`. Returns their number.
pub async fn delete_expired(tx: &mut Tx, seen: Timestamp, created: Timestamp) -> Result<u64> {
    let keep = keep_last_seen!("last_seen_at < $1 or created_at < $2");
    execute!(tx, query(keep).bind(seen.millis()).bind(created.millis()))?;
    let text = "delete from sessions where last_seen_at < $1 or created_at < $2";
    execute!(tx, query(text).bind(seen.millis()).bind(created.millis()))
}
