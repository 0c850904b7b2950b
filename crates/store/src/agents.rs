//! Agents of this hub and of remote hubs.

use plexus_domain::{
    Address, AgentId, HubRowId, Name, NamespaceId, PrincipalId, Timestamp,
    agent::{AgentAccess, Visibility},
    page::PageSize,
};
use sqlx::{QueryBuilder, query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_in_list,
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    pub enum AgentState {
        Active = "active",
        /// Paused by its owner.
        Paused = "paused",
        /// The account of its owner is not active or has requested its deletion. Derived from the account;
        /// never written.
        Hidden = "hidden",
        /// Deleted. The row stays because other rows reference it, and its address stays reserved.
        Deleted = "deleted",
    }
}

record! {
    pub struct Agent {
        pub id: AgentId,
        pub hub: HubRowId,
        /// Hub part of its address: the verified domain, else the PeerId. `None` for this hub.
        /// Derived from the `hubs` table; never written.
        pub home: Option<String>,
        pub owner: Name,
        pub name: Name,
        /// Listing id `pl1…`, derived from the key of the agent.
        pub listing_id: Option<String>,
        /// `None` for agents of remote hubs.
        pub namespace: Option<NamespaceId>,
        pub visibility: Visibility,
        pub access: AgentAccess,
        pub state: AgentState,
        pub created_at: Timestamp,
    }
}

impl Agent {
    /// Returns whether only its owner and the users that the owner named may see and call the agent.
    pub fn is_restricted(&self) -> bool {
        self.access == AgentAccess::Listed
    }

    /// Returns the full address.
    pub fn address(&self) -> Address {
        Address { owner: self.owner.clone(), name: self.name.clone(), hub: self.home.clone() }
    }

    /// Returns the seed of the identicon: the listing id, which does not change when keys are rotated.
    pub fn identicon_seed(&self) -> String {
        self.listing_id.clone().unwrap_or_else(|| self.id.to_string())
    }

    /// Returns whether the lists and the search of this hub show the agent to all callers.
    pub fn is_listed(&self) -> bool {
        self.visibility.is_listed() && !self.is_restricted()
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, hub, (select coalesce(hubs.domain, hubs.hub_key) from hubs \
                 where hubs.id = agents.hub and hubs.state <> 'self') as home, \
             owner, name, listing_id, namespace, visibility, access, \
             case when state <> 'deleted' and exists (select 1 from accounts \
                 where accounts.namespace = agents.namespace \
                 and (accounts.state <> 'active' or accounts.purge_at is not null)) \
             then 'hidden' else state end as state, created_at from agents ",
            $rest
        )
    };
}

/// Inserts an agent. Returns a conflict if its address is taken.
pub async fn insert(tx: &mut Tx, new: &Agent) -> Result<()> {
    insert_under(tx, new, &new.name.canonical()).await
}

/// Inserts an agent with `folded` as the name that is unique under its owner.
pub(crate) async fn insert_under(tx: &mut Tx, new: &Agent, folded: &str) -> Result<()> {
    let text = "insert into agents (id, hub, owner, owner_folded, name, name_folded, listing_id, namespace, \
                visibility, access, state, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.hub.uuid())
            .bind(new.owner.as_str())
            .bind(new.owner.canonical())
            .bind(new.name.as_str())
            .bind(folded)
            .bind(new.listing_id.as_deref())
            .bind(new.namespace.to_column())
            .bind(new.visibility.as_str())
            .bind(new.access.as_str())
            .bind(new.state.as_str())
            .bind(new.created_at.millis())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: AgentId) -> Result<Option<Agent>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Returns the agent with this principal.
pub async fn by_principal(conn: &mut Conn, principal: PrincipalId) -> Result<Option<Agent>> {
    let text = select!("where id = (select agent from principals where principals.id = $1)");
    on!(conn, c => query_as(text).bind(principal.uuid()).fetch_optional(c))
}

pub async fn by_address(conn: &mut Conn, hub: HubRowId, owner: &Name, name: &Name) -> Result<Option<Agent>> {
    let text = select!("where hub = $1 and owner_folded = $2 and name_folded = $3");
    on!(conn, c => query_as(text).bind(hub.uuid()).bind(owner.canonical()).bind(name.canonical()).fetch_optional(c))
}

/// Returns the agent at an address of this hub or of a remote hub.
pub async fn at(conn: &mut Conn, address: &Address) -> Result<Option<Agent>> {
    let Some(hub) = &address.hub else {
        return by_address(conn, HubRowId::SELF, &address.owner, &address.name).await;
    };
    let text = select!(
        "where owner_folded = $2 and name_folded = $3 \
         and hub in (select hubs.id from hubs where hubs.domain = $1 or hubs.hub_key = $1)"
    );
    on!(conn, c => query_as(text)
        .bind(hub_name(hub))
        .bind(address.owner.canonical())
        .bind(address.name.canonical())
        .fetch_optional(c))
}

/// Returns the hub part of an address as it is stored: a domain, which has a dot, has no capital letters.
fn hub_name(hub: &str) -> String {
    if hub.contains('.') { hub.to_ascii_lowercase() } else { hub.to_owned() }
}

