//! Who is who while kits are at work.

use plexus_domain::Address;
use plexus_hub::{Caller, Hub, conformance};

/// There on a hub for test kits only.
pub struct Conformance {
    /// Whoever calls without a token.
    pub everybody: Caller,
    /// Whose card the hub shows as its own.
    pub front: Address,
}

impl Conformance {
    /// None on a hub that serves people.
    pub async fn of(hub: &Hub) -> anyhow::Result<Option<Self>> {
        if !hub.config().conformance {
            return Ok(None);
        }
        Ok(Some(Self { everybody: conformance::tester(hub).await?, front: conformance::tck() }))
    }
}
