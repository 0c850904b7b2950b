//! Accounts and their names.

use plexus_domain::{AccountId, Error as Refusal, Name};
use plexus_store::{Conn, Tx, accounts, accounts::AccountState, namespaces};

use crate::Result;

/// Returns the name of an account, unless it was deleted.
pub(crate) async fn find_account_name(conn: &mut Conn, id: AccountId) -> Result<Option<Name>> {
    let account = accounts::find(conn, id).await?;
    let Some(account) = account.filter(|account| account.state != AccountState::Deleted) else {
        return Ok(None);
    };
    Ok(namespaces::find(conn, account.namespace).await?.map(|namespace| namespace.name))
}

/// Returns the id of an account that is not deleted.
pub(crate) async fn account_by_name(tx: &mut Tx, name: &str) -> Result<AccountId> {
    let found = accounts::by_name(tx, &name.trim_start_matches('@').parse()?).await?;
    let found = found.filter(|account| account.state != AccountState::Deleted);
    Ok(found.ok_or_else(|| Refusal::not_found(format!("Account {name} not found.")))?.id)
}