/// Lists at most `limit` active agents of all owners that have this name, and that are listed for all callers or
/// restricted to users among which `principal` is.
pub async fn list_by_name(
    conn: &mut Conn,
    hub: HubRowId,
    name: &Name,
    principal: PrincipalId,
    limit: i64,
) -> Result<Vec<Agent>> {
    let text = select!(
        "where hub = $1 and name_folded = $2 and state = 'active' \
         and case access when 'listed' then id in (select target from grants where principal = $3) \
             else visibility in ('public', 'federated') end \
         order by owner_folded limit $4"
    );
    on!(conn, c => query_as(text)
        .bind(hub.uuid())
        .bind(name.canonical())
        .bind(principal.uuid())
        .bind(limit)
        .fetch_all(c))
}

pub async fn by_listing_id(conn: &mut Conn, listing_id: &str) -> Result<Option<Agent>> {
    on!(conn, c => query_as(select!("where listing_id = $1")).bind(listing_id).fetch_optional(c))
}

/// Lists the agents in `wanted` that exist, in no particular order.
pub async fn list(conn: &mut Conn, wanted: &[AgentId]) -> Result<Vec<Agent>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query = QueryBuilder::new(select!("where id in "));
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found)
}

/// Lists the agents of a namespace that are not deleted, newest first.
pub async fn list_by_namespace(conn: &mut Conn, namespace: NamespaceId) -> Result<Vec<Agent>> {
    let text = select!("where namespace = $1 and state <> 'deleted' order by id desc");
    on!(conn, c => query_as(text).bind(namespace.uuid()).fetch_all(c))
}

/// Lists the restricted active agents that a user may see: those of its namespace, and those that name it.
pub async fn list_restricted(
    conn: &mut Conn,
    namespace: NamespaceId,
    principal: PrincipalId,
) -> Result<Vec<AgentId>> {
    let text = "select id from agents where access = 'listed' and state = 'active' \
                and (namespace = $1 or id in (select target from grants where principal = $2)) order by id desc";
    let found: Vec<uuid::Uuid> = on!(conn, c => query_scalar(text)
        .bind(namespace.uuid())
        .bind(principal.uuid())
        .fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}

/// Sets the listing id of an agent that has none yet.
pub async fn set_listing_id(tx: &mut Tx, id: AgentId, listing_id: &str) -> Result<bool> {
    let text = "update agents set listing_id = $2 where id = $1 and listing_id is null";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(listing_id))? > 0)
}

/// Lists one page of [`list_by_namespace`], after the agent `after`.
pub async fn page_by_namespace(
    conn: &mut Conn,
    namespace: NamespaceId,
    after: Option<AgentId>,
    size: PageSize,
) -> Result<Vec<Agent>> {
    let before = after.map_or_else(uuid::Uuid::max, AgentId::uuid);
    let text = select!("where namespace = $1 and state <> 'deleted' and id < $2 order by id desc limit $3");
    on!(conn, c => query_as(text)
        .bind(namespace.uuid())
        .bind(before)
        .bind(i64::from(size.rows()))
        .fetch_all(c))
}

pub async fn set_visibility(tx: &mut Tx, id: AgentId, visibility: Visibility) -> Result<bool> {
    let text = "update agents set visibility = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(visibility.as_str()))? > 0)
}

pub async fn set_access(tx: &mut Tx, id: AgentId, access: AgentAccess) -> Result<bool> {
    let text = "update agents set access = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(access.as_str()))? > 0)
}

/// Returns whether users who may use the agent may copy it.
pub async fn allows_copies(conn: &mut Conn, id: AgentId) -> Result<bool> {
    let text = "select allows_copies from agents where id = $1";
    let found: Option<i64> = on!(conn, c => query_scalar(text).bind(id.uuid()).fetch_optional(c))?;
    Ok(found == Some(1))
}

pub async fn set_allows_copies(tx: &mut Tx, id: AgentId, allowed: bool) -> Result<bool> {
    let text = "update agents set allows_copies = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(i64::from(allowed)))? > 0)
}

/// Sets the state of an agent. A deleted agent stays deleted.
pub async fn set_state(tx: &mut Tx, id: AgentId, state: AgentState) -> Result<bool> {
    let text = "update agents set state = $2 where id = $1 and state <> 'deleted'";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(state.as_str()))? > 0)
}

/// Sets why moderators paused an agent; `None` if they do not any more.
pub async fn set_moderation_reason(tx: &mut Tx, id: AgentId, reason: Option<&str>) -> Result<()> {
    let text = "update agents set moderation_reason = $2 where id = $1";
    execute!(tx, query(text).bind(id.uuid()).bind(reason.map(clean)))?;
    Ok(())
}

/// Returns why moderators paused an agent. `None` if they did not.
pub async fn moderation_reason(conn: &mut Conn, id: AgentId) -> Result<Option<String>> {
    let text = "select moderation_reason from agents where id = $1";
    let found: Option<Option<String>> = on!(conn, c => query_scalar(text).bind(id.uuid()).fetch_optional(c))?;
    Ok(found.flatten())
}
