//! Agent search.

use std::{
    collections::{HashMap, HashSet},
    mem::take,
    sync::Arc,
};

use async_trait::async_trait;
use plexus_domain::{
    Address, AgentId,
    agent::AgentAccess,
    page::PageSize,
    team::formation::{LOOKED_AT, Skill},
};
use plexus_runtime::builtin::{AgentSearch, Found as Suggestion, can_answer};
use plexus_search::{Facets, Hit, Hits, Query, RowCursor, SkillQuery, Sort};
use plexus_store::agents::{self, Agent, AgentState};

use super::featured::{FeaturedAgent, MAX_FEATURED, featured};
use crate::{
    Caller, Error, Hub, Result,
    agents::{guide_address, restricted_for, working_builtins},
    caller::{Person, Scope},
    federation,
    limits::{Rate, WHOLE_HUB},
    listings::{ONLINE, is_index_ready, online_since},
    views::AgentListRow,
};

pub struct SearchResults {
    pub total: usize,
    pub rows: Vec<AgentListRow>,
    /// Cursor of the next page, if there is one.
    pub last: Option<RowCursor>,
    pub facets: Option<Facets>,
    /// Names that the hubs among the facets give themselves, by domain or PeerId; not verified.
    pub hub_names: HashMap<String, String>,
    pub did_you_mean: Option<String>,
    /// True if the index contains everything that the hub stored.
    pub index_complete: bool,
}

/// Searches the publicly listed agents and those that name the caller. Rate limited per caller.
pub async fn search_for(hub: &Hub, caller: &Caller, query: Query) -> Result<SearchResults> {
    let limits = hub.limits();
    match caller.person.is_some() || caller.remote_user().is_some() {
        true => limits.take(Rate::Searches, &caller.key())?,
        false => {
            limits.take(Rate::SearchesAnonymous, &caller.key())?;
            limits.take(Rate::SearchesAnonymousTotal, WHOLE_HUB)?;
        }
    }
    let granted = granted(hub, caller).await?;
    search(hub, Query { granted, ..query }).await
}

/// Returns the restricted agents that the caller may find.
async fn granted(hub: &Hub, caller: &Caller) -> Result<Vec<AgentId>> {
    let person = caller.may(Scope::Read).or_else(|_| caller.may(Scope::Chat)).ok();
    restricted_for(&mut hub.store().read().await?, person).await
}

/// Searches the publicly listed agents, and those that the query grants, without rate limit.
pub(crate) async fn search(hub: &Hub, query: Query) -> Result<SearchResults> {
    let (index, index_complete) = (hub.index().clone(), is_index_ready(hub));
    let (granted, chosen_hub) = (query.granted.clone(), query.hub.clone());
    let hits = tokio::task::spawn_blocking(move || index.search(&query)).await.map_err(Error::fault)?;
    let mut hits = hits.map_err(Error::fault)?;
    let rows = rows(hub, take(&mut hits.rows), &granted).await?;
    let Hits { total, last, facets, did_you_mean, .. } = hits;
    let hub_names = match &facets {
        Some(facets) => {
            let mut hubs: Vec<String> = facets.hubs.iter().map(|counted| counted.value.clone()).collect();
            hubs.extend(chosen_hub);
            federation::hub_names_by_address(&mut hub.store().read().await?, hubs).await?
        }
        None => HashMap::new(),
    };
    Ok(SearchResults { total, rows, last, facets, hub_names, did_you_mean, index_complete })
}

/// Returns the best agents for each part of a goal, best first, with unitless scores. `also` is reported with
/// its score as well, even where others match better.
pub(crate) async fn rank_agents(
    hub: &Hub,
    parts: &[Skill],
    also: Option<AgentId>,
    person: Option<&Person>,
) -> Result<Vec<Vec<(AgentListRow, f32)>>> {
    let granted = restricted_for(&mut hub.store().read().await?, person).await?;
    let (index, parts, may_find) = (hub.index().clone(), parts.to_vec(), granted.clone());
    let find = move || {
        let parts: Vec<&str> = parts.iter().map(Skill::as_str).collect();
        index.rank_agents(&SkillQuery { parts: &parts, most: LOOKED_AT, also, granted: &may_find })
    };
    let fits = tokio::task::spawn_blocking(find).await.map_err(Error::fault)?.map_err(Error::fault)?;
    let hits: HashMap<AgentId, Hit> =
        fits.iter().flatten().map(|(hit, _)| (hit.agent, hit.clone())).collect();
    let rows = rows(hub, hits.into_values().collect(), &granted).await?;
    let rows: HashMap<AgentId, AgentListRow> = rows.into_iter().map(|row| (row.agent, row)).collect();
    let scored = |(hit, score): (Hit, f32)| Some((rows.get(&hit.agent)?.clone(), score));
    Ok(fits.into_iter().map(|part| part.into_iter().filter_map(scored).collect()).collect())
}

/// Lists on the home page.
pub struct HomePageLists {
    pub total: u64,
    pub featured: Vec<FeaturedAgent>,
    pub answering: Vec<AgentListRow>,
    pub newest: Vec<AgentListRow>,
    pub most_used: Vec<AgentListRow>,
    pub index_complete: bool,
}

