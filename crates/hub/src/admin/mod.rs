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
mod setup;
mod trusted_origins;

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
pub use setup::{SetupProgress, SetupStep, set_setup_dismissed, setup, unfinished_setup};
pub(crate) use trusted_origins::trust_origin_of;
pub use trusted_origins::{OriginRow, list_origins, trust_origin, untrust_origin};

use std::time::Duration;

/// The period that administration pages call "today".
const TODAY: Duration = Duration::from_secs(24 * 3_600);
