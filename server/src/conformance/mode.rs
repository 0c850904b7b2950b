//! Identities that are used in conformance mode.

use plexus_domain::Address;
use plexus_hub::{Caller, Hub, conformance};

/// State of conformance mode. It exists only on a hub for test kits.
pub struct Conformance {
    /// The test account, used for every request without a token.
    pub everybody: Caller,
    /// The agent whose card is served as the hub's own card.
    pub front: Address,
}

impl Conformance {
    /// Returns the state, or `None` on a regular hub.
    pub async fn of(hub: &Hub) -> anyhow::Result<Option<Self>> {
        if !hub.config().conformance {
            return Ok(None);
        }
        Ok(Some(Self { everybody: conformance::tester(hub).await?, front: conformance::tck() }))
    }
}
