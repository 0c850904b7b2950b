//! For those who run the hub.

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
    /// What the database takes on its disk, such as "120.5 MiB".
    pub database_size: String,
    /// The accounts that store most, those with most first.
    pub top: Vec<TopAccount>,
    /// What needs a hand, most pressing first.
    pub warnings: Vec<String>,
}

/// An account that stores much.
#[derive(Clone, Debug)]
pub struct TopAccount {
    pub name: String,
    /// Such as "1.5 GiB".
    pub stored: String,
    pub chats: u64,
    pub agents: u64,
}

/// `/admin/users?q=&page=`. Posted to `/admin/users/{id}` with `action`: `approve`, `suspend`, `restore`, `role`
/// (with `role`).
#[derive(Clone, Debug)]
pub struct AdminUsers {
    pub words: String,
    pub rows: Vec<UserRow>,
    pub pager: Pager,
}

#[derive(Clone, Debug)]
pub struct UserRow {
    pub id: AccountId,
    pub name: String,
    pub role: Role,
    pub state: UserState,
    /// What they wrote when they asked to join.
    pub reason: Option<String>,
    pub since: Timestamp,
    pub seen: Option<Timestamp>,
    pub agents: u64,
    /// No actions: it is the viewer's own row, or the viewer is no administrator.
    pub own: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserState {
    Active,
    Waiting,
    Suspended,
    /// Deleted by its owner, who may still come back.
    Leaving,
}

/// `/admin/agents?q=&page=`. Posted to `/admin/agents/{id}` with `action` (`pause`, `resume`, `unlist`, `delete`) and
/// `reason`.
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
    /// The viewer may take it out of lists and delete it.
    pub can_withdraw: bool,
}

/// Origins that an administrator answers for. Added at `/admin/origins` with `origin` and `note`, removed at
/// `/admin/origins/remove` with `origin`.
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

/// Rules about other hubs. Made at `/admin/network` with `subject` and `reason`, taken back at `/admin/network/remove` with
/// `subject`. Lists: this hub's own at `/admin/network/rules`, another's taken over at `/admin/network/import` with `document`, gone by
/// after `/admin/network/subscribe` with `list` and `signer` until `/admin/network/unsubscribe` with `url`.
#[derive(Clone, Debug)]
pub struct AdminNetwork {
    /// Hubs whose listings are being fetched.
    pub catching_up: Vec<HubRow>,
    pub rows: Vec<NetworkRuleRow>,
    pub lists: Vec<RuleListRow>,
    /// What became of a list that was just taken over.
    pub imported: Option<ImportedRules>,
    /// Any of the forms: their fields have names of their own.
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct ImportedRules {
    /// What the hub that signed it calls itself, and its id.
    pub name: String,
    pub from: String,
    pub taken: u64,
    pub kept: u64,
    pub left_out: u64,
}

#[derive(Clone, Debug)]
pub struct RuleListRow {
    pub url: String,
    pub name: String,
    /// The hub that has to have signed it.
    pub signer: String,
    pub rules: u64,
    pub by: String,
    pub checked: Timestamp,
    pub problem: Option<String>,
}

#[derive(Clone, Debug)]
pub struct NetworkRuleRow {
    /// A kind and a name, as in `hub:12D3KooW…`.
    pub subject: String,
    pub allows: bool,
    pub reason: String,
    pub by: String,
    pub at: Timestamp,
    pub expires: Option<Timestamp>,
}

/// Mode: shown only (it comes from the configuration). Invitations: made at `/admin/invites` with `days`,
/// withdrawn at `/admin/invites/revoke` with `id`. Each works once.
#[derive(Clone, Debug)]
pub struct AdminInvites {
    pub registration: Registration,
    pub rows: Vec<InviteRow>,
    /// The link that was just made: shown now and never again.
    pub created: Option<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct InviteRow {
    pub id: String,
    pub by: String,
    pub expires: Timestamp,
    pub used: bool,
    /// While that account is there.
    pub used_by: Option<String>,
}

/// `/admin/audit?actor=&action=&page=`.
#[derive(Clone, Debug)]
pub struct AdminAudit {
    pub actor: String,
    pub action: String,
    /// Those that the table can be narrowed to.
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
    /// The request that it came with; may be empty.
    pub request: String,
}
