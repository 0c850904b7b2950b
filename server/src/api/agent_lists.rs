//! Lists of agents: the caller's own agents, and search results.

use std::{borrow::Cow, collections::HashMap};

use axum::{
    Json,
    extract::{RawQuery, State},
};
use plexus_app::view_models::agent_query::{AgentsQuery, Sort};
use plexus_domain::{Address, AgentId, Error as Refusal, page::PageSize};
use plexus_hub::{
    Error, Hub, agents,
    caller::Caller,
    directory::{self, SearchResults},
    federation::{self, Provenance, QueryOutcome, RemoteSearchHit},
    listings::{FacetCount, Facets, PageStart, Query},
    views::AgentListRow,
};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    app_state::AppState,
    pages::agents::wanted,
    web::{auth::ApiCaller, error::ApiResult, search_cursor},
};

/// Query parameters of a list. A new parameter must also be added to [`ParsedListQuery::read`].
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "they are read one by one, since filters may come several times")]
pub struct AgentListQuery {
    /// Search terms.
    q: Option<String>,
    #[param(explode)]
    tag: Option<Vec<String>>,
    kind: Option<String>,
    protocol: Option<String>,
    owner: Option<String>,
    /// Domain or peer id of a remote hub, as in the address of its agents.
    hub: Option<String>,
    /// `local`: agents of this hub; `remote`: agents of remote hubs that are replicated here.
    #[param(inline)]
    scope: Option<HubScope>,
    #[param(inline)]
    verified: Option<TrueFlag>,
    #[param(inline)]
    online: Option<TrueFlag>,
    #[param(inline)]
    sort: Option<Order>,
    /// Whether to return facet counts.
    facets: Option<bool>,
    /// Whether to search remote hubs as well, for at most three seconds. Their results are appended to the
    /// page.
    federated: Option<bool>,
    /// The `next` of the previous page.
    after: Option<String>,
    /// Rows per page; default 20.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u16>,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum TrueFlag {
    True,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum HubScope {
    Local,
    Remote,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
enum Order {
    Relevance,
    Newest,
    MostUsed,
    Name,
}

/// Lists your agents, newest first; with search terms or filters, searches all publicly listed agents.
#[utoipa::path(get, path = "/agents", operation_id = "agents.list", tag = "Agents", params(AgentListQuery),
    security(("token" = ["read"]), ()), responses((status = OK, description = "A page of the \
        list.", body = AgentList)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    RawQuery(raw): RawQuery,
) -> ApiResult<Json<AgentList>> {
    let asked = ParsedListQuery::read(url::form_urlencoded::parse(raw.unwrap_or_default().as_bytes()))?;
    Ok(Json(match &asked.search {
        Some(search) => find(&site, &caller, search, &asked).await?,
        None => own(&site.hub, &caller, asked.after.as_deref(), asked.size).await?,
    }))
}

/// Searches the publicly listed agents. `pairs` are the pairs of a query string.
pub async fn search<'a>(
    site: &AppState,
    caller: &Caller,
    pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<AgentList, Error> {
    let asked = ParsedListQuery::read(pairs)?;
    find(site, caller, &asked.search.clone().unwrap_or_default(), &asked).await
}

/// Parsed query string of a list.
struct ParsedListQuery {
    search: Option<AgentsQuery>,
    facets: bool,
    federated: bool,
    after: Option<String>,
    size: PageSize,
}

impl ParsedListQuery {
    fn read<'a>(pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Result<Self, Refusal> {
        let mut asked =
            Self { search: None, facets: false, federated: false, after: None, size: PageSize::DEFAULT };
        let mut search = Vec::new();
        for (name, value) in pairs {
            match name.as_ref() {
                "after" => asked.after = Some(value.into_owned()),
                "limit" => asked.size = size(&value)?,
                "facets" => asked.facets = one_of(&name, &value, &["true", "false"])? == "true",
                "federated" => asked.federated = one_of(&name, &value, &["true", "false"])? == "true",
                "q" | "tag" | "kind" | "protocol" | "owner" | "hub" => search.push((name, value)),
                "verified" | "online" => {
                    one_of(&name, &value, &["true"])?;
                    search.push((name, value));
                }
                "scope" => {
                    one_of(&name, &value, &["local", "remote"])?;
                    search.push((name, value));
                }
                "sort" => {
                    one_of(&name, &value, &Sort::ALL.map(Sort::as_str))?;
                    search.push((name, value));
                }
                _ => return Err(Refusal::invalid(name, "Unknown parameter of the agent list.")),
            }
        }
        let is_search = !search.is_empty() || asked.facets || asked.federated;
        asked.search = is_search.then(|| AgentsQuery::from_pairs(search));
        Ok(asked)
    }
}

fn one_of<'a>(name: &str, value: &'a str, known: &[&str]) -> Result<&'a str, Refusal> {
    let words = || format!("It is one of: {}.", known.join(", "));
    known.contains(&value).then_some(value).ok_or_else(|| Refusal::invalid(name.to_owned(), words()))
}

