//! Signed listings: replicas of those of remote hubs, and those of this hub's own agents.

use plexus_domain::{AgentId, Digest, HubRowId, Name, Timestamp};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    admin::RowRange,
    agents::{self, Agent, AgentState},
    conn::{execute, on},
    listings::ListingState,
    sql_types::{SqlType, record},
};

record! {
    /// Signed listing of an agent.
    pub struct SignedListing {
        pub agent: AgentId,
        pub envelope: Vec<u8>,
        /// Whether the listing is visible.
        pub state: ListingState,
    }
}

record! {
    /// An agent of this hub whose listing changed.
    pub struct ChangedListing {
        pub agent: AgentId,
        pub change: i64,
    }
}

/// Lists at most `limit` signed listings of agents after `after`, ordered by agent id.
pub async fn list(conn: &mut Conn, after: Option<AgentId>, limit: i64) -> Result<Vec<SignedListing>> {
    let text = "select agent, envelope, state from listings where envelope is not null and agent > $1 \
                order by agent limit $2";
    let after = after.map_or_else(uuid::Uuid::nil, AgentId::uuid);
    on!(conn, c => query_as(text).bind(after).bind(limit).fetch_all(c))
}

/// Returns the signed listing of `agent`.
pub async fn find(conn: &mut Conn, agent: AgentId) -> Result<Option<Vec<u8>>> {
    let text = "select envelope from listings where agent = $1";
    let found: Option<Option<Vec<u8>>> =
        on!(conn, c => query_scalar(text).bind(agent.uuid()).fetch_optional(c))?;
    Ok(found.flatten())
}

/// Returns the signed listing with this hash.
pub async fn by_hash(conn: &mut Conn, hash: &Digest) -> Result<Option<Vec<u8>>> {
    let text = "select envelope from listings where hash = $1 and envelope is not null limit 1";
    on!(conn, c => query_scalar(text).bind(hash.to_column()).fetch_optional(c))
}

/// Stores the signed listing of an agent of this hub, signed here or received from a peer.
pub async fn set_own(
    tx: &mut Tx,
    agent: AgentId,
    envelope: &[u8],
    hash: &Digest,
    expires: Option<Timestamp>,
) -> Result<bool> {
    let text = "update listings set envelope = $2, hash = $3, expires_at = $4 where agent = $1";
    let changed = execute!(
        tx,
        query(text).bind(agent.uuid()).bind(envelope).bind(hash.to_column()).bind(expires.to_column())
    )?;
    Ok(changed > 0)
}

/// Lists at most `limit` agents of this hub whose listing changed after change number `n`, in change order.
pub async fn own_changed_since(conn: &mut Conn, n: i64, limit: i64) -> Result<Vec<ChangedListing>> {
    let text = "select l.agent, l.change from listings l join agents a on a.id = l.agent \
                where a.hub = $1 and l.change > $2 order by l.change limit $3";
    on!(conn, c => query_as(text).bind(HubRowId::SELF.uuid()).bind(n).bind(limit).fetch_all(c))
}

/// Lists at most `limit` agents of this hub whose signed listing expires before `before`, the next to expire
/// first.
pub async fn own_expiring(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<ChangedListing>> {
    let text = "select l.agent, l.change from listings l join agents a on a.id = l.agent \
                where l.expires_at < $2 and a.hub = $1 and l.envelope is not null order by l.expires_at limit $3";
    on!(conn, c => query_as(text).bind(HubRowId::SELF.uuid()).bind(before.millis()).bind(limit).fetch_all(c))
}

/// Deletes the signed listing of an agent of this hub.
pub async fn delete_own(tx: &mut Tx, agent: AgentId) -> Result<bool> {
    let text = "update listings set envelope = null, hash = null, expires_at = null where agent = $1";
    Ok(execute!(tx, query(text).bind(agent.uuid()))? > 0)
}

/// Inserts an agent of a remote hub; `stand_in` as in [`ReplicatedAgentAddress`].
pub async fn insert(tx: &mut Tx, new: &Agent, stand_in: Option<&str>) -> Result<()> {
    agents::insert_under(tx, new, &stand_in.map_or_else(|| new.name.canonical(), str::to_owned)).await
}

/// Returns whether an agent of that hub other than `but` has the address.
pub async fn address_taken(
    conn: &mut Conn,
    hub: HubRowId,
    owner: &Name,
    name: &Name,
    but: AgentId,
) -> Result<bool> {
    let text = "select count(*) from agents \
                where hub = $1 and owner_folded = $2 and name_folded = $3 and id <> $4";
    let found: i64 = on!(conn, c => query_scalar(text)
        .bind(hub.uuid())
        .bind(owner.canonical())
        .bind(name.canonical())
        .bind(but.uuid())
        .fetch_one(c))?;
    Ok(found > 0)
}

/// Hub and address of a replicated agent.
pub struct ReplicatedAgentAddress<'a> {
    pub hub: HubRowId,
    pub owner: &'a Name,
    pub name: &'a Name,
    /// Replaces the name if another agent of that hub has the address. No address resolves to it.
    pub stand_in: Option<&'a str>,
}

