//! Administration of accounts: list, approve, suspend, restore and change roles.

use plexus_domain::{AccountId, Address, Error as Refusal, Name, Timestamp, account::Role};
use plexus_store::{
    Tx,
    accounts::{self, Account, AccountState},
    admin,
    admin::RowRange,
    agents, sequences, sessions,
};
use serde_json::{Value, json};

use crate::{
    Caller, Hub, Result,
    account_names::account_by_name,
    accounts::{AccountStateChange, DELETION_GRACE},
    audit::{Administrator, AuditActor, AuditEvent, account_target, write_audit},
    paging::{Page, slice},
};

/// Accounts that one query reads for the command line.
const ROWS_PER_QUERY: u16 = 1_000;

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
    /// As when a user deletes the own account: final after a grace period, in which signing in cancels it. A suspended
    /// account cannot sign in.
    Delete,
    SetRole(Role),
}

/// Lists accounts whose name contains `words`: those waiting for approval first, then the newest.
pub async fn list_people(hub: &Hub, caller: &Caller, words: &str, page: u32) -> Result<Page<AccountRow>> {
    let person = caller.require(Role::Moderator)?;
    let words = words.trim().trim_start_matches('@');
    let mut conn = hub.store().snapshot().await?;
    let total = admin::count_people(&mut conn, words).await?;
    let rows = admin::people(&mut conn, words, slice(page, total)).await?;
    let row = |row: admin::PersonRow| {
        let can_change = person.role == Role::Admin && row.id != person.account;
        account_row(&row, can_change)
    };
    Ok(Page { rows: rows.into_iter().map(row).collect(), total })
}

fn account_row(row: &admin::PersonRow, can_change: bool) -> AccountRow {
    AccountRow {
        can_change,
        reason: row.prefs.get("reason").and_then(|reason| reason.as_str()).map(str::to_owned),
        id: row.id,
        name: row.name.to_string(),
        role: row.role,
        state: row.state,
        since: row.created_at,
        seen: row.last_seen_at,
        agents: row.agents,
    }
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
    let done = moderate(hub, &mut tx, id, act).await?;
    let Moderation { action, change, .. } = &done;
    let event = AuditEvent {
        by: AuditActor::of(caller)?,
        action,
        target: account_target(id),
        change: change.clone(),
        request,
    };
    write_audit(hub, &mut tx, event).await?;
    tx.commit().await?;
    done.apply(hub, act);
    Ok(())
}

/// Performs an action on an account for the operator, from the command line.
pub async fn act_on_person_by_operator(hub: &Hub, name: &str, act: AccountModeration) -> Result<()> {
    let mut tx = hub.store().write().await?;
    let id = account_by_name(&mut tx, name).await?;
    let done = moderate(hub, &mut tx, id, act).await?;
    let change = done.change.clone();
    Administrator::CommandLine.write_audit(hub, &mut tx, done.action, account_target(id), change).await?;
    tx.commit().await?;
    done.apply(hub, act);
    Ok(())
}

/// Lists all accounts whose name contains `words`, for the operator.
pub async fn list_people_by_operator(hub: &Hub, words: &str) -> Result<Vec<AccountRow>> {
    let words = words.trim().trim_start_matches('@');
    let (mut conn, mut rows) = (hub.store().snapshot().await?, Vec::new());
    loop {
        let range = RowRange { skip: rows.len() as u64, take: ROWS_PER_QUERY };
        let part = admin::people(&mut conn, words, range).await?;
        let is_last = part.len() < usize::from(ROWS_PER_QUERY);
        rows.extend(part.iter().map(|row| account_row(row, true)));
        if is_last {
            return Ok(rows);
        }
    }
}

/// An account with its agents.
pub struct AccountDetails {
    pub row: AccountRow,
    /// Confirmed e-mail address.
    pub email: Option<String>,
    pub agents: Vec<Address>,
}

/// Returns an account for the operator.
pub async fn find_person_by_operator(hub: &Hub, name: &str) -> Result<AccountDetails> {
    let missing = || Refusal::not_found(format!("Account {name} not found."));
    let name: Name = name.trim_start_matches('@').parse()?;
    let mut conn = hub.store().snapshot().await?;
    let account = accounts::by_name(&mut conn, &name).await?.ok_or_else(missing)?;
    let row = admin::person(&mut conn, account.id).await?.ok_or_else(missing)?;
    let agents = agents::list_by_namespace(&mut conn, account.namespace).await?;
    Ok(AccountDetails {
        row: account_row(&row, true),
        email: account.email_folded,
        agents: agents.iter().map(plexus_store::agents::Agent::address).collect(),
    })
}

/// An action on an account that is written, but not committed.
struct Moderation {
    action: &'static str,
    change: Value,
    moved: Option<AccountStateChange>,
}

impl Moderation {
    /// Tells the running parts of the hub, after the commit.
    fn apply(self, hub: &Hub, act: AccountModeration) {
        match (act, self.moved) {
            (AccountModeration::Suspend | AccountModeration::Delete, Some(moved)) => moved.left(hub),
            (_, Some(moved)) => moved.came_back(hub),
            (_, None) => {}
        }
    }
}

async fn moderate(hub: &Hub, tx: &mut Tx, id: AccountId, act: AccountModeration) -> Result<Moderation> {
    // Serialise role changes: two administrators might demote each other concurrently (write skew).
    sequences::next(tx, "roles").await?;
    let before = find(tx, id).await?;
    let mut moved = None;
    let (action, change) = match act {
        AccountModeration::Approve => {
            expect(&before, AccountState::Pending, "This account is not pending approval.")?;
            accounts::set_state(tx, id, AccountState::Active).await?;
            ("account.approve", json!({}))
        }
        AccountModeration::Suspend => {
            expect(&before, AccountState::Active, "Only an active account can be suspended.")?;
            accounts::set_state(tx, id, AccountState::Suspended).await?;
            sessions::delete_by_account(tx, id, None).await?;
            moved = Some(AccountStateChange::publish(hub, tx, id, before.namespace).await?);
            ("account.suspend", json!({}))
        }
        AccountModeration::Restore => {
            expect(&before, AccountState::Suspended, "This account is not suspended.")?;
            accounts::set_state(tx, id, AccountState::Active).await?;
            moved = Some(AccountStateChange::publish(hub, tx, id, before.namespace).await?);
            ("account.restore", json!({}))
        }
        AccountModeration::Delete => {
            if before.state == AccountState::Leaving {
                return Err(Refusal::conflict("This account is being deleted already.").into());
            }
            accounts::set_purge_at(tx, id, Some(hub.env().now() + DELETION_GRACE)).await?;
            sessions::delete_by_account(tx, id, None).await?;
            moved = Some(AccountStateChange::publish(hub, tx, id, before.namespace).await?);
            ("account.delete", json!({}))
        }
        AccountModeration::SetRole(role) => {
            expect(&before, AccountState::Active, "The role can be changed only for an active account.")?;
            accounts::set_role(tx, id, role).await?;
            ("account.role", json!({ "from": before.role.as_str(), "to": role.as_str() }))
        }
    };
    if before.role == Role::Admin {
        keep_an_administrator(tx).await?;
    }
    Ok(Moderation { action, change, moved })
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
