//! Writes audit entries, in the transaction of the action.

use std::net::IpAddr;

use plexus_domain::{AccountId, AuditId, Digest, Name, account::Role, sanitized_text};
use plexus_store::{Conn, Tx, accounts, accounts::AccountState, audit, audit::AuditEntry, namespaces};
use serde_json::{Value, json};

use crate::{Caller, Hub, Result, caller::Person};

const REQUEST_MAX: usize = 64;

/// An audited action. `request` is the id of the HTTP request, or empty.
pub(crate) struct AuditEvent<'a> {
    pub by: &'a Person,
    pub action: &'a str,
    pub target: String,
    pub change: Value,
    pub request: &'a str,
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

/// Writes the audit entry of a sign-in with a wrong password, or to an account that is not active.
pub(crate) async fn write_failed_sign_in(
    hub: &Hub,
    target: AccountId,
    address: IpAddr,
    reason: &str,
) -> Result<()> {
    let entry = AuditEntry {
        change: json!({ "reason": reason }),
        ..entry(hub, format!("address:{address}"), "account.sign_in_failed", account(target))
    };
    let mut tx = hub.store().write().await?;
    audit::insert(&mut tx, &entry).await?;
    Ok(tx.commit().await?)
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
                let by = caller.require(Role::Admin)?;
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
        ..entry(hub, account(act.by.account), act.action, act.target)
    };
    Ok(audit::insert(tx, &entry).await?)
}

/// Writes the audit entry of an action of an account on itself.
pub(crate) async fn write_account_audit(hub: &Hub, tx: &mut Tx, id: AccountId, action: &str) -> Result<()> {
    Ok(audit::insert(tx, &entry(hub, account(id), action, account(id))).await?)
}

pub(super) const INVITE_USED: &str = "invite.use";

/// Writes the audit entry for the use of an invitation.
pub(crate) async fn record_use(hub: &Hub, tx: &mut Tx, invite: &Digest, account_id: AccountId) -> Result<()> {
    let entry = entry(hub, account(account_id), INVITE_USED, invitation(invite));
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
pub(crate) fn account(id: AccountId) -> String {
    format!("account:{id}")
}

pub(super) fn invitation(hash: &Digest) -> String {
    format!("invite:{hash}")
}

/// Returns the name of the account that is an entry's actor, unless the account was deleted.
pub(super) async fn actor_name(conn: &mut Conn, entry: &AuditEntry) -> Result<Option<Name>> {
    let Some(id) = actor(entry) else { return Ok(None) };
    account_name(conn, id).await
}

/// Returns the name of an account, unless it was deleted.
pub(crate) async fn account_name(conn: &mut Conn, id: AccountId) -> Result<Option<Name>> {
    let account = accounts::find(conn, id).await?;
    let Some(account) = account.filter(|account| account.state != AccountState::Deleted) else {
        return Ok(None);
    };
    Ok(namespaces::find(conn, account.namespace).await?.map(|namespace| namespace.name))
}

fn actor(entry: &AuditEntry) -> Option<AccountId> {
    entry.actor.strip_prefix("account:")?.parse().ok()
}
