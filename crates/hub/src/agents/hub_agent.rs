//! Agents that the hub itself owns: those that are built in, and models that people talk to.

use plexus_domain::{
    AgentId, Error as Refusal, HubRowId, Name, NamespaceId,
    agent::{AgentAccess, Visibility},
};
use plexus_store::{
    Tx,
    agents::{self, Agent, AgentState},
    namespaces,
    namespaces::{Namespace, NamespaceKind},
};

use crate::{Hub, Result, keys};

/// A new agent of the hub.
pub(super) struct HubAgent {
    pub owner: Name,
    pub name: Name,
    pub access: AgentAccess,
}

/// Returns a namespace of the hub, and creates it if it is missing. Fails if an account has its name, which older
/// versions did not reserve.
pub(super) async fn ensure_namespace(hub: &Hub, tx: &mut Tx, name: &Name) -> Result<NamespaceId> {
    if let Some(known) = namespaces::by_name(tx, name).await? {
        if known.kind == NamespaceKind::System {
            return Ok(known.id);
        }
        let words =
            format!("A user of this hub has the name {name}, which the hub needs for its own agents.");
        return Err(Refusal::conflict(words).into());
    }
    let (id, created_at) = (hub.env().id(NamespaceId::new), hub.env().now());
    let new = Namespace { id, name: name.clone(), kind: NamespaceKind::System, created_at, retired_at: None };
    namespaces::insert(tx, &new).await?;
    Ok(id)
}

/// Inserts a public agent with an identity of its own, still without a version.
pub(super) async fn insert(hub: &Hub, tx: &mut Tx, owner: NamespaceId, new: HubAgent) -> Result<Agent> {
    let created_at = hub.env().now();
    let identity = keys::AgentIdentity::new(hub, created_at)?;
    let agent = Agent {
        id: hub.env().id(AgentId::new),
        hub: HubRowId::SELF,
        home: None,
        owner: new.owner,
        name: new.name,
        listing_id: Some(identity.listing.to_string()),
        namespace: Some(owner),
        visibility: Visibility::Public,
        access: new.access,
        state: AgentState::Active,
        created_at,
    };
    agents::insert(tx, &agent).await?;
    identity.keep(hub, tx, agent.id, owner).await?;
    Ok(agent)
}