fn size(limit: &str) -> Result<PageSize, Refusal> {
    limit.parse().ok().and_then(|rows| PageSize::new(rows).ok()).ok_or_else(no_size)
}

pub(super) fn no_size() -> Refusal {
    Refusal::invalid("limit", "A page has 1 to 100 rows.")
}

/// Returns a page of the caller's own agents; `after` is the last one of the previous page.
pub async fn own(
    hub: &Hub,
    caller: &Caller,
    after: Option<&str>,
    size: PageSize,
) -> Result<AgentList, Error> {
    let after = after.map(|text| text.parse().map_err(|_| search_cursor::not_a_cursor())).transpose()?;
    let (rows, next): (Vec<AgentListRow>, Option<AgentId>) =
        agents::list_own(hub, caller, after, size).await?;
    Ok(AgentList::plain(rows, next.map(|next| next.to_string())))
}

async fn find(
    site: &AppState,
    caller: &Caller,
    search: &AgentsQuery,
    asked: &ParsedListQuery,
) -> Result<AgentList, Error> {
    let start = asked
        .after
        .as_deref()
        .map(search_cursor::read)
        .transpose()?
        .map_or(PageStart::Page(0), PageStart::After);
    let query = Query { start, size: asked.size, count_facets: asked.facets, ..wanted(site, search) };
    let mut list = AgentList::from(directory::search_for(&site.hub, caller, query.clone()).await?);
    if asked.federated {
        let (found, provenance) =
            federation::start_live_search(&site.hub, caller, query, true).await?.all().await?;
        list.items.extend(found.into_iter().map(ListedAgent::from));
        list.sources = Some(provenance.into());
    }
    Ok(list)
}

#[derive(Serialize, ToSchema)]
pub struct AgentList {
    items: Vec<ListedAgent>,
    /// Pass it as `after` to get the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
    /// Search only: total number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// Search only: false while the hub is still loading its index after a start, so that results may be
    /// missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    index_complete: Option<bool>,
    /// Search only: similar search terms that have more results.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<String>,
    /// Number of results by property, with the 20 most frequent values of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<FacetsJson>,
    /// Live search only: the sources of the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Sources>,
}

impl AgentList {
    /// Returns a page of a list that is not a search result.
    pub(super) fn plain(rows: Vec<AgentListRow>, next: Option<String>) -> Self {
        let items = rows.into_iter().map(ListedAgent::from).collect();
        Self {
            items,
            next,
            total: None,
            index_complete: None,
            did_you_mean: None,
            facets: None,
            sources: None,
        }
    }
}

