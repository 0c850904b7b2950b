//! Principals: members, authors and callers.

use plexus_domain::{AccountId, AgentId, HubRowId, Name, Principal, PrincipalId};
use serde_json::Value;
use sqlx::{QueryBuilder, query, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Error, Result, Tx,
    conn::{execute, on},
    sql_in_list,
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    /// Kind of a principal. It determines which other columns are set.
    enum PrincipalKind {
        Account = "account",
        Agent = "agent",
        Remote = "remote",
        Anonymous = "anonymous",
    }
}

record! {
    /// Columns of a principal.
    struct Row {
        id: PrincipalId,
        kind: PrincipalKind,
        account: Option<AccountId>,
        agent: Option<AgentId>,
        hub: Option<HubRowId>,
        pseudonym: Option<String>,
        label: Option<String>,
    }
}

impl Row {
    fn new(id: PrincipalId, principal: &Principal) -> Self {
        let empty = Self {
            id,
            kind: PrincipalKind::Anonymous,
            account: None,
            agent: None,
            hub: None,
            pseudonym: None,
            label: None,
        };
        match principal {
            Principal::Account { account } => {
                Self { kind: PrincipalKind::Account, account: Some(*account), ..empty }
            }
            Principal::Agent { agent } => Self { kind: PrincipalKind::Agent, agent: Some(*agent), ..empty },
            Principal::Remote { hub, pseudonym } => Self {
                kind: PrincipalKind::Remote,
                hub: Some(*hub),
                pseudonym: Some(clean(pseudonym)),
                ..empty
            },
            Principal::Anonymous => empty,
            Principal::Imported { label } => Self { label: Some(clean(label)), ..empty },
        }
    }

    /// Exhaustive: a check constraint of the table restricts the columns to these shapes.
    fn principal(self) -> Principal {
        match (self.account, self.agent, self.hub, self.pseudonym, self.label) {
            (Some(account), ..) => Principal::Account { account },
            (_, Some(agent), ..) => Principal::Agent { agent },
            (_, _, Some(hub), Some(pseudonym), _) => Principal::Remote { hub, pseudonym },
            (.., Some(label)) => Principal::Imported { label },
            _ => Principal::Anonymous,
        }
    }
}

record! {
    /// A principal with its display name. Deleted accounts and their agents have no name.
    pub struct NamedPrincipal {
        pub id: PrincipalId,
        pub agent: Option<AgentId>,
        pub listing_id: Option<String>,
        /// Owner of the agent.
        pub owner: Option<Name>,
        /// Hub part of the agent's address; `None` for this hub.
        pub home: Option<String>,
        /// Name of the agent or of the account.
        pub name: Option<Name>,
        /// Summary in the agent's listing.
        pub summary: Option<Value>,
        pub pseudonym: Option<String>,
        pub anonymous: bool,
        /// Service and model, for an author of imported messages.
        pub label: Option<String>,
    }
}

/// Returns the id of a principal; inserts it with id `new` if it has none.
pub async fn ensure(tx: &mut Tx, principal: &Principal, new: PrincipalId) -> Result<PrincipalId> {
    if let Some(id) = id_of(tx, principal).await? {
        return Ok(id);
    }
    let row = Row::new(new, principal);
    let text = "insert into principals (id, kind, account, agent, hub, pseudonym, label) \
                values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing";
    execute!(
        tx,
        query(text)
            .bind(row.id.uuid())
            .bind(row.kind.as_str())
            .bind(row.account.to_column())
            .bind(row.agent.to_column())
            .bind(row.hub.to_column())
            .bind(row.pseudonym.as_deref())
            .bind(row.label.as_deref())
    )?;
    // A concurrent transaction may have inserted it first; its id wins.
    id_of(tx, principal).await?.ok_or_else(|| Error::conflict("the id of a principal is taken"))
}

pub async fn id_of(conn: &mut Conn, principal: &Principal) -> Result<Option<PrincipalId>> {
    let id = match principal {
        Principal::Account { account } => {
            let text = "select id from principals where account = $1";
            on!(conn, c => query_scalar(text).bind(account.uuid()).fetch_optional(c))?
        }
        Principal::Agent { agent } => {
            let text = "select id from principals where agent = $1";
            on!(conn, c => query_scalar(text).bind(agent.uuid()).fetch_optional(c))?
        }
        Principal::Remote { hub, pseudonym } => {
            let text = "select id from principals where hub = $1 and pseudonym = $2";
            on!(conn, c => query_scalar(text).bind(hub.uuid()).bind(clean(pseudonym)).fetch_optional(c))?
        }
        Principal::Anonymous => find_anonymous(conn, "").await?,
        Principal::Imported { label } => find_anonymous(conn, &clean(label)).await?,
    };
    Ok(id.map(PrincipalId::from_uuid))
}

/// Returns the anonymous principal with this label; empty for callers without identity.
async fn find_anonymous(conn: &mut Conn, label: &str) -> Result<Option<Uuid>> {
    let text = "select id from principals where kind = 'anonymous' and coalesce(label, '') = $1";
    on!(conn, c => query_scalar(text).bind(label).fetch_optional(c))
}

pub async fn find(conn: &mut Conn, id: PrincipalId) -> Result<Option<Principal>> {
    Ok(list(conn, &[id]).await?.pop().map(|(_, principal)| principal))
}

/// Returns the principals in `wanted` that exist, in no particular order.
pub async fn list(conn: &mut Conn, wanted: &[PrincipalId]) -> Result<Vec<(PrincipalId, Principal)>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found: Vec<Row> = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query =
                QueryBuilder::new("select id, kind, account, agent, hub, pseudonym, label from principals where id in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found.into_iter().map(|row| (row.id, row.principal())).collect())
}

/// Returns the principals in `wanted` that exist, with display names, in no particular order.
pub async fn list_named(conn: &mut Conn, wanted: &[PrincipalId]) -> Result<Vec<NamedPrincipal>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query = QueryBuilder::new(
                "select principals.id, agents.id as agent, agents.listing_id, \
                 case when owners.state = 'deleted' then null else agents.owner end as owner, \
                 (select coalesce(hubs.domain, hubs.hub_key) from hubs \
                     where hubs.id = agents.hub and hubs.state <> 'self') as home, \
                 case when owners.state = 'deleted' then null else coalesce(agents.name, namespaces.name) end as name, listings.summary, principals.pseudonym, \
                 principals.kind = 'anonymous' as anonymous, principals.label from principals \
                 left join agents on agents.id = principals.agent \
                 left join accounts owners on owners.namespace = agents.namespace \
                 left join listings on listings.agent = agents.id \
                 left join accounts on accounts.id = principals.account and accounts.state <> 'deleted' \
                 left join namespaces on namespaces.id = accounts.namespace where principals.id in ",
            );
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found)
}
