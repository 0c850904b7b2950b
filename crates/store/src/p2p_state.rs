//! Persisted peer-to-peer state: last known addresses of hubs, and DHT provider records that this hub stores.

use plexus_domain::Timestamp;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType as _, record},
};

record! {
    /// Last known addresses of a hub.
    pub struct PeerAddresses {
        pub peer: String,
        pub addresses: Vec<String>,
        pub last_seen_at: Timestamp,
    }
}

record! {
    /// DHT provider record.
    pub struct ProviderRecord {
        pub key: Vec<u8>,
        pub provider: String,
        pub addresses: Vec<String>,
        pub expires_at: Timestamp,
    }
}

pub async fn put_addresses(tx: &mut Tx, peer: &str, addresses: &[String], seen: Timestamp) -> Result<()> {
    let text = "insert into peer_addresses (peer, addresses, last_seen_at) values ($1, $2, $3) \
                on conflict (peer) do update set addresses = excluded.addresses, \
                last_seen_at = excluded.last_seen_at";
    execute!(tx, query(text).bind(peer).bind(addresses.to_vec().to_column()).bind(seen.millis()))?;
    Ok(())
}

/// Lists the addresses of at most `limit` hubs, latest seen first.
pub async fn list_addresses(conn: &mut Conn, limit: i64) -> Result<Vec<PeerAddresses>> {
    let text =
        "select peer, addresses, last_seen_at from peer_addresses order by last_seen_at desc, peer limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}

/// Returns the last known addresses of one hub; empty if unknown.
pub async fn addresses_of(conn: &mut Conn, peer: &str) -> Result<Vec<String>> {
    let text = "select peer, addresses, last_seen_at from peer_addresses where peer = $1";
    let found: Option<PeerAddresses> = on!(conn, c => query_as(text).bind(peer).fetch_optional(c))?;
    Ok(found.map(|found| found.addresses).unwrap_or_default())
}

/// Purges the addresses of hubs that were last seen before `since`.
pub async fn forget_addresses(tx: &mut Tx, since: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from peer_addresses where last_seen_at < $1").bind(since.millis()))
}

pub async fn put_announcement(tx: &mut Tx, new: &ProviderRecord) -> Result<()> {
    let text = "insert into dht_provider_records (key, provider, addresses, expires_at) values ($1, $2, $3, $4) \
                on conflict (key, provider) do update set addresses = excluded.addresses, \
                expires_at = excluded.expires_at";
    execute!(
        tx,
        query(text)
            .bind(new.key.as_slice())
            .bind(&new.provider)
            .bind(new.addresses.to_column())
            .bind(new.expires_at.millis())
    )?;
    Ok(())
}

pub async fn delete_announcement(tx: &mut Tx, key: &[u8], provider: &str) -> Result<bool> {
    let text = "delete from dht_provider_records where key = $1 and provider = $2";
    Ok(execute!(tx, query(text).bind(key).bind(provider))? > 0)
}

/// Lists at most `limit` provider records that expire after `now`.
pub async fn list_announcements(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<ProviderRecord>> {
    let text = "select key, provider, addresses, expires_at from dht_provider_records where expires_at > $1 \
                order by expires_at desc limit $2";
    on!(conn, c => query_as(text).bind(now.millis()).bind(limit).fetch_all(c))
}

/// Purges expired provider records.
pub async fn forget_announcements(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from dht_provider_records where expires_at <= $1").bind(now.millis()))
}
