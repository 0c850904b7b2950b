//! Persistence of peer addresses and DHT provider records over restarts. Losing some costs time, never data.

use std::time::Duration;

use plexus_federation::net::{PeerId, RecordKey, actor_api::PersistedNetState};
use plexus_store::p2p_state::{self, PeerAddresses, ProviderRecord};

use crate::{Hub, Result};

/// Maximum number of peers; as many as the address book holds.
const MAX_ADDRESSES: i64 = 1_000;
/// Maximum number of provider records; as many as the DHT store accepts from other peers.
const MAX_ANNOUNCEMENTS: i64 = 32_768;
/// Items per write transaction.
const BATCH: usize = 64;
/// Addresses of a hub expire after it was unreachable for this long.
const FORGOTTEN: Duration = Duration::from_secs(30 * 24 * 3_600);

pub(super) async fn keep(hub: &Hub, kept: Vec<PersistedNetState>) -> Result<()> {
    let now = hub.env().now();
    for kept in kept.chunks(BATCH) {
        let mut tx = hub.store().write_background().await?;
        for kept in kept {
            match kept {
                PersistedNetState::Address { peer, addresses } => {
                    p2p_state::put_addresses(&mut tx, &peer.to_string(), &texts(addresses), now).await?;
                }
                PersistedNetState::Announced { key, provider, addresses, until } => {
                    let new = ProviderRecord {
                        key: key.to_vec(),
                        provider: provider.to_string(),
                        addresses: texts(addresses),
                        expires_at: *until,
                    };
                    p2p_state::put_announcement(&mut tx, &new).await?;
                }
                PersistedNetState::Withdrawn { key, provider } => {
                    p2p_state::delete_announcement(&mut tx, &key.to_vec(), &provider.to_string()).await?;
                }
            }
        }
        tx.commit().await?;
    }
    Ok(())
}

fn texts(addresses: &[plexus_federation::net::Multiaddr]) -> Vec<String> {
    addresses.iter().map(ToString::to_string).collect()
}

/// Purges expired entries and returns the others.
pub(super) async fn load(hub: &Hub) -> Result<Vec<PersistedNetState>> {
    let now = hub.env().now();
    let mut tx = hub.store().write_background().await?;
    p2p_state::forget_addresses(&mut tx, now - FORGOTTEN).await?;
    p2p_state::forget_announcements(&mut tx, now).await?;
    tx.commit().await?;
    let mut conn = hub.store().read().await?;
    let places = p2p_state::list_addresses(&mut conn, MAX_ADDRESSES).await?;
    let announced = p2p_state::list_announcements(&mut conn, now, MAX_ANNOUNCEMENTS).await?;
    let announced = announced.into_iter().filter_map(announcement);
    Ok(places.iter().filter_map(place).chain(announced).collect())
}

fn place(row: &PeerAddresses) -> Option<PersistedNetState> {
    let peer: PeerId = row.peer.parse().ok()?;
    Some(PersistedNetState::Address {
        peer,
        addresses: row.addresses.iter().filter_map(|text| text.parse().ok()).collect(),
    })
}

fn announcement(row: ProviderRecord) -> Option<PersistedNetState> {
    let addresses = row.addresses.iter().filter_map(|text| text.parse().ok()).collect();
    let provider: PeerId = row.provider.parse().ok()?;
    Some(PersistedNetState::Announced {
        key: RecordKey::from(row.key),
        provider,
        addresses,
        until: row.expires_at,
    })
}