/// Changes the hub and address of a replicated agent. Its author may move it.
pub async fn set_place(tx: &mut Tx, agent: AgentId, place: &ReplicatedAgentAddress<'_>) -> Result<bool> {
    let text = "update agents set hub = $2, owner = $3, owner_folded = $4, name = $5, name_folded = $6 \
                where id = $1 and namespace is null";
    let name_folded = place.stand_in.map_or_else(|| place.name.canonical(), str::to_owned);
    let changed = execute!(
        tx,
        query(text)
            .bind(agent.uuid())
            .bind(place.hub.uuid())
            .bind(place.owner.as_str())
            .bind(place.owner.canonical())
            .bind(place.name.as_str())
            .bind(name_folded)
    )?;
    Ok(changed > 0)
}

/// Sets the state of a replicated agent. Unlike an agent of this hub, it can be restored after deletion.
pub async fn set_state(tx: &mut Tx, agent: AgentId, state: AgentState) -> Result<bool> {
    let text = "update agents set state = $2 where id = $1 and namespace is null";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(state.as_str()))? > 0)
}

/// Lists at most `limit` visible agents of remote hubs.
pub async fn list_visible(conn: &mut Conn, limit: i64) -> Result<Vec<AgentId>> {
    let text = "select l.agent from listings l join agents a on a.id = l.agent \
                where a.hub <> $1 and l.state = 'live' limit $2";
    let found: Vec<uuid::Uuid> =
        on!(conn, c => query_scalar(text).bind(HubRowId::SELF.uuid()).bind(limit).fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}

/// Counts the visible agents of a hub.
pub async fn count_shown(conn: &mut Conn, hub: HubRowId) -> Result<u64> {
    let text = "select count(*) from agents a join listings l on l.agent = a.id \
                where a.hub = $1 and l.state = 'live' and l.envelope is not null";
    let count: i64 = on!(conn, c => query_scalar(text).bind(hub.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Lists a range of the visible agents of a hub, ordered by address.
pub async fn list_shown_of(conn: &mut Conn, hub: HubRowId, slice: RowRange) -> Result<Vec<AgentId>> {
    let text = "select a.id from agents a join listings l on l.agent = a.id \
                where a.hub = $1 and l.state = 'live' and l.envelope is not null \
                order by a.owner_folded, a.name_folded limit $2 offset $3";
    let found: Vec<uuid::Uuid> = on!(conn, c => query_scalar(text)
        .bind(hub.uuid())
        .bind(i64::from(slice.take))
        .bind(slice.skip())
        .fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}

/// Deletes a replicated agent. If it has a principal or runs, it is only marked as deleted, so that chats
/// keep its name.
pub async fn remove(tx: &mut Tx, agent: AgentId) -> Result<()> {
    let id = agent.uuid();
    execute!(tx, query("delete from listings where agent = $1").bind(id))?;
    let text = "select count(*) from principals where agent = $1";
    let known: i64 = on!(tx, c => query_scalar(text).bind(id).fetch_one(c))?;
    let text = "select count(*) from runs where agent = $1";
    let runs: i64 = on!(tx, c => query_scalar(text).bind(id).fetch_one(c))?;
    if known > 0 || runs > 0 {
        set_state(tx, agent, AgentState::Deleted).await?;
        return Ok(());
    }
    execute!(tx, query("delete from grants where target = $1").bind(id))?;
    execute!(tx, query("delete from agent_versions where agent = $1").bind(id))?;
    execute!(tx, query("delete from agents where id = $1 and namespace is null").bind(id))?;
    Ok(())
}

/// Deletes a card that no version or listing references.
pub async fn drop_card(tx: &mut Tx, card: &Digest) -> Result<bool> {
    let text = "delete from cards where sha256 = $1 \
                and not exists (select 1 from agent_versions where agent_versions.card = cards.sha256) \
                and not exists (select 1 from listings where listings.card = cards.sha256)";
    Ok(execute!(tx, query(text).bind(card.to_column()))? > 0)
}
