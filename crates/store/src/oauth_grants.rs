//! OAuth grants: access that accounts gave to programs. Only digests of codes and refresh tokens are stored.

use plexus_domain::{AccountId, Digest, OauthGrantId, Timestamp, TokenId};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct OauthGrant {
        pub id: OauthGrantId,
        pub account: AccountId,
        /// Client id, which is the URL of the client's metadata.
        pub client: String,
        /// Name of the client, as it states itself.
        pub name: String,
        /// Redirect URI to which the code was sent.
        pub redirect: String,
        /// PKCE code challenge (RFC 7636).
        pub challenge: String,
        /// Resource for which the tokens are valid (RFC 8707).
        pub resource: String,
        pub scopes: Vec<String>,
        pub code_hash: Digest,
        /// Current refresh token. `None` until the code was exchanged.
        pub refresh_hash: Option<Digest>,
        pub previous_refresh_hash: Option<Digest>,
        pub created_at: Timestamp,
        pub expires_at: Timestamp,
        pub last_used_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, account, client, name, redirect, challenge, resource, scopes, code_hash, refresh_hash, \
             previous_refresh_hash, created_at, expires_at, last_used_at from oauth_grants ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &OauthGrant) -> Result<()> {
    let text = "insert into oauth_grants (id, account, client, name, redirect, challenge, resource, scopes, \
                code_hash, refresh_hash, previous_refresh_hash, created_at, expires_at, last_used_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.account.uuid())
            .bind(clean(&new.client))
            .bind(clean(&new.name))
            .bind(clean(&new.redirect))
            .bind(clean(&new.challenge))
            .bind(clean(&new.resource))
            .bind(new.scopes.to_column())
            .bind(new.code_hash.to_column())
            .bind(new.refresh_hash.to_column())
            .bind(new.previous_refresh_hash.to_column())
            .bind(new.created_at.millis())
            .bind(new.expires_at.millis())
            .bind(new.last_used_at.to_column())
    )?;
    Ok(())
}

/// Returns the grant of an authorization code, also if the code is used or expired.
pub async fn by_code(conn: &mut Conn, code: &Digest) -> Result<Option<OauthGrant>> {
    on!(conn, c => query_as(select!("where code_hash = $1")).bind(code.to_column()).fetch_optional(c))
}

/// Returns the grant of a refresh token, either the current one or the one replaced last (reuse detection).
pub async fn by_refresh(conn: &mut Conn, refresh: &Digest) -> Result<Option<OauthGrant>> {
    let text = select!("where refresh_hash = $1 or previous_refresh_hash = $1");
    on!(conn, c => query_as(text).bind(refresh.to_column()).fetch_optional(c))
}

/// Returns the grant for which this access token was issued.
pub async fn by_token(conn: &mut Conn, token: &Digest) -> Result<Option<OauthGrant>> {
    let text = select!(
        "where id = (select grant_id from oauth_tokens join api_tokens on api_tokens.id = token where hash = $1)"
    );
    on!(conn, c => query_as(text).bind(token.to_column()).fetch_optional(c))
}

/// Lists the grants whose code was exchanged, newest first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<OauthGrant>> {
    let text = select!("where account = $1 and refresh_hash is not null order by created_at desc, id desc");
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

/// Rotates the refresh token to `next`. Returns false if a concurrent request won the race.
pub async fn rotate(
    tx: &mut Tx,
    grant: &OauthGrant,
    next: &Digest,
    now: Timestamp,
    expires: Timestamp,
) -> Result<bool> {
    let text = "update oauth_grants set previous_refresh_hash = refresh_hash, refresh_hash = $2, \
                last_used_at = $3, expires_at = $4 where id = $1 and \
                (refresh_hash = $5 or (refresh_hash is null and $5 is null))";
    let before = grant.refresh_hash.to_column();
    let done = execute!(
        tx,
        query(text)
            .bind(grant.id.uuid())
            .bind(next.to_column())
            .bind(now.millis())
            .bind(expires.millis())
            .bind(before)
    )?;
    Ok(done > 0)
}

pub async fn insert_token(tx: &mut Tx, token: TokenId, grant: OauthGrantId) -> Result<()> {
    let text = "insert into oauth_tokens (token, grant_id) values ($1, $2)";
    execute!(tx, query(text).bind(token.uuid()).bind(grant.uuid()))?;
    Ok(())
}

/// Revokes one access token of a grant.
pub async fn delete_token(tx: &mut Tx, token: &Digest) -> Result<()> {
    let text = "delete from api_tokens where hash = $1 and id in (select token from oauth_tokens)";
    execute!(tx, query(text).bind(token.to_column()))?;
    Ok(())
}

/// Revokes a grant and all its tokens. Returns false if the account has no grant with this id.
pub async fn delete(tx: &mut Tx, account: AccountId, id: OauthGrantId) -> Result<bool> {
    let tokens = "delete from api_tokens where id in (select token from oauth_tokens where grant_id = $1) and account = $2";
    execute!(tx, query(tokens).bind(id.uuid()).bind(account.uuid()))?;
    let text = "delete from oauth_grants where id = $1 and account = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(account.uuid()))? > 0)
}

/// Purges expired grants and expired tokens of grants. Returns the number of purged grants.
pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    let tokens = "delete from api_tokens where expires_at <= $1 and id in (select token from oauth_tokens)";
    execute!(tx, query(tokens).bind(now.millis()))?;
    execute!(tx, query("delete from oauth_grants where expires_at <= $1").bind(now.millis()))
}