/// Number of agents in each list of the home page.
const HOME_LIST: u16 = 5;

/// Returns the lists of the home page. No agent is in two of them.
pub async fn lists(hub: &Hub, caller: &Caller) -> Result<HomePageLists> {
    let index_complete = is_index_ready(hub);
    let size = PageSize::new(3 * HOME_LIST + MAX_FEATURED)?;
    let granted = granted(hub, caller).await?;
    let list =
        |sort, online_since| Query { sort, online_since, size, granted: granted.clone(), ..Query::default() };
    let recently = online_since(hub);
    let newest = search(hub, list(Sort::New, None)).await?;
    let featured = featured(hub, caller).await?;
    let mut shown: HashSet<AgentId> = featured.iter().map(|agent| agent.row.agent).collect();
    let mut unseen = |rows: Vec<AgentListRow>| -> Vec<AgentListRow> {
        let mut rows: Vec<_> = rows.into_iter().filter(|row| !shown.contains(&row.agent)).collect();
        rows.truncate(usize::from(HOME_LIST));
        shown.extend(rows.iter().map(|row| row.agent));
        rows
    };
    Ok(HomePageLists {
        total: newest.total as u64,
        featured,
        answering: unseen(search(hub, list(Sort::Used, Some(recently))).await?.rows),
        newest: unseen(newest.rows),
        most_used: unseen(search(hub, list(Sort::Used, None)).await?.rows),
        index_complete,
    })
}

/// Returns the rows of hits whose agents are still listed, or restricted and among `granted`.
async fn rows(hub: &Hub, hits: Vec<Hit>, granted: &[AgentId]) -> Result<Vec<AgentListRow>> {
    let ids: Vec<AgentId> = hits.iter().map(|hit| hit.agent).collect();
    let mut conn = hub.store().read().await?;
    let known = agents::list(&mut conn, &ids).await?;
    let hub_names = federation::hub_names(&mut conn, known.iter().map(|agent| agent.hub)).await?;
    drop(conn);
    let known: HashMap<_, _> = known.into_iter().map(|agent| (agent.id, agent)).collect();
    let now = hub.env().now();
    let row = |hit: Hit| {
        let is_shown = |agent: &&Agent| {
            let is_found = agent.is_listed() || (agent.is_restricted() && granted.contains(&agent.id));
            is_found && agent.state == AgentState::Active
        };
        let agent = known.get(&hit.agent).filter(is_shown)?;
        Some(AgentListRow {
            agent: agent.id,
            is_open: agent.access == AgentAccess::Open,
            seed: agent.identicon_seed(),
            address: agent.address(),
            hub_name: hub_names.get(&agent.hub).cloned(),
            title: hit.name,
            summary: hit.summary,
            tags: hit.tags,
            protocol: hit.protocol,
            kind: hit.kind,
            verified: hit.verified,
            online: hit.online_at.is_some_and(|at| now.since(at) < ONLINE),
            online_at: hit.online_at.filter(|at| *at <= now),
        })
    };
    Ok(hits.into_iter().filter_map(row).collect())
}

/// Returns the search that the guide agent uses.
pub fn finder(hub: &Hub) -> Arc<dyn AgentSearch> {
    Arc::new(Searching(hub.clone()))
}

struct Searching(Hub);

#[async_trait]
impl AgentSearch for Searching {
    async fn find(&self, query: &str, limit: usize) -> Vec<Suggestion> {
        let size =
            u16::try_from(limit).ok().and_then(|rows| PageSize::new(rows).ok()).unwrap_or(PageSize::DEFAULT);
        let query = Query { size, ..Query::text(query) };
        let found = search(&self.0, query)
            .await
            .inspect_err(|error| tracing::warn!(%error, "guide agent: search failed"));
        let rows = found.map(|found| found.rows).unwrap_or_default();
        let others = rows.into_iter().filter(|row| row.address != guide_address());
        let suggestion = |row: AgentListRow| Suggestion {
            url: format!("/{}", row.address),
            seed: row.seed,
            address: row.address,
            name: row.title,
            summary: row.summary,
        };
        others.map(suggestion).collect()
    }

    async fn can_answer(&self, question: &str) -> Option<Suggestion> {
        for (program, address, description) in working_builtins() {
            if can_answer(program, self.0.outbound().calc(), question, question).await {
                let found = suggestion_of(&self.0, address, description).await;
                return found
                    .inspect_err(|error| tracing::warn!(%error, "guide agent: look-up failed"))
                    .ok()?;
            }
        }
        None
    }
}

async fn suggestion_of(hub: &Hub, address: Address, description: &str) -> Result<Option<Suggestion>> {
    let agent = agents::at(&mut hub.store().read().await?, &address).await?;
    let is_shown = |agent: &Agent| agent.is_listed() && agent.state == AgentState::Active;
    Ok(agent.filter(is_shown).map(|agent| Suggestion {
        url: format!("/{address}"),
        seed: agent.identicon_seed(),
        name: agent.name.to_string(),
        summary: description.to_owned(),
        address,
    }))
}
