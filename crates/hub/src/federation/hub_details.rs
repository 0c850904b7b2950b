//! Details of one remote hub, for the UI.

use plexus_domain::{Timestamp, account::Role, page::PageSize};
use plexus_store::{
    Conn,
    hubs::{self, Hub as Row, HubState},
    p2p_state, replicated_listings,
};

use super::{
    hub_list::{self, HubListQuery, HubRow, head_seq, record_of},
    rules::{self, RuleRow},
    violations::{self, ViolationRow},
};
use crate::{Caller, Hub, Result, agents, paging::Page, views};

/// Maximum number of shown addresses, both published and last seen.
const MAX_ADDRESSES: usize = 32;
/// Maximum length of a domain name.
const MAX_NAME: usize = 253;

#[derive(Clone, Debug)]
pub struct HubDetails {
    pub row: HubRow,
    /// Domain that the hub claims but that was not verified.
    pub claimed: Option<String>,
    /// Address of its API, as claimed by the hub.
    pub api: Option<String>,
    pub first_seen: Option<Timestamp>,
    /// Time of its last inventory head, by its own clock.
    pub last_head_at: Option<Timestamp>,
    /// Rule that decides whether the hub is replicated.
    pub rule: Option<RuleRow>,
    pub violations: Vec<ViolationRow>,
    /// Addresses where the hub may be reached. Only for administrators.
    pub addresses: Option<Vec<String>>,
}

/// Returns the hub with this key or verified domain. Returns `None` for this hub itself and for unknown hubs.
pub async fn other(hub: &Hub, caller: &Caller, name: &str) -> Result<Option<HubDetails>> {
    let mut conn = hub.store().read().await?;
    let Some(row) = named(&mut conn, name).await? else { return Ok(None) };
    let id = row.hub_key.as_deref().and_then(|peer| peer.parse().ok());
    let rule = match id {
        Some(id) => rules::about(&mut conn, id, row.domain.as_deref(), hub.env().now()).await?,
        None => None,
    };
    let violations = violations::list(&mut conn, &row).await?;
    let record = record_of(&row);
    let addresses = match caller.require(Role::Admin) {
        Ok(_) => Some(addresses(&mut conn, &row).await?),
        Err(_) => None,
    };
    drop(conn);
    let claimed = record.as_ref().and_then(|record| record.domain.clone());
    let (first_seen, last_head_at) = (row.first_seen_at, head_seq(&row).map(|seq| seq.issued()));
    let mut shown = [HubListQuery::now(hub).await?.row(hub, row)];
    hub_list::report(hub, &mut shown).await;
    let [row] = shown;
    Ok(Some(HubDetails {
        claimed: claimed.filter(|claimed| row.domain.as_ref() != Some(claimed)),
        api: record.and_then(|record| record.api),
        first_seen,
        last_head_at,
        rule,
        violations,
        addresses,
        row,
    }))
}

/// Returns a page of the hub's agents that are shown here, sorted by name.
pub async fn agents_of(hub: &Hub, name: &str, page: u32) -> Result<Page<views::AgentListRow>> {
    let mut conn = hub.store().snapshot().await?;
    let Some(row) = named(&mut conn, name).await? else { return Ok(Page { rows: Vec::new(), total: 0 }) };
    let total = replicated_listings::count_shown(&mut conn, row.id).await?;
    let slice = crate::paging::slice(page, total);
    let ids = replicated_listings::list_shown_of(&mut conn, row.id, slice).await?;
    let rows = agents::rows(&mut conn, &ids, hub.env().now()).await?;
    Ok(Page { rows, total })
}

/// Rows per page.
pub const AGENTS: PageSize = PageSize::DEFAULT;

pub(super) async fn named(conn: &mut Conn, name: &str) -> Result<Option<Row>> {
    // The name comes from a URL and is not validated yet.
    if name.len() > MAX_NAME || name.contains('\0') {
        return Ok(None);
    }
    let found = match hubs::by_key(conn, name).await? {
        Some(found) => Some(found),
        None => hubs::by_domain(conn, &name.to_lowercase()).await?,
    };
    Ok(found.filter(|row| !matches!(row.state, HubState::Itself | HubState::Gone)))
}

/// Returns the published addresses of a hub, followed by those where it was last reached.
async fn addresses(conn: &mut Conn, row: &Row) -> Result<Vec<String>> {
    let mut addresses = record_of(row).map(|record| record.addresses).unwrap_or_default();
    if let Some(peer) = &row.hub_key {
        addresses.extend(p2p_state::addresses_of(conn, peer).await?);
    }
    let suffix = format!("/p2p/{}", row.hub_key.as_deref().unwrap_or_default());
    let mut seen = std::collections::BTreeSet::new();
    addresses.retain(|address| seen.insert(address.trim_end_matches(&suffix).to_owned()));
    addresses.truncate(MAX_ADDRESSES);
    Ok(addresses)
}
