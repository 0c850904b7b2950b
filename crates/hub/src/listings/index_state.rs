//! State of the search index.

use plexus_domain::Timestamp;

use super::summary::ONLINE;
use crate::Hub;

/// Returns whether the index contains all listings that the store held when the hub started. Until then the
/// index is catching up, and searches may miss agents.
pub fn is_index_ready(hub: &Hub) -> bool {
    hub.index_ready().initialized()
}

/// Waits until the index is complete in that sense.
pub async fn wait_index_ready(hub: &Hub) {
    hub.index_ready().wait().await;
}

/// Returns the last change in the index. Pages rendered before it may be outdated.
pub fn last_change(hub: &Hub) -> u64 {
    hub.index().last_change()
}

/// Agents that answered after this time count as online.
pub fn online_since(hub: &Hub) -> Timestamp {
    hub.env().now() - ONLINE
}
