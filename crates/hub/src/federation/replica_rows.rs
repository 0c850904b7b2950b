//! Stores replicated signed listings as rows in the same tables as this hub's own agents.

use plexus_a2a::{Card, listing_id::ListingId};
use plexus_domain::{
    AgentId, Digest, HubRowId, VersionId,
    agent::{AgentAccess, Connector, Visibility},
};
use plexus_federation::record::{Content, Envelope, Listing, Status};
use plexus_runtime::a2a::Endpoint;
use plexus_store::{
    Tx,
    agent_versions::{self, Version},
    agents::{self, Agent, AgentState},
    cards,
    listings::{self, ListingState},
    replicated_listings::{self, ReplicatedAgentAddress},
};

use super::{hub_rows, own_records};
use crate::{
    Error, Hub, Result,
    listings::{ListingSummary, read_summary},
};

/// Version name of a replicated agent if its card has none.
const UNNAMED: &str = "0";

/// Stores a listing that the engine accepted. Returns whether the search index must be updated.
pub(super) async fn store(hub: &Hub, tx: &mut Tx, listing: &Listing) -> Result<bool> {
    let envelope = listing.envelope();
    let row = hub_rows::row_of(hub, tx, envelope.hub).await?;
    let before = agents::by_listing_id(tx, &envelope.id().to_string()).await?;
    if let Some(own) = before.as_ref().filter(|agent| agent.namespace.is_some()) {
        return own_records::take_newer(hub, tx, own, listing).await;
    }
    if row == HubRowId::SELF && envelope.content().is_some() {
        return own_records::recover(hub, tx, listing).await;
    }
    let agent = put_agent(hub, tx, row, envelope, before).await?;
    let known = listings::find(tx, agent).await?;
    let card = match envelope.content() {
        Some(_) => cards::insert(tx, listing.card()).await?,
        // A tombstone has no card. Retain the last known card for chats with the agent.
        None => match &known {
            Some(known) => known.card,
            None => cards::insert(tx, b"").await?,
        },
    };
    let shown = known.as_ref().map(|known| known.state);
    let new = row_of(agent, card, listing, known.as_ref(), shown)?;
    let changed = shown == Some(ListingState::Live);
    listings::put(tx, &new).await?;
    if envelope.content().is_some() {
        put_version(hub, tx, agent, listing, card).await?;
    }
    if let Some(old) = known.map(|known| known.card).filter(|old| *old != card) {
        replicated_listings::drop_card(tx, &old).await?;
    }
    Ok(changed)
}

async fn put_agent(
    hub: &Hub,
    tx: &mut Tx,
    row: HubRowId,
    envelope: &Envelope,
    before: Option<Agent>,
) -> Result<AgentId> {
    let id = before.as_ref().map_or_else(|| hub.env().id(AgentId::new), |agent| agent.id);
    let listing_id = envelope.id().to_string();
    let taken = replicated_listings::address_taken(tx, row, &envelope.owner, &envelope.name, id).await?;
    if before.is_none() {
        let agent = Agent {
            id,
            hub: row,
            home: None,
            owner: envelope.owner.clone(),
            name: envelope.name.clone(),
            listing_id: Some(listing_id.clone()),
            namespace: None,
            visibility: Visibility::Federated,
            access: AgentAccess::Accounts,
            state: AgentState::Paused,
            created_at: hub.env().now(),
        };
        replicated_listings::insert(tx, &agent, taken.then_some(listing_id.as_str())).await?;
    } else {
        let place = ReplicatedAgentAddress {
            hub: row,
            owner: &envelope.owner,
            name: &envelope.name,
            stand_in: taken.then_some(listing_id.as_str()),
        };
        replicated_listings::set_place(tx, id, &place).await?;
    }
    if envelope.status == Status::Deleted {
        replicated_listings::set_state(tx, id, AgentState::Deleted).await?;
    }
    Ok(id)
}

