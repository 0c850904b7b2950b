//! Account deletion: takes effect at once, and is final after a grace period in which signing in cancels it.

use std::time::Duration;

use plexus_domain::{Error as Refusal, account::Role};
use plexus_store::{
    Tx, accounts,
    accounts::{Account, AccountState},
    agents, chat_invitations, namespaces, sequences, sessions,
};

use super::{password, state_change::AccountStateChange};
use crate::{Hub, Result, agents::withdraw, caller::Caller, chats};

/// Grace period during which signing in cancels the deletion.
pub(crate) const DELETION_GRACE: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Accounts per query of the purge.
const ERASED: i64 = 100;

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

/// Purges accounts whose grace period is over.
pub(crate) async fn purge_deleted_accounts(hub: &Hub) -> Result<()> {
    let now = hub.env().now();
    loop {
        let due = accounts::list_to_erase(&mut hub.store().read().await?, now, ERASED).await?;
        for account in &due {
            erase(hub, account).await?;
        }
        if due.is_empty() {
            return Ok(());
        }
    }
}

/// Purges an account: deletes credentials and memberships, and withdraws its agents.
///
/// Its messages stay in the chats of others, without an author's name. The account name is never reused.
async fn erase(hub: &Hub, account: &Account) -> Result<()> {
    let now = hub.env().now();
    let mut tx = hub.store().write().await?;
    // The deletion may have been cancelled since the list was read.
    let found = accounts::find(&mut tx, account.id).await?;
    let still = found.and_then(|account| account.purge_at).is_some_and(|at| at <= now);
    if !still {
        return Ok(());
    }
    if let Some(identity) = accounts::identity(&mut tx, account.id).await? {
        chats::leave_all_rooms(hub, &mut tx, identity.principal).await?;
        chat_invitations::delete_by_account(&mut tx, identity.principal).await?;
    }
    for agent in agents::list_by_namespace(&mut tx, account.namespace).await? {
        withdraw(hub, &mut tx, &agent).await?;
    }
    namespaces::retire(&mut tx, account.namespace, now).await?;
    accounts::erase(&mut tx, account.id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    // The messages of rooms that passed to another owner.
    hub.spawn_once("message index", chats::index_older_messages(hub.clone()));
    tracing::info!(account = %account.id, "account erasure started");
    Ok(())
}

/// Returns whether the deletion of the account is pending.
pub(super) fn is_pending_deletion(account: &Account) -> bool {
    account.state == AccountState::Leaving
}
