//! Storage usage of accounts: sums and counts that are compared with quotas.

use plexus_domain::{AccountId, HubRowId, Name, NamespaceId, PrincipalId};
use sqlx::{query_as, query_scalar};

use crate::{
    Conn, Result,
    conn::{DriverConn, on},
    sql_types::record,
};

/// Unit of quota accounting: whose chats are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// An account, or all anonymous callers together.
    Principal(PrincipalId),
    /// All users of a remote hub together.
    Hub(HubRowId),
    /// All users of hubs on probation together.
    Probation,
}

record! {
    #[derive(Copy)]
    pub struct Stored {
        pub chats: u64,
        pub bytes: u64,
    }
}

record! {
    /// An account in the list of the largest storage users.
    pub struct Top {
        pub account: AccountId,
        pub name: Name,
        pub chats: u64,
        pub bytes: u64,
        pub agents: u64,
    }
}

/// Returns the number of chats of a holder and their size in bytes.
pub async fn stored(conn: &mut Conn, holder: Holder) -> Result<Stored> {
    const SUM: &str =
        "select count(*) as chats, cast(coalesce(sum(bytes), 0) as bigint) as bytes from chats ";
    let of = |creators: &str| sqlx::AssertSqlSafe(format!("{SUM}where creator {creators}"));
    match holder {
        Holder::Principal(principal) => {
            on!(conn, c => query_as(of("= $1")).bind(principal.uuid()).fetch_one(c))
        }
        Holder::Hub(hub) => {
            let creators = "in (select p.id from principals p where p.hub = $1)";
            on!(conn, c => query_as(of(creators)).bind(hub.uuid()).fetch_one(c))
        }
        Holder::Probation => {
            let creators = "in (select p.id from principals p join hubs h on h.id = p.hub \
                            where h.state = 'probation')";
            on!(conn, c => query_as(of(creators)).fetch_one(c))
        }
    }
}

/// Returns the number of all chats and their size in bytes. Reads every chat.
pub async fn total(conn: &mut Conn) -> Result<Stored> {
    let text = "select count(*) as chats, cast(coalesce(sum(bytes), 0) as bigint) as bytes from chats";
    on!(conn, c => query_as(text).fetch_one(c))
}

/// Lists the accounts with the most bytes, largest first. Reads every chat.
pub async fn top(conn: &mut Conn, limit: u16) -> Result<Vec<Top>> {
    let text = "select a.id as account, n.name, s.chats, s.bytes, \
                (select count(*) from agents g where g.namespace = a.namespace and g.state <> 'deleted') as agents from \
                (select creator, count(*) as chats, cast(sum(bytes) as bigint) as bytes from chats \
                    group by creator) s \
                join principals p on p.id = s.creator join accounts a on a.id = p.account \
                join namespaces n on n.id = a.namespace order by s.bytes desc, a.id limit $1";
    on!(conn, c => query_as(text).bind(i64::from(limit)).fetch_all(c))
}

/// Counts the agents of a namespace.
pub async fn agents(conn: &mut Conn, namespace: NamespaceId) -> Result<u64> {
    let text = "select count(*) from agents where namespace = $1 and state <> 'deleted'";
    let count: i64 = on!(conn, c => query_scalar(text).bind(namespace.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Counts the versions of all agents of a namespace. Includes deleted agents, because their cards stay.
pub async fn versions(conn: &mut Conn, namespace: NamespaceId) -> Result<u64> {
    let text = "select count(*) from agent_versions v join agents a on a.id = v.agent where a.namespace = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(namespace.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Counts the agents of this hub, without its built-in ones.
pub async fn agents_total(conn: &mut Conn) -> Result<u64> {
    let text = "select count(*) from agents a join namespaces n on n.id = a.namespace \
                where a.hub = $1 and n.kind <> 'system' and a.state <> 'deleted'";
    let count: i64 = on!(conn, c => query_scalar(text).bind(HubRowId::SELF.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Counts the unfinished registration drafts of an account.
pub async fn drafts(conn: &mut Conn, account: AccountId) -> Result<u64> {
    let text = "select count(*) from registration_drafts where account = $1 and step <> 'done'";
    let count: i64 = on!(conn, c => query_scalar(text).bind(account.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Counts the tokens that an account created, without tokens issued for OAuth grants.
pub async fn tokens(conn: &mut Conn, account: AccountId) -> Result<u64> {
    let text =
        "select count(*) from api_tokens where account = $1 and id not in (select token from oauth_tokens)";
    let count: i64 = on!(conn, c => query_scalar(text).bind(account.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Returns the size of the database on disk in bytes, including free pages.
pub async fn database(conn: &mut Conn) -> Result<u64> {
    let found: Result<i64, sqlx::Error> = match conn.raw() {
        DriverConn::Sqlite(c) => {
            let text = "select c.page_count * s.page_size from pragma_page_count() c, pragma_page_size() s";
            query_scalar(text).fetch_one(c).await
        }
        DriverConn::Postgres(c) => {
            query_scalar("select pg_database_size(current_database())").fetch_one(c).await
        }
    };
    Ok(conn.note(found)?.unsigned_abs())
}
