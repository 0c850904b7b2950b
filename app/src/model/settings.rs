//! What people set for themselves. One page per topic.

use plexus_domain::{Timestamp, TokenId};

use super::{Density, Form, Theme, oauth::GrantRow};

/// Password: `/settings/account/password` with `current`, `password`. Deletion: `/settings/account/delete` with
/// `name` (typed to confirm) and `current`. A refusal shows this page again with the form it belongs to.
#[derive(Clone, Debug)]
pub struct AccountPage {
    pub name: String,
    pub since: Timestamp,
    pub password: Form,
    pub delete: Form,
    /// What goes with the account, so that nobody is surprised.
    pub agents: u64,
    pub chats: u64,
    /// Whether agents ask before every use of a tool; set at `/settings/account/tools` with `ask`, `yes` or `no`.
    pub asks_before_tools: bool,
    pub usage: Vec<UsageRow>,
}

/// A quota of the account.
#[derive(Clone, Debug)]
pub struct UsageRow {
    /// As in "Stars".
    pub label: String,
    pub used: u64,
    pub limit: u64,
    /// As in "3 of 500".
    pub words: String,
}

/// Revoked at `/settings/sessions/revoke` with `id`; `id=others` ends all but this one.
#[derive(Clone, Debug)]
pub struct SessionsPage {
    pub sessions: Vec<SessionRow>,
}

#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Not the secret: what the form sends back.
    pub id: String,
    /// Such as "Firefox on Linux".
    pub agent: String,
    pub ip: String,
    pub created: Timestamp,
    pub seen: Timestamp,
    pub current: bool,
}

/// Made at `/settings/tokens` with `name`, `scope` (several), `days` (`0` = never); revoked at
/// `/settings/tokens/revoke` with `id`.
#[derive(Clone, Debug)]
pub struct TokensPage {
    pub tokens: Vec<TokenRow>,
    /// Programs that were let in on a page.
    pub grants: Vec<GrantRow>,
    pub scopes: Vec<ScopeOption>,
    /// The secret that was just made: shown now and never again.
    pub created: Option<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct TokenRow {
    pub id: TokenId,
    pub name: String,
    pub scopes: Vec<String>,
    pub created: Timestamp,
    pub expires: Option<Timestamp>,
    pub used: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct ScopeOption {
    pub scope: String,
    /// What it lets a program do, such as "Read and write chats".
    pub meaning: String,
}

/// Posted to `/settings/appearance` with `theme` and `density`; the answer sets the cookies.
#[derive(Clone, Copy, Debug)]
pub struct AppearancePage {
    pub theme: Theme,
    pub density: Density,
}
