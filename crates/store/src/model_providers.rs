//! Model providers that administrators connected.

use plexus_domain::Timestamp;
use serde_json::Value;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    /// Whether runs use API keys of the accounts that ask.
    pub enum OwnKeyPolicy {
        Refused = "refused",
        /// The account's key if it has one, else that of the provider.
        Allowed = "allowed",
        /// The account's key only.
        Required = "required",
    }
}

record! {
    /// Model provider: a server with the OpenAI chat completions API.
    pub struct StoredProvider {
        /// Prefix of the names of its models.
        pub name: String,
        pub base_url: String,
        /// API key, encrypted.
        pub sealed_key: Option<Vec<u8>>,
        /// Models that agents may use; empty for all that the server lists.
        pub models: Vec<String>,
        /// Context window of its models, in tokens.
        pub context_tokens: u64,
        /// Price of a million input tokens, in millionths of the currency unit.
        pub sent_price: u64,
        /// Price of a million output tokens, in millionths of the currency unit.
        pub received_price: u64,
        pub is_paused: bool,
        pub created_at: Timestamp,
        /// JSON of the last test.
        pub last_test: Option<Value>,
        pub own_keys: OwnKeyPolicy,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select name, base_url, sealed_key, models, context_tokens, sent_price, received_price, is_paused, \
             created_at, last_test, own_keys from model_providers ",
            $rest
        )
    };
}

/// Inserts a provider, or replaces the one with the same name.
pub async fn put(tx: &mut Tx, provider: &StoredProvider) -> Result<()> {
    let text = "insert into model_providers (name, base_url, sealed_key, models, context_tokens, sent_price, \
                received_price, is_paused, created_at, last_test, own_keys) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                on conflict (name) do update set base_url = excluded.base_url, sealed_key = excluded.sealed_key, \
                models = excluded.models, context_tokens = excluded.context_tokens, \
                sent_price = excluded.sent_price, received_price = excluded.received_price, \
                is_paused = excluded.is_paused, last_test = excluded.last_test, \
                own_keys = excluded.own_keys";
    execute!(
        tx,
        query(text)
            .bind(clean(&provider.name))
            .bind(clean(&provider.base_url))
            .bind(provider.sealed_key.clone())
            .bind(provider.models.to_column())
            .bind(provider.context_tokens.to_column())
            .bind(provider.sent_price.to_column())
            .bind(provider.received_price.to_column())
            .bind(provider.is_paused)
            .bind(provider.created_at.millis())
            .bind(provider.last_test.to_column())
            .bind(provider.own_keys.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, name: &str) -> Result<Option<StoredProvider>> {
    on!(conn, c => query_as(select!("where name = $1")).bind(clean(name)).fetch_optional(c))
}

/// Lists the providers by name.
pub async fn list(conn: &mut Conn) -> Result<Vec<StoredProvider>> {
    on!(conn, c => query_as(select!("order by name")).fetch_all(c))
}

pub async fn delete(tx: &mut Tx, name: &str) -> Result<bool> {
    Ok(execute!(tx, query("delete from model_providers where name = $1").bind(clean(name)))? > 0)
}
