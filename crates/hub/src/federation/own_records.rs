//! Records that this hub's key signed and that come from other hubs: the database is an older copy, or another
//! process uses the same key.
//!
//! A newer listing of an agent that is here is stored, and what it ends stays ended. An agent that is not here
//! was published after the copy was made: it is restored for its owner, paused, since its connector is lost.

use plexus_a2a::Card;
use plexus_domain::{
    AgentId, HubRowId, PrincipalId, Timestamp, VersionId,
    agent::{AgentAccess, Connector, Visibility},
    principal::Principal,
};
use plexus_federation::record::{Listing, Status};
use plexus_store::{
    Tx,
    agent_versions::{self, Version},
    agents::{self, Agent, AgentState},
    cards, listings as listing_rows,
    listings::ListingState,
    namespaces, principals, replicated_listings,
};

use super::read_own_id;
use crate::{Hub, Result, keys::AgentIdentity, listings};

/// What this hub has seen of its own key since its start.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnKeyUse {
    /// Newest record from before the start that the database does not have.
    older_copy: Option<Timestamp>,
    /// Newest record that was signed elsewhere since the start.
    elsewhere: Option<Timestamp>,
    /// Addresses of agents that were restored for their owners, at most [`Self::MAX_NAMED`], and their number.
    restored: Vec<String>,
    restored_count: usize,
}

impl OwnKeyUse {
    const MAX_NAMED: usize = 5;

    /// Records the use of the key, and logs the first of its kind.
    pub fn note(&mut self, signed: Timestamp, since_start: bool) {
        let newest = if since_start { &mut self.elsewhere } else { &mut self.older_copy };
        let is_first = newest.is_none();
        *newest = (*newest).max(Some(signed));
        let signed = signed.to_rfc3339();
        match (is_first, since_start) {
            (true, true) => {
                tracing::warn!(signed, "own key used by another process: the data folder is in use twice");
            }
            (true, false) => {
                tracing::warn!(signed, "own records unknown here: the database is an older copy");
            }
            (false, _) => {}
        }
    }

    /// Returns whether another process uses the key now. Nothing is restored or paused then: its agents run there.
    const fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    fn note_restored(&mut self, address: String) {
        self.restored_count += 1;
        if self.restored.len() < Self::MAX_NAMED {
            self.restored.push(address);
        }
    }

    /// Returns the warnings for the administrator.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(at) = self.elsewhere {
            warnings.push(format!(
                "Another process signs with the key of this hub, last at {}: its data folder, or a copy, is in use \
                 twice. Stop one of them, and give a second hub a new data folder.",
                at.to_rfc3339()
            ));
        }
        if let Some(at) = self.older_copy {
            let mut words = format!(
                "Other hubs have records of this hub up to {} that its database does not have: it was restored from \
                 an older copy. Agents that were withdrawn or paused since then stay so.",
                at.to_rfc3339()
            );
            if self.restored_count > 0 {
                let more = self.restored_count - self.restored.len();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                words += &format!(
                    " Agents that were published since then are back, paused and without their connection: {}{more}. \
                     Their owners can delete them, or attach a program to them.",
                    self.restored.join(", ")
                );
            }
            warnings.push(words);
        }
        warnings
    }
}

/// Stores a newer listing of an agent that is here, so that the next signature has a greater number. A tombstone
/// withdraws the agent from other hubs, and a paused listing pauses it. Returns whether the search index must be
/// updated.
pub(super) async fn take_newer(hub: &Hub, tx: &mut Tx, own: &Agent, listing: &Listing) -> Result<bool> {
    let envelope = listing.envelope();
    let expires = envelope.content().map(|content| content.expires);
    replicated_listings::set_own(tx, own.id, &listing.encode(), &listing.hash(), expires).await?;
    if envelope.hub != read_own_id(tx).await? || hub.federation().own_key.lock().is_elsewhere() {
        return Ok(false);
    }
    match (&envelope.status, own.state) {
        (Status::Deleted, _) if own.visibility == Visibility::Federated => {
            agents::set_visibility(tx, own.id, Visibility::Public).await?;
        }
        (Status::Paused(_), AgentState::Active) => {
            agents::set_state(tx, own.id, AgentState::Paused).await?;
            listing_rows::set_state(tx, own.id, ListingState::Paused).await?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Restores an agent that was published after the database was copied: owned by its owner, and paused. Without
/// its owner it is not stored. If the owner has another agent of that name, it is deleted on other hubs. Returns
/// whether the search index must be updated.
pub(super) async fn recover(hub: &Hub, tx: &mut Tx, listing: &Listing) -> Result<bool> {
    let envelope = listing.envelope();
    if hub.federation().own_key.lock().is_elsewhere() {
        return Ok(false);
    }
    let owner = namespaces::by_name(tx, &envelope.owner).await?;
    let Some(owner) = owner.filter(|owner| owner.retired_at.is_none()) else { return Ok(false) };
    let Some(card) = Card::read(listing.card()).card else { return Ok(false) };
    let (id, genesis) = (hub.env().id(AgentId::new), *envelope.chain.genesis());
    let listing_id = envelope.id().to_string();
    let is_taken =
        replicated_listings::address_taken(tx, HubRowId::SELF, &envelope.owner, &envelope.name, id).await?;
    let agent = Agent {
        id,
        hub: HubRowId::SELF,
        home: None,
        owner: envelope.owner.clone(),
        name: envelope.name.clone(),
        listing_id: Some(listing_id.clone()),
        namespace: Some(owner.id),
        visibility: Visibility::Federated,
        access: AgentAccess::Accounts,
        state: if is_taken { AgentState::Deleted } else { AgentState::Paused },
        created_at: genesis.created,
    };
    replicated_listings::insert(tx, &agent, is_taken.then_some(listing_id.as_str())).await?;
    // Without the key the owner can delete it here, and other hubs drop it when its listing expires.
    if let Some(identity) = AgentIdentity::recover(hub, tx, &genesis).await? {
        identity.keep(hub, tx, id, owner.id).await?;
    }
    principals::ensure(tx, &Principal::Agent { agent: id }, hub.env().id(PrincipalId::new)).await?;
    let version = Version {
        id: hub.env().id(VersionId::new),
        agent: id,
        semver: if card.version.is_empty() { "0".to_owned() } else { card.version.clone() },
        card: cards::insert(tx, listing.card()).await?,
        connector: Connector::Attached,
        secret: None,
        created_at: envelope.seq.issued(),
        yanked_reason: None,
    };
    agent_versions::insert(tx, &version).await?;
    listings::publish(hub, tx, id).await?;
    let expires = envelope.content().map(|content| content.expires);
    replicated_listings::set_own(tx, id, &listing.encode(), &listing.hash(), expires).await?;
    let address = format!("@{}/{}", agent.owner, agent.name);
    tracing::warn!(agent = address, "agent restored from other hubs: the database is an older copy");
    hub.federation().own_key.lock().note_restored(address);
    Ok(true)
}
