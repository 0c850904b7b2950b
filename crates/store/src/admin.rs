//! Queries of the administration pages: counts, and paged lists over all rows.

use plexus_domain::{
    AccountId, AgentId, Digest, HubRowId, Name, ProcessId, RunId, Timestamp,
    account::Role,
    agent::{Connector, Visibility},
};
use serde_json::Value;
use sqlx::{query_as, query_scalar};

use crate::{
    Conn, Result,
    accounts::{self, AccountState},
    agents::AgentState,
    conn::{DriverConn, on},
    sql_types::record,
};

record! {
    /// Totals for the overview page.
    pub struct Counts {
        /// Accounts in any state except deleted.
        pub accounts: u64,
        /// Accounts that wait for approval by an administrator.
        pub waiting: u64,
        pub agents: u64,
        /// Agents with an origin that is neither verified nor trusted.
        pub unverified: u64,
        /// Runs that are queued or working now.
        pub running: u64,
        /// Runs created since the requested time; `failed` counts those of them that failed.
        pub runs: u64,
        pub failed: u64,
    }
}

record! {
    pub struct PersonRow {
        pub id: AccountId,
        pub name: Name,
        pub role: Role,
        pub state: AccountState,
        pub prefs: Value,
        pub created_at: Timestamp,
        /// Latest activity of the remaining sessions.
        pub last_seen_at: Option<Timestamp>,
        pub agents: u64,
    }
}

record! {
    pub struct AgentRow {
        pub id: AgentId,
        pub owner: Name,
        pub name: Name,
        pub listing_id: Option<String>,
        pub visibility: Visibility,
        pub state: AgentState,
        pub summary: Option<Value>,
        pub connector: Option<Connector>,
        /// Origins that are neither verified nor trusted.
        pub unproved: u64,
        pub runs: u64,
        pub failed: u64,
    }
}

record! {
    /// An origin that administrators trust without verification.
    pub struct TrustedOriginRow {
        pub origin: String,
        pub agents: u64,
        pub trusted_at: Timestamp,
        pub note: String,
        /// The administrator, unless the account was deleted.
        pub trusted_by: Option<Name>,
    }
}

record! {
    pub struct InviteRow {
        pub hash: Digest,
        pub invited_by: Name,
        pub expires_at: Timestamp,
        pub used_at: Option<Timestamp>,
        /// The account that signed up with it, unless it was deleted.
        pub used_by: Option<Name>,
    }
}

/// Row range of a paged list: offset and limit.
#[derive(Clone, Copy, Debug)]
pub struct RowRange {
    pub skip: u64,
    pub take: u16,
}

impl RowRange {
    pub(crate) fn skip(self) -> i64 {
        i64::try_from(self.skip).unwrap_or(i64::MAX)
    }
}

/// Returns the totals. `since` is compared with the creation time in the run ids.
pub async fn counts(conn: &mut Conn, since: Timestamp) -> Result<Counts> {
    // Repeats the condition of the partial index on running runs verbatim, so that SQLite uses the index.
    let text = "select \
        (select count(*) from accounts where state <> 'deleted') as accounts, \
        (select count(*) from accounts where state = 'pending') as waiting, \
        (select count(*) from agents where hub = $1 and state <> 'deleted') as agents, \
        (select count(distinct p.agent) from origin_verifications p join agents a on a.id = p.agent \
            where a.hub = $1 and a.state <> 'deleted' and (p.verified_at is null or p.failed_at is not null) \
            and not exists (select 1 from trusted_origins v where v.origin = p.origin)) as unverified, \
        (select count(*) from runs where state in ('queued', 'working', 'input_required', 'auth_required') \
            and state in ('queued', 'working')) as running, \
        (select count(*) from runs where id >= $2) as runs, \
        (select count(*) from runs where id >= $2 and state = 'failed') as failed";
    let first = RunId::new(since, &[0; 10]).uuid();
    on!(conn, c => query_as(text).bind(HubRowId::SELF.uuid()).bind(first).fetch_one(c))
}

/// Returns the name and version of the database, such as "SQLite 3.50.4" or "Postgres 15.8".
pub async fn database(conn: &mut Conn) -> Result<String> {
    let (kind, version) = match conn.raw() {
        DriverConn::Sqlite(c) => {
            ("SQLite", query_scalar::<_, String>("select sqlite_version()").fetch_one(c).await)
        }
        DriverConn::Postgres(c) => ("Postgres", query_scalar("show server_version").fetch_one(c).await),
    };
    let version = conn.note(version)?;
    Ok(format!("{kind} {}", version.split(' ').next().unwrap_or_default()))
}

/// Returns the start time of an instance.
pub async fn started(conn: &mut Conn, process: ProcessId) -> Result<Option<Timestamp>> {
    let text = "select started_at from instances where id = $1";
    let found: Option<i64> = on!(conn, c => query_scalar(text).bind(process.uuid()).fetch_optional(c))?;
    Ok(found.map(Timestamp::from_millis))
}

/// Counts the accounts whose name contains `words`.
pub async fn count_people(conn: &mut Conn, words: &str) -> Result<u64> {
    let text = "select count(*) from accounts a join namespaces n on n.id = a.namespace \
                where a.state <> 'deleted' and n.name_folded like $1 escape '!'";
    let found: i64 = on!(conn, c => query_scalar(text).bind(pattern(words)).fetch_one(c))?;
    Ok(found.unsigned_abs())
}

