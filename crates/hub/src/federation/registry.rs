//! Remote hubs as registries that clients can query themselves over HTTP.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use plexus_a2a::card::with_base;
use plexus_domain::Error as Refusal;
use plexus_federation::HubId;
use plexus_search::{PageStart, Query};
use plexus_store::{
    Conn, agents,
    hubs::{self, Hub as Row},
};
use url::Url;

use super::{HubStatus, hub_list::record_of, overview, start_live_search, supports_live_search};
use crate::{
    Caller, Error, Hub, Result,
    listings::{CatalogAgentInfo, CatalogMatch, UrnPublisher, described, matching},
};

/// Maximum number of referred hubs per search.
const MAX_ITEMS: usize = 8;
/// Maximum number of replicated agents per search.
const MAX_REPLICATED: usize = 100;

/// Remote hub that can be searched over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRegistry {
    pub publisher: UrnPublisher,
    /// Name that the hub gives itself; not verified.
    pub name: String,
    /// Public URL.
    pub url: Url,
}

impl RemoteRegistry {
    /// Builds a registry. A hub is identified by its domain only if that is verified, against impersonation.
    fn of(id: HubId, name: &str, domain: Option<&str>, api: &str) -> Option<Self> {
        let url: Url = api.parse().ok()?;
        let proved = domain.filter(|domain| url.host_str() == Some(*domain));
        let publisher = match proved {
            Some(domain) => UrnPublisher::Domain(domain.to_owned()),
            None => UrnPublisher::of_key(&id.key().ok()?),
        };
        Some(Self { publisher, name: name.to_owned(), url: with_base(url) })
    }

    fn of_row(row: &Row) -> Option<Self> {
        let said = record_of(row)?;
        Self::of(said.hub, &said.name, row.domain.as_deref(), said.api.as_deref()?)
    }
}

/// Returns matching agents of remote hubs, best match first, each with the registry of its hub.
///
/// Uses replicated agents. If these and the `own` matches do not fill a page, remote hubs are queried live.
/// Agents of hubs without a web address are omitted.
pub async fn elsewhere(
    hub: &Hub,
    caller: &Caller,
    query: Query,
    own: usize,
) -> Result<Vec<(CatalogAgentInfo, RemoteRegistry)>> {
    if hub.config().federation.is_none() {
        return Ok(Vec::new());
    }
    let query = Query { here: Some(false), start: PageStart::Page(0), ..query };
    let mut replicated = matching(hub, query.clone()).await?;
    replicated.truncate(MAX_REPLICATED);
    let few = own + replicated.len() < usize::from(query.size.rows());
    let mut all = described(hub, &replicated).await?;
    if few && supports_live_search(hub, &query) {
        all.extend(live(hub, caller, query).await?);
    }
    all.sort_by_key(|described| std::cmp::Reverse(described.score));
    with_registries(&mut hub.store().read().await?, all).await
}

/// Queries remote hubs live. Returns nothing if the caller is rate limited, since
/// it did not ask for live search.
async fn live(hub: &Hub, caller: &Caller, query: Query) -> Result<Vec<CatalogAgentInfo>> {
    match start_live_search(hub, caller, query, false).await {
        Ok(asking) => Ok(asking.all().await?.0.into_iter().map(|found| found.described).collect()),
        Err(Error::Refused(Refusal::RateLimited { .. })) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

async fn with_registries(
    conn: &mut Conn,
    all: Vec<CatalogAgentInfo>,
) -> Result<Vec<(CatalogAgentInfo, RemoteRegistry)>> {
    let mut registries: HashMap<String, Option<RemoteRegistry>> = HashMap::new();
    let mut found = Vec::with_capacity(all.len());
    for described in all {
        let Some(home) = described.address.hub.clone() else { continue };
        if let Entry::Vacant(place) = registries.entry(home.clone()) {
            let row = match hubs::by_domain(conn, &home).await? {
                None => hubs::by_key(conn, &home).await?,
                by_domain => by_domain,
            };
            place.insert(row.as_ref().and_then(RemoteRegistry::of_row));
        }
        found.extend(registries[&home].clone().map(|registry| (described, registry)));
    }
    Ok(found)
}

/// Returns hubs that may have matching agents: fresh and not blocked, those with matching replicas first.
pub async fn referrals(hub: &Hub, query: Query) -> Result<Vec<RemoteRegistry>> {
    if hub.config().federation.is_none() {
        return Ok(Vec::new());
    }
    let fitting = homes(hub, &matching(hub, Query { here: Some(false), ..query }).await?).await?;
    let mut rows = overview(hub).await?.hubs;
    rows.retain(|row| row.standing == HubStatus::Fresh);
    rows.sort_by_key(|row| !fitting.contains(row.domain.as_ref().unwrap_or(&row.id)));
    let registry = |row: super::HubRow| {
        let name = row.name.unwrap_or_default();
        RemoteRegistry::of(row.id.parse().ok()?, &name, row.domain.as_deref(), row.api.as_deref()?)
    };
    Ok(rows.into_iter().filter_map(registry).take(MAX_ITEMS).collect())
}

/// Returns the home hubs of these agents, as written in addresses.
async fn homes(hub: &Hub, found: &[CatalogMatch]) -> Result<HashSet<String>> {
    let ids: Vec<_> = found.iter().map(|found| found.agent).collect();
    let agents = agents::list(&mut hub.store().read().await?, &ids).await?;
    Ok(agents.iter().filter_map(|agent| agent.address().hub).collect())
}

#[cfg(test)]
mod tests {
    use plexus_a2a::keys::SecretKey;

    use super::*;

    #[test]
    fn a_domain_that_was_not_proved_names_nobody() {
        let key = SecretKey::from_seed(&[1; 32]).public();
        let of = |domain| RemoteRegistry::of(HubId::from(key), "Far", domain, "https://far.example").unwrap();
        let proved = of(Some("far.example"));
        assert_eq!(proved.publisher, UrnPublisher::Domain("far.example".to_owned()));
        assert_eq!(proved.url.as_str(), "https://far.example/");
        for domain in [None, Some("other.example")] {
            assert_eq!(of(domain).publisher, UrnPublisher::of_key(&key));
        }
    }
}
