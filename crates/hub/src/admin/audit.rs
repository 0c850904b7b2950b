//! Queries of the audit log.

use plexus_domain::{AccountId, AgentId, Name, Timestamp, account::Role};
use plexus_store::{
    Conn, accounts,
    accounts::AccountState,
    agents,
    audit::{self, AuditEntry, AuditFilter},
    namespaces,
};
use serde_json::Value;

use crate::{
    Caller, Hub, Result,
    audit::account_target,
    paging::{Page, slice},
};

/// One audit entry, formatted for display.
pub struct AuditRow {
    pub at: Timestamp,
    /// `@name` of an account, else the stored text.
    pub actor: String,
    pub action: String,
    pub target: String,
    /// Names and values of the change.
    pub change: Vec<(String, String)>,
    /// The id of the HTTP request; empty if there was none.
    pub request: String,
}

/// A page of the audit log, and the actions that it can be filtered by.
pub struct AuditLog {
    pub page: Page<AuditRow>,
    pub actions: Vec<String>,
}

/// Lists audit entries, the newest first. `actor` is a name or a word such as `cli`. Empty filters match
/// everything.
pub async fn list_audit(
    hub: &Hub,
    caller: &Caller,
    actor: &str,
    action: &str,
    page: u32,
) -> Result<AuditLog> {
    caller.require(Role::Admin)?;
    let mut conn = hub.store().snapshot().await?;
    let actor = written(&mut conn, actor.trim().trim_start_matches('@')).await?;
    let wanted = AuditFilter { actor: &actor, action: action.trim() };
    let total = audit::count(&mut conn, wanted).await?;
    let mut rows = Vec::new();
    for entry in audit::slice(&mut conn, wanted, slice(page, total)).await? {
        rows.push(row(&mut conn, entry).await?);
    }
    Ok(AuditLog { page: Page { rows, total }, actions: audit::actions(&mut conn).await? })
}

/// Returns the actor as it is stored in the log.
async fn written(conn: &mut Conn, actor: &str) -> Result<String> {
    let account = match actor.parse::<Name>() {
        Ok(name) => accounts::by_name(conn, &name).await?,
        Err(_) => None,
    };
    Ok(account.map_or_else(|| actor.to_owned(), |account| account_target(account.id)))
}

async fn row(conn: &mut Conn, entry: AuditEntry) -> Result<AuditRow> {
    Ok(AuditRow {
        at: entry.recorded_at,
        actor: named(conn, &entry.actor).await?,
        target: named(conn, &entry.target).await?,
        action: entry.action,
        change: change(&entry.change),
        request: entry.request,
    })
}

/// Replaces `account:…` and `agent:…` by current names if they exist; other text is unchanged.
async fn named(conn: &mut Conn, word: &str) -> Result<String> {
    let found = match word.split_once(':') {
        Some(("account", id)) => account(conn, id.parse().ok()).await?,
        Some(("agent", id)) => agent(conn, id.parse().ok()).await?,
        _ => None,
    };
    Ok(found.unwrap_or_else(|| word.to_owned()))
}

async fn account(conn: &mut Conn, id: Option<AccountId>) -> Result<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    let Some(account) = accounts::find(conn, id).await? else { return Ok(None) };
    if account.state == AccountState::Deleted {
        return Ok(Some("deleted account".to_owned()));
    }
    let namespace = namespaces::find(conn, account.namespace).await?;
    Ok(namespace.map(|namespace| format!("@{}", namespace.name)))
}

async fn agent(conn: &mut Conn, id: Option<AgentId>) -> Result<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    Ok(agents::find(conn, id).await?.map(|agent| agent.address().to_string()))
}

fn change(change: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = change.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), word(value)));
    pairs.filter(|(_, value)| !value.is_empty()).collect()
}
