//! Accounts: identities that sign in.

use plexus_domain::{AccountId, Name, NamespaceId, PrincipalId, Timestamp, account::Role, page::PageSize};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{DriverConn, execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    pub enum AccountState {
        Active = "active",
        /// Waits for approval by an administrator.
        Pending = "pending",
        Suspended = "suspended",
        /// Deletion was requested by its owner, who can still cancel it.
        /// Derived from `purge_at`; never written.
        Leaving = "leaving",
        /// Erased. The row stays because other rows reference it.
        Deleted = "deleted",
    }
}

record! {
    pub struct Account {
        pub id: AccountId,
        pub namespace: NamespaceId,
        pub email_folded: Option<String>,
        pub role: Role,
        pub state: AccountState,
        pub prefs: Value,
        pub created_at: Timestamp,
        /// When an account in state [`AccountState::Leaving`] is erased.
        pub purge_at: Option<Timestamp>,
    }
}

record! {
    /// Account with its role, principal and namespace, as needed to authenticate a request.
    pub struct AccountIdentity {
        pub account: AccountId,
        pub role: Role,
        pub state: AccountState,
        pub principal: PrincipalId,
        pub namespace: NamespaceId,
        pub name: Name,
    }
}

/// SQL expression for the state of a row of `accounts`: active with `purge_at` set reads as leaving.
macro_rules! state {
    () => {
        "case when accounts.state = 'active' and accounts.purge_at is not null then 'leaving' else accounts.state end"
    };
}
pub(crate) use state;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, namespace, email_folded, role, ",
            state!(),
            " as state, prefs, created_at, purge_at from accounts ",
            $rest
        )
    };
}

/// Inserts an account. Returns a conflict if another account has the namespace or email.
pub async fn insert(tx: &mut Tx, new: &Account) -> Result<()> {
    let text = "insert into accounts (id, namespace, email_folded, role, state, prefs, created_at, purge_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.namespace.uuid())
            .bind(new.email_folded.as_deref())
            .bind(new.role.as_str())
            .bind(new.state.as_str())
            .bind(new.prefs.to_column())
            .bind(new.created_at.millis())
            .bind(new.purge_at.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: AccountId) -> Result<Option<Account>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Locks the account row until this transaction ends.
///
/// Must precede any decision that depends on how much the account has (quotas): prevents a TOCTOU race.
pub async fn lock(tx: &mut Tx, id: AccountId) -> Result<()> {
    let text = "select id from accounts where id = $1 for no key update";
    let result = match tx.raw() {
        // SQLite has a single writer, so no row lock is needed.
        DriverConn::Sqlite(_) => Ok(()),
        DriverConn::Postgres(c) => query(text).bind(id.uuid()).execute(c).await.map(drop),
    };
    tx.note(result)
}

/// SQL columns of an [`AccountIdentity`] except the account id, read from `accounts` joined with `whose!`.
macro_rules! known_by {
    () => {
        concat!(
            "accounts.role, ",
            $crate::accounts::state!(),
            " as state, principals.id as principal, namespaces.id as namespace, namespaces.name"
        )
    };
}
pub(crate) use known_by;

macro_rules! whose {
    () => {
        " join namespaces on namespaces.id = accounts.namespace join principals on principals.account = accounts.id "
    };
}
pub(crate) use whose;

pub async fn identity(conn: &mut Conn, id: AccountId) -> Result<Option<AccountIdentity>> {
    let text = concat!(
        "select accounts.id as account, ",
        known_by!(),
        " from accounts",
        whose!(),
        "where accounts.id = $1"
    );
    on!(conn, c => query_as(text).bind(id.uuid()).fetch_optional(c))
}

pub async fn by_namespace(conn: &mut Conn, namespace: NamespaceId) -> Result<Option<Account>> {
    on!(conn, c => query_as(select!("where namespace = $1")).bind(namespace.uuid()).fetch_optional(c))
}

/// Returns the account whose own namespace has this name.
pub async fn by_name(conn: &mut Conn, name: &Name) -> Result<Option<Account>> {
    let text = select!("where namespace = (select id from namespaces where name_folded = $1)");
    on!(conn, c => query_as(text).bind(name.canonical()).fetch_optional(c))
}

/// Returns the account with this email. The caller must fold `email` the same way as when it was stored.
pub async fn by_email(conn: &mut Conn, email: &str) -> Result<Option<Account>> {
    on!(conn, c => query_as(select!("where email_folded = $1")).bind(email).fetch_optional(c))
}

/// Lists accounts, oldest first, after the account `after`.
pub async fn list(conn: &mut Conn, after: Option<AccountId>, size: PageSize) -> Result<Vec<Account>> {
    let after = after.map_or(uuid::Uuid::nil(), AccountId::uuid);
    let text = select!("where id > $1 order by id limit $2");
    on!(conn, c => query_as(text).bind(after).bind(i64::from(size.rows())).fetch_all(c))
}

/// Counts the active accounts with exactly this role.
pub async fn count_active(conn: &mut Conn, role: Role) -> Result<i64> {
    let text = "select count(*) from accounts where state = 'active' and purge_at is null and role = $1";
    on!(conn, c => query_scalar(text).bind(role.as_str()).fetch_one(c))
}

pub async fn set_role(tx: &mut Tx, id: AccountId, role: Role) -> Result<bool> {
    let text = "update accounts set role = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(role.as_str()))? > 0)
}

pub async fn set_state(tx: &mut Tx, id: AccountId, state: AccountState) -> Result<bool> {
    let text = "update accounts set state = $2 where id = $1 and state <> 'deleted'";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(state.as_str()))? > 0)
}

/// Schedules the erasure of the account; `None` cancels it.
pub async fn set_purge_at(tx: &mut Tx, id: AccountId, at: Option<Timestamp>) -> Result<bool> {
    let text = "update accounts set purge_at = $2 where id = $1 and state <> 'deleted'";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.to_column()))? > 0)
}

/// Lists at most `limit` accounts whose `purge_at` has passed.
pub async fn list_to_erase(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<Account>> {
    let text = select!("where purge_at is not null and purge_at <= $1 order by purge_at, id limit $2");
    on!(conn, c => query_as(text).bind(now.millis()).bind(limit).fetch_all(c))
}

pub async fn set_prefs(tx: &mut Tx, id: AccountId, prefs: &Value) -> Result<bool> {
    let text = "update accounts set prefs = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(prefs.to_column()))? > 0)
}

pub async fn set_email(tx: &mut Tx, id: AccountId, email: Option<&str>) -> Result<bool> {
    let text = "update accounts set email_folded = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(email))? > 0)
}
