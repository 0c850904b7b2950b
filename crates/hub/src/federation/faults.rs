//! Stored violations of the federation protocol by remote hubs, for the UI.

use plexus_domain::Timestamp;
use plexus_federation::core::{Accusation, Fault as Found};
pub use plexus_store::hub_faults::Fault;
use plexus_store::{Conn, Tx, hub_faults, hubs::Hub as Row};

use super::known;
use crate::{Hub, Result};

/// Violation by a hub, for the UI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    pub fault: Fault,
    /// Key of the hub whose listings the last violation concerned; `None` for
    /// the violating hub's own listings.
    pub about: Option<String>,
    pub first: Timestamp,
    pub last: Timestamp,
    pub times: u64,
}

pub(super) async fn note(hub: &Hub, tx: &mut Tx, accusation: &Accusation) -> Result<()> {
    let row = known::row_of(hub, tx, accusation.accused).await?;
    let (fault, about) = (kind(&accusation.fault), accusation.about.to_string());
    Ok(hub_faults::note(tx, row, fault, &about, hub.env().now()).await?)
}

const fn kind(fault: &Found) -> Fault {
    match fault {
        Found::Withholds { .. } => Fault::Withholds,
        Found::Pads { .. } => Fault::Pads,
        Found::Swaps => Fault::Swaps,
        Found::StaleHead => Fault::StaleHead,
        Found::Contradicts(_) => Fault::Contradicts,
        Found::ContradictsItself => Fault::ContradictsItself,
    }
}

/// Lists the violations of a hub, latest first.
pub(super) async fn list(conn: &mut Conn, row: &Row) -> Result<Vec<FaultRow>> {
    let noted = hub_faults::list(conn, row.id).await?;
    let fault = |noted: hub_faults::Noted| FaultRow {
        fault: noted.fault,
        about: Some(noted.about).filter(|about| row.peer.as_ref() != Some(about)),
        first: noted.first_at,
        last: noted.last_at,
        times: noted.times,
    };
    Ok(noted.into_iter().map(fault).collect())
}
