//! Entries of the audit log, written in the transaction of the action.

use std::{net::IpAddr, time::Duration};

use plexus_domain::{AccountId, AuditId, Digest, account::Role, sanitized_text};
use plexus_store::{Tx, accounts, audit, audit::AuditEntry, invites};
use serde_json::{Value, json};

use crate::{
    Caller, Hub, Result,
    caller::{AuthMethod, Person},
};

const REQUEST_MAX: usize = 64;

/// An audited action. `request` is the id of the HTTP request, or empty.
pub(crate) struct AuditEvent<'a> {
    pub by: AuditActor,
    pub action: &'a str,
    pub target: String,
    pub change: Value,
    pub request: &'a str,
}

/// Who performed an audited action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuditActor {
    Account(AccountId),
    /// A command on the hub's machine. It has the permissions of an administrator, who did nothing.
    CommandLine,
}

impl AuditActor {
    /// Returns the actor of a request. Fails for callers without an account.
    pub fn of(caller: &Caller) -> Result<Self> {
        Ok(match (&caller.via, &caller.person) {
            (AuthMethod::Operator, _) => Self::CommandLine,
            (_, Some(person)) => Self::Account(person.account),
            (_, None) => Self::Account(caller.person()?.account),
        })
    }

    /// Returns the account, if one performed the action.
    pub const fn account(self) -> Option<AccountId> {
        match self {
            Self::Account(account) => Some(account),
            Self::CommandLine => None,
        }
    }

    fn word(self) -> String {
        match self {
            Self::Account(id) => account_target(id),
            Self::CommandLine => SystemActor::CommandLine.as_str().to_owned(),
        }
    }
}

/// Returns the name under which what a caller writes is stored: `cli` for the operator, who acts with the permissions of
/// `person`.
pub(crate) fn author_name(caller: &Caller, person: &Person) -> String {
    match caller.via {
        AuthMethod::Operator => SystemActor::CommandLine.as_str().to_owned(),
        _ => person.name.to_string(),
    }
}

/// Actor of an audited action that no account performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemActor {
    /// A command on the hub's machine.
    CommandLine,
    /// The hub itself, by a schedule of the operator.
    Schedule,
}

impl SystemActor {
    const fn as_str(self) -> &'static str {
        match self {
            Self::CommandLine => "cli",
            Self::Schedule => "schedule",
        }
    }
}

/// Writes the audit entry of an action that no account performed.
pub(crate) async fn write_system_audit(
    hub: &Hub,
    tx: &mut Tx,
    actor: SystemActor,
    action: &str,
    target: String,
    change: Value,
) -> Result<()> {
    let entry = AuditEntry { change, ..entry(hub, actor.as_str().to_owned(), action, target) };
    Ok(audit::insert(tx, &entry).await?)
}

const FAILED_SIGN_IN: &str = "account.sign_in_failed";
/// Failed sign-ins to one account within this time are one entry.
const FAILURE_WINDOW: Duration = Duration::from_hours(1);
/// How long entries of failed sign-ins are retained. All other entries are retained for ever.
const FAILURES_RETAINED: Duration = Duration::from_hours(90 * 24);

/// Records a sign-in with a wrong password, or to an account that is not active: in the entry of the account's failures of
/// this hour, with their number and the latest address. So an attack from many addresses does not flood the log.
pub(crate) async fn write_failed_sign_in(
    hub: &Hub,
    target: AccountId,
    address: IpAddr,
    reason: &str,
) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    // Concurrent failures count once each.
    accounts::lock(&mut tx, target).await?;
    let (word, since) = (account_target(target), hub.env().now() - FAILURE_WINDOW);
    match audit::latest(&mut tx, &word, FAILED_SIGN_IN, since).await? {
        Some(earlier) => {
            let count = earlier.change.get("count").and_then(Value::as_u64).unwrap_or(1);
            let latest = address.to_string();
            let change =
                json!({ "reason": reason, "count": count.saturating_add(1), "latest_address": latest });
            audit::set_change(&mut tx, earlier.id, &change).await?;
        }
        None => {
            let entry = AuditEntry {
                change: json!({ "reason": reason, "count": 1 }),
                ..entry(hub, format!("address:{address}"), FAILED_SIGN_IN, word)
            };
            audit::insert(&mut tx, &entry).await?;
        }
    }
    Ok(tx.commit().await?)
}

/// Deletes old entries of failed sign-ins. Returns how many.
pub(crate) async fn delete_old_failures(hub: &Hub) -> Result<u64> {
    let mut tx = hub.store().write_background().await?;
    let deleted = audit::delete_before(&mut tx, FAILED_SIGN_IN, hub.env().now() - FAILURES_RETAINED).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Who performs an act of administration.
#[derive(Clone, Copy)]
pub enum Administrator<'a> {
    /// An account with the role; `request` is the id of the HTTP request.
    Account { caller: &'a Caller, request: &'a str },
    /// The operator, on the command line of the hub's machine.
    CommandLine,
}

impl Administrator<'_> {
    /// Fails if the account is no administrator.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Account { caller, .. } => Ok(caller.require(Role::Admin).map(drop)?),
            Self::CommandLine => Ok(()),
        }
    }

    /// Writes the audit entry of an act.
    pub(crate) async fn write_audit(
        self,
        hub: &Hub,
        tx: &mut Tx,
        action: &str,
        target: String,
        change: Value,
    ) -> Result<()> {
        match self {
            Self::Account { caller, request } => {
                caller.require(Role::Admin)?;
                let by = AuditActor::of(caller)?;
                write_audit(hub, tx, AuditEvent { by, action, target, change, request }).await
            }
            Self::CommandLine => {
                write_system_audit(hub, tx, SystemActor::CommandLine, action, target, change).await
            }
        }
    }
}

/// Writes an audit entry.
pub(crate) async fn write_audit(hub: &Hub, tx: &mut Tx, act: AuditEvent<'_>) -> Result<()> {
    let entry = AuditEntry {
        change: act.change,
        request: sanitized_text::ellipsize(act.request, REQUEST_MAX),
        ..entry(hub, act.by.word(), act.action, act.target)
    };
    Ok(audit::insert(tx, &entry).await?)
}

/// Writes the audit entry of an action of an account on itself.
pub(crate) async fn write_account_audit(hub: &Hub, tx: &mut Tx, id: AccountId, action: &str) -> Result<()> {
    Ok(audit::insert(tx, &entry(hub, account_target(id), action, account_target(id))).await?)
}

const INVITE_USED: &str = "invite.use";

/// Records the use of an invitation, in its row and in the audit log.
pub(crate) async fn record_use(hub: &Hub, tx: &mut Tx, invite: &Digest, account_id: AccountId) -> Result<()> {
    invites::set_used_by(tx, invite, account_id).await?;
    let entry = entry(hub, account_target(account_id), INVITE_USED, invitation_target(invite));
    Ok(audit::insert(tx, &entry).await?)
}

/// Returns an entry with the present time, without changed values and without a request.
fn entry(hub: &Hub, actor: String, action: &str, target: String) -> AuditEntry {
    AuditEntry {
        id: hub.env().id(AuditId::new),
        recorded_at: hub.env().now(),
        actor,
        action: action.to_owned(),
        target,
        change: json!({}),
        request: String::new(),
    }
}

/// Returns the target or actor of an entry for an account.
pub(crate) fn account_target(id: AccountId) -> String {
    format!("account:{id}")
}

pub(crate) fn invitation_target(hash: &Digest) -> String {
    format!("invite:{hash}")
}
