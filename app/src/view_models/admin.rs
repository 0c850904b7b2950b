//! View models of the administration pages.

use plexus_domain::{
    AccountId, AgentId, Timestamp,
    account::{Registration, Role},
    agent::Visibility,
};

use super::{Form, Pager, network::HubRow};

#[derive(Clone, Debug)]
pub struct AdminOverview {
    pub version: String,
    pub started: Timestamp,
    /// Such as "SQLite" or "Postgres 15".
    pub database: String,
    pub public_url: String,
    pub registration: Registration,
    pub accounts: u64,
    pub waiting: u64,
    pub agents: u64,
    pub unverified: u64,
    pub running: u64,
    pub runs_today: u64,
    pub failed_today: u64,
    /// Size of the database on disk, such as "120.5 MiB".
    pub database_size: String,
    /// When the last complete backup was written.
    pub last_backup: Option<Timestamp>,
    /// None: no backups are scheduled.
    pub backups: Option<ScheduledBackups>,
    /// Accounts that use most storage, largest first.
    pub top: Vec<TopAccount>,
    /// Problems that need attention, most urgent first.
    pub warnings: Vec<String>,
}

/// Schedule of backups, and the archives in its folder.
#[derive(Clone, Debug)]
pub struct ScheduledBackups {
    pub folder: String,
    pub next_at: Timestamp,
    /// Interval in hours.
    pub hours: u64,
    pub keep_days: usize,
    pub keep_weeks: usize,
    /// From the newest to the oldest.
    pub archives: Vec<BackupArchive>,
}

#[derive(Clone, Debug)]
pub struct BackupArchive {
    pub name: String,
    pub created_at: Timestamp,
    /// Such as "1.5 GiB".
    pub size: String,
}

/// Row of the largest accounts.
#[derive(Clone, Debug)]
pub struct TopAccount {
    pub name: String,
    /// Such as "1.5 GiB".
    pub stored: String,
    pub chats: u64,
    pub agents: u64,
}

/// Link with which a person sets a new password.
#[derive(Clone, Debug)]
pub struct ResetLink {
    pub name: String,
    pub link: String,
}

/// User administration at `/admin/users?q=&page=`.
///
/// Posts to `/admin/users/{id}` with `action`: `approve`, `suspend`, `restore`, `role` (with `role`), `reset`.
#[derive(Clone, Debug)]
pub struct AdminUsers {
    pub words: String,
    /// Link that was just created; it is shown once.
    pub reset: Option<ResetLink>,
    pub rows: Vec<UserRow>,
    pub pager: Pager,
}

#[derive(Clone, Debug)]
pub struct UserRow {
    pub id: AccountId,
    pub name: String,
    pub role: Role,
    pub state: UserState,
    /// Reason that the user gave in the request to join.
    pub reason: Option<String>,
    pub since: Timestamp,
    pub seen: Option<Timestamp>,
    pub agents: u64,
    /// True if no actions are offered: it is the viewer's own row, or the viewer is no administrator.
    pub own: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserState {
    Active,
    Waiting,
    Suspended,
    /// Deleted by its owner, who can still restore it by signing in.
    Leaving,
}

/// Agent administration at `/admin/agents?q=&page=`.
///
/// Posts to `/admin/agents/{id}` with `action` (`pause`, `resume`, `unlist`, `delete`) and `reason`.
#[derive(Clone, Debug)]
pub struct AdminAgents {
    pub words: String,
    pub rows: Vec<AdminAgentRow>,
    pub pager: Pager,
}

#[derive(Clone, Debug)]
pub struct AdminAgentRow {
    pub id: AgentId,
    pub seed: String,
    pub name: String,
    pub address: plexus_domain::Address,
    pub kind: String,
    pub visibility: Visibility,
    pub paused: bool,
    pub proved: bool,
    pub last_answered: Option<Timestamp>,
    pub runs_today: u64,
    pub failed_today: u64,
    /// Whether the viewer may unlist, delete and feature it.
    pub can_withdraw: bool,
    pub is_featured: bool,
}

/// Trusted origins. Added at `/admin/origins` with `origin` and `note`, removed at `/admin/origins/remove`
/// with `origin`.
#[derive(Clone, Debug)]
pub struct AdminOrigins {
    pub rows: Vec<OriginRow>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct OriginRow {
    pub origin: String,
    pub note: String,
    pub by: String,
    pub at: Timestamp,
    pub agents: u64,
}

/// Federation rules and rule lists.
///
/// A rule is created at `/admin/network` with `subject` and `reason`, and removed at `/admin/network/remove`
/// with `subject`. This hub's own list is at `/admin/network/rules`. The list of another hub is imported at
/// `/admin/network/import` with `document`. A list is subscribed to at `/admin/network/subscribe` with `list`
/// and `signer`, until `/admin/network/unsubscribe` with `url`.
#[derive(Clone, Debug)]
pub struct AdminNetwork {
    /// Problems of the federation, as messages for display.
    pub warnings: Vec<String>,
    /// Hubs whose listings are being fetched.
    pub syncing: Vec<HubRow>,
    pub rows: Vec<NetworkRuleRow>,
    pub lists: Vec<RuleListRow>,
    /// Result of an import that was just done.
    pub imported: Option<ImportedRules>,
    /// State of all forms of the page; their field names do not overlap.
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct ImportedRules {
    /// Self-chosen name of the hub that signed the list.
    pub name: String,
    /// Id of that hub.
    pub signer: String,
    pub imported: u64,
    pub already_present: u64,
    pub invalid: u64,
}

#[derive(Clone, Debug)]
pub struct RuleListRow {
    pub url: String,
    pub name: String,
    /// Hub whose signature is required.
    pub signer: String,
    pub rules: u64,
    pub by: String,
    pub last_fetch_at: Timestamp,
    pub last_error: Option<String>,
}

#[derive(Clone, Debug)]
pub struct NetworkRuleRow {
    /// Kind and name, as in `hub:12D3KooW…`.
    pub subject: String,
    pub allows: bool,
    pub reason: String,
    pub by: String,
    pub at: Timestamp,
    pub expires: Option<Timestamp>,
}

/// Registration mode and invitations.
///
/// The mode is read-only, because it comes from the configuration. An invitation is created at
/// `/admin/invites` with `days`, and revoked at `/admin/invites/revoke` with `id`. Each works once.
#[derive(Clone, Debug)]
pub struct AdminInvites {
    pub registration: Registration,
    pub rows: Vec<InviteRow>,
    /// Link that was just created; shown only once.
    pub created: Option<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct InviteRow {
    pub id: String,
    pub by: String,
    pub expires: Timestamp,
    pub used: bool,
    /// Account that used it; `None` if it was deleted.
    pub used_by: Option<String>,
}

/// Audit log at `/admin/audit?actor=&action=&page=`.
#[derive(Clone, Debug)]
pub struct AdminAudit {
    pub actor: String,
    pub action: String,
    /// Actions that the table can be filtered by.
    pub actions: Vec<String>,
    pub rows: Vec<AuditRow>,
    pub pager: Pager,
}

#[derive(Clone, Debug)]
pub struct AuditRow {
    pub at: Timestamp,
    pub actor: String,
    pub action: String,
    pub target: String,
    /// Names and values of what changed.
    pub change: Vec<(String, String)>,
    /// Id of the request that caused it; may be empty.
    pub request: String,
}
