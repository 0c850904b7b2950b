//! Inventory head: a hub's signed commitment to its set of listings.

use serde::{Deserialize, Serialize};

use super::{RecordError, Seq, SetFingerprint, line_format::Payload, signed::HubPayload};
use crate::HubId;

/// Count and fingerprint of the listings whose home is `hub`, at the time of `seq`: live, paused and deleted
/// ones within their retention.
///
/// Signed every ten minutes and after each change. Only the hub itself can sign one. A copy with another
/// count or fingerprint therefore lacks listings or has surplus ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryHead {
    pub hub: HubId,
    pub seq: Seq,
    pub count: u64,
    pub fingerprint: SetFingerprint,
}

impl InventoryHead {
    pub const KIND: &'static str = "plexus/head/1";
}

impl Payload for InventoryHead {
    const KIND: &'static str = Self::KIND;

    fn check(&self) -> Result<(), RecordError> {
        Ok(())
    }
}

impl HubPayload for InventoryHead {
    const LIMIT: usize = 2_048;

    fn hub(&self) -> HubId {
        self.hub
    }

    fn seq(&self) -> Seq {
        self.seq
    }
}
