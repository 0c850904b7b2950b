//! View models of the settings pages, one page per topic.

use plexus_domain::{Timestamp, TokenId};

use super::{Density, Form, Locale, Theme, oauth::GrantRow};

/// Account settings. An error shows this page again, at the form it belongs to.
///
/// The password is changed at `/settings/account/password` with `current`, `password`. The account is deleted
/// at `/settings/account/delete` with `name` (typed to confirm) and `current`.
#[derive(Clone, Debug)]
pub struct AccountPage {
    pub name: String,
    pub since: Timestamp,
    pub email: EmailSettings,
    pub password: Form,
    pub delete: Form,
    /// Number of agents that are deleted with the account.
    pub agents: u64,
    /// Number of chats that are deleted with the account.
    pub chats: u64,
    /// Whether every tool call needs approval; set at `/settings/account/tools` with `ask`, `yes` or `no`.
    pub asks_before_tools: bool,
    pub usage: Vec<UsageRow>,
}

/// E-mail address of the account. Posts to `/settings/account/email` with `email` and `current`, and to
/// `/settings/account/email/remove` with `current`.
#[derive(Clone, Debug, Default)]
pub struct EmailSettings {
    /// The confirmed address.
    pub address: Option<String>,
    /// Whether the hub sends e-mail, so that an address can be confirmed.
    pub sends_mail: bool,
    pub change: Form,
    pub remove: Form,
}

/// Usage of one quota of the account.
#[derive(Clone, Debug)]
pub struct UsageRow {
    /// Label, such as "Stars".
    pub label: String,
    pub used: u64,
    pub limit: u64,
    /// Usage as text, such as "3 of 500".
    pub words: String,
}

/// Sessions of the user.
///
/// One is revoked at `/settings/sessions/revoke` with `id`; `id=others` revokes all but the current one.
#[derive(Clone, Debug)]
pub struct SessionsPage {
    pub sessions: Vec<SessionRow>,
}

#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Id for the revocation form; not the session secret.
    pub id: String,
    /// Browser and system, such as "Firefox on Linux".
    pub agent: String,
    pub ip: String,
    pub created: Timestamp,
    pub seen: Timestamp,
    pub current: bool,
}

/// API tokens of the user.
///
/// Created at `/settings/tokens` with `name`, `scope` (several), `days` (`0` = never expires); revoked at
/// `/settings/tokens/revoke` with `id`.
#[derive(Clone, Debug)]
pub struct TokensPage {
    pub tokens: Vec<TokenRow>,
    /// Authorized applications (OAuth grants).
    pub grants: Vec<GrantRow>,
    pub scopes: Vec<ScopeOption>,
    /// Secret of a token that was just created; shown only once.
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
    /// What the scope permits, such as "Read and write chats".
    pub meaning: String,
}

/// Appearance settings. Posts to `/settings/appearance` with `theme` and `density`; the response sets the
/// cookies.
#[derive(Clone, Copy, Debug)]
pub struct AppearancePage {
    /// Language that the reader chose; `None` if the browser decides.
    pub locale: Option<Locale>,
    pub theme: Theme,
    pub density: Density,
    /// Whether shortcuts of a single key work; set with `single_keys`, `on` or `off`.
    pub single_keys: bool,
}
