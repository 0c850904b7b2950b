//! Erasure of accounts whose grace period is over: deletes all that an account leaves.
//!
//! The first transaction ends the account. Chats and agents follow in further ones, because there may be many. The account is
//! marked as erased in the last one, so an erasure that was interrupted, or that an earlier version left incomplete, is
//! continued by the next housekeeping. What stays, and why, is in `docs/security.md`.

use plexus_store::{account_erasure, accounts, accounts::Account, agents, namespaces};

use crate::{Hub, Result, agents::withdraw, chats};

/// Accounts, and chats of one account, per query.
const BATCH: i64 = 100;

/// Erases accounts whose grace period is over, and what is left of those erased before. Returns how many.
pub(crate) async fn erase_deleted_accounts(hub: &Hub) -> Result<u64> {
    end_due_accounts(hub).await?;
    let mut erased = 0;
    loop {
        let pending = account_erasure::list_pending(&mut hub.store().read().await?, BATCH).await?;
        let mut outcome = Ok(());
        for account in &pending {
            match erase_content(hub, account).await {
                Ok(()) => erased += 1,
                Err(error) => {
                    tracing::warn!(account = %account.id, %error, "account erasure: interrupted");
                    outcome = Err(error);
                }
            }
        }
        // A failed account would be listed again at once.
        outcome?;
        if pending.is_empty() {
            break;
        }
    }
    if erased > 0 {
        let mut tx = hub.store().write_background().await?;
        account_erasure::delete_orphaned_journal(&mut tx).await?;
        tx.commit().await?;
    }
    Ok(erased)
}

async fn end_due_accounts(hub: &Hub) -> Result<()> {
    loop {
        let now = hub.env().now();
        let due = accounts::list_to_erase(&mut hub.store().read().await?, now, BATCH).await?;
        for account in &due {
            end(hub, account).await?;
        }
        if due.is_empty() {
            return Ok(());
        }
    }
}

/// Ends an account: hands its rooms over, deletes its credentials and memberships, and withdraws its agents.
///
/// Its messages stay in the rooms of others, without an author's name.
async fn end(hub: &Hub, account: &Account) -> Result<()> {
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
    }
    for agent in agents::list_by_namespace(&mut tx, account.namespace).await? {
        withdraw(hub, &mut tx, &agent).await?;
    }
    namespaces::retire(&mut tx, account.namespace, now).await?;
    account_erasure::delete_rows(&mut tx, account.id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    // The messages of rooms that passed to another owner.
    hub.spawn_once("message index", chats::index_older_messages(hub.clone()));
    tracing::info!(account = %account.id, "account erasure: started");
    Ok(())
}

/// Deletes the content of an account that has ended.
async fn erase_content(hub: &Hub, account: &Account) -> Result<()> {
    loop {
        let chats = account_erasure::list_chats(&mut hub.store().read().await?, account.id, BATCH).await?;
        for chat in &chats {
            chats::erase(hub, *chat).await?;
        }
        if chats.is_empty() {
            break;
        }
    }
    let mut tx = hub.store().write_background().await?;
    for agent in agents::list_by_namespace(&mut tx, account.namespace).await? {
        // Also agents that were withdrawn before: their listings change, so that new tombstones are signed without the name.
        withdraw(hub, &mut tx, &agent).await?;
    }
    // Again, for what earlier versions left and what runs wrote that ended meanwhile.
    account_erasure::delete_rows(&mut tx, account.id).await?;
    account_erasure::redact_audit_log(&mut tx, account.id).await?;
    if let Some(identity) = accounts::identity(&mut tx, account.id).await? {
        account_erasure::redact_tool_parts(&mut tx, identity.principal).await?;
        account_erasure::rename(&mut tx, account, &identity.name).await?;
    }
    account_erasure::finish(&mut tx, account.id, hub.env().now()).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    tracing::info!(account = %account.id, "account erasure: done");
    Ok(())
}
