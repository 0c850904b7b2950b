//! Namespaces: names that own agents, of a person, an organisation or the hub.

use plexus_domain::{AccountId, Name, NamespaceId, Timestamp};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx, account_erasure,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    pub enum NamespaceKind {
        Person = "person",
        Org = "org",
        /// Namespace of the hub itself.
        System = "system",
    }
}

word_enum! {
    /// Role of an account in a namespace.
    pub enum NamespaceRole {
        Owner = "owner",
        Member = "member",
    }
}

record! {
    pub struct Namespace {
        pub id: NamespaceId,
        pub name: Name,
        pub kind: NamespaceKind,
        pub created_at: Timestamp,
        /// When it was retired. The name of a retired namespace stays taken.
        pub retired_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, name, kind, created_at, retired_at from namespaces ", $rest)
    };
}

/// Inserts a namespace. Returns a conflict if its name is or was in use.
pub async fn insert(tx: &mut Tx, new: &Namespace) -> Result<()> {
    let text = "insert into namespaces (id, name_folded, name, kind, created_at, retired_at) \
                values ($1, $2, $3, $4, $5, $6)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.name.canonical())
            .bind(new.name.as_str())
            .bind(new.kind.as_str())
            .bind(new.created_at.millis())
            .bind(new.retired_at.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: NamespaceId) -> Result<Option<Namespace>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

pub async fn by_name(conn: &mut Conn, name: &Name) -> Result<Option<Namespace>> {
    on!(conn, c => query_as(select!("where name_folded = $1")).bind(name.canonical()).fetch_optional(c))
}

/// Lists the namespaces that an account may act for, oldest first.
/// Returns whether the name was that of an account that was erased.
pub async fn is_retired(conn: &mut Conn, name: &Name) -> Result<bool> {
    let digest = account_erasure::retired_digest(name).to_column();
    let text = "select count(*) from retired_names where digest = $1";
    let found: i64 = on!(conn, c => query_scalar(text).bind(digest).fetch_one(c))?;
    Ok(found > 0)
}

pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Namespace>> {
    let text = select!(
        "where id in (select namespace from namespace_members where account = $1) order by created_at, id"
    );
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

/// Retires a namespace for good.
pub async fn retire(tx: &mut Tx, id: NamespaceId, at: Timestamp) -> Result<bool> {
    let text = "update namespaces set retired_at = $2 where id = $1 and retired_at is null";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))? > 0)
}

/// Adds an account to a namespace, or changes its role.
pub async fn set_role(
    tx: &mut Tx,
    namespace: NamespaceId,
    account: AccountId,
    role: NamespaceRole,
) -> Result<()> {
    let text = "insert into namespace_members (namespace, account, role) values ($1, $2, $3) \
                on conflict (namespace, account) do update set role = excluded.role";
    execute!(tx, query(text).bind(namespace.uuid()).bind(account.uuid()).bind(role.as_str()))?;
    Ok(())
}

pub async fn remove_member(tx: &mut Tx, namespace: NamespaceId, account: AccountId) -> Result<bool> {
    let text = "delete from namespace_members where namespace = $1 and account = $2";
    Ok(execute!(tx, query(text).bind(namespace.uuid()).bind(account.uuid()))? > 0)
}

pub async fn role_of(
    conn: &mut Conn,
    namespace: NamespaceId,
    account: AccountId,
) -> Result<Option<NamespaceRole>> {
    let text = "select role from namespace_members where namespace = $1 and account = $2";
    let role: Option<String> =
        on!(conn, c => query_scalar(text).bind(namespace.uuid()).bind(account.uuid()).fetch_optional(c))?;
    Ok(role.as_deref().and_then(NamespaceRole::parse))
}
