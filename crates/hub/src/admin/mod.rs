//! Administration and moderation of a hub. Every action is recorded in the audit log.
//!
//! Administrators have all permissions. Moderators can list accounts and agents, and can pause and resume
//! agents.

mod accounts;
mod agents;
mod audit;
mod featured;
mod invites;
mod overview;
mod record;
mod setup;
mod trusted_origins;

pub(crate) use accounts::by_name as account_by_name;
pub use accounts::{
    AccountDetails, AccountModeration, AccountRow, act_on_person, act_on_person_by_operator,
    find_person_by_operator, list_people, list_people_by_operator,
};
pub use agents::{AgentModeration, AgentRow, act_on_agent, list_agents};
pub use audit::{AuditLog, AuditRow, list_audit};
pub use featured::{change_featured_by_operator, set_featured};
pub use invites::{Invitation, InviteRow, create_invite, list_invites, revoke_invite};
pub use overview::{AdminOverview, overview};
pub use plexus_store::{accounts::AccountState, admin::Counts};
pub use record::Administrator;
pub(crate) use record::{
    AuditActor, AuditEvent, SystemActor, account as audit_account, account_name, author_name,
    delete_old_failures, record_use, write_account_audit, write_audit, write_failed_sign_in,
    write_system_audit,
};
pub use setup::{SetupProgress, SetupStep, set_setup_dismissed, setup, unfinished_setup};
pub(crate) use trusted_origins::trust_origin_of;
pub use trusted_origins::{OriginRow, list_origins, trust_origin, untrust_origin};

use std::time::Duration;

use plexus_domain::page::PageSize;
use plexus_store::admin::RowRange;

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
pub(crate) fn slice(page: u32, total: u64) -> RowRange {
    let rows = PageSize::DEFAULT.rows();
    let last = total.div_ceil(u64::from(rows)).max(1);
    let page = u64::from(page).clamp(1, last);
    RowRange { skip: (page - 1) * u64::from(rows), take: rows }
}