#[derive(Serialize, ToSchema)]
struct ListedAgent {
    address: Address,
    /// Name that the agent's hub gives itself, which is not verified; null for agents of this hub.
    #[schema(required)]
    hub_name: Option<String>,
    title: String,
    summary: String,
    /// `a2a`, `llm`, `http`, `process`, `attached` or `builtin`.
    kind: String,
    /// Protocol by which the agent is called, such as "A2A 1.0".
    protocol: String,
    tags: Vec<String>,
    verified: bool,
    online: bool,
    /// False if the agent was found at a remote hub and may not be replicated here: it then has no page on
    /// this hub.
    has_page: bool,
}

#[derive(Serialize, ToSchema)]
struct Sources {
    /// Number of results that are agents of this hub.
    local: usize,
    /// Number of results that are agents of remote hubs and were replicated here before the search.
    replicated: usize,
    queried_hubs: Vec<QueriedHubJson>,
}

#[derive(Serialize, ToSchema)]
struct QueriedHubJson {
    id: String,
    /// Verified domain.
    #[schema(required)]
    domain: Option<String>,
    /// False if the hub did not answer in time.
    answered: bool,
    /// Number of results shown because of this hub's answer.
    found: usize,
    /// Number of records dropped because they could not be parsed or their signatures are invalid.
    invalid_records: usize,
}

#[derive(Serialize, ToSchema)]
struct FacetsJson {
    tag: Vec<Count>,
    protocol: Vec<Count>,
    kind: Vec<Count>,
    owner: Vec<Count>,
    /// Remote hubs, by domain or peer id.
    hub: Vec<Count>,
}

#[derive(Serialize, ToSchema)]
struct Count {
    value: String,
    count: u64,
    /// Hubs only: the name that the hub gives itself; not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl From<SearchResults> for AgentList {
    fn from(found: SearchResults) -> Self {
        let SearchResults { total, rows, last, facets, hub_names, did_you_mean, index_complete } = found;
        Self {
            items: rows.into_iter().map(ListedAgent::from).collect(),
            next: last.map(search_cursor::token),
            total: Some(total),
            index_complete: Some(index_complete),
            did_you_mean,
            facets: facets.map(|facets| FacetsJson::new(facets, &hub_names)),
            sources: None,
        }
    }
}

impl From<AgentListRow> for ListedAgent {
    fn from(row: AgentListRow) -> Self {
        let AgentListRow {
            address, hub_name, title, summary, kind, protocol, tags, verified, online, ..
        } = row;
        Self { address, hub_name, title, summary, kind, protocol, tags, verified, online, has_page: true }
    }
}

impl From<RemoteSearchHit> for ListedAgent {
    fn from(found: RemoteSearchHit) -> Self {
        let has_page = found.has_page;
        Self { has_page, ..Self::from(AgentListRow::from(found)) }
    }
}

impl From<Provenance> for Sources {
    fn from(provenance: Provenance) -> Self {
        let Provenance { local, replicated, queried_hubs } = provenance;
        let hub = |federation::QueriedHub { id, domain, came }| match came {
            QueryOutcome::Answer { found, invalid_records } => {
                QueriedHubJson { id, domain, answered: true, found, invalid_records }
            }
            QueryOutcome::Nothing => {
                QueriedHubJson { id, domain, answered: false, found: 0, invalid_records: 0 }
            }
        };
        Self { local, replicated, queried_hubs: queried_hubs.into_iter().map(hub).collect() }
    }
}

impl FacetsJson {
    fn new(facets: Facets, hub_names: &HashMap<String, String>) -> Self {
        let count = |FacetCount { value, count }| Count { value, count, name: None };
        let counts = |counted: Vec<FacetCount>| counted.into_iter().map(count).collect();
        let hub = |hub: Count| Count { name: hub_names.get(&hub.value).cloned(), ..hub };
        Self {
            tag: counts(facets.tags),
            protocol: counts(facets.protocols),
            kind: counts(facets.kinds),
            owner: counts(facets.owners),
            hub: facets.hubs.into_iter().map(count).map(hub).collect(),
        }
    }
}
