//! Results of a live search from a remote hub: verified listings, filtered and
//! ranked like local index results.

use std::collections::{HashMap, HashSet};

use plexus_domain::{Address, AgentId};
use plexus_federation::{HubId, record::Listing};
use plexus_search::{Query, match_listings};
use plexus_store::{
    Conn,
    agents::{self, AgentState},
    hubs,
};

use super::replica_rows;
use crate::{
    Error, Hub, Result,
    listings::{CatalogAgentInfo, index_document, shares},
    views::AgentListRow,
};

/// Agent of a remote hub that a live search found.
#[derive(Clone, Debug)]
pub struct RemoteSearchHit {
    /// Id of the replicated agent, or a temporary id if it is not replicated.
    pub agent: AgentId,
    /// Seed from which the agent's icon is drawn.
    pub seed: String,
    pub described: CatalogAgentInfo,
    /// True if the agent is now replicated here, so that it can be opened and called from this hub.
    pub has_page: bool,
}

impl From<RemoteSearchHit> for AgentListRow {
    fn from(found: RemoteSearchHit) -> Self {
        let RemoteSearchHit { agent, seed, described: CatalogAgentInfo { address, summary, .. }, .. } = found;
        Self {
            agent,
            seed,
            address,
            hub_name: None,
            title: summary.title,
            summary: summary.summary,
            tags: summary.tags,
            protocol: summary.protocol,
            kind: summary.kind,
            verified: summary.verified,
            online: false,
            is_open: false,
            online_at: None,
        }
    }
}

/// Returns the listings that match the query and are not in `here`, best match first. The listings must
/// be verified and all of one hub.
pub(super) async fn read(
    hub: &Hub,
    query: &Query,
    here: &HashSet<AgentId>,
    from: HubId,
    listings: &[Listing],
) -> Result<Vec<RemoteSearchHit>> {
    let mut known = known(hub, from, listings).await?;
    known.retain(|found| !here.contains(&found.agent));
    let entries = known.iter().map(|found| index_document(found.agent, found.described.clone())).collect();
    let mut known: HashMap<AgentId, RemoteSearchHit> =
        known.into_iter().map(|found| (found.agent, found)).collect();
    let query = query.clone();
    let found = tokio::task::spawn_blocking(move || match_listings(entries, &query)).await;
    let found = shares(&found.map_err(Error::fault)?.map_err(Error::fault)?);
    let scored = found.into_iter().filter_map(|matched| {
        let found = known.remove(&matched.agent)?;
        Some(RemoteSearchHit {
            described: CatalogAgentInfo { score: matched.score, ..found.described },
            ..found
        })
    });
    Ok(scored.collect())
}

async fn known(hub: &Hub, from: HubId, listings: &[Listing]) -> Result<Vec<RemoteSearchHit>> {
    let mut conn = hub.store().read().await?;
    let peer = from.to_string();
    let home = hubs::by_key(&mut conn, &peer).await?.and_then(|row| row.domain).unwrap_or(peer);
    let mut known = Vec::with_capacity(listings.len());
    for listing in listings {
        known.extend(one(hub, &mut conn, &home, listing).await?);
    }
    Ok(known)
}

/// Describes one listing. Returns `None` for a listing without a card.
async fn one(hub: &Hub, conn: &mut Conn, home: &str, listing: &Listing) -> Result<Option<RemoteSearchHit>> {
    let envelope = listing.envelope();
    let Some(content) = envelope.content() else { return Ok(None) };
    let address =
        Address { owner: envelope.owner.clone(), name: envelope.name.clone(), hub: Some(home.to_owned()) };
    let seed = envelope.id().to_string();
    // If two agents have the same address, the address resolves to the first.
    let there = agents::at(conn, &address).await?;
    let has_page = there
        .is_some_and(|agent| agent.listing_id.as_ref() == Some(&seed) && agent.state == AgentState::Active);
    let row = agents::by_listing_id(conn, &seed).await?;
    let issued = envelope.seq.issued();
    Ok(Some(RemoteSearchHit {
        agent: row.map_or_else(|| hub.env().id(AgentId::new), |agent| agent.id),
        seed,
        described: CatalogAgentInfo {
            address,
            summary: replica_rows::summary(listing, content),
            created: issued,
            updated: issued,
            score: 0,
        },
        has_page,
    }))
}
