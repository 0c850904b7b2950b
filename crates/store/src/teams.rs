//! Teams: their state for lists and orchestrators, and their signed logs, which are the full record.

use plexus_domain::{ChatId, HubRowId, PrincipalId, ProcessId, Timestamp, chat::Title};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx, chats,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    /// State of a team, as shown in lists.
    pub enum TeamState {
        Forming = "forming",
        Working = "working",
        /// Ended with a result.
        Closed = "closed",
        Failed = "failed",
        Cancelled = "cancelled",
        /// Its home hub does not respond.
        Lost = "lost",
    }
}

record! {
    pub struct Team {
        pub chat: ChatId,
        pub goal: String,
        pub pattern: String,
        pub home_hub: HubRowId,
        pub parent: Option<ChatId>,
        pub depth_left: u32,
        pub limits: Value,
        pub state: TeamState,
        pub deadline: Timestamp,
    }
}

record! {
    /// A team in the team list of a member.
    pub struct TeamListItem {
        pub chat: ChatId,
        pub title: Title,
        pub goal: String,
        pub state: TeamState,
        pub created_at: Timestamp,
    }
}

record! {
    /// An ancestor or descendant of a team.
    pub struct RelatedTeam {
        pub chat: ChatId,
        pub parent: Option<ChatId>,
        pub title: Title,
        pub state: TeamState,
        pub created_at: Timestamp,
    }
}

/// Log entry as written, with the signature of the home hub.
#[derive(Clone, Debug)]
pub struct SignedEntry<'a> {
    pub seq: i64,
    pub author_key: &'a [u8],
    pub prev_hash: &'a [u8],
    pub body: &'a str,
    pub signature: &'a [u8],
}

/// Inserts a team. Its chat must exist.
pub async fn insert(tx: &mut Tx, new: &Team) -> Result<()> {
    let text = "insert into teams (chat, goal, pattern, home_hub, parent, depth_left, limits, state, deadline) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    execute!(
        tx,
        query(text)
            .bind(new.chat.uuid())
            .bind(&new.goal)
            .bind(&new.pattern)
            .bind(new.home_hub.uuid())
            .bind(new.parent.to_column())
            .bind(new.depth_left.to_column())
            .bind(new.limits.to_column())
            .bind(new.state.as_str())
            .bind(new.deadline.millis())
    )?;
    Ok(())
}

pub async fn set_state(tx: &mut Tx, chat: ChatId, state: TeamState) -> Result<()> {
    execute!(
        tx,
        query("update teams set state = $2 where chat = $1").bind(chat.uuid()).bind(state.as_str())
    )?;
    Ok(())
}

/// Lists the unfinished teams of this hub without an orchestrator, each with the principal that launched it.
pub async fn list_unclaimed(conn: &mut Conn, home: HubRowId) -> Result<Vec<(ChatId, PrincipalId)>> {
    let text = "select t.chat, c.creator from teams t join chats c on c.id = t.chat \
                where t.home_hub = $1 and t.state in ('forming', 'working') \
                and not exists (select 1 from team_orchestrators o where o.team = t.chat) order by t.chat";
    let found: Vec<(Uuid, Uuid)> = on!(conn, c => query_as(text).bind(home.uuid()).fetch_all(c))?;
    let read = |(chat, creator)| (ChatId::from_uuid(chat), PrincipalId::from_uuid(creator));
    Ok(found.into_iter().map(read).collect())
}

/// Lists the unfinished teams that an instance has claimed, each with the principal that launched it.
pub async fn list_claimed(conn: &mut Conn, process: ProcessId) -> Result<Vec<(ChatId, PrincipalId)>> {
    let text = "select t.chat, c.creator from team_orchestrators o join teams t on t.chat = o.team \
                join chats c on c.id = t.chat where o.instance = $1 and t.state in ('forming', 'working') \
                order by t.chat";
    let found: Vec<(Uuid, Uuid)> = on!(conn, c => query_as(text).bind(process.uuid()).fetch_all(c))?;
    let read = |(chat, creator)| (ChatId::from_uuid(chat), PrincipalId::from_uuid(creator));
    Ok(found.into_iter().map(read).collect())
}

/// Claims a team for an instance as its orchestrator. Returns false if the team is claimed already or does
/// not exist.
pub async fn claim(tx: &mut Tx, team: ChatId, process: ProcessId) -> Result<bool> {
    let text = "insert into team_orchestrators (team, instance) select chat, $2 from teams where chat = $1 \
                on conflict (team) do nothing";
    Ok(execute!(tx, query(text).bind(team.uuid()).bind(process.uuid()))? > 0)
}

