//! Summary of an account.

use plexus_domain::{Error as Refusal, Name, Timestamp};
use plexus_store::{accounts, agents, chats};

use super::Preference;
use crate::{Caller, Hub, Result};

/// Name, age, e-mail address, agents and chats of an account.
pub struct AccountOverview {
    pub name: Name,
    pub since: Timestamp,
    /// Confirmed e-mail address.
    pub email: Option<String>,
    pub agents: u64,
    pub chats: u64,
    /// Whether every tool call requires the user's approval.
    pub asks_before_tools: bool,
}

/// Returns the summary of the caller's account.
pub async fn overview(hub: &Hub, caller: &Caller) -> Result<AccountOverview> {
    let person = caller.person()?;
    let mut conn = hub.store().read().await?;
    let account = accounts::find(&mut conn, person.account).await?;
    let account = account.ok_or_else(|| Refusal::not_found("This account was deleted."))?;
    let agents = agents::list_by_namespace(&mut conn, person.namespace).await?.len();
    let chats = chats::count_by_member(&mut conn, person.principal).await?;
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let asks_before_tools = Preference::AskBeforeTools.is_in(&account.prefs);
    let (name, since) = (person.name.clone(), account.created_at);
    let email = account.email_folded;
    Ok(AccountOverview { name, since, email, agents: count(agents), chats, asks_before_tools })
}
