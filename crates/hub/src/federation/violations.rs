//! Stored violations of the federation protocol by remote hubs, for the UI.

use plexus_domain::Timestamp;
use plexus_federation::engine::{Violation as Found, ViolationReport};
pub use plexus_store::hub_violations::HubViolation;
use plexus_store::{Conn, Tx, hub_violations, hubs::Hub as Row};

use super::hub_rows;
use crate::{Hub, Result};

/// Violation by a hub, for the UI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationRow {
    pub kind: HubViolation,
    /// Key of the hub whose listings the last violation concerned; `None` for
    /// the violating hub's own listings.
    pub about_hub: Option<String>,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub count: u64,
}

pub(super) async fn note(hub: &Hub, tx: &mut Tx, accusation: &ViolationReport) -> Result<()> {
    let row = hub_rows::row_of(hub, tx, accusation.accused).await?;
    let (fault, about) = (kind(&accusation.fault), accusation.about.to_string());
    Ok(hub_violations::note(tx, row, fault, &about, hub.env().now()).await?)
}

const fn kind(fault: &Found) -> HubViolation {
    match fault {
        Found::MissingListings { .. } => HubViolation::MissingListings,
        Found::ExtraListings { .. } => HubViolation::ExtraListings,
        Found::WrongVersions => HubViolation::WrongVersions,
        Found::StaleHead => HubViolation::StaleHead,
        Found::ListingEquivocation(_) => HubViolation::ListingEquivocation,
        Found::RecordEquivocation => HubViolation::RecordEquivocation,
    }
}

/// Lists the violations of a hub, latest first.
pub(super) async fn list(conn: &mut Conn, row: &Row) -> Result<Vec<ViolationRow>> {
    let noted = hub_violations::list(conn, row.id).await?;
    let violation = |noted: hub_violations::HubViolationRow| ViolationRow {
        kind: noted.kind,
        about_hub: Some(noted.about_hub).filter(|about| row.hub_key.as_ref() != Some(about)),
        first_seen: noted.first_at,
        last_seen: noted.last_at,
        count: noted.count,
    };
    Ok(noted.into_iter().map(violation).collect())
}
