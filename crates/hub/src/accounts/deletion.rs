//! Account deletion: takes effect at once, and is final after a grace period in which signing in cancels it. Then the
//! account is erased, see [`crate::account_erasure`].

use std::time::Duration;

use plexus_domain::{Error as Refusal, account::Role};
use plexus_store::{
    Tx, accounts,
    accounts::{Account, AccountState},
    sequences, sessions,
};

use super::{password, state_change::AccountStateChange};
use crate::{Hub, Result, caller::Caller};

/// Grace period during which signing in cancels the deletion.
pub(crate) const DELETION_GRACE: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Schedules the deletion of the caller's account.
///
/// Its sessions and runs end, its tokens are disabled and its agents hidden. Signing in within the grace
/// period cancels the deletion.
pub async fn delete(hub: &Hub, caller: &Caller, password: String) -> Result<()> {
    let person = caller.person()?;
    password::check(hub, person, password, "current").await?;
    let mut tx = hub.store().write().await?;
    // Serialise role changes: two administrators might delete their accounts concurrently (write skew).
    sequences::next(&mut tx, "roles").await?;
    accounts::set_purge_at(&mut tx, person.account, Some(hub.env().now() + DELETION_GRACE)).await?;
    if person.role == Role::Admin && accounts::count_active(&mut tx, Role::Admin).await? == 0 {
        let only = "You are the only administrator. Give another account the role first, with `plexus user \
            set-role NAME admin`.";
        return Err(Refusal::conflict(only).into());
    }
    sessions::delete_by_account(&mut tx, person.account, None).await?;
    let moved = AccountStateChange::publish(hub, &mut tx, person.account, person.namespace).await?;
    tx.commit().await?;
    moved.left(hub);
    Ok(())
}

/// Cancels the deletion of an account.
pub(super) async fn cancel_deletion(hub: &Hub, tx: &mut Tx, account: &Account) -> Result<AccountStateChange> {
    accounts::set_purge_at(tx, account.id, None).await?;
    AccountStateChange::publish(hub, tx, account.id, account.namespace).await
}

/// Returns whether the deletion of the account is pending.
pub(super) fn is_pending_deletion(account: &Account) -> bool {
    account.state == AccountState::Leaving
}
