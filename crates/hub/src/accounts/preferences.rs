//! Account settings that apply to every agent.

use plexus_domain::{AccountId, Error as Refusal};
use plexus_store::{Conn, accounts};
use serde_json::{Value, json};

use crate::{Caller, Hub, Result, caller::Scope};

const ASKS: &str = "ask_before_tools";

/// Returns whether every tool call requires the user's approval.
pub(crate) async fn asks_before_tools(conn: &mut Conn, account: AccountId) -> Result<bool> {
    let account = accounts::find(conn, account).await?;
    Ok(account.is_some_and(|account| asks(&account.prefs)))
}

pub(super) fn asks(prefs: &Value) -> bool {
    prefs.get(ASKS) == Some(&Value::Bool(true))
}

/// Sets whether every tool call requires the caller's approval.
pub async fn set_asks_before_tools(hub: &Hub, caller: &Caller, asks: bool) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let account = accounts::find(&mut tx, person.account).await?;
    let mut prefs = account.ok_or_else(|| Refusal::not_found("This account was deleted."))?.prefs;
    prefs[ASKS] = json!(asks);
    accounts::set_prefs(&mut tx, person.account, &prefs).await?;
    Ok(tx.commit().await?)
}
