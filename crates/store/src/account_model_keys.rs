//! API keys of accounts for model providers.

use plexus_domain::{AccountId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{clean, record},
};

record! {
    pub struct AccountModelKey {
        pub account: AccountId,
        /// Name of the provider.
        pub provider: String,
        /// API key, encrypted.
        pub sealed_key: Vec<u8>,
        pub created_at: Timestamp,
    }
}

/// Inserts a key, or replaces the one of the same account and provider.
pub async fn put(tx: &mut Tx, key: &AccountModelKey) -> Result<()> {
    let text = "insert into account_model_keys (account, provider, sealed_key, created_at) values ($1, $2, $3, $4) \
                on conflict (account, provider) do update set sealed_key = excluded.sealed_key, \
                created_at = excluded.created_at";
    execute!(
        tx,
        query(text)
            .bind(key.account.uuid())
            .bind(clean(&key.provider))
            .bind(key.sealed_key.clone())
            .bind(key.created_at.millis())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, account: AccountId, provider: &str) -> Result<Option<AccountModelKey>> {
    let text = "select account, provider, sealed_key, created_at from account_model_keys \
                where account = $1 and provider = $2";
    on!(conn, c => query_as(text).bind(account.uuid()).bind(clean(provider)).fetch_optional(c))
}

/// Lists the keys of an account by provider.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<AccountModelKey>> {
    let text = "select account, provider, sealed_key, created_at from account_model_keys \
                where account = $1 order by provider";
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

pub async fn delete(tx: &mut Tx, account: AccountId, provider: &str) -> Result<bool> {
    let text = "delete from account_model_keys where account = $1 and provider = $2";
    Ok(execute!(tx, query(text).bind(account.uuid()).bind(clean(provider)))? > 0)
}

pub async fn delete_by_provider(tx: &mut Tx, provider: &str) -> Result<u64> {
    let text = "delete from account_model_keys where provider = $1";
    execute!(tx, query(text).bind(clean(provider)))
}
