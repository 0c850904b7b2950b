//! Account settings that apply to every agent.

use plexus_domain::{AccountId, Error as Refusal};
use plexus_store::{Conn, accounts};
use serde_json::{Value, json};

use crate::{Caller, Hub, Result, caller::Scope};

/// A preference of an account that is set or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preference {
    /// Every tool call requires the user's approval.
    AskBeforeTools,
    /// The home page does not offer the next steps of the setup.
    SetupDismissed,
}

impl Preference {
    const fn key(self) -> &'static str {
        match self {
            Self::AskBeforeTools => "ask_before_tools",
            Self::SetupDismissed => "setup_dismissed",
        }
    }

    pub(super) fn is_in(self, prefs: &Value) -> bool {
        prefs.get(self.key()) == Some(&Value::Bool(true))
    }
}

/// Returns whether an account has set a preference. Not set for deleted accounts.
pub(crate) async fn has_preference(
    conn: &mut Conn,
    account: AccountId,
    preference: Preference,
) -> Result<bool> {
    let account = accounts::find(conn, account).await?;
    Ok(account.is_some_and(|account| preference.is_in(&account.prefs)))
}

pub(crate) async fn set_preference(
    hub: &Hub,
    account: AccountId,
    preference: Preference,
    is_set: bool,
) -> Result<()> {
    let mut tx = hub.store().write().await?;
    let found = accounts::find(&mut tx, account).await?;
    let mut prefs = found.ok_or_else(|| Refusal::not_found("This account was deleted."))?.prefs;
    prefs[preference.key()] = json!(is_set);
    accounts::set_prefs(&mut tx, account, &prefs).await?;
    Ok(tx.commit().await?)
}

/// Sets whether every tool call requires the caller's approval.
pub async fn set_asks_before_tools(hub: &Hub, caller: &Caller, asks: bool) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    set_preference(hub, person.account, Preference::AskBeforeTools, asks).await
}