macro_rules! select_people {
    ($rest:literal) => {
        concat!(
            "select accounts.id, n.name, accounts.role, ",
            accounts::state!(),
            " as state, accounts.prefs, accounts.created_at, \
            case when accounts.last_seen_at > \
                coalesce((select max(s.last_seen_at) from sessions s where s.account = accounts.id), 0) \
                then accounts.last_seen_at \
                else (select max(s.last_seen_at) from sessions s where s.account = accounts.id) end as last_seen_at, \
            (select count(*) from agents g where g.namespace = accounts.namespace and g.state <> 'deleted') as agents \
            from accounts join namespaces n on n.id = accounts.namespace where accounts.state <> 'deleted' ",
            $rest
        )
    };
}

/// Lists accounts whose name contains `words`: pending ones first, then the newest.
pub async fn people(conn: &mut Conn, words: &str, slice: RowRange) -> Result<Vec<PersonRow>> {
    let text = select_people!(
        "and n.name_folded like $1 escape '!' \
        order by case accounts.state when 'pending' then 0 else 1 end, accounts.id desc limit $2 offset $3"
    );
    on!(conn, c => query_as(text).bind(pattern(words)).bind(i64::from(slice.take)).bind(slice.skip()).fetch_all(c))
}

/// Returns an account, unless it is deleted.
pub async fn person(conn: &mut Conn, id: AccountId) -> Result<Option<PersonRow>> {
    on!(conn, c => query_as(select_people!("and accounts.id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Counts the agents of this hub whose address contains `words`.
pub async fn count_agents(conn: &mut Conn, words: &str) -> Result<u64> {
    let text = "select count(*) from agents where hub = $1 and state <> 'deleted' \
                and '@' || owner_folded || '/' || name_folded like $2 escape '!'";
    let found: i64 =
        on!(conn, c => query_scalar(text).bind(HubRowId::SELF.uuid()).bind(pattern(words)).fetch_one(c))?;
    Ok(found.unsigned_abs())
}

/// Lists matching agents, newest first, with the number of their runs since `since`.
pub async fn agents(
    conn: &mut Conn,
    words: &str,
    since: Timestamp,
    slice: RowRange,
) -> Result<Vec<AgentRow>> {
    let text = "select a.id, a.owner, a.name, a.listing_id, a.visibility, a.state, l.summary, \
        (select v.connector from agent_versions v where v.agent = a.id and v.yanked_reason is null \
            order by v.id desc limit 1) as connector, \
        (select count(*) from origin_verifications p where p.agent = a.id \
            and (p.verified_at is null or p.failed_at is not null) \
            and not exists (select 1 from trusted_origins v where v.origin = p.origin)) as unproved, \
        (select count(*) from runs r where r.agent = a.id and r.queued_at >= $3) as runs, \
        (select count(*) from runs r where r.agent = a.id and r.queued_at >= $3 and r.state = 'failed') as failed \
        from agents a left join listings l on l.agent = a.id \
        where a.hub = $1 and a.state <> 'deleted' \
        and '@' || a.owner_folded || '/' || a.name_folded like $2 escape '!' \
        order by a.id desc limit $4 offset $5";
    on!(conn, c => {
        let query = query_as(text).bind(HubRowId::SELF.uuid()).bind(pattern(words)).bind(since.millis());
        query.bind(i64::from(slice.take)).bind(slice.skip()).fetch_all(c)
    })
}

/// Lists at most `limit` trusted origins, ordered by name.
pub async fn trusted_origins(conn: &mut Conn, limit: u16) -> Result<Vec<TrustedOriginRow>> {
    let text = "select v.origin, (select count(*) from origin_verifications p join agents a on a.id = p.agent \
                where p.origin = v.origin and a.state <> 'deleted') as agents, v.trusted_at, v.note, \
                (select n.name from accounts b join namespaces n on n.id = b.namespace \
                where b.id = v.trusted_by and b.state <> 'deleted') as trusted_by from trusted_origins v order by v.origin limit $1";
    on!(conn, c => query_as(text).bind(i64::from(limit)).fetch_all(c))
}

/// Lists at most `limit` invitations created by accounts, the latest to expire first.
pub async fn invites(conn: &mut Conn, limit: u16) -> Result<Vec<InviteRow>> {
    let text = "select i.hash, n.name as invited_by, i.expires_at, i.used_at, \
                (select m.name from accounts u join namespaces m on m.id = u.namespace \
                where u.id = i.used_by and u.state <> 'deleted') as used_by from invites i \
                join accounts a on a.id = i.invited_by join namespaces n on n.id = a.namespace \
                order by i.expires_at desc, i.hash limit $1";
    on!(conn, c => query_as(text).bind(i64::from(limit)).fetch_all(c))
}

/// Returns a `like` pattern for "contains `words`", with the wildcards in `words` escaped by `!`.
fn pattern(words: &str) -> String {
    let mut pattern = String::from("%");
    for letter in words.to_lowercase().chars().filter(|&letter| letter != '\0') {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}
