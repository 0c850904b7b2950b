//! What a hub has: the promise that a copy of it is measured by.

use serde::{Deserialize, Serialize};

use super::{Fingerprint, RecordError, Seq, frame::Payload, signed::HubPayload};
use crate::HubId;

/// The listings whose home is `hub` at the moment of `seq`: live, paused and deleted ones that are still kept.
///
/// Signed every ten minutes and after each change. Nobody but the hub can sign one, so a copy with another count or
/// fingerprint lacks something or has too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub hub: HubId,
    pub seq: Seq,
    pub count: u64,
    pub fingerprint: Fingerprint,
}

impl Head {
    pub const KIND: &'static str = "plexus/head/1";
}

impl Payload for Head {
    const KIND: &'static str = Self::KIND;

    fn check(&self) -> Result<(), RecordError> {
        Ok(())
    }
}

impl HubPayload for Head {
    const LIMIT: usize = 2_048;

    fn hub(&self) -> HubId {
        self.hub
    }

    fn seq(&self) -> Seq {
        self.seq
    }
}
