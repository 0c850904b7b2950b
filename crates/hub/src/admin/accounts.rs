//! Administration of accounts: list, approve, suspend, restore and change roles.

use plexus_domain::{AccountId, Error as Refusal, Timestamp, account::Role};
use plexus_store::{
    Tx,
    accounts::{self, Account, AccountState},
    admin, sequences, sessions,
};
use serde_json::json;

use super::{
    Page,
    record::{AuditEvent, account, write_audit},
    slice,
};
use crate::{Caller, Hub, Result, accounts::AccountStateChange};

/// An account in the administrators' list.
pub struct AccountRow {
    pub id: AccountId,
    pub name: String,
    pub role: Role,
    pub state: AccountState,
    /// Message of an account that waits for approval.
    pub reason: Option<String>,
    pub since: Timestamp,
    pub seen: Option<Timestamp>,
    pub agents: u64,
    /// Whether the caller may change this account.
    pub can_change: bool,
}

/// An administrative action on an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountModeration {
    /// Activates an account that waits for approval.
    Approve,
    /// Ends all sessions and runs. Until it is restored, its tokens are disabled and its agents hidden.
    Suspend,
    Restore,
    SetRole(Role),
}

/// Lists accounts whose name contains `words`: those waiting for approval first, then the newest.
pub async fn list_people(hub: &Hub, caller: &Caller, words: &str, page: u32) -> Result<Page<AccountRow>> {
    let person = caller.require(Role::Moderator)?;
    let words = words.trim().trim_start_matches('@');
    let mut conn = hub.store().snapshot().await?;
    let total = admin::count_people(&mut conn, words).await?;
    let rows = admin::people(&mut conn, words, slice(page, total)).await?;
    let row = |row: admin::PersonRow| AccountRow {
        can_change: person.role == Role::Admin && row.id != person.account,
        reason: row.prefs.get("reason").and_then(|reason| reason.as_str()).map(str::to_owned),
        id: row.id,
        name: row.name.to_string(),
        role: row.role,
        state: row.state,
        since: row.created_at,
        seen: row.last_seen_at,
        agents: row.agents,
    };
    Ok(Page { rows: rows.into_iter().map(row).collect(), total })
}

/// Performs an action on an account. Requires an administrator, and rejects actions on the caller's own
/// account.
pub async fn act_on_person(
    hub: &Hub,
    caller: &Caller,
    id: AccountId,
    act: AccountModeration,
    request: &str,
) -> Result<()> {
    let person = caller.require(Role::Admin)?;
    if id == person.account {
        let words = "You cannot change your own role or state. Ask another administrator.";
        return Err(Refusal::conflict(words).into());
    }
    let mut tx = hub.store().write().await?;
    // Serialise role changes: two administrators might demote each other concurrently (write skew).
    sequences::next(&mut tx, "roles").await?;
    let before = find(&mut tx, id).await?;
    let mut moved = None;
    let (action, change) = match act {
        AccountModeration::Approve => {
            expect(&before, AccountState::Pending, "This account is not pending approval.")?;
            accounts::set_state(&mut tx, id, AccountState::Active).await?;
            ("account.approve", json!({}))
        }
        AccountModeration::Suspend => {
            expect(&before, AccountState::Active, "Only an active account can be suspended.")?;
            accounts::set_state(&mut tx, id, AccountState::Suspended).await?;
            sessions::delete_by_account(&mut tx, id, None).await?;
            moved = Some(AccountStateChange::publish(hub, &mut tx, id, before.namespace).await?);
            ("account.suspend", json!({}))
        }
        AccountModeration::Restore => {
            expect(&before, AccountState::Suspended, "This account is not suspended.")?;
            accounts::set_state(&mut tx, id, AccountState::Active).await?;
            moved = Some(AccountStateChange::publish(hub, &mut tx, id, before.namespace).await?);
            ("account.restore", json!({}))
        }
        AccountModeration::SetRole(role) => {
            expect(&before, AccountState::Active, "The role can be changed only for an active account.")?;
            accounts::set_role(&mut tx, id, role).await?;
            ("account.role", json!({ "from": before.role.as_str(), "to": role.as_str() }))
        }
    };
    keep_an_administrator(&mut tx).await?;
    write_audit(hub, &mut tx, AuditEvent { by: person, action, target: account(id), change, request })
        .await?;
    tx.commit().await?;
    match (act, moved) {
        (AccountModeration::Suspend, Some(moved)) => moved.left(hub),
        (_, Some(moved)) => moved.came_back(hub),
        (_, None) => {}
    }
    Ok(())
}

async fn find(tx: &mut Tx, id: AccountId) -> Result<Account> {
    let found = accounts::find(tx, id).await?.filter(|account| account.state != AccountState::Deleted);
    Ok(found.ok_or_else(|| Refusal::not_found("Account not found."))?)
}

fn expect(account: &Account, state: AccountState, otherwise: &str) -> Result<(), Refusal> {
    if account.state == state { Ok(()) } else { Err(Refusal::conflict(otherwise)) }
}

/// Refuses a change that leaves the hub without an active administrator.
pub(crate) async fn keep_an_administrator(tx: &mut Tx) -> Result<()> {
    if accounts::count_active(tx, Role::Admin).await? > 0 {
        return Ok(());
    }
    let words = "This is the last administrator. Make another account an administrator first.";
    Err(Refusal::conflict(words).into())
}
