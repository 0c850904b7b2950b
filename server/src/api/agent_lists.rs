//! Lists of agents: the caller's own, and what a search finds.

use std::borrow::Cow;

use axum::{
    Json,
    extract::{RawQuery, State},
};
use plexus_app::model::query::{AgentsQuery, Sort};
use plexus_domain::{Address, AgentId, Error as Refusal, page::PageSize};
use plexus_hub::{
    Error, Hub, agents,
    caller::Caller,
    federation::{self, Came, Elsewhere, Provenance},
    listings::{self, FacetCount, Facets, Found, Query, Row, Start},
};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    pages::agents::wanted,
    state::Site,
    web::{caller::Called, error::ApiResult, place},
};

/// The parameters of a list. Whoever adds one says so in [`Asked::read`], too.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "they are read one by one, since filters may come several times")]
pub struct ListQuery {
    /// Words to look for.
    q: Option<String>,
    #[param(explode)]
    tag: Option<Vec<String>>,
    kind: Option<String>,
    protocol: Option<String>,
    owner: Option<String>,
    /// Agents of this hub, or of other ones that this one carries.
    #[param(inline)]
    place: Option<Place>,
    #[param(inline)]
    verified: Option<Yes>,
    #[param(inline)]
    online: Option<Yes>,
    #[param(inline)]
    sort: Option<Order>,
    /// Counts what is found by its properties.
    facets: Option<bool>,
    /// Asks other hubs as well, for at most three seconds; what they find comes after the rows of the first page.
    live: Option<bool>,
    /// The `next` of the page before.
    after: Option<String>,
    /// Rows of the page; 20 unless given.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u16>,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum Yes {
    Yes,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum Place {
    Here,
    Elsewhere,
}

#[expect(dead_code, reason = "it stands for the values in the description of the API")]
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum Order {
    Best,
    New,
    Used,
    Name,
}

/// Your agents, the newest first; with words or filters, what everybody may find.
#[utoipa::path(get, path = "/agents", operation_id = "agents.list", tag = "Agents", params(ListQuery),
    security(("token" = ["read"]), ()), responses((status = OK, description = "A page of them.", body = AgentList)))]
pub async fn list(
    State(site): State<Site>,
    Called(caller): Called,
    RawQuery(raw): RawQuery,
) -> ApiResult<Json<AgentList>> {
    let asked = Asked::read(url::form_urlencoded::parse(raw.unwrap_or_default().as_bytes()))?;
    Ok(Json(match &asked.search {
        Some(search) => find(&site, &caller, search, &asked).await?,
        None => own(&site.hub, &caller, asked.after.as_deref(), asked.size).await?,
    }))
}

/// What everybody may find, by the pairs of a query string.
pub async fn search<'a>(
    site: &Site,
    caller: &Caller,
    pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<AgentList, Error> {
    let asked = Asked::read(pairs)?;
    find(site, caller, &asked.search.clone().unwrap_or_default(), &asked).await
}

/// What the query string of a list asks for.
struct Asked {
    search: Option<AgentsQuery>,
    facets: bool,
    live: bool,
    after: Option<String>,
    size: PageSize,
}

