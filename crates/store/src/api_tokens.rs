//! API tokens of programs. Only their digests are stored.

use plexus_domain::{AccountId, Digest, Timestamp, TokenId};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct Token {
        pub id: TokenId,
        pub hash: Digest,
        pub account: AccountId,
        pub name: String,
        pub scopes: Vec<String>,
        /// Service for which the token is valid.
        pub audience: String,
        pub created_at: Timestamp,
        pub expires_at: Timestamp,
        pub last_used_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, hash, account, name, scopes, audience, created_at, expires_at, last_used_at from api_tokens ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &Token) -> Result<()> {
    let text = "insert into api_tokens (id, hash, account, name, scopes, audience, created_at, expires_at, last_used_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.hash.to_column())
            .bind(new.account.uuid())
            .bind(clean(&new.name))
            .bind(new.scopes.to_column())
            .bind(&new.audience)
            .bind(new.created_at.millis())
            .bind(new.expires_at.millis())
            .bind(new.last_used_at.to_column())
    )?;
    Ok(())
}

/// Returns the token with this digest, also if it has expired: check `expires_at`.
pub async fn by_hash(conn: &mut Conn, hash: &Digest) -> Result<Option<Token>> {
    on!(conn, c => query_as(select!("where hash = $1")).bind(hash.to_column()).fetch_optional(c))
}

/// Lists the tokens that the account created, newest first, without tokens issued for OAuth grants.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Token>> {
    let text = select!(
        "where account = $1 and id not in (select token from oauth_tokens) order by created_at desc, id desc"
    );
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

pub async fn set_used(tx: &mut Tx, id: TokenId, at: Timestamp) -> Result<bool> {
    let text = "update api_tokens set last_used_at = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))? > 0)
}

/// Deletes a token of this account.
pub async fn delete(tx: &mut Tx, account: AccountId, id: TokenId) -> Result<bool> {
    let text = "delete from api_tokens where id = $1 and account = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(account.uuid()))? > 0)
}

pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from api_tokens where expires_at <= $1").bind(now.millis()))
}