/// Builds the listing row. A shown listing stays shown until the engine hides it.
fn row_of(
    agent: AgentId,
    card: Digest,
    listing: &Listing,
    before: Option<&listings::Listing>,
    shown: Option<ListingState>,
) -> Result<listings::Listing> {
    let envelope = listing.envelope();
    let summary = match (envelope.content(), before) {
        (Some(content), before) => {
            let before = before.map(read_summary).unwrap_or_default();
            let new = ListingSummary {
                online_at: before.online_at,
                uses: before.uses,
                ..summary(listing, content)
            };
            serde_json::to_value(new).map_err(Error::fault)?
        }
        (None, Some(before)) => before.summary.clone(),
        (None, None) => serde_json::to_value(ListingSummary::default()).map_err(Error::fault)?,
    };
    let state = match (&envelope.status, shown) {
        (Status::Deleted, _) => ListingState::Deleted,
        (Status::Live(_), Some(ListingState::Live)) => ListingState::Live,
        _ => ListingState::Paused,
    };
    Ok(listings::Listing {
        agent,
        seq: i64::try_from(envelope.seq.get()).unwrap_or(i64::MAX),
        card,
        summary,
        envelope: Some(listing.encode()),
        hash: Some(listing.hash()),
        issued_at: envelope.seq.issued(),
        expires_at: envelope.content().map(|content| content.expires),
        leased_until: None,
        state,
        change: 0,
    })
}

/// Builds the summary of a listing. The tags are those that both keys signed.
pub(super) fn summary(listing: &Listing, content: &Content) -> ListingSummary {
    let Some(card) = Card::read(listing.card()).card else { return ListingSummary::default() };
    let summary = ListingSummary::new(&card, &connector(&card), true);
    ListingSummary { tags: content.tags.iter().map(|tag| tag.as_str().to_owned()).collect(), ..summary }
}

/// Returns the connector of a replicated agent: A2A at its home hub.
fn connector(card: &Card) -> Connector {
    match Endpoint::of(card) {
        Some(at) => {
            Connector::A2a { url: at.url.to_string(), protocol: at.protocol, card_url: card_url(&at.url) }
        }
        // Card validation guarantees an endpoint, so this branch is not reached.
        None => Connector::Attached,
    }
}

/// Returns the URL where a hub serves the card of an agent whose endpoint is `url`.
pub(super) fn card_url(url: &url::Url) -> String {
    let base = plexus_a2a::card::with_base(url.clone());
    base.join(plexus_a2a::card::WELL_KNOWN).unwrap_or(base).into()
}

/// Inserts or replaces the single version of a replicated agent. No version history is stored for replicas.
async fn put_version(hub: &Hub, tx: &mut Tx, agent: AgentId, listing: &Listing, card: Digest) -> Result<()> {
    let Some(read) = Card::read(listing.card()).card else { return Ok(()) };
    let semver = if read.version.is_empty() { UNNAMED.to_owned() } else { read.version.clone() };
    let before = agent_versions::current(tx, agent).await?;
    let version = Version {
        id: before.as_ref().map_or_else(|| hub.env().id(VersionId::new), |version| version.id),
        agent,
        semver,
        card,
        connector: connector(&read),
        secret: None,
        created_at: listing.envelope().seq.issued(),
        yanked_reason: None,
    };
    match before {
        Some(_) => _ = agent_versions::replace(tx, &version).await?,
        None => agent_versions::insert(tx, &version).await?,
    }
    Ok(())
}

/// Shows or hides a replicated agent. Returns whether anything changed.
pub(super) async fn set_shown(tx: &mut Tx, agent: AgentId, shown: bool) -> Result<bool> {
    let known = listings::find(tx, agent).await?;
    let Some(state) = known.map(|listing| listing.state) else { return Ok(false) };
    let (listed, active) = match (shown, state) {
        (true, ListingState::Live | ListingState::Deleted)
        | (false, ListingState::Paused | ListingState::Deleted) => {
            return Ok(false);
        }
        (true, _) => (ListingState::Live, AgentState::Active),
        (false, _) => (ListingState::Paused, AgentState::Paused),
    };
    replicated_listings::set_state(tx, agent, active).await?;
    listings::set_state(tx, agent, listed).await?;
    Ok(true)
}

/// Removes a listing that the engine does not need any more.
pub(super) async fn forget(tx: &mut Tx, id: &ListingId) -> Result<()> {
    let Some(agent) = agents::by_listing_id(tx, &id.to_string()).await? else { return Ok(()) };
    if agent.namespace.is_some() {
        replicated_listings::delete_own(tx, agent.id).await?;
        return Ok(());
    }
    let card = listings::find(tx, agent.id).await?.map(|listing| listing.card);
    replicated_listings::remove(tx, agent.id).await?;
    if let Some(card) = card {
        replicated_listings::drop_card(tx, &card).await?;
    }
    Ok(())
}