/// Returns the last heartbeat of the latest deleted instance that orchestrated the team, if any.
pub async fn served_until(conn: &mut Conn, team: ChatId) -> Result<Option<Timestamp>> {
    let text = "select served_until from teams where chat = $1";
    let found: Option<Option<i64>> = on!(conn, c => query_scalar(text).bind(team.uuid()).fetch_optional(c))?;
    Ok(found.flatten().map(Timestamp::from_millis))
}

/// Releases the claim of an instance on a team.
pub async fn release_claim(tx: &mut Tx, team: ChatId, process: ProcessId) -> Result<()> {
    let text = "delete from team_orchestrators where team = $1 and instance = $2";
    execute!(tx, query(text).bind(team.uuid()).bind(process.uuid()))?;
    Ok(())
}

/// Counts the unfinished teams that a principal launched, without subteams.
pub async fn count_open(conn: &mut Conn, creator: PrincipalId) -> Result<u64> {
    let text = "select count(*) from teams t join chats c on c.id = t.chat \
                where c.creator = $1 and t.state in ('forming', 'working') and t.parent is null";
    let count: i64 = on!(conn, c => query_scalar(text).bind(creator.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Lists the teams that a principal launched or takes part in, newest first, without subteams.
pub async fn list_by_member(conn: &mut Conn, member: PrincipalId, limit: i64) -> Result<Vec<TeamListItem>> {
    let text = "select t.chat, c.title, t.goal, t.state, c.created_at from teams t \
                join chats c on c.id = t.chat join chat_members m on m.chat = t.chat \
                where m.principal = $1 and m.left_at is null and t.parent is null order by t.chat desc limit $2";
    on!(conn, c => query_as(text).bind(member.uuid()).bind(limit).fetch_all(c))
}

/// Returns the state of a team, or `None` if it does not exist.
pub async fn state(conn: &mut Conn, chat: ChatId) -> Result<Option<TeamState>> {
    let text = "select state from teams where chat = $1";
    let found: Option<String> = on!(conn, c => query_scalar(text).bind(chat.uuid()).fetch_optional(c))?;
    Ok(found.as_deref().and_then(TeamState::parse))
}

/// Lists the descendants of a team (subteams at any depth), oldest first.
pub async fn list_descendants(conn: &mut Conn, chat: ChatId, limit: i64) -> Result<Vec<RelatedTeam>> {
    let text = "with recursive below (chat) as ( \
                    select t.chat from teams t where t.parent = $1 \
                    union all select t.chat from teams t join below b on t.parent = b.chat) \
                select t.chat, t.parent, c.title, t.state, c.created_at from below b \
                join teams t on t.chat = b.chat join chats c on c.id = b.chat order by t.chat limit $2";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(limit).fetch_all(c))
}

/// Lists the ancestors of a team, nearest first.
pub async fn list_ancestors(conn: &mut Conn, chat: ChatId) -> Result<Vec<RelatedTeam>> {
    let text = "with recursive above (chat, parent, level) as ( \
                    select t.chat, t.parent, 0 from teams t where t.chat = $1 \
                    union all select t.chat, t.parent, a.level + 1 from teams t join above a on t.chat = a.parent) \
                select t.chat, t.parent, c.title, t.state, c.created_at from above a \
                join teams t on t.chat = a.chat join chats c on c.id = a.chat where a.level > 0 order by a.level";
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}

/// Appends a log entry and counts its size to the chat of the team. Returns a conflict if the number is
/// taken: another orchestrator is writing to this log.
pub async fn append(tx: &mut Tx, team: ChatId, entry: &SignedEntry<'_>) -> Result<()> {
    let text = "insert into team_log (team, seq, author_key, prev_hash, body, signature) \
                values ($1, $2, $3, $4, $5, $6)";
    execute!(
        tx,
        query(text)
            .bind(team.uuid())
            .bind(entry.seq)
            .bind(entry.author_key.to_vec())
            .bind(entry.prev_hash.to_vec())
            .bind(entry.body.as_bytes().to_vec())
            .bind(entry.signature.to_vec())
    )?;
    chats::add_bytes(tx, team, i64::try_from(entry.body.len()).unwrap_or(i64::MAX)).await
}

/// Returns the bodies of the log entries from number `from` on, in order.
pub async fn log(conn: &mut Conn, team: ChatId, from: u64) -> Result<Vec<Vec<u8>>> {
    let text = "select body from team_log where team = $1 and seq >= $2 order by seq";
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    on!(conn, c => query_scalar(text).bind(team.uuid()).bind(from).fetch_all(c))
}