impl Asked {
    fn read<'a>(pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Result<Self, Refusal> {
        let mut asked =
            Self { search: None, facets: false, live: false, after: None, size: PageSize::DEFAULT };
        let mut search = Vec::new();
        for (name, value) in pairs {
            match name.as_ref() {
                "after" => asked.after = Some(value.into_owned()),
                "limit" => asked.size = size(&value)?,
                "facets" => asked.facets = one_of(&name, &value, &["true", "false"])? == "true",
                "live" => asked.live = one_of(&name, &value, &["true", "false"])? == "true",
                "q" | "tag" | "kind" | "protocol" | "owner" => search.push((name, value)),
                "verified" | "online" => {
                    one_of(&name, &value, &["yes"])?;
                    search.push((name, value));
                }
                "place" => {
                    one_of(&name, &value, &["here", "elsewhere"])?;
                    search.push((name, value));
                }
                "sort" => {
                    one_of(&name, &value, &Sort::ALL.map(Sort::as_str))?;
                    search.push((name, value));
                }
                _ => return Err(Refusal::invalid(name, "A list of agents has no such parameter.")),
            }
        }
        let is_search = !search.is_empty() || asked.facets || asked.live;
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

/// A page of the caller's own agents; `after` is the last one of the page before.
pub async fn own(
    hub: &Hub,
    caller: &Caller,
    after: Option<&str>,
    size: PageSize,
) -> Result<AgentList, Error> {
    let after = after.map(|text| text.parse().map_err(|_| place::not_a_cursor())).transpose()?;
    let (rows, next): (Vec<Row>, Option<AgentId>) = agents::own(hub, caller, after, size).await?;
    Ok(AgentList::plain(rows, next.map(|next| next.to_string())))
}

async fn find(site: &Site, caller: &Caller, search: &AgentsQuery, asked: &Asked) -> Result<AgentList, Error> {
    let start = asked.after.as_deref().map(place::read).transpose()?.map_or(Start::Page(0), Start::After);
    let query = Query { start, size: asked.size, count_facets: asked.facets, ..wanted(site, search) };
    let mut list = AgentList::from(listings::search_for(&site.hub, caller, query.clone()).await?);
    if asked.live {
        let (found, provenance) = federation::ask_others(&site.hub, caller, query, true).await?.all().await?;
        list.items.extend(found.into_iter().map(ListedAgent::from));
        list.sources = Some(provenance.into());
    }
    Ok(list)
}

#[derive(Serialize, ToSchema)]
pub struct AgentList {
    items: Vec<ListedAgent>,
    /// Send it as `after` for the next page; null on the last.
    #[schema(required)]
    next: Option<String>,
    /// Of a search: how many are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// Of a search: false while the hub, just started, still reads its agents, so that some are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<bool>,
    /// Of a search: words close to these that find more.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<String>,
    /// How many are left by each property, the 20 most frequent values of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<Counts>,
    /// Of a search that other hubs were asked for: where the rows come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Sources>,
}

impl AgentList {
    /// A page of a list that is no search.
    pub(super) fn plain(rows: Vec<Row>, next: Option<String>) -> Self {
        let items = rows.into_iter().map(ListedAgent::from).collect();
        Self { items, next, total: None, whole: None, did_you_mean: None, facets: None, sources: None }
    }
}

#[derive(Serialize, ToSchema)]
struct ListedAgent {
    address: Address,
    title: String,
    summary: String,
    /// `a2a`, `llm`, `http`, `attached` or `builtin`.
    kind: String,
    /// How it is spoken to, such as "A2A 1.0".
    protocol: String,
    tags: Vec<String>,
    verified: bool,
    online: bool,
    /// False where another hub answered with it and this one may not carry it: it has no page here.
    kept: bool,
}

#[derive(Serialize, ToSchema)]
struct Sources {
    /// Agents of this hub that were found.
    own: usize,
    /// Agents of other hubs that were found and carried before.
    carried: usize,
    asked: Vec<AskedHub>,
}

#[derive(Serialize, ToSchema)]
struct AskedHub {
    id: String,
    /// Proved.
    #[schema(required)]
    domain: Option<String>,
    /// False where no answer came in time.
    answered: bool,
    /// Rows that are shown because of it.
    found: usize,
    /// Records that it sent with signatures that do not hold. Nothing of them is shown.
    wrong: usize,
}

#[derive(Serialize, ToSchema)]
struct Counts {
    tag: Vec<Count>,
    protocol: Vec<Count>,
    kind: Vec<Count>,
    owner: Vec<Count>,
}

#[derive(Serialize, ToSchema)]
struct Count {
    value: String,
    count: u64,
}

impl From<Found> for AgentList {
    fn from(found: Found) -> Self {
        let Found { total, rows, last, facets, did_you_mean, whole } = found;
        Self {
            items: rows.into_iter().map(ListedAgent::from).collect(),
            next: last.map(place::token),
            total: Some(total),
            whole: Some(whole),
            did_you_mean,
            facets: facets.map(Counts::from),
            sources: None,
        }
    }
}

impl From<Row> for ListedAgent {
    fn from(row: Row) -> Self {
        let Row { address, title, summary, kind, protocol, tags, verified, online, .. } = row;
        Self { address, title, summary, kind, protocol, tags, verified, online, kept: true }
    }
}

impl From<Elsewhere> for ListedAgent {
    fn from(found: Elsewhere) -> Self {
        let kept = found.kept;
        Self { kept, ..Self::from(Row::from(found)) }
    }
}

impl From<Provenance> for Sources {
    fn from(provenance: Provenance) -> Self {
        let Provenance { own, carried, asked } = provenance;
        let hub = |federation::AskedHub { id, domain, came }| match came {
            Came::Answer { found, wrong } => AskedHub { id, domain, answered: true, found, wrong },
            Came::Nothing => AskedHub { id, domain, answered: false, found: 0, wrong: 0 },
        };
        Self { own, carried, asked: asked.into_iter().map(hub).collect() }
    }
}

impl From<Facets> for Counts {
    fn from(facets: Facets) -> Self {
        let count = |FacetCount { value, count }| Count { value, count };
        let counts = |counted: Vec<FacetCount>| counted.into_iter().map(count).collect();
        Self {
            tag: counts(facets.tags),
            protocol: counts(facets.protocols),
            kind: counts(facets.kinds),
            owner: counts(facets.owners),
        }
    }
}
