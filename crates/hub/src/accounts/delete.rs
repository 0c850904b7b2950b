//! Leaving: at once for everybody else, for good after a time in which signing in brings the account back.

use std::time::Duration;

use plexus_domain::{Error as Refusal, account::Role};
use plexus_store::{
    Tx, accounts,
    accounts::{Account, AccountState},
    agents, counters, namespaces, sessions,
};

use super::{moved::Moved, password};
use crate::{Hub, Result, agents::withdraw, caller::Caller};

/// How long somebody who left can come back.
const GRACE: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Accounts that one round empties.
const ERASED: i64 = 100;

/// The caller's account leaves: its sessions end, its tokens and agents rest, its runs stop. Signing in within the
/// time of grace undoes it.
pub async fn delete(hub: &Hub, caller: &Caller, password: String) -> Result<()> {
    let person = caller.person()?;
    password::check(hub, person, password, "current").await?;
    let mut tx = hub.store().write().await?;
    // Two administrators who leave at the same moment wait for each other here.
    counters::next(&mut tx, "roles").await?;
    accounts::set_erase_at(&mut tx, person.account, Some(hub.env().now() + GRACE)).await?;
    if person.role == Role::Admin && accounts::count_active(&mut tx, Role::Admin).await? == 0 {
        let only = "You are the only administrator. Give somebody else the role first, with `plexus user make-admin NAME`.";
        return Err(Refusal::conflict(only).into());
    }
    sessions::delete_by_account(&mut tx, person.account, None).await?;
    let moved = Moved::publish(hub, &mut tx, person.account, person.namespace).await?;
    tx.commit().await?;
    moved.left(hub);
    Ok(())
}

/// Somebody who was leaving is back.
pub(super) async fn come_back(hub: &Hub, tx: &mut Tx, account: &Account) -> Result<Moved> {
    accounts::set_erase_at(tx, account.id, None).await?;
    Moved::publish(hub, tx, account.id, account.namespace).await
}

/// Empties the accounts whose time of grace is over.
pub(crate) async fn erase_those_who_left(hub: &Hub) -> Result<()> {
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

/// Credentials and what the account was a member of are gone, its agents are withdrawn, its messages stay with those
/// they were written to, under no name. The name is never given out again.
async fn erase(hub: &Hub, account: &Account) -> Result<()> {
    let now = hub.env().now();
    let mut tx = hub.store().write().await?;
    // They may have come back since the list was read.
    let found = accounts::find(&mut tx, account.id).await?;
    let still = found.and_then(|account| account.erase_at).is_some_and(|at| at <= now);
    if !still {
        return Ok(());
    }
    for agent in agents::list_by_namespace(&mut tx, account.namespace).await? {
        withdraw(hub, &mut tx, &agent).await?;
    }
    namespaces::retire(&mut tx, account.namespace, now).await?;
    accounts::erase(&mut tx, account.id).await?;
    tx.commit().await?;
    hub.listings_changed();
    tracing::info!(account = %account.id, "an account that was deleted is emptied");
    Ok(())
}

/// Whether the account is about to be emptied.
pub(super) fn is_leaving(account: &Account) -> bool {
    account.state == AccountState::Leaving
}
