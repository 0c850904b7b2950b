//! Administration and moderation of a hub. Every action is recorded in the audit log.
//!
//! Administrators have all permissions. Moderators can list accounts and agents, and can pause and resume
//! agents.

mod agents;
mod audit;
mod invites;
mod origins;
mod overview;
mod people;
mod record;

pub(crate) use agents::paused_by_moderators;
pub use agents::{AgentAct, AgentRow, act_on_agent, list_agents};
pub use audit::{AuditLog, AuditRow, list_audit};
pub use invites::{Invitation, InviteRow, create_invite, list_invites, revoke_invite};
pub(crate) use origins::vouch_for;
pub use origins::{OriginRow, list_origins, vouch, withdraw_voucher};
pub use overview::{Overview, overview};
pub use people::{PersonAct, PersonRow, act_on_person, list_people};
pub use plexus_store::{accounts::AccountState, admin::Counts};
pub(crate) use record::{Act, record, record_use};

use std::time::Duration;

use plexus_domain::page::PageSize;
use plexus_store::admin::Slice;

/// The period that administration pages call "today".
const TODAY: Duration = Duration::from_secs(24 * 3_600);

/// A page of a long list.
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Number of rows on all pages.
    pub total: u64,
}

/// Returns the offset and length of page `page`, counted from 1. A page number past the end selects the last
/// page.
pub(crate) fn slice(page: u32, total: u64) -> Slice {
    let rows = PageSize::DEFAULT.rows();
    let last = total.div_ceil(u64::from(rows)).max(1);
    let page = u64::from(page).clamp(1, last);
    Slice { skip: (page - 1) * u64::from(rows), take: rows }
}
